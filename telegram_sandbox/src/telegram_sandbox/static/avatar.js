/** Every person has a colour of their own; the bot has the page's icon. */

import { h } from "./dom.js";

const HUES = [14, 212, 152, 276, 40, 330, 186, 96, 244, 0];

const BOT_HUE = 171;

export function hueOf(id, isBot = false) {
  return isBot ? BOT_HUE : HUES[Math.abs(id) % HUES.length];
}

export function avatar(person) {
  const [initial = "?"] = person.name.trim();
  const face = h("span", { class: "avatar", "aria-hidden": "true" }, initial.toUpperCase());
  face.style.setProperty("--hue", hueOf(person.id));
  return face;
}

export function botAvatar() {
  return h("span", { class: "avatar avatar-bot", "aria-hidden": "true" });
}
