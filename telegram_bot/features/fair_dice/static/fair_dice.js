/** Fair dice on pages: the players shake the sealed dice in the lobby. */

import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** Under *Who sees what?*, of a player who sits in a lobby: the button that seals the dice, then the signs that stir them. @param {SeatPage} page */
export function privacyView(page) {
  const card = page.room.lobby;
  const toSeal = card?.acts?.find(({ act }) => act === "seal");
  if (!toSeal || page.room.phase !== "lobby" || !page.room.mySeat) return null;
  const seal = page.room.card("seal");
  return html`<details class="box stir">
    <summary>${t("sealed_dice")}</summary>
    <p class="soft">${t("sealed_dice_why")}</p>
    ${card.stirs.length ? html`<p>${card.stirs.map((each) => `${each.name}: ${each.what}`).join(" · ")}</p>` : nothing}
    ${seal ? html`<p>${seal.lines[0]}</p>` : nothing}
    ${seal || card.sealed
      ? html`<div class="inline">${card.signs.map((sign) => html`<button @click=${() => page.act({ act: "stir", sign })}>${sign}</button>`)}</div>`
      : html`<button @click=${() => page.act({ act: "seal" })}>${toSeal.text}</button>`}
  </details>`;
}
