/** All phones side by side; on a narrow screen, one at a time. */

import { avatar } from "./avatar.js";
import { h } from "./dom.js";
import { FramedPage } from "./framed_page.js";
import { Phone } from "./phone.js";
import { showBadge } from "./unread.js";

export class Board {
  #app;
  #node;
  #bar;
  #phones = new Map();
  #pages = new Map();
  #front = null;
  #badges = new Map();
  #kinds = [];

  constructor(app, node, bar) {
    this.#app = app;
    this.#node = node;
    this.#bar = bar;
    const { store } = app;
    store.on("loaded", () => this.update());
    store.on("people", () => this.update());
    store.on("chats", () => this.update());
    store.on("commands", () => this.update());
    store.on("message", ({ message, previous }) => {
      for (const phone of this.#people()) phone.receive(message, previous);
    });
    store.on("deleted", ({ chatId }) => {
      for (const phone of this.#people()) phone.sync(chatId);
    });
    store.on("answer", (answer) => this.#phones.get(answer.user_id)?.answer(answer));
  }

  /** Show phones of another kind after those of people: `owners()` has them, and `Phone` draws one. */
  addKind(kind) {
    this.#kinds.push(kind);
    this.update();
  }

  phone(id) {
    return this.#phones.get(id);
  }

  /** Bring this person's phone, or the page of this address, to the front. */
  lookAt(personId) {
    this.#front = personId;
    for (const [id, phone] of this.#phones) phone.lookAt(id === personId);
    for (const [address, page] of this.#pages) page.node.classList.toggle("in-front", address === personId);
    for (const button of this.#bar.children) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.person) === personId));
    }
  }

  /** Bring a person who has just been added into view, ready to be renamed. */
  welcome(personId) {
    const phone = this.#phones.get(personId);
    if (!phone) return;
    this.lookAt(personId);
    phone.node.scrollIntoView({ inline: "end", behavior: "smooth" });
    phone.rename();
  }

  /** Open another page of the bot's next to the phones, or show it again. */
  show(link) {
    if (!this.#pages.has(link.address)) {
      const page = new FramedPage(link, () => {
        this.#pages.delete(link.address);
        this.update();
      });
      this.#pages.set(link.address, page);
      if (link.wide) this.#node.prepend(page.node);
      else this.#node.append(page.node);
    }
    this.lookAt(link.address);
    this.#pages.get(link.address).node.scrollIntoView({ inline: "center", behavior: "smooth" });
  }

  /** Show a group on every phone. */
  open(chatId) {
    for (const phone of this.#people()) phone.show(chatId);
  }

  fail(error) {
    this.#phones.get(this.#front)?.fail(error);
  }

  showBadges() {
    for (const [id, badge] of this.#badges) showBadge(badge, this.#app.unread.total(id));
  }

  #people() {
    return [...this.#phones.values()].filter((phone) => phone instanceof Phone);
  }

  /** Show the phones of those who are there now. */
  update() {
    const { store } = this.#app;
    const more = this.#kinds.flatMap((kind) => kind.owners().map((person) => [person, kind.Phone]));
    const kinds = [...store.people.map((person) => [person, Phone]), ...more];
    const people = kinds.map(([person]) => person);
    const wanted = new Set(people.map(({ id }) => id));
    for (const [id, phone] of this.#phones) {
      if (wanted.has(id)) continue;
      phone.node.remove();
      this.#phones.delete(id);
    }
    for (const [person, Kind] of kinds) {
      const phone = this.#phones.get(person.id);
      if (phone) phone.update(person);
      else this.#add(person, Kind);
    }
    this.#showBar(people);
    const front = wanted.has(this.#front) || this.#pages.has(this.#front) ? this.#front : people[0]?.id;
    this.lookAt(front ?? null);
  }

  #add(person, Kind) {
    const phone = new Kind(this.#app, person);
    const after = Kind === Phone && [...this.#phones.values()].find((other) => !(other instanceof Phone));
    this.#node.insertBefore(phone.node, after?.node ?? null);
    this.#phones.set(person.id, phone);
  }

  #showBar(people) {
    this.#badges.clear();
    this.#bar.replaceChildren(
      ...people.map((person) => {
        const badge = h("span", { class: "badge", hidden: true });
        this.#badges.set(person.id, badge);
        return h(
          "button",
          { type: "button", class: "person-chip", "data-person": person.id, onclick: () => this.lookAt(person.id) },
          h("span", { class: "chip-face" }, avatar(person), badge),
          h("span", { class: "chip-name" }, person.name),
        );
      }),
    );
    this.showBadges();
  }
}
