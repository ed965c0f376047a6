/** The bottom of a chat: the row to write in, or the button that the person must press first. */

import * as api from "./api.js";
import { Composer } from "./composer.js";
import { h } from "./dom.js";

export class Footer {
  node = h("div", { class: "pane-footer" });
  /** Null while the person cannot write. */
  composer = null;
  #actions;
  #shown = "";

  /** `actions` are the composer's options without its labels. */
  constructor(actions) {
    this.#actions = actions;
  }

  update({ person, chat, isInside, botTitle }) {
    const kind = kindOf(person, chat, isInside);
    const shown = `${kind} ${person.name} ${chat.title}`;
    if (shown === this.#shown) {
      this.composer?.suggest();
      return;
    }
    this.#shown = shown;
    this.composer = kind === "write" ? this.#newComposer(person, chat, botTitle) : null;
    this.node.replaceChildren(this.composer?.node ?? this.#button(kind, person, chat));
  }

  #button(kind, person, chat) {
    const big = (text, act, className = "primary") =>
      h("button", { type: "button", class: `button wide ${className}`, onclick: () => this.#run(act()) }, text);
    if (kind === "read") return h("p", { class: "read-only" }, "Only admins post here.");
    if (kind === "start") return big("START", () => this.#actions.send("/start"));
    if (kind === "blocked") return big("Unblock the bot", () => api.changePerson(person.id, { blocked_bot: false }), "");
    return big(`Join ${chat.title}`, () => api.joinChat(chat.id, person.id));
  }

  #newComposer({ name }, chat, botTitle) {
    const to = chat.type === "private" ? botTitle : chat.title;
    return new Composer({ ...this.#actions, label: `${name}'s message to ${to}`, sendLabel: `Send as ${name}` });
  }

  #run(promise) {
    return promise.catch((error) => this.#actions.onError(error));
  }
}

function kindOf(person, chat, isInside) {
  if (chat.type !== "private" && !isInside) return "join";
  if (chat.type === "channel") return chat.admins.includes(person.id) ? "write" : "read";
  if (chat.type !== "private") return "write";
  if (person.blocked_bot) return "blocked";
  return person.started ? "write" : "start";
}
