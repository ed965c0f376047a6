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

/**
 * `isFirst` is the first person, whose phone introduces the page; `send(text)` sends the first message, and
 * `sendPrivately(text)` that of somebody alone.
 */
export function groupWelcome({ person, chat, page, isInside, isFirst, send, sendPrivately }) {
  if (!isInside) return [h("h2", {}, `${person.name} is not in ${chat.title}`)];
  const { title, text, steps, picture, message, button, others, alone_message: alone, alone_button: aloneButton } = page.welcome;
  if (!isFirst) return [h("h2", {}, `This is ${person.name}'s phone`), h("p", {}, others)];
  return [
    picture && h("div", { class: "welcome-picture", "aria-hidden": "true" }, picture),
    h("h2", {}, title),
    page.about && h("p", { class: "about" }, page.about),
    h("p", {}, text),
    steps.length > 0 && h("ol", {}, steps.map((step) => h("li", {}, step))),
    h("button", { type: "button", class: "button primary first-message", onclick: () => send(message) }, button),
    alone && h("button", { type: "button", class: "button", onclick: () => sendPrivately(alone) }, aloneButton),
    h("p", { class: "kept" }, "Nothing is kept: when the sandbox stops, all chats are gone."),
  ].filter(Boolean);
}
