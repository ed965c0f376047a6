/** Inline queries, from the typed text to the bot's results. */

import * as api from "./api.js";

const PATIENCE_MS = 10_000;

export class InlineAnswers {
  #waiting = new Map();
  #early = new Map();
  #asking = 0;

  constructor(store) {
    store.on("inline_answer", ({ query }) => this.#answered(query));
  }

  /** Send a query and return the bot's answer; null if it does not answer in time. */
  async ask(question) {
    this.#asking += 1;
    let query;
    try {
      query = await api.askInline(question);
    } finally {
      this.#asking -= 1;
    }
    const answer = query.answered ? query : this.#early.get(query.query_id);
    if (this.#asking === 0) this.#early.clear();
    return answer ?? this.#wait(query.query_id);
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
    else if (this.#asking > 0) this.#early.set(query.query_id, query);
  }
}
