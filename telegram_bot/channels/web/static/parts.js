/** Parts of both seats and televisions: dice, cups, seats, bids, the reveal, QR codes. */

import { more } from "./features.js";
import { counts, isCalled } from "./room.js";
import { soundOn, switchSound } from "./sound.js";
import { html, nothing, svg } from "./vendor/lit-html.js";
import { keys, t } from "./words.js";

// Safari before 15.4 knows no dialogs: there they are boxes over the page.
if (!globalThis.HTMLDialogElement?.prototype.showModal) {
  Object.assign(HTMLElement.prototype, {
    /** @this {HTMLElement} */
    showModal() {
      this.setAttribute("open", "");
    },
    /** @this {HTMLElement} */
    close() {
      this.removeAttribute("open");
    },
  });
}

/** A flat die, with the word for its face for screen readers. */
export function die(face, kind = "") {
  return html`<span class="die f${face} ${kind}" role="img" aria-label=${t(`face_${face}`)}></span>`;
}

/** Keycap digits of the server's sentences, which stand for faces, each with the sign that follows. */
const KEYCAPS = /([1-6])\uFE0F\u20E3([,.:;!?)]?)/;

/** A sentence with drawn dice. No line begins with the comma after one. */
export function withDice(text) {
  const drawn = (face, sign) => (sign ? html`<span class="with-sign">${die(face)}${sign}</span>` : die(face));
  return text.split(KEYCAPS).map((part, i, all) => (i % 3 === 0 ? part : i % 3 === 1 ? drawn(part, all[i + 1]) : ""));
}

/** Sentences with drawn dice, a paragraph each. */
export function paragraphs(lines) {
  return lines.map((line) => html`<p>${withDice(line)}</p>`);
}

const EXAMPLE = [[4, 4, 2, 6], [5, 4, 3, 4]];

/** The rules, below a picture of a round: two bids, a doubt, and the dice that count. */
export function rulesView(...lines) {
  return html`<div class="example" aria-hidden="true">
      <p>${bidSign({ quantity: 3, face: 4 })} → ${bidSign({ quantity: 4, face: 4 })} → <span class="bubble call">${t("dudo")}</span></p>
      <p class="row">${EXAMPLE.map((hand) => html`<span>${hand.map((face) => die(face, face === 4 ? "lit" : "dim"))}</span>`)} <b>= 4</b></p>
    </div>
    ${paragraphs(lines)}`;
}

/** A die that has come to rest with its face up, of six sides. */
export function cube(face, i) {
  return html`<span class="cube" role="img" aria-label=${t(`face_${face}`)} .style=${`--i:${i}`}>
    <span class="body up${face}">${[1, 2, 3, 4, 5, 6].map((side) => html`<i class="die side s${side} f${side}"></i>`)}</span>
  </span>`;
}

/** The words of a bid: 4 × and a die. */
export function bidSign(bid, kind = "") {
  return html`<span class="bid ${kind}"><b>${bid.quantity}</b><span aria-hidden="true">×</span>${die(bid.face)}</span>`;
}

/** The words of a key that bids; each language has its own place for the bid. */
export function bidWords(bid) {
  const [before, after] = t("bid", { bid: "|" }).split("|");
  return html`${before}${bidSign(bid)}${after}`;
}

/** The same words for a screen reader: "Bid 3 fours". */
export function bidLabel({ quantity, face }) {
  return t("bid", { bid: `${quantity} ${t(quantity === 1 ? `face_${face}` : `faces_${face}`)}` });
}

/** A closed cup in a seat's colour. */
export function cupSign(colour) {
  return html`<svg class="cup-sign c${colour % 10}" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M9 4h14l4 22a2 2 0 0 1-2 2.4H7A2 2 0 0 1 5 26z" /><path class="band" d="M8.2 8.5h15.6l.6 3.4H7.6z" />
  </svg>`;
}

/** The dice that seats have shown before they rolled the others again; a card from before an update has none. @param {RoundCard | null} round */
export const shownIn = (round) => round?.shown ?? [];

/** The covered dice of a seat, after those that are open. @param {SeatField} seat @param {number[]} open */
function dicePips({ dice }, open) {
  const covered =
    dice === null
      ? html`<span class="count" title=${t("hidden_dice")}>?</span>`
      : html`<span class="pips" role="img" data-dice=${dice} aria-label=${t("dice_of", { n: dice })}>${Array.from({ length: dice - open.length }, () => html`<i></i>`)}</span>`;
  return open.length ? html`<span class="row">${open.map((face) => die(face, "lit"))} ${covered}</span>` : covered;
}

/** The sign at the beginning of computer players' names. */
const COMPUTER = "🤖 ";

/** The face of a seat, without a word for screen readers. @param {Partial<SeatField>} seat */
export function faceOf({ name, face, colour }) {
  const sign = name.startsWith(COMPUTER) ? COMPUTER : face;
  return sign ? html`<span class="face c${colour % 10}" aria-hidden="true">${sign}</span>` : nothing;
}

/** The face and the name of a seat. Screen readers hear the name alone. @param {Partial<SeatField>} seat */
export function named(seat) {
  return html`${faceOf(seat)}<bdi class="name">${withoutSign(seat.name)}</bdi>`;
}

/** A name, or a sentence with one, without the sign of computer players. */
export function withoutSign(text) {
  return text.split(COMPUTER).join("");
}

/** All animals, to choose one of them; `chosen`: its name or its sign, `taken`: the signs of the others. */
export function animals(chosen, change, taken = []) {
  return html`<fieldset class="animals"><legend>${t("my_animal")}</legend>
    ${keys("animal_").map((key) => {
      const [animal, sign] = [key.slice("animal_".length), t(key)];
      return html`<label><input type="radio" name="face" value=${animal} .checked=${[animal, sign].includes(chosen)} ?disabled=${sign !== chosen && taken.includes(sign)} @change=${() => change?.(animal)} /><span>${sign}</span></label>`;
    })}
  </fieldset>`;
}

/** A line icon. */
export function icon(...paths) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${paths.map((path) => svg`<path d=${path} />`)}</svg>`;
}

export const SPEAKER = "M4 9.5h3.500L12 5.500v13L7.500 14.500H4z";

/** The switch for sound. */
export function soundSwitch(redraw) {
  const on = soundOn();
  const change = () => {
    switchSound(!on);
    redraw();
  };
  return html`<button class="plain" aria-pressed=${on ? "true" : "false"} aria-label=${t("sound")} @click=${change}>
    ${icon(SPEAKER, on ? "M15.500 9a4.500 4.500 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11" : "M16 9.500l5 5M21 9.500l-5 5")}
  </button>`;
}

/** The signs next to a name: computer, telephone, away, and guest where not every player is one. @param {SeatField} seat @param {SeatField[]} seats */
export function badges(seat, seats) {
  return html`${seat.computer ? html`<span class="badge">${seat.computer.engine || t(`level_${seat.computer.level}`)}</span>` : nothing}
  ${seat.by_text ? html`<span class="badge">${t("by_text")}</span>` : nothing}
  ${seat.guest && seats.some((each) => !each.guest && !each.computer) ? html`<span class="badge">${t("web")}</span>` : nothing}
  ${seat.away ? html`<span class="badge warn">${t("away")}</span>` : nothing}`;
}

/** Why a seat is not on the page or at the table now: the bot plays for its player, or their page has no connection. @param {Room} room @param {SeatField} seat */
function absence(room, seat) {
  if (seat.out) return nothing;
  if (seat.away) return html`<span class="badge warn absence">${t("away")}</span>`;
  return room.gone.has(seat.player) ? html`<span class="badge warn absence" title=${t("no_connection")}>📵 <span>${t("no_connection")}</span></span>` : nothing;
}

/** The dice of a seat in a reveal, those that are still covered as backs. @param {Room["show"]} show */
function revealedDice(show, seat) {
  const before = show.card.dice.slice(0, seat).flat().length;
  const hand = show.card.dice[seat] ?? [];
  return html`<span class="row">
    ${hand.map((face, i) => {
      if (before + i >= show.shown) return html`<i class="die back"></i>`;
      return die(face, counts(show.card, face) ? "lit" : "dim");
    })}
  </span>`;
}

/** @param {Room["show"]} show */
function changeOf(show, seat) {
  const change = show?.done && show.card.changes.find((each) => each.seat === seat);
  if (!change) return nothing;
  const more = change.dice > 0;
  return html`<span class="change ${more ? "more" : "less"}">${more ? "+" : "−"}${Math.abs(change.dice)}</span>`;
}

/** One seat of a round, as everybody sees it. @param {Room} room @param {SeatField} seat */
export function seatView(room, seat, i, style = "") {
  const { round, show, end } = room;
  const bids = round?.bids ?? end?.bids ?? [];
  const last = bids.filter((bid) => bid.seat === i).pop();
  const newest = Boolean(last) && bids[bids.length - 1] === last;
  const calls = end?.caller === i;
  const classes = [
    "seat",
    !end && round?.turn === i ? "turn" : "",
    seat.out && !(show?.card.dice[i]?.length > 0) ? "out" : "",
    seat.away ? "away" : "",
    seat.player === room.me ? "me" : "",
    calls ? "calls" : "",
    show ? "open" : "",
  ];
  return html`<li class=${classes.join(" ")} aria-current=${!end && round?.turn === i ? "true" : nothing} .style=${style}>
    ${cupSign(seat.colour)}
    <span class="who">${named(seat)}</span>
    ${show && show.card.dice[i]?.length ? revealedDice(show, i) : seat.out ? html`<span class="count">${t("out")}</span>` : dicePips(seat, shownIn(round).find((each) => each.seat === i)?.dice ?? [])}
    ${absence(room, seat)} ${changeOf(show, i)} ${more("seatView", room, i)}
    ${calls && isCalled(end)
      ? html`<span class="bubble call">${t(end.call)}</span>`
      : last && !show
        ? html`<span class="bubble ${newest ? "" : "old"}">${bidSign(last)}</span>`
        : nothing}
  </li>`;
}

/** The middle of the table: the bid that counts now, or the reveal. @param {Room} room */
export function middle({ round, show, end, onTurn }) {
  const card = show?.card ?? (end?.card === "reveal" ? end : null);
  if (card) return revealed(card, show ?? { card, shown: card.dice.flat().length, done: true });
  if (end?.card === "call") {
    return html`<div class="middle calling">
      <p class="shout">${t(end.call)}</p>
      <p>${withDice(end.text)}</p>
      ${end.bid ? bidSign(end.bid, "large") : nothing}
    </div>`;
  }
  const bid = round.bids[round.bids.length - 1];
  return html`<div class="middle">
    ${round.paused ? html`<p class="paused">${round.paused}</p>` : nothing}
    ${bid
      ? html`<p class="soft">${t("says", { name: round.seats[bid.seat].name })}</p>
          ${bidSign(bid, "large")}`
      : onTurn
        ? html`<p class="opens">${t("opens", onTurn)}</p>`
        : nothing}
    ${facts(round, t("round", { n: round.round }))}
  </div>`;
}

/** The bid that counts now, and its bidder, in a line. @param {Room} room */
export function lastBid({ round, end }) {
  const bid = end ? undefined : round?.bids[round.bids.length - 1];
  return bid ? html`<p class="status last-bid">${named(round.seats[bid.seat])}: ${bidSign(bid)}</p>` : nothing;
}

/** The facts of a round; palifico is loud. @param {RoundCard} round */
export function facts(round, ...more) {
  const said = [...more, ...round.facts, ...shownIn(round).map(({ text }) => text)];
  return html`${round.palifico ? html`<p class="palifico">${round.palifico}</p>` : nothing}
    ${said.length ? html`<p class="soft facts">${withDice(said.join(" · "))}</p>` : nothing}`;
}

/** @param {RevealCard} card @param {{ shown: number, done: boolean }} show */
function revealed(card, show) {
  const shown = card.dice.flat().slice(0, show.shown);
  const count = shown.filter((face) => counts(card, face)).length;
  return html`<div class="middle reveal">
    ${card.bid
      ? html`<p class="score">
          <span>${bidSign(card.bid)}<small>${t("the_bid")}</small></span>
          <span class="counted ${show.done ? (isEnough(card) ? "enough" : "short") : ""}"
            ><b>${count}</b><small>${t("counted")}</small></span
          >
        </p>`
      : nothing}
    ${show.done ? outcome(card) : nothing}
    ${show.done && card.reaction ? html`<p class="soft">${withDice(card.reaction)}</p>` : nothing}
  </div>`;
}

/** Whether the dice of a reveal fulfil the bid, or for calza match it exactly. @param {RevealCard} card */
export function isEnough({ bid, call, count }) {
  return call === "calza" ? count === bid.quantity : count >= bid.quantity;
}

/** The sentences on what follows from a reveal, each after the face of its seat. @param {RevealCard} card */
export function linesOf({ lines, seats }) {
  return lines.map(({ seat, text }) => [faceOf(seats[seat]), withoutSign(text)]);
}

/** @param {RevealCard} card */
function outcome(card) {
  const next = card.next_opener === null ? undefined : card.seats[card.next_opener];
  return html`<p class="result">${card.verdict}${linesOf(card).map(([face, line]) => html`<br />${face} ${line}`)}</p>
    ${next && card.next_palifico ? html`<p class="palifico">${t("palifico_next", { name: next.name })}</p>` : nothing}`;
}

/** The clock, in the table's time. @param {Room} room */
export function clock(room) {
  const ends = room.round?.clock_ends;
  if (!ends || room.round.paused || room.end) return nothing;
  const left = Math.ceil(room.secondsTo(ends));
  const hours = Math.floor(left / 3600);
  const shown = hours
    ? `${hours}:${String(Math.floor((left % 3600) / 60)).padStart(2, "0")} h`
    : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  return html`<span class="clock ${left <= 15 ? "hurry" : ""}" role="timer" aria-label=${t("clock")}>${shown}</span>`;
}

/** A QR code from its rows of 0 and 1. */
export function qr(rows) {
  const path = rows.flatMap((row, y) => [...row].map((dark, x) => (dark === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  const size = rows.length + 8;
  return html`<svg class="qr" viewBox="-4 -4 ${size} ${size}" role="img" aria-label=${t("qr")}>
    ${svg`<rect x="-4" y="-4" width=${size} height=${size} fill="#fff"/><path d=${path} fill="#000" shape-rendering="crispEdges"/>`}
  </svg>`;
}

/** Places, the evening's wins, and achievements; `told`: how it goes on for the reader, instead of the winner; `others`: below the places; `me`: the reader's number as a player. @param {OverCard | ClosedCard} card @param {string[] | null} told */
export function overView(card, told = null, others = null, me = /** @type {number | null} */ (null)) {
  if (card.card === "closed") return html`<section class="over"><h2>${card.text || t("table_closed")}</h2></section>`;
  const won = card.seats.some(({ player, place }) => place === 1 && player === me) ? t("you_won") : t("has_won", { name: card.winner_name });
  return html`<section class="over">
    <svg class="trophy" viewBox="0 0 48 48" aria-hidden="true">
      <path d="M14 6h20v4h8v5c0 6-4 9-9 10-2 3-4 5-7 6v5h7v6H15v-6h7v-5c-3-1-5-3-7-6-5-1-9-4-9-10v-5h8zm0 8h-4v1c0 3 1.500 5 4 6zm20 0v7c2.500-1 4-3 4-6v-1z" />
    </svg>
    ${told ? paragraphs(told) : html`<h2 .style=${lengthOf(won)}>${won}</h2>`}
    <ol class="places">
      ${card.seats.map((seat) => html`<li><b>${seat.place ?? ""}</b> ${named(seat)}</li>`)}
      ${others}
    </ol>
    ${card.evening?.length > 1
      ? html`<p class="soft">${t("tonight")} ${card.evening.map((each) => `${each.name} ${each.wins}`).join(" · ")}</p>`
      : nothing}
    ${(card.achievements ?? []).map((each) => html`<p class="soft">🏅 ${each.name}: ${withDice(each.text)}</p>`)}
    ${card.dice ? html`<p class="soft">${card.dice}</p>` : nothing}
  </section>`;
}

/** The style of words in large letters, which are smaller rather than broken: their length, and that of the longest one. */
export const lengthOf = (/** @type {string} */ words, least = 0) => `--length:${Math.max(least, words.length)};--word:${Math.min(14, Math.max(...words.split(" ").map((word) => word.length)))}`;

/** How many people want another game. @param {Room} room */
export function wantAnother({ another }) {
  return `🙋 ${t(another.n === 1 ? "want_another_1" : "want_another", another)}`;
}

/** The bids of a round; where they do not all fit, the newest are visible. @param {RoundCard} round */
export function bidTrail(round) {
  if (round.bids.length < 2) return nothing;
  return html`<ol class="bids" aria-label=${t("bids")}>
    ${round.bids.slice(-12).map((bid) => html`<li><span>${named(round.seats[bid.seat])}</span> ${bidSign(bid)}</li>`)}
  </ol>`;
}

const CONFETTI = 60;

/** Throw paper for the winner, once. */
export function confetti() {
  return html`<div class="confetti" aria-hidden="true">
    ${Array.from({ length: CONFETTI }, (_, i) => html`<i .style=${`--at:${(i * 61) % 100}; --wait:${(i * 37) % 50}; --colour:var(--line-${i % 10})`}></i>`)}
  </div>`;
}

/** The warning on a page without encryption, as at a party at home: others in the network can read the dice. */
function unencrypted() {
  const isPlain = location.protocol === "http:" && !["localhost", "127.0.0.1"].includes(location.hostname);
  return isPlain && !location.hostname.endsWith(".localhost") ? t("unencrypted") : "";
}

/** Answers for people who ask how private a game is: the warning, sentences, and what features add. */
export function privacy(sentences, added) {
  const said = [unencrypted(), ...sentences].filter(Boolean);
  return said.length || added.length ? html`<details class="box privacy"><summary>${t("how_private")}</summary>${paragraphs(said)} ${added}</details>` : nothing;
}
