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
/** A page that hears of a reveal later than this was asleep, or has just been loaded. */
const LATE_MS = 3000;
/** The server's clock counts anew if it differs more than this from what its last greeting said: the page's clock was set. */
const SET_SECONDS = 2;

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether a die counts for the bid of its reveal. */
export function counts(card, face) {
  return Boolean(card.bid) && (face === card.bid.face || (face === 1 && card.ones_wild));
}

/** Whether a reveal follows a call, rather than a player who left or whose time was over. */
export function isCalled({ call }) {
  return call === "dudo" || call === "calza";
}

/** Whether a lobby has been opened again for a host who has not come yet. @param {LobbyCard} lobby */
function awaitsHost({ awaits_host, started }) {
  return awaits_host && !started;
}

/** For each person of a lobby, whether they want another game; who has come since the last one does. @param {LobbyCard} lobby @param {OverCard} over */
function wanting({ seats, ready }, over) {
  const played = new Set(over.seats.map(({ player }) => player));
  return seats.filter(({ computer }) => !computer).map(({ player }) => ready.includes(player) || !played.has(player));
}

/** The place among all dice of the one that decides: with it the count passes the bid, or else the last cup begins. @param {RevealCard} card */
function deciding(card) {
  const dice = card.dice.flat();
  const counted = dice.flatMap((face, i) => (counts(card, face) ? [i] : []));
  const enough = counted[card.call === "calza" ? card.bid.quantity : card.bid.quantity - 1];
  return enough ?? dice.length - card.dice.filter((hand) => hand.length).pop().length;
}

/** The great moments that follow from a reveal, in order. Where lost dice are hidden, none depends on the number that is left. @param {RevealCard} card @returns {Sting[]} */
function stingsOf({ seats, out, changes, next_opener, next_palifico }) {
  const left = seats.filter((seat) => !seat.out);
  /** @type {Sting[]} */
  const stings = out.map((seat) => ({ about: "falls", seats: [seats[seat]], place: out.length === 1 && left.length + 1 }));
  if (left.length === 2 && changes.length && left.every(({ dice }) => dice === 1)) stings.push({ about: "match_point", seats: left });
  else if (left.length === 2 && out.length) stings.push({ about: "duel", seats: left });
  if (next_palifico) stings.push({ about: "palifico", seats: [seats[next_opener]] });
  return stings;
}

/** How long the result of a reveal stays. */
const stays = () => (calm.matches ? CALM_RESULT_MS : RESULT_MS);

export class Room {
  /**
   * `redraw`: draw the page; `news(card, when)`: a card came while people look on. `when` is "now", or of a reveal
   * "called" (if no card told of the call), "die", "drum" (before the die that decides), "shown" and "sting".
   */
  constructor(redraw, news) {
    this.redraw = redraw;
    this.news = news;
    this.me = null;
    this.clockAhead = NaN;
    this.clear();
  }

  clear() {
    /** @type {Cards} */
    this.cards = new Map();
    /** @type {Cards} */
    this.early = new Map();
    /** The cards of a lobby that waits at the end of a game, until its host wants another one, or all do. @type {Cards} */
    this.coming = new Map();
    /** The cards of the last game to its end, and whether the player looks back at them from the next lobby. @type {Cards} */
    this.finale = new Map();
    this.looksBack = false;
    /** @type {Card[]} */
    this.waiting = [];
    this.live = false;
    /** The players whose pages have no connection. @type {Set<number>} */
    this.gone = new Set();
    this.table = 0;
    this.called = null;
    /** My call that counts when I repeat it at its step. */
    this.armed = null;
    this.endShow();
  }

  /**
   * A connection begins. The first one's cards describe the present state; later cards are news.
   *
   * The greeting that was on its way for the shortest time knows the server's clock best.
   */
  hello({ now, player }) {
    this.me = player;
    const ahead = now - Date.now() / 1000;
    const isSet = !(Math.abs(ahead - this.clockAhead) < SET_SECONDS);
    this.clockAhead = isSet ? ahead : Math.max(ahead, this.clockAhead);
  }

  /** A page that was loaded again goes on with a reveal that the others still show, unless a player has bid since. */
  ready() {
    const end = this.card("end");
    if (!this.live && end?.card === "reveal" && this.round?.bids.length === 0 && !document.hidden) this.present(end);
    this.live = true;
    this.redraw();
  }

  /** @param {Card} card */
  take(card) {
    if (!this.live) {
      this.put(card);
      return;
    }
    if ("at_once" in card && card.at_once) {
      if (this.put(card)) this.news(card, "now");
      this.redraw();
      return;
    }
    this.waiting.push(card);
    // A new reveal ends the one that is being shown, so a page is never more than one behind.
    if (card.card === "reveal" || (card.card === "lobby" && !awaitsHost(card)) || this.isAwaited) this.endShow();
    this.next();
  }

  /** Keep a card; false if it is of another table than the room's, which public cards decide. @param {Card} card */
  put(card) {
    const { lane, slot, table } = card;
    if (table !== null && table < this.table) return false;
    if (table > this.table) {
      if (lane === "private") {
        // Its table is in another room, or this room's next one, whose lobby is on its way.
        this.early.set(`${table} ${slot}`, card);
        return false;
      }
      if (this.waitsFor(card)) {
        this.coming.set(slot, card);
        if (card.card === "closed") this.coming.clear();
        return true;
      }
      if (this.over) this.finale = new Map([...this.cards].filter(([, old]) => old.table === this.table));
      this.table = table;
      for (const [name, old] of this.cards) if (old.table !== null) this.cards.delete(name);
      for (const own of [...this.early.values(), ...this.coming.values()]) if (own.table === table) this.cards.set(own.slot, own);
      this.coming.clear();
    }
    this.cards.set(slot, card);
    if (slot === "table" && (card.card !== "lobby" || card.started)) this.looksBack = false;
    return true;
  }

  /** Whether the end of a game stays on the page although there is a lobby: its readers are not taken away from it. @param {Card} card */
  waitsFor(card) {
    const { over } = this;
    if (!over || (!this.live && this.me !== null && !over.seats.some(({ player }) => player === this.me))) return false;
    if (card.slot !== "table") return this.coming.get("table")?.table === card.table;
    return card.card === "lobby" && awaitsHost(card) && wanting(card, over).some((wants) => !wants);
  }

  /** At the end of a game: how many people want another one, of how many, and whether the page's player does; null before the first one. */
  get another() {
    const lobby = this.coming.get("table");
    if (lobby?.card !== "lobby" || !this.over) return null;
    const wants = wanting(lobby, this.over);
    return { n: wants.filter(Boolean).length, all: wants.length, mine: lobby.ready.includes(this.me) };
  }

  next() {
    while (this.waiting.length && !this.show) {
      const card = this.waiting.shift();
      if (!this.put(card)) continue;
      this.news(card, "now");
      if (card.card === "call") this.called = { round: card.round, at: this.begun(card) };
      if (card.card === "reveal" && !document.hidden) this.present(card);
    }
    this.redraw();
  }

  /** How many milliseconds ago the server told all pages of a card. @param {Card} card */
  age({ at }) {
    const ms = Date.now() - (at - this.clockAhead) * 1000;
    return ms > 0 ? ms : 0;
  }

  /** When the server told all pages of a card, by this page's clock: so the pages of a room show its reveal together. @param {Card} card */
  begun(card) {
    return Date.now() - this.age(card);
  }

  /** Whether a player on turn, whose page hears late of the reveal, waits for its end: the others have seen all dice. */
  get isAwaited() {
    const { show } = this;
    const asks = (card) => card.on_turn || (card.card === "round" && card.seats[card.turn]?.player === this.me);
    return show?.isLate && Date.now() >= show.opens && (show.isMyTurn || this.waiting.some(asks));
  }

  /** Show a reveal: the call, then die by die; later cards wait. Where its time is over, its result is all there is. @param {RevealCard} card */
  present(card) {
    const dice = card.dice.flat();
    const total = dice.length;
    const calling = isCalled(card);
    const isTold = calling && this.called?.round === card.round;
    const due = isTold ? Math.max(this.called.at, this.begun(card) - CALL_MS) : this.begun(card);
    const beat = Math.max(80, Math.min(300, COUNT_MS / Math.max(1, total)));
    let drum = calling && total ? deciding(card) : -1;
    const counting = calm.matches || !total ? 0 : LIFT_MS + total * beat + (drum < 0 ? 0 : DRUM_MS);
    const opens = due + (calling ? CALL_MS : 0) + counting;
    const stings = stingsOf(card);
    const show = { card, total, due, opens, shown: 0, done: false, calling, stings, sting: /** @type {Sting | null} */ (null), isLate: this.age(card) > LATE_MS, isMyTurn: this.mine.turn };
    this.show = show;
    if (this.isAwaited || Date.now() >= opens + stays() + Math.max(0, stings.length - 1) * STING_MS) {
      this.endShow();
      return;
    }
    /** A page that catches up makes no sound for each die. */
    const news = (what, when) => Date.now() - show.due < CALL_MS && this.news(what, when);
    const step = () => {
      if (show.shown >= total) {
        this.finish();
      } else if (show.shown === drum) {
        drum = -1;
        news(card, "drum");
        this.after(DRUM_MS, step);
      } else {
        show.shown += 1;
        news({ ...card, face: dice[show.shown - 1] }, "die");
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
    if (!calling) {
      lift();
      return;
    }
    if (!isTold) news(card, "called");
    this.after(CALL_MS, lift);
  }

  /** Go on so long after the last moment of the reveal; a page that is late catches up. */
  after(ms, act) {
    this.show.due += ms;
    const left = this.show.due - Date.now();
    if (left > 0) this.timer = setTimeout(act, left);
    else act();
  }

  /** All dice are open, and the result stays for a while. */
  finish() {
    clearTimeout(this.timer);
    const { show } = this;
    Object.assign(show, { calling: false, shown: show.total, done: true });
    this.news(show.card, "shown");
    this.redraw();
    this.after(show.stings.length ? stays() - STING_MS : stays(), () => this.sting());
    if (this.isAwaited) this.skip();
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

  /** The card of a slot, or null. @template {keyof Slots} S @param {S} slot @returns {Slots[S] | null} */
  card(slot) {
    return /** @type {any} */ ((this.looksBack ? this.finale : this.cards).get(slot)) ?? null;
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

  /** The lobby, also while its game begins, or null. */
  get lobby() {
    const table = this.card("table");
    return table?.card === "lobby" ? table : null;
  }

  /** The end of a game that has a winner, or null. */
  get over() {
    const over = this.card("over");
    return over?.card === "over" ? over : null;
  }

  /** The end of the last game, to which a player looks back from the next lobby, or null. */
  get lastOver() {
    const over = this.finale.get("over");
    return over?.card === "over" ? over : null;
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

  /** My dice of the reveal that is shown, or null without any: a player who is out has none. */
  get revealedHand() {
    const seat = this.show?.card.seats.findIndex((each) => each.player === this.me);
    const dice = this.show?.card.dice[seat];
    return dice?.length ? dice : null;
  }

  /** My legal calls now. */
  get mine() {
    const { round, hand, me } = this;
    const seat = round ? round.seats.findIndex((each) => each.player === me) : -1;
    if (seat < 0) return { turn: false, step: 0, raises: [], dudo: false, calza: false };
    const own = hand && hand.step >= round.step ? hand : null;
    const free = !this.end && !round.paused && !round.seats[seat].out;
    const turn = free && (own ? own.on_turn : round.turn === seat);
    const { step } = own ?? round;
    return {
      turn,
      step,
      raises: turn ? (own ? own.raises : round.raises) : [],
      start: own?.start,
      dudo: free && (own ? own.may_dudo : round.dudo.includes(seat)),
      calza: free && (own ? own.may_calza : round.calza.includes(seat)),
      shows: free && own?.shows,
      again: this.armed?.step === step && this.armed.act,
    };
  }

  get mySeat() {
    return (this.card("table")?.seats ?? []).find((each) => each.player === this.me) ?? null;
  }

  /** My part in a round. */
  get role() {
    const seat = this.mySeat;
    return !seat ? "watching" : seat.out ? "you_are_out" : seat.away ? "away" : "playing";
  }

  /** The seat on turn, or null. */
  get onTurn() {
    return this.round?.seats[this.round.turn] ?? null;
  }

  get isHost() {
    return this.lobby?.host === this.me && this.me !== null;
  }
}
