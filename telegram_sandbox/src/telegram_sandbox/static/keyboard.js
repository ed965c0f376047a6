/** The buttons under a message, and those in place of a person's keyboard. */

import { h, icon } from "./dom.js";

const STYLES = new Set(["primary", "success", "danger"]);

/** `actions` has `press(button, data)`, `open(url)`, `openApp(url)`, `pay()`, `copy(text)`, `fill(text)` and `fillElsewhere(text, allowed)`. */
export function keyboard(rows, actions) {
  return h(
    "div",
    { class: "keyboard", role: "group", "aria-label": "Buttons" },
    rows.map((row) => h("div", { class: "keyboard-row" }, row.map((key) => keyButton(key, actions)))),
  );
}

/** The reply keyboard that the last of these messages has set for a person; null without one, or once a one-time one was used. */
export function replyKeyboard(messages, personId, press) {
  const isForThem = ({ reply_interface: one }) => one && (one.for === null || one.for.includes(personId));
  const message = messages.findLast(isForThem);
  const { keyboard: rows, one_time_keyboard: isForOnce } = message?.reply_interface ?? {};
  const isUsed = () => messages.slice(messages.indexOf(message)).some(({ from }) => from?.id === personId);
  if (!rows?.length || (isForOnce && isUsed())) return null;
  const button = ({ text, style }) =>
    h("button", { type: "button", class: `key ${STYLES.has(style) ? style : ""}`, onclick: () => press(text) }, h("span", { class: "key-text" }, text));
  return h(
    "div",
    { class: "keyboard reply-keyboard", role: "group", "aria-label": "Reply keyboard" },
    rows.map((row) => h("div", { class: "keyboard-row" }, row.map(button))),
  );
}

function keyButton(key, actions) {
  const url = key.url ?? key.login_url?.url;
  const button = h(
    "button",
    {
      type: "button",
      class: `key ${STYLES.has(key.style) ? key.style : ""}`,
      "aria-label": key.text,
      "data-callback": key.callback_data,
      "data-url": url,
    },
    h("span", { class: "key-text" }, key.text),
  );
  if (url) {
    button.append(icon("link"));
    button.addEventListener("click", () => actions.open(url));
  } else if (key.web_app) {
    button.append(icon("app"));
    button.addEventListener("click", () => actions.openApp(key.web_app.url));
  } else if (key.pay) {
    button.addEventListener("click", () => actions.pay());
  } else if (key.copy_text) {
    button.append(icon("copy"));
    button.addEventListener("click", () => actions.copy(key.copy_text.text));
  } else if (key.switch_inline_query_current_chat !== undefined) {
    button.addEventListener("click", () => actions.fill(key.switch_inline_query_current_chat));
  } else if (key.switch_inline_query !== undefined || key.switch_inline_query_chosen_chat) {
    const chosen = key.switch_inline_query_chosen_chat;
    button.append(icon("link"));
    button.addEventListener("click", () => actions.fillElsewhere(key.switch_inline_query ?? chosen.query ?? "", chosen));
  } else {
    button.addEventListener("click", () => actions.press(button, key.callback_data ?? ""));
  }
  return button;
}
