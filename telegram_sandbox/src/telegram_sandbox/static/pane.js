/** One chat on one person's phone: its messages and the row to write in. */

import * as api from "./api.js";
import { commandsFor } from "./commands.js";
import { h, icon, iconButton } from "./dom.js";
import { Footer } from "./footer.js";
import { replyKeyboard } from "./keyboard.js";
import { readLink } from "./links.js";
import { MessageView, canReply, covered, reveal, summary } from "./message.js";
import { Scrolling } from "./scrolling.js";
import { isSeenBy } from "./store.js";
import { groupWelcome, privateWelcome } from "./welcome.js";

const LONG_PRESS_MS = 450;
const STEADY_HAND_PX = 10;

export class ChatPane {
  node;
  #app;
  #store;
  #phone;
  #chat;
  #views = new Map();
  #answering = null;
  #thread = null;
  #notice = h("div", { class: "pane-notice", hidden: true });
  #pinned = h("button", { type: "button", class: "pinned", "aria-label": "Go to the pinned message", hidden: true });
  #topics = h("div", { class: "topics", role: "group", "aria-label": "Topics", hidden: true });
  #list = h("div", { class: "messages", role: "log", "aria-label": "Messages" });
  #welcome = h("div", { class: "welcome", hidden: true });
  #scroller = h("div", { class: "scroller", tabindex: "-1" }, h("div", { class: "spring" }), this.#welcome, this.#list);
  #scrolling = new Scrolling(this.#scroller, this.#list);
  #replyKeys = h("div");
  #reply = h("div", { class: "reply-bar", hidden: true });
  #footer;
  #language = null;

  /** `phone` is the person's phone the chat is shown on. */
  constructor(app, phone, chat) {
    this.#app = app;
    this.#store = app.store;
    this.#phone = phone;
    this.#chat = chat;
    this.#footer = new Footer(this.#footerActions());
    this.node = h(
      "section",
      { class: `pane ${this.#isDm ? "pane-dm" : "pane-group"}`, role: "tabpanel", "data-chat": chat.id },
      this.#notice,
      this.#pinned,
      this.#topics,
      h("div", { class: "pane-body" }, this.#scroller, this.#scrolling.pill),
      this.#reply,
      this.#footer.node,
      this.#replyKeys,
    );
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    this.#list.addEventListener("keydown", (event) => event.key === "Enter" && reveal(event.target));
    this.#list.addEventListener("pointerdown", (event) => this.#pressed(event));
  }

  get #isDm() {
    return this.#chat.type === "private";
  }

  get #isInside() {
    return this.#isDm || this.#chat.members.includes(this.#person.id);
  }

  get #person() {
    return this.#phone.person;
  }

  /** Draw the person and the chat again. */
  update(chat) {
    this.#chat = chat;
    const { name } = this.#person;
    const label = this.#isDm ? `${name}'s chat with ${this.#store.botTitle}` : `${name}'s group chat`;
    this.node.setAttribute("aria-label", label);
    this.#showTopics();
    this.#showNotice();
    this.#footer.update({ person: this.#person, chat, isInside: this.#isInside, botTitle: this.#store.botTitle });
    this.#showLanguage();
    this.sync();
  }

  /** Write times in the reader's language. */
  #showLanguage() {
    const { language_code: language } = this.#person;
    if (language === this.#language) return;
    this.#language = language;
    this.#list.dataset.language = language;
    for (const view of this.#views.values()) view.update(view.message);
  }

  /** Bring the drawn messages in step with the store. */
  sync() {
    const messages = covered(this.#store.messagesOf(this.#chat.id).filter((message) => this.#shows(message)));
    const keys = new Set(messages.map(({ key }) => key));
    for (const [key, view] of this.#views) {
      if (keys.has(key)) continue;
      view.node.remove();
      this.#views.delete(key);
    }
    let place = this.#list.firstElementChild;
    let previous = null;
    for (const message of messages) {
      const view = this.#viewOf(message);
      view.continues(previous);
      previous = message;
      if (view.node === place) place = place.nextElementSibling;
      else this.#list.insertBefore(view.node, place);
    }
    this.#showWelcome(messages);
    this.#showPinned(messages);
    this.#replyKeys.replaceChildren(...[replyKeyboard(messages, this.#person.id, (text) => this.#pressKey(text))].filter(Boolean));
    this.#scrolling.follow();
  }

  /** A message has just arrived in this chat. */
  arrived(message) {
    if (!this.#shows(message)) return;
    if (message.from?.id === this.#person.id) this.#scrolling.toEnd();
    else this.#scrolling.arrived();
  }

  shown() {
    this.#scrolling.follow();
  }

  goTo(messageId) {
    const found = [...this.#views.values()].find(({ message }) => message.message_id === messageId);
    if (!found) return;
    found.node.scrollIntoView({ block: "center", behavior: "smooth" });
    found.node.classList.remove("pointed-at");
    requestAnimationFrame(() => found.node.classList.add("pointed-at"));
  }

  send(text) {
    const reply = this.#answering?.message_id;
    this.#answer(null);
    return api.sendText({
      from: this.#person.id,
      chat_id: this.#chat.id,
      text,
      reply_to: reply,
      thread_id: this.#thread ?? undefined,
    });
  }

  /** Put the bot's name and a query into the text field. */
  fill(query) {
    if (this.#footer.composer) this.#footer.composer.fill(`@${this.#store.bot.username} ${query}`);
    else this.#phone.toast("Nothing can be written in this chat yet.");
  }

  #choose(queryId, resultId) {
    const reply = this.#answering?.message_id;
    this.#answer(null);
    return api.chooseInline({
      from: this.#person.id,
      chat_id: this.#chat.id,
      query_id: queryId,
      result_id: resultId,
      reply_to: reply,
      thread_id: this.#thread ?? undefined,
    });
  }

  #attach({ kind, file, duration }) {
    const reply = this.#answering?.message_id;
    this.#answer(null);
    return api.sendMedia({
      from: this.#person.id,
      chat_id: this.#chat.id,
      kind,
      duration,
      file,
      reply_to: reply,
      thread_id: this.#thread,
    });
  }

  /** Is this message for the eyes of this phone's owner? */
  canSee(message) {
    return this.#isInside && isSeenBy(message, this.#person.id);
  }

  #shows(message) {
    if (!this.canSee(message)) return false;
    return !this.#chat.is_forum || (message.thread_id ?? null) === this.#thread;
  }

  #viewOf(message) {
    let view = this.#views.get(message.key);
    if (!view) {
      view = new MessageView(message, {
        personId: this.#person.id,
        language: () => this.#person.language_code,
        isGroup: !this.#isDm,
        quoted: (id) => this.#store.messagesOf(this.#chat.id).find((one) => one.message_id === id),
        reply: (one) => this.#answer(one),
        goTo: (id) => this.goTo(id),
        vote: (one, options) =>
          api
            .vote({ from: this.#person.id, chat_id: this.#chat.id, message_id: one.message_id, options: options.map((option) => one.poll.options[option].text) })
            .catch((error) => this.#phone.fail(error)),
        react: (one, emojis) =>
          this.#run(api.react({ from: this.#person.id, chat_id: this.#chat.id, message_id: one.message_id, emojis })),
        keys: (one) => this.#keys(one),
      });
      this.#views.set(message.key, view);
    } else if (view.message !== message) view.update(message);
    return view;
  }

  #keys(message) {
    return {
      press: (button, data) =>
        this.#app.taps
          .press(button, () => this.#tap(message, data || message.game), () => this.#phone.toast("The bot did not answer this button."))
          .catch((error) => this.#phone.fail(error)),
      open: (url) => this.#phone.follow(readLink(url, this.#store.bot.username)),
      openApp: (url) => this.#phone.openApp({ url }),
      pay: () =>
        this.#run(api.pay({ from: this.#person.id, chat_id: this.#chat.id, message_id: message.message_id })),
      copy: async (text) => {
        await navigator.clipboard.writeText(text);
        this.#phone.toast("Copied.");
      },
      fill: (query) => this.fill(query),
      fillElsewhere: (query, allowed) => this.#phone.fillElsewhere(query, allowed),
    };
  }

  #tap(message, data) {
    const target =
      message.ephemeral_message_id === null || message.ephemeral_message_id === undefined
        ? { message_id: message.message_id }
        : { ephemeral_message_id: message.ephemeral_message_id };
    return api.tap({ from: this.#person.id, chat_id: this.#chat.id, ...target, data });
  }

  #pressKey(text) {
    return this.#run(api.pressKey({ from: this.#person.id, chat_id: this.#chat.id, text }));
  }

  #clicked(event) {
    reveal(event.target);
    this.#touch(event.target.closest(".message"));
    const anchor = event.target.closest(".text a[href]");
    if (!anchor) return;
    event.preventDefault();
    this.#phone.follow(readLink(anchor.getAttribute("href"), this.#store.bot.username));
  }

  /** On a touch screen, a touched message offers to be answered. */
  #touch(node) {
    for (const view of this.#views.values()) view.node.classList.toggle("touched", view.node === node);
  }

  /** On a touch screen, holding a message answers it. */
  #pressed(event) {
    const node = event.target.closest(".message");
    const view = node && this.#views.get(node.dataset.key);
    if (event.pointerType !== "touch" || !view || !canReply(view.message) || event.target.closest("button, a")) return;
    const over = new AbortController();
    const timer = setTimeout(() => this.#answer(view.message), LONG_PRESS_MS);
    const cancel = (move) => {
      if (move.type === "pointermove" && Math.hypot(move.x - event.x, move.y - event.y) < STEADY_HAND_PX) return;
      clearTimeout(timer);
      over.abort();
    };
    for (const name of ["pointerup", "pointercancel", "pointermove"]) {
      this.#list.addEventListener(name, cancel, { signal: over.signal });
    }
  }

  #answer(message) {
    this.#answering = message;
    this.#reply.hidden = message === null;
    if (message === null) return;
    this.#reply.replaceChildren(
      icon("reply"),
      h("p", {}, h("b", {}, `Reply to ${message.from.name}`), h("span", {}, summary(message))),
      iconButton("close", "Cancel the reply", () => this.#answer(null)),
    );
    this.#footer.composer?.focus();
  }

  #showTopics() {
    const topics = this.#chat.is_forum ? [{ thread_id: null, name: "General" }, ...this.#chat.topics] : [];
    this.#topics.hidden = topics.length < 2;
    this.#topics.replaceChildren(
      ...topics.map(({ thread_id: id, name }) =>
        h("button", { type: "button", "aria-pressed": String(id === this.#thread), onclick: () => this.#openTopic(id) }, name),
      ),
    );
  }

  #openTopic(id) {
    this.#thread = id;
    this.#showTopics();
    this.sync();
    this.#scrolling.toEnd();
  }

  #showPinned(messages) {
    const pinned = messages.findLast((message) => this.#chat.pinned?.includes(message.message_id));
    this.#pinned.hidden = !pinned;
    if (!pinned) return;
    this.#pinned.replaceChildren(icon("pin"), h("span", {}, summary(pinned)));
    this.#pinned.onclick = () => this.goTo(pinned.message_id);
  }

  #showNotice() {
    const gone = !this.#isDm && ["kicked", "left"].includes(this.#chat.bot_status);
    this.#notice.hidden = !gone;
    if (!gone) return;
    this.#notice.replaceChildren(
      `${this.#store.botTitle} is not in this group.`,
      h("button", { type: "button", class: "link", onclick: () => this.#run(api.setBotStatus(this.#chat.id, "member")) }, "Add the bot"),
    );
  }

  #footerActions() {
    return {
      send: (text) => this.send(text),
      attach: (media) => this.#attach(media),
      recordingNeeds: () => this.#store.state.recording_needs,
      commands: () => commandsFor(this.#store.bot.command_lists, this.#isDm, this.#person.language_code),
      inline: {
        username: () => (this.#store.bot.inline.enabled ? this.#store.bot.username : null),
        placeholder: () => this.#store.bot.inline.placeholder,
        ask: (query, offset) =>
          this.#app.inline
            .ask({ from: this.#person.id, chat_id: this.#chat.id, query, offset })
            .catch((error) => this.#phone.fail(error)),
        choose: (queryId, resultId) => this.#choose(queryId, resultId),
        start: (payload) => this.#phone.follow({ kind: "start", payload }),
      },
      onError: (error) => this.#phone.fail(error),
      onEscape: () => this.#answer(null),
    };
  }

  #showWelcome(messages) {
    const empty = !messages.some(({ service }) => !service);
    this.#welcome.hidden = !empty;
    this.#scrolling.introduces = empty;
    if (!empty) return;
    this.#welcome.replaceChildren(
      ...(this.#isDm
        ? privateWelcome(this.#person, this.#store.botTitle)
        : groupWelcome({
            person: this.#person,
            chat: this.#chat,
            welcome: this.#app.welcome,
            isInside: this.#isInside,
            isFirst: this.#store.people[0]?.id === this.#person.id,
            send: (text) => this.#run(this.send(text)),
            sendPrivately: (text) => this.#phone.sendPrivately(text),
          })),
    );
  }

  #run(promise) {
    return promise.catch((error) => this.#phone.fail(error));
  }
}
