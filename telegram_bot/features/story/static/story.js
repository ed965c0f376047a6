/** The story and the highlight of a game on pages: a chart, sentences, and on a phone the card of its player. */

import { askFile } from "../../net.js";
import { bidSign, faceOf, named, paragraphs, withDice } from "../../parts.js";
import { html, nothing, svg } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** Acts whose success the page itself shows. */
export const silent = ["reel", "story"];

/** Whether the ceremony of a television tells the highlight. */
export const isTold = (/** @type {StoryCard | null} */ story) => story?.beats.some(({ about }) => about === "liar");

/** Switches in the menu. Each has words of the same name, and with `_on` and `_off` what that means. */
export const switches = ["no_tells"];

/** At the end of a game: the card of the page's player, the reel, the highlight, and the story, which a television tells first. @param {SeatPage} page @param {OverCard} over */
export function overView(page, over) {
  const story = page.room.card("story");
  const told = storyView(story);
  return html`${ownView(ownOf(page, over))} ${reelView(page)} ${page.looksUp && isTold(story) ? nothing : bluffView(page.room)}
    ${story && page.looksUp ? html`<details class="box"><summary>${story.lines[0]}</summary>${told}</details>` : told}`;
}

/** @param {Room} room */
export function bluffView(room) {
  const card = room.over?.wonder;
  if (!card) return nothing;
  return html`<section class="felt bluff">
    <h3>${card.title}</h3>
    <p>${withDice(card.sentence)}</p>
    ${card.bid ? bidSign(card.bid, "large") : nothing}
  </section>`;
}

/** A chart of all players' dice, then the sentences. @param {StoryCard} card */
export function storyView(card) {
  if (!card) return nothing;
  const [title, ...lines] = card.lines;
  return html`<section class="felt story">
    <h3>${title}</h3>
    ${chart(card)} ${paragraphs(lines)}
  </section>`;
}

const WIDE = 600;
const HIGH = 220;

/** How many dice each player held, round by round; lines that would cover each other lie side by side. */
/** @param {StoryCard} story */
function chart({ course, course_title: title, names, faces, colours, places }) {
  const most = Math.max(...course.flat(), 1);
  const step = WIDE / Math.max(1, course.length - 1);
  const line = (seat) => course.map((dice, i) => `${(i * step).toFixed(1)},${(HIGH - (dice[seat] * HIGH) / most + (seat - names.length / 2) * 4).toFixed(1)}`).join(" ");
  const seats = names.map((_, seat) => seat).sort((one, other) => places[one] - places[other]);
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="-12 -24 ${WIDE + 24} ${HIGH + 48}" role="img" aria-label=${title}>
      ${Array.from({ length: most + 1 }, (_, i) => svg`<line class="rule" x1="0" x2=${WIDE} y1=${(i * HIGH) / most} y2=${(i * HIGH) / most} />`)}
      ${[...seats].reverse().map((seat) => svg`<polyline class="c${colours[seat] % 10}" points=${line(seat)} />`)}
    </svg>
    <ul class="legend">${seats.map((seat) => html`<li><i class="c${colours[seat] % 10}"></i>${named({ name: names[seat], face: faces[seat], colour: colours[seat] })}</li>`)}</ul>
  </figure>`;
}

/** The card of the page's player, or undefined. @param {SeatPage} page @param {OverCard} over */
function ownOf({ room }, { seats = [] }) {
  const story = room.card("story");
  const me = seats.find((seat) => seat.player === room.me);
  const own = me && story?.own[story.places.indexOf(me.place)];
  return own && { me, ...own };
}

/** The title and the figures of a card. */
function ownView(own) {
  if (!own) return nothing;
  return html`<section class="felt own">
    <h3>${faceOf(own.me)} ${own.title}</h3>
    <p>${own.why}</p>
    <dl>${own.figures.map(({ label, n }) => html`<div><dt>${label}</dt><dd>${n}</dd></div>`)}</dl>
  </section>`;
}

/** Next to *Play again*, the one key that shares: the player's card, with the reel once that is on the page. @param {SeatPage} page @param {OverCard} over */
export function overAct(page, over) {
  const own = ownOf(page, over);
  const reel = page.room.card("reel");
  const file = reel && files.get(reel.table);
  if (!own && !file) return null;
  return html`<button @click=${() => (file ? shareFile(file, own?.share ?? reel.title) : page.share({ text: own.share }, own.copied))}>${own?.share_key ?? reel.share}</button>`;
}

/** The reels' animations, by table: null while one is on its way, and where it did not come. */
const files = new Map();

/** The reel: its animation and its sentences. @param {SeatPage} page */
function reelView(page) {
  const card = page.room.card("reel");
  if (!card) return nothing;
  if (!files.has(card.table)) load(page, card.table);
  const file = files.get(card.table);
  return html`<section class="felt story reel">
    <h3>${card.title}</h3>
    ${file ? html`<img src=${file.url} alt="" width="540" height="960" />` : nothing} ${paragraphs(card.lines)}
  </section>`;
}

/** @param {SeatPage} page */
async function load(page, table) {
  files.set(table, null);
  const blob = await askFile("picture?slot=reel");
  if (blob) files.set(table, { blob, url: URL.createObjectURL(blob) });
  page.redraw();
}

/** Share the animation with a text, or else save it. */
async function shareFile({ blob, url }, text) {
  const files = [new File([blob], "perudo.gif", { type: blob.type })];
  if (navigator.canShare?.({ files })) await navigator.share({ files, text }).catch(() => {}); // the player changed their mind
  else Object.assign(document.createElement("a"), { href: url, download: "perudo.gif" }).click();
}
