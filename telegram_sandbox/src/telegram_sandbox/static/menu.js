/** A button that opens a small menu. */

import { h, iconButton } from "./dom.js";

let closeOpenMenu = () => {};

addEventListener("pointerdown", (event) => {
  if (!event.target.closest?.(".menu-anchor")) closeOpenMenu();
});

/** `items()` gives the menu's content anew each time it opens. */
export function menuButton(iconName, label, items) {
  const menu = h("div", { class: "menu", role: "menu", "aria-label": label, hidden: true });
  const button = iconButton(iconName, label, () => (menu.hidden ? open() : close()));
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");

  function open() {
    closeOpenMenu();
    closeOpenMenu = close;
    menu.replaceChildren(...items(close).filter(Boolean));
    menu.hidden = false;
    button.setAttribute("aria-expanded", "true");
    menu.querySelector("button, select")?.focus({ preventScroll: true });
  }

  function close() {
    if (menu.contains(document.activeElement)) button.focus({ preventScroll: true });
    menu.hidden = true;
    button.setAttribute("aria-expanded", "false");
    closeOpenMenu = () => {};
  }

  menu.addEventListener("keydown", (event) => {
    const choices = [...menu.querySelectorAll("button, select")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (step && event.target.tagName !== "SELECT") {
      event.preventDefault();
      choices.at((choices.indexOf(document.activeElement) + step) % choices.length).focus();
    }
  });

  return h("div", { class: "menu-anchor" }, button, menu);
}

/** A choice that closes its menu. */
export function menuItem(text, close, onclick, className = "") {
  const act = () => {
    close();
    onclick();
  };
  return h("button", { type: "button", role: "menuitem", class: `menu-item ${className}`, onclick: act }, text);
}

/** A choice that is either on or off. */
export function menuSwitch(text, hint, on, onchange) {
  const item = h(
    "button",
    { type: "button", role: "menuitemcheckbox", class: "menu-item menu-switch", "aria-checked": String(on), "aria-label": text },
    h("span", {}, text, h("small", {}, hint)),
    h("span", { class: "switch", "aria-hidden": "true" }),
  );
  item.addEventListener("click", () => {
    const now = item.getAttribute("aria-checked") !== "true";
    item.setAttribute("aria-checked", String(now));
    onchange(now);
  });
  return item;
}

export function menuRule() {
  return h("hr", { class: "menu-rule" });
}
