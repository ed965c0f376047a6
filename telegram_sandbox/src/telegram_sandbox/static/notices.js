/** Alerts and toasts on one person's phone, and questions to the person at the keyboard. */

import { h } from "./dom.js";

const TOAST_MS = 5000;

/** The notices of one phone: alerts wait for their OK, one after another; toasts go by themselves. */
export class Notices {
  node = h("div", { class: "notices" });
  #toasts = h("div", { class: "toasts" });
  #waiting = [];
  #showing = false;

  constructor() {
    this.node.append(this.#toasts);
  }

  alert(text, owner) {
    this.#waiting.push([text, owner]);
    this.#next();
  }

  toast(text, kind = "") {
    const toast = h("p", { class: `toast ${kind}`, role: "status" }, text);
    this.#toasts.append(toast);
    setTimeout(() => toast.remove(), TOAST_MS);
  }

  /** Ask the phone's owner for one of these `[value, label]`; resolves to the value, or null. */
  choose(title, options) {
    return new Promise((resolve) => {
      const before = document.activeElement;
      const answer = (value) => {
        scrim.remove();
        if (before?.isConnected) before.focus({ preventScroll: true });
        resolve(value);
      };
      const buttons = options.map(([value, label]) =>
        h("button", { type: "button", class: "button wide", onclick: () => answer(value) }, label),
      );
      const cancel = h("button", { type: "button", class: "button", onclick: () => answer(null) }, "Cancel");
      const dialog = h(
        "div",
        { class: "alert choice", role: "dialog", "aria-modal": "true", "aria-label": title },
        h("h2", {}, title),
        ...buttons,
        cancel,
      );
      const scrim = h("div", { class: "scrim" }, dialog);
      scrim.addEventListener("keydown", (event) => {
        if (event.key === "Escape") answer(null);
        if (event.key === "Tab") walk(event, [...buttons, cancel]);
      });
      this.node.append(scrim);
      (buttons[0] ?? cancel).focus({ preventScroll: true });
    });
  }

  #next() {
    if (this.#showing || this.#waiting.length === 0) return;
    this.#showing = true;
    const [text, owner] = this.#waiting.shift();
    const before = document.activeElement;
    const done = () => {
      scrim.remove();
      this.#showing = false;
      if (before?.isConnected) before.focus({ preventScroll: true });
      this.#next();
    };
    const ok = h("button", { type: "button", class: "button primary", onclick: done }, "OK");
    const dialog = h(
      "div",
      { class: "alert", role: "dialog", "aria-modal": "true", "aria-label": `Alert for ${owner}` },
      h("p", {}, text),
      ok,
    );
    const scrim = h("div", { class: "scrim" }, dialog);
    scrim.addEventListener("keydown", (event) => {
      if (event.key === "Escape") done();
      if (event.key === "Tab") event.preventDefault();
    });
    this.node.append(scrim);
    ok.focus({ preventScroll: true });
  }
}

/** Tab goes round within a dialog. */
function walk(event, buttons) {
  event.preventDefault();
  const step = event.shiftKey ? -1 : 1;
  buttons.at((buttons.indexOf(document.activeElement) + step) % buttons.length).focus();
}

/** Ask for a name; resolves to null when there is none. */
export function askName({ title, label, value, yes }) {
  return new Promise((resolve) => {
    const field = h("input", { class: "rename", value, "aria-label": label, maxlength: 60 });
    const answer = (text) => {
      dialog.remove();
      resolve(text);
    };
    const form = h(
      "form",
      { method: "dialog", class: "confirm-form" },
      h("h2", {}, title),
      field,
      h(
        "div",
        { class: "confirm-buttons" },
        h("button", { type: "button", class: "button", onclick: () => answer(null) }, "Cancel"),
        h("button", { type: "submit", class: "button primary" }, yes),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      answer(field.value.trim() || null);
    });
    const dialog = h("dialog", { class: "confirm", "aria-label": title }, form);
    dialog.addEventListener("close", () => answer(null));
    document.body.append(dialog);
    dialog.showModal();
    field.select();
  });
}

/** Ask before data are lost; resolves to true when the answer is yes. */
export function confirm({ title, text, yes }) {
  return new Promise((resolve) => {
    const answer = (value) => () => {
      dialog.remove();
      resolve(value);
    };
    const dialog = h(
      "dialog",
      { class: "confirm", "aria-label": title },
      h("h2", {}, title),
      h("p", {}, text),
      h(
        "div",
        { class: "confirm-buttons" },
        h("button", { type: "button", class: "button", onclick: answer(false) }, "Cancel"),
        h("button", { type: "button", class: "button danger", onclick: answer(true) }, yes),
      ),
    );
    dialog.addEventListener("close", answer(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}
