/** The coach on pages: the hint for the player on turn, and the comment on the costliest decision of the round before. */

import { bidWords, paragraphs } from "../../parts.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** Acts whose success the page itself shows. */
export const silent = ["coach"];

/** Below the calls of the player on turn: the hint, or its button. @param {SeatPage} page */
export function turnView(page, mine) {
  const asks = (page.room.round.acts ?? []).find(({ act }) => act === "coach");
  const hint = page.room.card("coach");
  if (!asks) return nothing;
  if (hint?.step !== mine.step) return html`<button class="plain" ?disabled=${page.busy} @click=${() => page.act({ act: "coach", step: mine.step })}>💡 ${asks.text}</button>`;
  return page.cup.up ? html`<div class="hint">${paragraphs(hint.lines)}${advisedKey(page, hint.call)}</div>` : html`<p class="hint">${t("lift_tip")}</p>`;
}

/** Below the calls of every player: the comment. @param {SeatPage} page @param {RoundCard} round */
export function roundView(page, round) {
  const said = page.room.card("review");
  return said && said.round === round?.round - 1 ? html`<div class="hint">${paragraphs(said.lines)}</div>` : nothing;
}

/** @param {SeatPage} page */
function advisedKey(page, call) {
  const [quantity, face] = call.split("x").map(Number);
  const what = face ? { act: "bid", quantity, face } : { act: call };
  return html`<button ?disabled=${page.busy} @click=${() => page.call(what)}>${face ? bidWords({ quantity, face }) : t(call)}</button>`;
}
