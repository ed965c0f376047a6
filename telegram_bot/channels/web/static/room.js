/** The page's knowledge of its room: the cards, and the reveal that it shows while later cards wait. */

/** From a call to the moment when the cups lift. */
const CALL_MS = 1200;
const LIFT_MS = 300;
/** All dice together, but for the moment before the one that decides. */
const COUNT_MS = 3000;
const DRUM_MS = 1500;
const RESULT_MS = 4200;
const CALM_RESULT_MS = 6000;
const STING_MS = 1800;
/** A card that comes later than this is shown from its beginning. */
const MOST_LATE_MS = 3000;

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether a die counts for the bid of its reveal. */
export function counts(card, face) {
  return Boolean(card.bid) && (face === card.bid.face || (face === 1 && card.ones_wild));
}

/** Whether a reveal follows a call, rather than a player who left or whose time was over. */
export function isCalled({ call }) {
  return call === "dudo" || call === "calza";
}

/** The place among all dice of the one that decides: with it the count passes the bid, or else the last cup begins. */
function deciding(card) {
  const dice = card.dice.flat();
  const counted = dice.flatMap((face, i) => (counts(card, face) ? [i] : []));
  const enough = counted[card.call === "calza" ? card.bid.quantity : card.bid.quantity - 1];
  return enough ?? dice.length - card.dice.findLast((hand) => hand.length).length;
}

/** The great moments that follow from a reveal, in order. Where lost dice are hidden, none depends on the number that is left. */
function stingsOf({ seats, out, changes, next_opener, next_palifico }) {
  const left = seats.filter((seat) => !seat.out);
  const stings = out.map((seat) => ({ about: "falls", seats: [seats[seat]], place: out.length === 1 && left.length + 1 }));
  if (left.length === 2 && changes.length && left.every(({ dice }) => dice === 1)) stings.push({ about: "match_point", seats: left });
  else if (left.length === 2 && out.length) stings.push({ about: "duel", seats: left });
  if (next_palifico) stings.push({ about: "palifico", seats: [seats[next_opener]] });
  return stings;
}

export class Room {
  /**
   * `redraw`: draw the page; `news(card, when)`: a card came while people look on. `when` is "now", or of a reveal
   * "called" (if no card told of the call), "die", "drum" (before the die that decides), "shown" and "sting".
   */
  constructor(redraw, news) {
    this.redraw = redraw;
    this.news = news;
    this.me = null;
    this.clockAhead = 0;
    this.clear();
  }

  clear() {
    this.cards = new Map();
    this.waiting = [];
    this.live = false;
    this.table = 0;
    this.called = null;
    this.endShow();
  }

  /** A connection begins. The first one's cards describe the present state; later cards are news. */
  hello({ now, player }) {
    this.me = player;
    this.clockAhead = now - Date.now() / 1000;
  }

  /** A page that was loaded again shows the last reveal once more, unless a player has bid since. */
  ready() {
    const end = this.card("end");
    if (!this.live && end?.card === "reveal" && this.round?.bids.length === 0 && !document.hidden) this.present(end);
    this.live = true;
    this.redraw();
  }

  take(card) {
    if (!this.live) {
      this.put(card);
      return;
    }
    if (card.at_once) {
      this.put(card);
      this.news(card, "now");
      this.redraw();
      return;
    }
    this.waiting.push(card);
    // A new reveal ends the one that is being shown, so a page is never more than one behind.
    if (card.card === "reveal" || card.card === "lobby") this.endShow();
    this.next();
  }

  put(card) {
    if (card.table !== null && card.table < this.table) return;
    if (card.lane === "private" && this.table && card.table > this.table) return;
    if (card.lane === "public" && card.table > this.table) {
      this.table = card.table;
      for (const [slot, old] of this.cards) if (old.table !== null && old.table < card.table) this.cards.delete(slot);
    }
    this.cards.set(card.slot, card);
  }

  next() {
    while (this.waiting.length && !this.show) {
      const card = this.waiting.shift();
      this.put(card);
      this.news(card, "now");
      if (card.card === "call") this.called = { round: card.round, at: this.begun(card) };
      if (card.card === "reveal" && !document.hidden) this.present(card);
    }
    this.redraw();
  }

  /** When the server told all pages of a card, by this page's clock: so the pages of a room show its reveal together. */
  begun({ at }) {
    const moment = (at - this.clockAhead) * 1000;
    const late = Date.now() - moment;
    return late > 0 && late < MOST_LATE_MS ? moment : Date.now();
  }

  /** Show a reveal: the call, then die by die; later cards wait. */
  present(card) {
    const dice = card.dice.flat();
    const total = dice.length;
    const show = { card, total, shown: 0, done: false, calling: isCalled(card), stings: stingsOf(card), sting: null, due: this.begun(card) };
    this.show = show;
    const beat = Math.max(80, Math.min(300, COUNT_MS / Math.max(1, total)));
    let drum = show.calling && total ? deciding(card) : -1;
    const step = () => {
      if (show.shown >= total) {
        this.finish();
      } else if (show.shown === drum) {
        drum = -1;
        this.news(card, "drum");
        this.after(DRUM_MS, step);
      } else {
        show.shown += 1;
        this.news({ ...card, face: dice[show.shown - 1] }, "die");
        this.redraw();
        this.after(beat, step);
      }
    };
    const lift = () => {
      show.calling = false;
      this.redraw();
      if (calm.matches || !total) this.finish();
      else this.after(LIFT_MS, step);
    };
    if (!show.calling) {
      lift();
      return;
    }
    if (this.called?.round === card.round) show.due = Math.max(this.called.at, show.due - CALL_MS);
    else this.news(card, "called");
    this.after(CALL_MS, lift);
  }

  /** Go on so long after the last moment of the reveal; a page that is late catches up. */
  after(ms, act) {
    this.show.due += ms;
    this.timer = setTimeout(act, Math.max(0, this.show.due - Date.now()));
  }

  /** All dice are open, and the result stays for a while. */
  finish() {
    clearTimeout(this.timer);
    const { show } = this;
    Object.assign(show, { calling: false, shown: show.total, done: true });
    this.news(show.card, "shown");
    this.redraw();
    const stays = calm.matches ? CALM_RESULT_MS : RESULT_MS;
    this.after(show.stings.length ? stays - STING_MS : stays, () => this.sting());
  }

  /** After the result: the next sting, or else the next card. */
  sting() {
    const { show } = this;
    show.sting = show.stings.shift() ?? null;
    if (!show.sting) {
      this.skip();
      return;
    }
    this.news({ ...show.card, sting: show.sting }, "sting");
    this.redraw();
    this.after(STING_MS, () => this.sting());
  }

  /** On with the reveal: first to its result, then to the next round. */
  skip() {
    if (!this.show) return;
    if (!this.show.done) {
      this.show.due = Date.now();
      this.finish();
      return;
    }
    this.endShow();
    this.next();
  }

  endShow() {
    clearTimeout(this.timer);
    this.show = null;
  }

  card(slot) {
    const card = this.cards.get(slot);
    return card && (card.table === null || card.table === this.table) ? card : null;
  }

  /** Seconds until a moment of the server's clock. */
  secondsTo(moment) {
    return Math.max(0, moment - this.clockAhead - Date.now() / 1000);
  }

  /** The page's present view: waiting, lobby, dealing, round or over. */
  get phase() {
    const table = this.card("table");
    if (this.show) return "round";
    if (this.card("over")) return "over";
    if (!table) return "waiting";
    if (table.card === "lobby") return table.started ? "dealing" : "lobby";
    return "round";
  }

  /** The round that is played, or null. */
  get round() {
    const table = this.card("table");
    return table?.card === "round" && !this.card("over") ? table : null;
  }

  /** The call or the reveal that is on the table now, if the next round has not begun. */
  get end() {
    if (this.show) return this.show.card;
    const end = this.card("end");
    return end && (!this.round || end.round >= this.round.round) ? end : null;
  }

  /** My hand of the round that is played, or null. */
  get hand() {
    const hand = this.card("hand");
    return hand && this.round && hand.round === this.round.round && hand.dice.length ? hand : null;
  }

  /** My legal calls now. */
  get mine() {
    const { round, hand, me } = this;
    const nothing = { seat: -1, turn: false, step: 0, raises: [], dudo: false, calza: false };
    if (!round || me === null) return nothing;
    const seat = round.seats.findIndex((each) => each.player === me);
    if (seat < 0) return nothing;
    const own = hand && hand.step >= round.step ? hand : null;
    const free = !this.end && !round.paused && !round.seats[seat].out;
    const turn = free && (own ? own.on_turn : round.turn === seat);
    return {
      seat,
      turn,
      step: own ? own.step : round.step,
      raises: turn ? (own ? own.raises : round.raises) : [],
      start: own?.start,
      dudo: free && (own ? own.may_dudo : round.dudo.includes(seat)),
      calza: free && (own ? own.may_calza : round.calza.includes(seat)),
    };
  }

  get mySeat() {
    return (this.card("table")?.seats ?? []).find((each) => each.player === this.me) ?? null;
  }

  get isHost() {
    return this.card("table")?.host === this.me && this.me !== null;
  }
}
