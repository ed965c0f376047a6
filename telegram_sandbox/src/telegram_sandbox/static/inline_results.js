/** The list of an inline bot's results above the text field. */

import { h } from "./dom.js";

const PAUSE_MS = 250;
const NEAR_THE_END_PX = 60;

let lists = 0;

/**
 * Follows the text after the bot's name.
 *
 * `options` has `username()` (null without inline mode), `placeholder()`, `ask(query, offset)`, `choose(queryId,
 * resultId)` and `start(payload)`; `field` is the text field, which keeps the focus.
 */
export class InlineResults {
  node;
  #options;
  #field;
  #list;
  #button = h("button", { type: "button", class: "button inline-start", hidden: true });
  #note = h("p", { class: "inline-note", role: "status" });
  #asked = null;
  #timer = null;
  #turn = 0;
  #results = [];
  #next = "";
  #active = 0;

  constructor(field, options) {
    this.#field = field;
    this.#options = options;
    this.#list = h("div", { class: "inline-list", role: "listbox", id: `inline-results-${++lists}` });
    this.node = h("div", { class: "inline-results", hidden: true }, this.#button, this.#list, this.#note);
    field.setAttribute("aria-autocomplete", "list");
    this.node.addEventListener("pointerdown", (event) => event.preventDefault());
    this.#list.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  /** The text field has changed. */
  typed(text) {
    const query = this.#queryIn(text);
    if (query === null) return this.close();
    if (query === this.#asked) return undefined;
    this.#asked = query;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(query), PAUSE_MS);
    return undefined;
  }

  close() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#asked = null;
    this.#results = [];
    this.node.hidden = true;
    this.#field.removeAttribute("aria-controls");
    this.#field.removeAttribute("aria-activedescendant");
  }

  /** Handle a key of the text field; true if it was for the list. */
  key(event) {
    if (this.node.hidden) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.close();
    else if (this.#results.length === 0) return false;
    else if (step) this.#activate(Math.min(Math.max(this.#active + step, 0), this.#results.length - 1));
    else if (event.key === "Enter" && !event.shiftKey) this.#choose(this.#results[this.#active]);
    else return false;
    event.preventDefault();
    return true;
  }

  #queryIn(text) {
    const username = this.#options.username();
    const [, name, query] = /^@(\w+)\s([^]*)$/u.exec(text) ?? [];
    return username && name?.toLowerCase() === username.toLowerCase() ? query : null;
  }

  async #ask(query) {
    const turn = ++this.#turn;
    this.#list.setAttribute("aria-label", `Results of @${this.#options.username()}`);
    this.#show([], null);
    this.#say(query === "" && this.#options.placeholder() ? this.#options.placeholder() : "Waiting for the bot…");
    this.node.hidden = false;
    const answer = await this.#options.ask(query, "");
    if (turn !== this.#turn) return;
    if (!answer) {
      this.#say("The bot did not answer.");
      return;
    }
    this.#show(answer.results.map((result) => ({ ...result, queryId: answer.query_id })), answer.button);
    this.#next = answer.next_offset;
    this.#sayHowMany();
  }

  /** Ask for more results of the same query, if the bot announced more. */
  async #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#list;
    if (!this.#next || scrollHeight - scrollTop - clientHeight > NEAR_THE_END_PX) return;
    const [offset, turn] = [this.#next, this.#turn];
    this.#next = "";
    const answer = await this.#options.ask(this.#asked, offset);
    if (!answer || turn !== this.#turn) return;
    const more = answer.results.map((result) => ({ ...result, queryId: answer.query_id }));
    this.#list.append(...more.map((result, index) => this.#option(result, this.#results.length + index)));
    this.#results.push(...more);
    this.#next = answer.next_offset;
    this.#sayHowMany();
  }

  #sayHowMany() {
    const { length } = this.#results;
    if (this.#next) this.#say(`${length} results, more below`);
    else this.#say(length === 0 ? "No results." : length === 1 ? "1 result" : `${length} results`);
  }

  #show(results, button) {
    this.#results = results;
    this.#next = "";
    this.#list.replaceChildren(...results.map((result, index) => this.#option(result, index)));
    this.#button.hidden = !button;
    this.#button.textContent = button?.text ?? "";
    this.#button.onclick = () => {
      this.close();
      this.#options.start(button.start_parameter);
    };
    this.#field.setAttribute("aria-controls", this.#list.id);
    this.#activate(0);
  }

  #option(result, index) {
    return h(
      "div",
      { class: "inline-result", role: "option", id: `${this.#list.id}-${index}`, "aria-selected": "false", onclick: () => this.#choose(result) },
      h("b", {}, result.title),
      result.description && h("span", {}, result.description),
    );
  }

  #activate(index) {
    this.#active = index;
    [...this.#list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    const option = this.#list.children[index];
    if (!option) return this.#field.removeAttribute("aria-activedescendant");
    this.#field.setAttribute("aria-activedescendant", option.id);
    return option.scrollIntoView({ block: "nearest" });
  }

  #choose(result) {
    this.close();
    this.#options.choose(result.queryId, result.id);
  }

  #say(text) {
    this.#note.textContent = text;
  }
}
