/** The buttons under a message. */

import { withGlyphs } from "./glyphs.js";
import { h, icon } from "./dom.js";

const STYLES = new Set(["primary", "success", "danger"]);

/** `actions` has `press(button, data)`, `open(url)` and `copy(text)`. */
export function keyboard(rows, actions) {
  return h(
    "div",
    { class: "keyboard", role: "group", "aria-label": "Buttons" },
    rows.map((row) => h("div", { class: "keyboard-row" }, row.map((key) => keyButton(key, actions)))),
  );
}

function keyButton(key, actions) {
  const button = h(
    "button",
    {
      type: "button",
      class: `key ${STYLES.has(key.style) ? key.style : ""}`,
      "aria-label": key.text,
      "data-callback": key.callback_data,
      "data-url": key.url,
    },
    h("span", { class: "key-text" }, withGlyphs(key.text)),
  );
  if (key.url) {
    button.append(icon("link"));
    button.addEventListener("click", () => actions.open(key.url));
  } else if (key.copy_text) {
    button.append(icon("copy"));
    button.addEventListener("click", () => actions.copy(key.copy_text.text));
  } else {
    button.addEventListener("click", () => actions.press(button, key.callback_data ?? ""));
  }
  return button;
}
