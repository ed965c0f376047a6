/** A list of messages that stays at its end unless the person has scrolled up, and then counts new messages. */

import { h, icon } from "./dom.js";

const NEAR_THE_END_PX = 48;

export class Scrolling {
  /** Whether the list introduces the chat, and is read from its beginning. */
  introduces = false;
  pill = h("button", { type: "button", class: "pill", hidden: true, onclick: () => this.toEnd() });
  #scroller;
  #atEnd = true;
  #missed = 0;

  constructor(scroller, list) {
    this.#scroller = scroller;
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    const resized = new ResizeObserver(() => this.follow());
    resized.observe(list);
    resized.observe(scroller);
  }

  /** The list has grown, or has come into view. */
  follow() {
    if (this.#atEnd && !this.introduces) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  toEnd() {
    this.#atEnd = true;
    this.#miss(0);
    this.follow();
  }

  /** A message of somebody else's has arrived. */
  arrived() {
    if (!this.#atEnd) this.#miss(this.#missed + 1);
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    if (clientHeight === 0) return;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PX;
    this.#miss(this.#atEnd ? 0 : this.#missed);
  }

  #miss(count) {
    this.#missed = count;
    this.pill.hidden = this.#atEnd;
    const text = count === 0 ? "To the end" : count === 1 ? "1 new message" : `${count} new messages`;
    this.pill.replaceChildren(icon("down"), text);
    this.pill.classList.toggle("has-news", count > 0);
  }
}
