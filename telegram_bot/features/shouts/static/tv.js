/** Shouts on the television: the sign flies from its seat over the felt, and a bubble with the words stays there. */

import { calm } from "../../room.js";
import { burst, play, SOUNDS, tone } from "../../sound.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { announce } from "../../words.js";
import { SIGNS } from "./shouts.js";

const SHOWN_MS = 4000;
const FLIES_MS = 2400;
/** The last shouts, by player. */
const said = new Map();

Object.assign(SOUNDS, {
  bravo(now) {
    for (let i = 0; i < 16; i += 1) burst(now + i * 0.07 + Math.random() * 0.03, 1100 + Math.random() * 500, 0.05, 0.5);
  },
  no_way(now) {
    tone(now, 260, 0.5, 0.3, "sine", 940);
  },
  liar(now) {
    tone(now, 440, 0.25, 0.3, "sawtooth", 400);
    tone(now + 0.27, 370, 0.7, 0.3, "sawtooth", 140);
  },
  ha_ha(now) {
    for (let i = 0; i < 4; i += 1) tone(now + i * 0.14, 620 - i * 50, 0.1, 0.3, "triangle", 420 - i * 40);
  },
  good_luck(now) {
    [784, 988, 1175, 1568].forEach((frequency, i) => tone(now + i * 0.08, frequency, 0.35, 0.2, "sine"));
  },
  hurry(now) {
    for (let i = 0; i < 8; i += 1) tone(now + i * 0.08, i % 2 ? 1320 : 1050, 0.07, 0.12, "square");
  },
});

class Bubbles {
  constructor(room, redraw) {
    this.room = room;
    this.redraw = redraw;
  }

  news(card) {
    if (card.card !== "shout" || !card.said || this.room.age(card) > SHOWN_MS) return;
    const { player, name, word } = card;
    clearTimeout(said.get(player)?.timer);
    const timer = setTimeout(() => {
      said.delete(player);
      this.redraw();
    }, SHOWN_MS);
    said.set(player, { ...card, timer });
    announce(`${name}: ${card.said}`);
    this.redraw();
    if (!word) return;
    play(word);
    queueMicrotask(() => fly(SIGNS[word], player)); // once the bubble is drawn
  }

  end() {
    for (const { timer } of said.values()) clearTimeout(timer);
    said.clear();
  }
}

/** Let a sign fly from its player's bubble, or else from below, half the way to the middle of the screen. */
function fly(sign, player) {
  const flying = Object.assign(document.createElement("span"), { className: "flying", textContent: sign });
  flying.setAttribute("aria-hidden", "true");
  document.body.append(flying);
  const seat = document.querySelector(`[data-shouts="${Number(player)}"]`)?.parentElement.getBoundingClientRect();
  const [x, y] = seat ? [seat.left + seat.width / 2 - innerWidth / 2, seat.top + seat.height / 2 - innerHeight / 2] : [0, innerHeight / 2];
  const at = (part, scale, turn = 0) => `translate(-50%, -50%) translate(${x * part}px, ${y * part}px) rotate(${turn}deg) scale(${scale})`;
  const frames = [
    { transform: at(1, 0.2), opacity: 0 },
    { transform: at(0.6, 1, -14), opacity: 1, offset: 0.2 },
    { transform: at(0.5, 1.1, 10), opacity: 1, offset: 0.5 },
    { transform: at(0.45, 1, -6), opacity: 1, offset: 0.85 },
    { transform: at(0.4, 1.4), opacity: 0 },
  ];
  flying.animate(calm.matches ? [{ transform: at(0.5, 1) }, { transform: at(0.5, 1) }] : frames, { duration: FLIES_MS, fill: "forwards" });
  setTimeout(() => flying.remove(), FLIES_MS);
}

export const televised = ({ room, redraw }) => new Bubbles(room, redraw);

const seatsOf = (/** @type {Room} */ room) => (room.show?.card ?? room.round ?? room.end ?? room.card("table"))?.seats ?? [];

/** At a seat: its player's shout. @param {Room} room */
export function seatView(room, seat) {
  const { player } = seatsOf(room)[seat] ?? {};
  return said.has(player) ? html`<span class="bubble shouted" data-shouts=${player}>${said.get(player).said}</span>` : nothing;
}

/** Over the felt: the shouts of people without a seat. @param {Room} room */
export function screenView(room) {
  const seated = new Set(seatsOf(room).map(({ player }) => player));
  const others = [...said.values()].filter(({ player }) => !seated.has(player));
  return others.length ? html`<p class="shouted">${others.map((each) => html`<span>${each.name}: <b>${each.said}</b></span>`)}</p>` : nothing;
}
