/** The page's knowledge of its room: the cards, and the reveal that it shows while later cards wait. */

const HOLD_MS = 4500;
const CALM_HOLD_MS = 6000;
const LIFT_MS = 700;

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether a die counts for the bid of its reveal. */
export function counts(card, face) {
  return Boolean(card.bid) && (face === card.bid.face || (face === 1 && card.ones_wild));
}

export class Room {
  /** `redraw`: draw the page; `news(card, when)`: a card came while people look on, `when` "now" or, of a reveal, "shown". */
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
    this.waiting.push(card);
    // A new reveal ends the one that is being shown, so a page is never more than one behind.
    if (card.card === "reveal" || card.card === "lobby") this.endShow();
    this.next();
  }

  put(card) {
    if (card.table !== null && card.table < this.table) return;
    if (card.table > this.table) {
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
      if (card.card === "reveal" && !document.hidden) this.present(card);
    }
    this.redraw();
  }

  /** Show a reveal die by die; later cards wait. */
  present(card) {
    const total = card.dice.flat().length;
    const show = { card, total, shown: 0, done: false };
    this.show = show;
    const beat = Math.max(90, Math.min(380, 4200 / Math.max(1, total)));
    const step = () => {
      if (this.show !== show) return;
      if (show.shown >= total) {
        this.finish();
        return;
      }
      show.shown += 1;
      this.news({ ...card, face: card.dice.flat()[show.shown - 1] }, "die");
      this.redraw();
      this.timer = setTimeout(step, beat);
    };
    if (calm.matches || !total) this.finish();
    else this.timer = setTimeout(step, LIFT_MS);
  }

  /** All dice are open, and the result stays for a while. */
  finish() {
    clearTimeout(this.timer);
    this.show.shown = this.show.total;
    this.show.done = true;
    this.news(this.show.card, "shown");
    this.redraw();
    this.timer = setTimeout(() => this.skip(), calm.matches ? CALM_HOLD_MS : HOLD_MS);
  }

  /** On with the reveal: first to its result, then to the next round. */
  skip() {
    if (!this.show) return;
    if (!this.show.done) {
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
    return this.cards.get(slot) ?? null;
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
