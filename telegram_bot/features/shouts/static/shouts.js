/** Shouts: six keys on each phone, and their bubbles on the television. */

import { html, nothing } from "../../vendor/lit-html.js";
import { announce, t } from "../../words.js";

const SIGNS = { bravo: "👏", no_way: "😱", liar: "🤥", ha_ha: "😂", good_luck: "🍀", hurry: "⏰" };
const SHOWN_MS = 4000;
/** The last shouts that a television shows, by player. */
const said = new Map();

/** Acts whose success the television shows. */
export const silent = ["shout", "mute_shouts"];

class Bubbles {
  constructor(room, redraw) {
    this.room = room;
    this.redraw = redraw;
  }

  news(card) {
    if (card.card !== "shout" || !card.said || this.room.age(card) > SHOWN_MS) return;
    const { player, name } = card;
    clearTimeout(said.get(player)?.timer);
    const timer = setTimeout(() => {
      said.delete(player);
      this.redraw();
    }, SHOWN_MS);
    said.set(player, { ...card, timer });
    announce(`${name}: ${card.said}`);
  }

  end() {
    for (const { timer } of said.values()) clearTimeout(timer);
    said.clear();
  }
}

export const televised = ({ room, redraw }) => new Bubbles(room, redraw);

const seatsOf = (/** @type {Room} */ room) => (room.show?.card ?? room.round ?? room.end ?? room.card("table"))?.seats ?? [];

/** At a seat of the television: its player's shout. @param {Room} room */
export function seatView(room, seat) {
  const shout = said.get(seatsOf(room)[seat]?.player);
  return shout ? html`<span class="bubble shouted">${shout.said}</span>` : nothing;
}

/** Over the felt of the television: the shouts of people without a seat. @param {Room} room */
export function feltView(room) {
  const seated = new Set(seatsOf(room).map(({ player }) => player));
  const others = [...said.values()].filter(({ player }) => !seated.has(player));
  return others.length ? html`<p class="shouted">${others.map((each) => html`<span>${each.name}: <b>${each.said}</b></span>`)}</p>` : nothing;
}

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
