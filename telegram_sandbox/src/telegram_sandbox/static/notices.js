/** Alerts and toasts on one person's phone, and questions to the person at the keyboard. */

import { h } from "./dom.js";
import { withGlyphs } from "./glyphs.js";

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
    const toast = h("p", { class: `toast ${kind}`, role: "status" }, withGlyphs(text));
    this.#toasts.append(toast);
    setTimeout(() => toast.remove(), TOAST_MS);
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
      h("p", {}, withGlyphs(text)),
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

/** Ask before something is lost; resolves to true when the answer is yes. */
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
