/** Keys for players who are away. */

import { html, nothing } from "../../vendor/lit-html.js";
import { t } from "../../words.js";

/** @param {SeatPage} page @param {RoundCard} round */
export function roundView(page, round) {
  const { room: { me, mySeat }, info } = page;
  const key = (act, seat) => html`<button @click=${() => page.act({ act, player: seat.player })}>${t(act, seat)}</button>`;
  const away = round.seats.filter((seat) => seat.away && !seat.out && !seat.computer);
  const asleep = away.filter((seat) => !seat.left_to_bot);
  if (!mySeat && me !== null && !round.seats.some((seat) => seat.taken_by === me)) {
    const isLent = round.seats.some((seat) => seat.owner === me);
    return html`<p class="sleepers">${isLent ? html`<button @click=${() => page.act({ act: "back" })}>${t("i_am_back")}</button>` : away.filter((seat) => !seat.taken_by).map((seat) => key("play_for", seat))}</p>`;
  }
  if (!mySeat || mySeat.away || !asleep[0]) return nothing;
  if (!asleep[1] && !info?.host) return html`<p class="sleepers">💤 ${key("wake", asleep[0])}</p>`;
  const acts = info?.host ? ["wake", "sleeper_out", "sleeper_bot"] : ["wake"];
  return html`<details class="sleepers">
    <summary>💤 ${asleep.map((seat) => seat.name).join(" · ")}</summary>
    ${asleep.map((seat) => html`<div>${acts.map((act) => key(act, seat))}</div>`)}
  </details>`;
}
