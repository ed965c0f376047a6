/** Shouts on phones: six keys, which the television answers (`tv.js`). */

import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

export const SIGNS = { bravo: "👏", no_way: "😱", liar: "🤥", ha_ha: "😂", good_luck: "🍀", hurry: "⏰" };

/** Acts whose success the television shows. */
export const silent = ["shout", "mute_shouts"];

/** On the phone of a player who is not on turn, if a television shows the table. @param {SeatPage} page */
export function roundView(page) {
  const { room } = page;
  if (!page.screen || room.me === null || room.mine.turn) return nothing;
  const muted = Boolean(room.card("shout")?.muted);
  const key = (what, words, sign) => html`<button class="plain" aria-label=${words} title=${words} @click=${() => page.act(what)}>${sign}</button>`;
  return html`<div class="shouts" role="group" aria-label=${t("shouts")}>
    ${muted ? nothing : Object.entries(SIGNS).map(([word, sign]) => key({ act: "shout", word }, t(`shout_${word}`), sign))}
    ${page.info?.host ? html`<button class="plain" aria-label=${t("mute_shouts")} aria-pressed=${muted ? "true" : "false"} @click=${() => page.act({ act: "mute_shouts", muted: !muted })}>${muted ? "🔇" : "🔊"}</button>` : nothing}
  </div>`;
}

/** While the dice are counted as well. */
export const revealView = roundView;
/** Before a game they are folded. @param {SeatPage} page */
export const lobbyView = (page) => (page.screen ? html`<details class="box"><summary>👏 ${t("shouts")}</summary>${roundView(page)}</details>` : nothing);
