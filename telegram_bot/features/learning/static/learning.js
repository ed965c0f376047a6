/** Round zero: the television teaches one round before the first game, with the cups and keys of everybody's phones. */

import { Cup } from "../../cup.js";
import { bidSign, cupSign, die, named, paragraphs, withDice } from "../../parts.js";
import { counts } from "../../room.js";
import { play } from "../../sound.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { hush, speak } from "../../television_voice.js";
import { announce, t } from "../../words.js";

/** Acts whose success the page itself shows. */
export const silent = ["round_zero", "known"];

/** @param {Room} room */
function runningIn(room) {
  const zero = room.phase === "lobby" && room.card("round_zero");
  return zero?.stage ? zero : null;
}

const asked = (/** @type {RoundZeroCard} */ zero) => html`<p class="soft">${t("zero")} · ${zero.number}/${zero.of}</p>
  ${paragraphs(zero.lines)}
  <h2>${withDice(zero.question)}</h2>`;

// The television

class Scene {
  constructor() {
    this.stage = null;
  }

  news(card) {
    const stage = card.card === "round_zero" ? card.stage : card.card === "round" ? null : this.stage;
    if (stage === this.stage) return;
    this.stage = stage;
    if (!stage) {
      hush();
      return;
    }
    play("turn");
    speak([...card.lines, card.question].join(" "));
  }

  end() {
    this.stage = null;
  }

  view(_, room) {
    const zero = runningIn(room);
    if (!zero) return null;
    const { seats } = room.card("table");
    const people = zero.players.map((player) => seats.find((seat) => seat.player === player));
    return html`<section class="felt zero">
      ${asked(zero)} ${zero.hands.length ? html`<p class="score"><span>${bidSign(zero.bid)}<small>${t("the_bid")}</small></span><span><b>${zero.count}</b><small>${t("counted")}</small></span></p>` : nothing}
      <ul class="seats">${[...people, { name: zero.friend, colour: 9 }].map((seat, i) => (seat ? seatOf(zero, seat, i) : nothing))}</ul>
    </section>`;
  }
}

export const televised = () => new Scene();

/** @param {RoundZeroCard} zero */
function seatOf(zero, seat, i) {
  const [hand, call] = [zero.hands[i], zero.calls[i] ?? null];
  const bids = zero.bid && !seat.player;
  return html`<li class="seat ${zero.answered.includes(seat.player) ? "turn" : ""}">
    <span class="who">${named(seat)}</span>
    ${hand ? html`<span class="row">${hand.map((face) => die(face, counts(zero, face) ? "lit" : "dim"))}</span>` : cupSign(seat.colour)}
    ${bids || call !== null ? html`<span class="bubble ${call ? "call" : ""}">${bids ? bidSign(zero.bid) : t(call ? "dudo" : "more")}</span>` : nothing}
  </li>`;
}

// The phone

/** My answers, by table and stage. */
const mine = new Map();
let cup = null;
let lifted = null;

/** In place of the lobby: my dice and the keys of the stage. @param {SeatPage} page */
export function beforeView(page) {
  const { room } = page;
  const zero = runningIn(room);
  if (!zero) return null;
  const hand = zero.players.includes(room.me) ? room.card("practice_dice") : null;
  const key = (stage) => `${zero.table} ${stage}`;
  const reply = (stage, answer) => {
    if (mine.has(key(stage))) return;
    mine.set(key(stage), answer);
    page.act({ act: "round_zero", stage, answer });
  };
  cup = cup ?? new Cup(page.redraw, () => lifted(), (kind) => page.haptic(kind));
  lifted = () => {
    announce(hand.dice.map((face) => t(`face_${face}`)).join(", "));
    reply("lift", 0);
  };
  cup.dealt(hand && { table: zero.table, deal: 0 }, room.live);
  const said = mine.get(key(zero.stage));
  const done = said !== undefined || zero.answered.includes(room.me);
  const option = (answer, words, look = "") => html`<button class=${look} ?disabled=${done} aria-pressed=${said === answer ? "true" : "false"} @click=${() => reply(zero.stage, answer)}>${words}</button>`;
  const keys = { count: () => hand.dice.concat(0).map((_, n) => option(n, n)), call: () => [option(0, t("more"), "primary"), option(1, t("dudo"), "dudo")] };
  return html`<section class="zero">
    ${zero.hands.length && page.looksUp ? html`<p class="look-up">${t("look_up")}</p>` : nothing} ${asked(zero)}
    ${cup.view(hand)} ${hand && keys[zero.stage] ? html`<div class="buttons">${keys[zero.stage]()}</div>` : nothing}
    ${hand && zero.stage === "count" && said !== undefined ? html`<p role="status">${withDice(said === hand.count ? hand.right : hand.wrong)}</p>` : nothing}
    ${room.mySeat ? html`<button class=${zero.hands.length ? "primary" : ""} ?disabled=${zero.knowing.includes(room.me)} @click=${() => page.act({ act: "known" })}>${t(zero.hands.length ? "go_on" : "we_know_it")}</button>` : nothing}
  </section>`;
}
