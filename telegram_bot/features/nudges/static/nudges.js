/** Players who are away: each friend can call them, and the host can remove them. */

import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** @param {SeatPage} page @param {RoundCard} round */
export function roundView(page, round) {
  const { room, info } = page;
  const asleep = round.seats.filter((seat) => seat.away && !seat.out && !seat.computer && !seat.left_to_bot && seat.player !== room.me);
  if (!room.mySeat || room.mySeat.away || !asleep.length) return nothing;
  const key = (words, seat, what) => html`<button @click=${() => page.act({ ...what, player: seat.player })}>${t(words, seat)}</button>`;
  if (asleep.length === 1 && !info?.host) return html`<p class="sleepers">💤 ${key("wake", asleep[0], { act: "wake" })}</p>`;
  return html`<details class="sleepers">
    <summary>💤 ${asleep.map(({ name }) => name).join(" · ")}</summary>
    ${asleep.map((seat) => html`<div>
      ${key("wake", seat, { act: "wake" })}
      ${info?.host ? html`${key("sleeper_out", seat, { act: "remove_sleeper", dice_go: true })} ${key("sleeper_bot", seat, { act: "remove_sleeper", dice_go: false })}` : nothing}
    </div>`)}
  </details>`;
}
