/** The reel on a player's page: its animation, its sentences, and the key that shares it. */

import { askFile } from "../../net.js";
import { paragraphs } from "../../parts.js";
import { html, nothing } from "../../vendor/lit-html.js";

/** The animations, by table: null while one is on its way, and where it did not come. */
const files = new Map();

/** Below the end of a game. */
export function reelView(page) {
  const card = page.room.card("reel");
  if (!card) return nothing;
  if (!files.has(card.table)) load(page, card.table);
  const file = files.get(card.table);
  return html`<section class="felt story reel">
    <h3>${card.title}</h3>
    ${file ? html`<img src=${file.url} alt="" width="540" height="960" />` : nothing} ${paragraphs(card.lines)}
    ${file ? html`<button class="primary" @click=${() => share(file, card.title)}>${card.share}</button>` : nothing}
  </section>`;
}

async function load(page, table) {
  files.set(table, null);
  const blob = await askFile("picture?slot=reel");
  if (blob) files.set(table, { blob, url: URL.createObjectURL(blob) });
  page.redraw();
}

async function share({ blob, url }, title) {
  const files = [new File([blob], "perudo.gif", { type: blob.type })];
  if (navigator.canShare?.({ files })) await navigator.share({ files, title }).catch(() => {}); // the player changed their mind
  else Object.assign(document.createElement("a"), { href: url, download: "perudo.gif" }).click();
}
