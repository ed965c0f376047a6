/** Ghosts on pages: the keys of readers without dice, the ghosts over the felt, and those that haunt a seat. */

import { bidSign, paragraphs } from "../../parts.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** The last end of a round that each room has shown: later dice give nothing away before they are seen. */
const seen = new WeakMap();
/** The last guess: its table, its round, its word, and the answer to it. */
let mine = {};

/** Acts whose success the page itself shows. */
export const silent = ["guess"];

/** @param {Room} room @returns {GhostsField} */
export function ghostsIn(room) {
  const card = room.card("end");
  if (card?.card === "reveal" && (!room.show || room.show.done)) seen.set(room, card);
  const last = seen.get(room);
  return (last?.table === room.table && last.ghosts) || { faces: [], lines: [] };
}

/** Whether the result of a round is on the page. @param {Room} room */
export const isTold = (room) => (room.show ? room.show.done : room.end?.card === "reveal");

/** @param {{ face: string | null, name: string }} ghost */
export function ghost({ face, name }) {
  return html`<span class="ghost" role="img" aria-label=${`👻 ${name}`}>${face}<i>👻</i></span>`;
}

const guesses = (/** @type {RoundCard | null} */ round) => (round?.acts ?? []).filter(({ act }) => act === "guess");

/** The twist of a ghost that the next game has, or undefined. @param {LobbyCard | null} card */
export const twistOf = (card) => card?.acts?.find(({ act }) => act === "no_twist");

/** The players who are out, and those who have guessed in this game and play for nobody. @param {Room} room @param {GuesserField[]} known */
export function ghostsOf(room, known) {
  const out = guesses(room.round).length ? room.round.seats.filter((seat) => seat.out && !seat.computer && !known.some(({ player }) => player === seat.player)) : [];
  const playing = (room.round?.seats ?? []).filter((seat) => !seat.out);
  return [...known.filter(({ player }) => !playing.some((seat) => seat.player === player)), ...out];
}

/** Over the felt: the ghosts, and after the dice how many knew. @param {Room} room */
export function feltView(room) {
  const { faces: known, lines } = ghostsIn(room);
  const faces = ghostsOf(room, known);
  const told = isTold(room);
  return faces.length || (told && lines.length) ? html`<div class="ghosts">${faces.map(ghost)} ${told ? lines.map((line) => html`<p>${line}</p>`) : nothing}</div>` : nothing;
}

/** Next to a seat: the ghosts that haunt it. @param {Room} room */
export function seatView(room, seat) {
  const haunting = ghostsIn(room).faces.filter(({ haunts }) => haunts === seat);
  return haunting.length ? html`<span class="haunting">${haunting.map(ghost)}</span>` : nothing;
}

/** For a reader without dice, in place of a call: the three guesses, which stay in sight. @param {SeatPage} page */
export function outView(page) {
  const { room } = page;
  const { round } = room;
  const acts = guesses(round);
  if (!acts.length || room.end || (room.mySeat && !room.mySeat.out)) return null;
  const now = mine.table === room.table && mine.round === round.round ? mine : {};
  const choose = async (guess) => {
    const answer = await page.act({ act: "guess", guess, step: round.step });
    if (answer?.done) mine = { table: room.table, round: round.round, guess, text: answer.text };
    page.redraw();
  };
  const bid = round.bids[round.bids.length - 1];
  const streak = ghostsIn(room).faces.find(({ player }) => player === room.me)?.streak ?? 0;
  return html`<section class="call-box on ghost-box" aria-label=${t("ghost")}>
    <div>
      <p class="status"><b>👻 ${t("ghost")}</b> ${room.mySeat ? nothing : t("watching")}</p>
      <p class="soft status">${t(`ghost_row_${Math.min(streak, 3)}`)} ${streak ? nothing : t("ghost_twist")}</p>
      ${page.looksUp && bid ? html`<p class="status">${t("says", round.seats[bid.seat])}</p>${bidSign(bid, "large")}` : nothing}
    </div>
    <p class="status" role="status">${now.text ?? t(round.bids.length ? "ghost_asks" : "ghost_waits")}</p>
    ${round.bids.length
      ? html`<div class="buttons">${acts.map(({ guess, text }) => html`<button class=${now.guess === guess ? "armed" : ""} aria-pressed=${now.guess === guess ? "true" : "false"} ?disabled=${page.busy} @click=${() => choose(guess)}>${text}</button>`)}</div>`
      : nothing}
  </section>`;
}

/** At the end of a game, to its best ghost: the twists of the next one, or the chosen one. @param {SeatPage} page @param {OverCard} over */
export function overView(page, over) {
  const card = page.room.card("twist");
  if (card?.game !== over.table) return nothing; // it was about an earlier game
  return html`<section class="box twist">
    ${paragraphs(card.lines)}
    <div class="buttons">${card.twists.map(({ twist, text }) => html`<button ?disabled=${page.busy} @click=${() => page.act({ act: "twist", game: card.game, twist })}>${text}</button>`)}</div>
  </section>`;
}

/** In the lobby: the twist of a ghost, which the host may refuse. @param {SeatPage} page @param {LobbyCard} card */
export function lobbyView(page, card) {
  const twist = twistOf(card);
  if (!twist) return nothing;
  return html`<div class="box twist">
    <p>${twist.text}</p>
    ${page.room.isHost ? html`<button ?disabled=${page.busy} @click=${() => page.act({ act: "no_twist" })}>✖️ ${t("no_twist")}</button>` : nothing}
  </div>`;
}
