/** One chat on one person's phone: its messages and the row to write in. */

import * as api from "./api.js";
import { botAvatar } from "./avatar.js";
import { commandsFor } from "./commands.js";
import { Composer } from "./composer.js";
import { drawGlyphs } from "./glyphs.js";
import { h, icon, iconButton } from "./dom.js";
import { readLink } from "./links.js";
import { MessageView, canReply, summary } from "./message.js";
import { isSeenBy } from "./store.js";

const NEAR_THE_END_PX = 48;
const LONG_PRESS_MS = 450;
const STEADY_HAND_PX = 10;

export class ChatPane {
  node;
  #app;
  #phone;
  #chat;
  #views = new Map();
  #atEnd = true;
  #missed = 0;
  #answering = null;
  #thread = null;
  #notice = h("div", { class: "pane-notice", hidden: true });
  #pinned = h("button", { type: "button", class: "pinned", "aria-label": "Go to the pinned message", hidden: true });
  #topics = h("div", { class: "topics", role: "group", "aria-label": "Topics", hidden: true });
  #list = h("div", { class: "messages", role: "log" });
  #welcome = h("div", { class: "welcome", hidden: true });
  #scroller = h("div", { class: "scroller", tabindex: "-1" }, h("div", { class: "spring" }), this.#welcome, this.#list);
  #pill;
  #reply = h("div", { class: "reply-bar", hidden: true });
  #footer = h("div", { class: "pane-footer" });
  #footerKind = "";
  #composer;

  /** `phone` is the person's phone the chat is shown on. */
  constructor(app, phone, chat) {
    this.#app = app;
    this.#phone = phone;
    this.#chat = chat;
    this.#pill = h("button", { type: "button", class: "pill", hidden: true, onclick: () => this.#toEnd() });
    this.node = h(
      "section",
      { class: `pane ${this.#isDm ? "pane-dm" : "pane-group"}`, role: "tabpanel", "data-chat": chat.id },
      this.#notice,
      this.#pinned,
      this.#topics,
      h("div", { class: "pane-body" }, this.#scroller, this.#pill),
      this.#reply,
      this.#footer,
    );
    this.#scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#list.addEventListener("click", (event) => this.#clicked(event));
    this.#list.addEventListener("keydown", (event) => event.key === "Enter" && reveal(event.target));
    this.#list.addEventListener("pointerdown", (event) => this.#pressed(event));
    const resized = new ResizeObserver(() => this.#atEnd && this.#jumpToEnd());
    resized.observe(this.#list);
    resized.observe(this.#scroller);
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

  get #store() {
    return this.#app.store;
  }

  /** Show what may have changed about the person and the chat. */
  update(chat) {
    this.#chat = chat;
    const name = this.#person.name;
    const label = this.#isDm ? `${name}'s chat with ${this.#store.botTitle}` : `${name}'s group chat`;
    this.node.setAttribute("aria-label", label);
    this.#showTopics();
    this.#showNotice();
    this.#showFooter();
    this.sync();
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
    if (this.#atEnd) this.#jumpToEnd();
  }

  /** A message has just arrived in this chat. */
  arrived(message) {
    if (!this.#shows(message)) return;
    if (message.from?.id === this.#person.id) this.#toEnd();
    else if (!this.#atEnd) this.#miss(this.#missed + 1);
  }

  /** The pane has come into view. */
  shown() {
    if (this.#atEnd) this.#jumpToEnd();
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
        isGroup: !this.#isDm,
        quoted: (id) => this.#store.messagesOf(this.#chat.id).find((one) => one.message_id === id),
        reply: (one) => this.#answer(one),
        goTo: (id) => this.goTo(id),
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
          .press(button, () => this.#tap(message, data), () => this.#phone.toast("The bot did not answer this button."))
          .catch((error) => this.#phone.fail(error)),
      open: (url) => this.#phone.follow(readLink(url, this.#store.bot.username)),
      copy: async (text) => {
        await navigator.clipboard.writeText(text);
        this.#phone.toast("Copied.");
      },
    };
  }

  #tap(message, data) {
    const target =
      message.ephemeral_message_id === null || message.ephemeral_message_id === undefined
        ? { message_id: message.message_id }
        : { ephemeral_message_id: message.ephemeral_message_id };
    return api.tap({ from: this.#person.id, chat_id: this.#chat.id, ...target, data });
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
      drawGlyphs(h("p", {}, h("b", {}, `Reply to ${message.from.name}`), h("span", {}, summary(message)))),
      iconButton("close", "Cancel the reply", () => this.#answer(null)),
    );
    this.#composer?.focus();
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    if (clientHeight === 0) return;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PX;
    if (this.#atEnd) this.#miss(0);
    else this.#miss(this.#missed);
  }

  #miss(count) {
    this.#missed = count;
    this.#pill.hidden = this.#atEnd;
    const text = count === 0 ? "To the end" : count === 1 ? "1 new message" : `${count} new messages`;
    this.#pill.replaceChildren(icon("down"), text);
    this.#pill.classList.toggle("has-news", count > 0);
  }

  #toEnd() {
    this.#atEnd = true;
    this.#miss(0);
    this.#jumpToEnd();
  }

  #jumpToEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
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
    this.#atEnd = true;
    this.#showTopics();
    this.sync();
  }

  #showPinned(messages) {
    const pinned = messages.findLast((message) => this.#chat.pinned?.includes(message.message_id));
    this.#pinned.hidden = !pinned;
    if (!pinned) return;
    this.#pinned.replaceChildren(icon("pin"), drawGlyphs(h("span", {}, summary(pinned))));
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

  /** What is at the bottom: the row to write in, or what must happen before anything can be written. */
  #showFooter() {
    const kind = this.#isDm
      ? this.#person.blocked_bot
        ? "blocked"
        : this.#person.started
          ? "write"
          : "start"
      : this.#isInside
        ? "write"
        : "join";
    const signature = `${kind} ${this.#person.name} ${this.#chat.title}`;
    if (signature === this.#footerKind) return;
    this.#footerKind = signature;
    this.#composer = null;
    this.#footer.replaceChildren(this.#footerFor(kind));
  }

  #footerFor(kind) {
    const big = (text, act, className = "primary") =>
      h("button", { type: "button", class: `button wide ${className}`, onclick: () => this.#run(act()) }, text);
    switch (kind) {
      case "start":
        return big("START", () => this.send("/start"));
      case "blocked":
        return big("Unblock the bot", () => api.changePerson(this.#person.id, { blocked_bot: false }), "");
      case "join":
        return big(`Join ${this.#chat.title}`, () => api.joinChat(this.#chat.id, this.#person.id));
      default:
        this.#composer = this.#newComposer();
        return this.#composer.node;
    }
  }

  #newComposer() {
    const { name } = this.#person;
    return new Composer({
      label: this.#isDm ? `${name}'s message to ${this.#store.botTitle}` : `${name}'s message to ${this.#chat.title}`,
      sendLabel: `Send as ${name}`,
      send: (text) => this.send(text),
      attach: (media) => this.#attach(media),
      commands: () =>
        commandsFor(this.#store.calls, this.#isDm, this.#person.language_code, this.#store.bot.commands ?? []),
      onError: (error) => this.#phone.fail(error),
      onEscape: () => this.#answer(null),
    });
  }

  #showWelcome(messages) {
    const empty = !messages.some(({ service }) => !service);
    this.#welcome.hidden = !empty;
    if (!empty) return;
    this.#welcome.replaceChildren(...(this.#isDm ? this.#dmWelcome() : this.#groupWelcome()));
  }

  #dmWelcome() {
    const name = this.#store.botTitle;
    return [botAvatar(), h("h2", {}, name), h("p", {}, `${this.#person.name}'s private chat with ${name}. Press START to open it.`)];
  }

  #groupWelcome() {
    if (!this.#isInside) return [h("h2", {}, `${this.#person.name} is not in ${this.#chat.title}`)];
    const { title, text, steps, picture, message, button, others } = this.#store.page.welcome;
    const isFirst = this.#store.people[0]?.id === this.#person.id;
    if (!isFirst) return [h("h2", {}, `This is ${this.#person.name}'s phone`), h("p", {}, others)];
    return [
      picture && h("div", { class: "welcome-picture", "aria-hidden": "true" }, drawGlyphs(h("span", {}, picture))),
      h("h2", {}, title),
      h("p", {}, text),
      steps.length > 0 && h("ol", {}, steps.map((step) => h("li", {}, step))),
      h("button", { type: "button", class: "button primary first-message", onclick: () => this.#run(this.send(message)) }, button),
    ].filter(Boolean);
  }

  #run(promise) {
    return promise.catch((error) => this.#phone.fail(error));
  }
}

/** A private message may stand in the place of the message whose button was tapped, until it goes away. */
function covered(messages) {
  const present = new Set(messages.map((message) => message.message_id));
  const covers = new Map();
  for (const message of messages) if (message.replaces && present.has(message.replaces)) covers.set(message.replaces, message);
  const standIns = new Set(covers.values());
  return messages.filter((message) => !standIns.has(message)).map((message) => covers.get(message.message_id) ?? message);
}

function reveal(target) {
  target.closest?.("blockquote.expandable")?.classList.toggle("unfolded");
  const spoiler = target.closest?.(".spoiler");
  if (!spoiler) return;
  spoiler.classList.add("revealed");
  spoiler.removeAttribute("role");
  spoiler.removeAttribute("aria-label");
}
