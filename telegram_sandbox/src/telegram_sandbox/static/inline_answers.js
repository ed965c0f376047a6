/** Inline queries, from what is typed until the bot's results. */

import * as api from "./api.js";

const PATIENCE_MS = 10_000;

export class InlineAnswers {
  #waiting = new Map();
  #early = new Map();

  constructor(store) {
    store.on("inline_answer", ({ query }) => this.#answered(query));
  }

  /** Ask, and give what the bot answered; null when it answers nothing in time. */
  async ask(question) {
    const query = await api.askInline(question);
    if (query.answered) return query;
    const early = this.#early.get(query.query_id);
    this.#early.delete(query.query_id);
    return early ?? this.#wait(query.query_id);
  }

  #wait(id) {
    return new Promise((resolve) => {
      const finish = (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(() => finish(null), PATIENCE_MS);
      this.#waiting.set(id, finish);
    });
  }

  #answered(query) {
    const finish = this.#waiting.get(query.query_id);
    if (finish) finish(query);
    else this.#early.set(query.query_id, query);
  }
}
