/** Taps on inline buttons, from the press until the bot's answer. */

const PATIENCE_MS = 10_000;

export class Taps {
  #waiting = new Map();
  #answeredEarly = new Set();

  constructor(store) {
    store.on("answer", ({ query_id: query }) => this.#answered(query));
  }

  /** Show that the button waits; `send` gives the query's id, `onSilence` is called if the bot never answers. */
  async press(button, send, onSilence) {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    const release = () => button.removeAttribute("aria-busy");
    try {
      const { query_id: query } = await send();
      if (this.#answeredEarly.delete(query)) release();
      else this.#wait(query, release, onSilence);
    } catch (error) {
      release();
      throw error;
    }
  }

  #wait(query, release, onSilence) {
    const giveUp = () => {
      this.#waiting.delete(query);
      release();
      onSilence();
    };
    const timer = setTimeout(giveUp, PATIENCE_MS);
    this.#waiting.set(query, () => {
      clearTimeout(timer);
      release();
    });
  }

  #answered(query) {
    const finish = this.#waiting.get(query);
    if (finish) finish();
    else this.#answeredEarly.add(query);
    this.#waiting.delete(query);
  }
}
