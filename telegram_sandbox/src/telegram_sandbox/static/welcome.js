/** The content of an empty chat. */

import { botAvatar } from "./avatar.js";
import { h } from "./dom.js";

export function privateWelcome(person, botTitle) {
  return [
    botAvatar(),
    h("h2", {}, botTitle),
    h("p", {}, `${person.name}'s private chat with ${botTitle}. Press START to open it.`),
  ];
}

/** The words of an empty group, which an extension of the page may change: also `about`, a picture, and a second button. */
export const WELCOME = {
  title: "Try the bot",
  text: "You are everyone here: everyone has a phone, and all are in one group.",
  steps: [],
  message: "/start",
  button: "Send /start",
  others: "What you write here is sent in their name.",
};

/**
 * `isFirst` is the first person, whose phone introduces the page; `send(text)` sends the first message, and
 * `sendPrivately(text)` that of somebody alone.
 */
export function groupWelcome({ person, chat, welcome, isInside, isFirst, send, sendPrivately }) {
  if (!isInside) return [h("h2", {}, `${person.name} is not in ${chat.title}`)];
  const { title, text, steps, picture, message, button, others, about, aloneMessage: alone, aloneButton } = welcome;
  if (!isFirst) return [h("h2", {}, `This is ${person.name}'s phone`), h("p", {}, others)];
  return [
    picture && h("div", { class: "welcome-picture", "aria-hidden": "true" }, picture),
    h("h2", {}, title),
    about && h("p", { class: "about" }, about),
    h("p", {}, text),
    steps.length > 0 && h("ol", {}, steps.map((step) => h("li", {}, step))),
    h("button", { type: "button", class: "button primary first-message", onclick: () => send(message) }, button),
    alone && h("button", { type: "button", class: "button", onclick: () => sendPrivately(alone) }, aloneButton),
    h("p", { class: "kept" }, "Nothing is kept: when the sandbox stops, all chats are gone."),
  ].filter(Boolean);
}
