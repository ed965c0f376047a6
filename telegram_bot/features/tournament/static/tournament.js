/** The tournament on phones: its list, and the keys to join and to leave it. */

import { named, paragraphs } from "../../parts.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

export const toasts = ["stage"];
/** Acts whose success the page itself shows. */
export const silent = ["watch"];

export const entering = (/** @type {PanelCard} */ panel) => panel.acts.find(({ act }) => act === "enter");
const isListed = (/** @type {Room} */ room) => room.card("panel")?.players.includes(room.me) ?? false;

/** The act of a person who has come in by the code of the list. */
export const joinAct = ({ state, wanted }) => state.list && state.list === wanted && { act: "enter", code: wanted };

/** In the lobby, in place of its key to join, unless the person came by the table's code. @param {SeatPage} page */
export function joinView(page) {
  const panel = page.room.card("panel");
  const enter = panel && entering(panel);
  return enter && page.wanted !== page.state.code && !isListed(page.room) ? key(page, enter, "primary") : null;
}

/** @param {SeatPage} page */
function key(page, { text, ...what }, look) {
  return html`<button class=${look} ?disabled=${page.busy} @click=${() => page.act(what)}>${text}</button>`;
}

/** Below the page, except in a round. @param {SeatPage} page */
export function asideView(page) {
  const { room } = page;
  const panel = room.card("panel");
  if (!panel?.title) return null;
  const listed = isListed(room);
  const joinsAbove = room.phase === "lobby" && !room.mySeat;
  const acts = panel.acts.filter(({ act }) => (act === "enter" ? !listed && !joinsAbove : act !== "withdraw" || listed));
  const people = panel.listed?.people ?? [];
  return html`<section class="box panel">
    <h2>${panel.title}</h2>
    ${paragraphs(panel.lines.filter((line) => line !== panel.listed?.line))}
    ${people.length ? html`<ul class="legend">${people.map((each) => html`<li>${named(each)}</li>`)}</ul>` : nothing}
    <div class="actions">${acts.map((each) => key(page, each, nothing))} ${room.phase === "lobby" ? nothing : page.television.key()}</div>
  </section>`;
}

/** At the end of a game of the tournament, in place of its winner: how it goes on, or who has won it all. @param {Room} room @param {OverCard} over */
export function overLines(room, over) {
  const stage = room.card("stage");
  return over.finale ? [over.finale.title] : stage?.game === over.table ? stage.lines : null;
}

/** At the end of a stage's game, while the others play. @param {SeatPage} page @param {OverCard} over */
export const overAct = (page, over) => (over.going_on && !over.finale ? key(page, { act: "watch", text: `👀 ${t("watch_other")}` }, "primary") : null);

/** After the final, below its places: those of all who were not in it. @param {OverCard} over */
export function overPlaces({ finale, seats }) {
  return finale?.places.filter(({ name }) => !seats.some((seat) => seat.name === name)).map((each) => html`<li><b>${each.place}</b> ${named(each)}</li>`);
}
