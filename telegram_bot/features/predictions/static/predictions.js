/** Ghosts on pages: the keys of readers without dice, the ghosts over the felt, and those that haunt a seat. */

import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** The last end of a round that each room has shown: later dice give nothing away before they are seen. */
const seen = new WeakMap();
/** The last guess: its table, its round, its word, and the answer to it. */
let mine = {};

/** Acts whose success the page itself shows. */
export const silent = ["guess"];

/** @param {Room} room */
function ghostsIn(room) {
  const card = room.card("end");
  if (card?.card === "reveal" && (!room.show || room.show.done)) seen.set(room, card);
  const last = seen.get(room);
  return (last?.table === room.table && last.ghosts) || { faces: [], lines: [] };
}

/** @param {{ face: string, name: string }} ghost */
function ghost({ face, name }) {
  return html`<span class="ghost" role="img" aria-label=${`👻 ${name}`}>${face}<i>👻</i></span>`;
}

const guesses = (/** @type {RoundCard} */ round) => (round?.acts ?? []).filter(({ act }) => act === "guess");

/** Over the felt: those who have guessed and the players who are out, and after the dice how many knew. @param {Room} room */
export function feltView(room) {
  const { faces: known, lines } = ghostsIn(room);
  const out = guesses(room.round).length ? room.round.seats.filter((seat) => seat.out && !seat.computer && !known.some(({ name }) => name === seat.name)) : [];
  const faces = [...known, ...out];
  const told = room.show ? room.show.done : room.end?.card === "reveal";
  return faces.length || (told && lines.length) ? html`<div class="ghosts">${faces.map(ghost)} ${told ? lines.map((line) => html`<p>${line}</p>`) : nothing}</div>` : nothing;
}

/** Next to a seat: the ghosts that haunt it. @param {Room} room */
export function seatView(room, seat) {
  const haunting = ghostsIn(room).faces.filter(({ haunts }) => haunts === seat);
  return haunting.length ? html`<span class="haunting">${haunting.map(ghost)}</span>` : nothing;
}

/** Below the felt, for a reader without dice: the three guesses. @param {SeatPage} page @param {RoundCard} round */
export function roundView(page, round) {
  const acts = guesses(round);
  const { room } = page;
  if (!acts.length || !round.bids.length || room.end || (room.mySeat && !room.mySeat.out)) return nothing;
  const now = mine.table === room.table && mine.round === round.round ? mine : {};
  const choose = async (guess) => {
    const answer = await page.act({ act: "guess", guess, step: round.step });
    if (answer?.done) mine = { table: room.table, round: round.round, guess, text: answer.text };
    page.redraw();
  };
  return html`<section class="call-box">
    <p class="status" role="status">${now.text ?? html`👻 ${t("ghost_asks")}`}</p>
    <div class="buttons">${acts.map(({ guess, text }) => html`<button class=${now.guess === guess ? "armed" : ""} aria-pressed=${now.guess === guess ? "true" : "false"} ?disabled=${page.busy} @click=${() => choose(guess)}>${text}</button>`)}</div>
  </section>`;
}
