/** Each person's unread messages, chat by chat. */

export class Unread {
  #counts = new Map();

  add(personId, chatId, { isNew, calls }) {
    const key = `${personId}:${chatId}`;
    const { count, called } = this.#counts.get(key) ?? { count: 0, called: false };
    this.#counts.set(key, { count: count + (isNew ? 1 : 0), called: called || calls });
  }

  clear(personId, chatId) {
    this.#counts.delete(`${personId}:${chatId}`);
  }

  of(personId, chatId) {
    return this.#counts.get(`${personId}:${chatId}`) ?? { count: 0, called: false };
  }

  /** The number of this person's unread messages in all chats, and whether one of them calls the person. */
  total(personId) {
    let sum = { count: 0, called: false };
    for (const [key, { count, called }] of this.#counts) {
      if (key.startsWith(`${personId}:`)) sum = { count: sum.count + count, called: sum.called || called };
    }
    return sum;
  }
}

/** Write a count on a badge; one that calls its owner by name stands out. */
export function showBadge(badge, { count, called }) {
  badge.hidden = count === 0 && !called;
  badge.textContent = count > 99 ? "99+" : count > 0 ? String(count) : "!";
  badge.classList.toggle("called", called);
  badge.setAttribute("aria-label", called ? "somebody calls you" : `${count} unread`);
}
