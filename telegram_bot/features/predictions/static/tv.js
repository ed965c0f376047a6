/** Ghosts on the television: a bench next to the table, which shows their guesses, the right ones, and how many of them in a row. */

import { html, nothing } from "../../vendor/lit-html.js";
import { ghost, ghostsIn, ghostsOf, isTold, twistOf } from "./predictions.js";

/** As many ghosts sit in one column; more of them are smaller, in two. */
const MOST_IN_COLUMN = 5;

/** Next to the table: its ghosts. @param {Room} room */
export function benchView(room) {
  const { faces: known } = ghostsIn(room);
  const told = isTold(room);
  const card = room.card("guessers");
  const guessed = !told && card && card.round === (room.show?.card ?? room.round)?.round ? card.guessed : [];
  const isNew = ({ player }) => !known.some((each) => each.player === player);
  const all = ghostsOf(room, [...known, ...guessed.filter(isNew)]).sort((one, other) => one.player - other.player);
  if (!all.length) return nothing;
  const last = (player) => known.find((each) => each.player === player) ?? { right: null, streak: 0 };
  const state = ({ player }) => (told ? (last(player).right ? "✅" : "") : guessed.some((each) => each.player === player) ? "🗳" : "");
  const streak = ({ player }) => (last(player).streak > 1 ? html`<b class="streak">🔥 ${last(player).streak}</b>` : nothing);
  return html`<ul class="bench ${all.length > MOST_IN_COLUMN ? "many" : ""}">
    ${all.map((each) => html`<li class=${told && last(each.player).right === false ? "wrong" : ""}>${ghost(each)} ${state(each) ? html`<span class="state">${state(each)}</span>` : nothing} ${streak(each)}<bdi>${each.name}</bdi></li>`)}
  </ul>`;
}

/** Before a game its twist; else on the edge of the felt, where it takes no height from the dice: how many knew. @param {Room} room */
export function screenView(room) {
  const twist = twistOf(room.lobby);
  if (twist) return html`<p class="twist">${twist.text}</p>`;
  const { lines } = ghostsIn(room);
  return isTold(room) && lines.length ? html`<div class="ghosts" .style=${`--length:${lines.join("   ").length}`}>${lines.map((line) => html`<p>${line}</p>`)}</div>` : nothing;
}
