/** One person's phone: its owner, its chats, and their unread messages. */

import * as api from "./api.js";
import { avatar, hueOf } from "./avatar.js";
import { h, iconButton } from "./dom.js";
import { readLink } from "./links.js";
import { menuButton, menuItem, menuRule } from "./menu.js";
import { Notices, confirm } from "./notices.js";
import { ChatPane } from "./pane.js";
import { mentions } from "./store.js";
import { showBadge } from "./unread.js";
import { WebApp } from "./web_app.js";

export class Phone {
  node;
  person;
  #app;
  #openChat = null;
  #panes = new Map();
  #tabs = new Map();
  #notices = new Notices();
  #name = h("div", { class: "phone-name" });
  #tablist = h("div", { class: "tabs", role: "tablist" });
  #followsOpenTab = true;
  #tabSizes = new ResizeObserver(() => this.#keepOpenTabInView());
  #body = h("div", { class: "phone-body" });
  #webApp = null;

  constructor(app, person) {
    this.#app = app;
    this.person = person;
    this.node = h(
      "section",
      { class: "phone", "data-person": person.id },
      h("header", { class: "phone-head" }, h("div", { class: "phone-owner" }, this.#name, this.#menu()), this.#tablist),
      this.#body,
      this.#notices.node,
    );
    for (const name of ["--hue", "--phone-hue"]) this.node.style.setProperty(name, hueOf(person.id));
    for (const moved of ["wheel", "touchmove"])
      this.#tablist.addEventListener(moved, () => (this.#followsOpenTab = false), { passive: true });
    this.update(person);
  }

  /** Draw the person and the chats again. */
  update(person) {
    const renamed = this.#name.childElementCount === 0 || person.name !== this.person.name;
    this.person = person;
    this.node.setAttribute("aria-label", `${person.name}'s phone`);
    this.#tablist.setAttribute("aria-label", `${person.name}'s chats`);
    if (renamed) this.#showName();
    this.#showChats();
  }

  /** The messages of a chat have changed. */
  sync(chatId) {
    this.#panes.get(chatId)?.sync();
  }

  /** A message arrived or was edited. */
  receive(message, previous) {
    const pane = this.#panes.get(message.chat_id);
    if (!pane?.canSee(message)) return;
    pane.sync();
    const isNew = previous === undefined;
    if (isNew) pane.arrived(message);
    if (message.from?.id === this.person.id || this.#isLookedAt(message.chat_id)) return;
    const calls = mentions(message, this.person) && !(previous && mentions(previous, this.person));
    if (isNew || calls) this.#app.unread.add(this.person.id, message.chat_id, { isNew: isNew && !message.service, calls });
    this.#showBadges();
  }

  /** The bot answered a tap of this person. */
  answer({ text, show_alert: isAlert, url }) {
    if (url) this.follow(readLink(url, this.#app.store.bot.username));
    if (!text) return;
    if (isAlert) this.#notices.alert(text, this.person.name);
    else this.toast(text);
  }

  /** Put an inline query into the text field of a chat that the phone's owner chooses. */
  async fillElsewhere(query, allowed) {
    const { store } = this.#app;
    const groups = store.groups.filter(({ members }) => members.includes(this.person.id));
    const chats = [
      ...(!allowed || allowed.allow_group_chats ? groups.map(({ id, title }) => [id, title]) : []),
      ...(!allowed || allowed.allow_bot_chats ? [[this.person.id, store.botTitle]] : []),
    ];
    const chosen = await this.#notices.choose("Choose a chat", chats);
    if (chosen === null) return;
    this.show(chosen);
    this.#panes.get(chosen).fill(query);
  }

  toast(text) {
    this.#notices.toast(text);
  }

  fail(error) {
    this.#notices.toast(error.message, "failure");
  }

  /** A narrow screen shows one phone; the others are hidden. */
  lookAt(isInFront) {
    this.node.classList.toggle("in-front", isInFront);
    if (isInFront) this.show(this.#openChat);
  }

  show(chatId) {
    this.#openChat = chatId;
    for (const [id, pane] of this.#panes) {
      pane.node.hidden = id !== chatId;
      const tab = this.#tabs.get(id);
      tab.button.setAttribute("aria-selected", String(id === chatId));
      tab.button.tabIndex = id === chatId ? 0 : -1;
    }
    if (this.#isLookedAt(chatId)) this.#app.unread.clear(this.person.id, chatId);
    this.#showBadges();
    this.#panes.get(chatId)?.shown();
    this.#showTab(chatId);
  }

  /** Many groups need more tabs than there is room for. */
  #showTab(chatId) {
    const { offsetLeft: left = 0, offsetWidth: width = 0 } = this.#tabs.get(chatId)?.button ?? {};
    const list = this.#tablist;
    if (left < list.scrollLeft) list.scrollLeft = left;
    else if (left + width > list.scrollLeft + list.clientWidth) list.scrollLeft = left + width - list.clientWidth;
    this.#followsOpenTab = true;
  }

  /** Badges, titles and new groups before the open chat's tab may push it away; a person who moved the tabs sees them where they are. */
  #keepOpenTabInView() {
    if (this.#followsOpenTab) this.#showTab(this.#openChat);
  }

  /** Open the private chat with the bot and write there. */
  sendPrivately(text) {
    this.show(this.person.id);
    this.#run(this.#panes.get(this.person.id).send(text));
  }

  /** Go where a link of a message leads. */
  follow(link) {
    switch (link.kind) {
      case "start":
        if (link.payload) this.sendPrivately(`/start ${link.payload}`);
        else this.show(this.person.id);
        break;
      case "app":
        this.openApp({ start_param: link.startParam });
        break;
      case "group":
        if (this.#app.store.groups.length) this.show(this.#app.store.groups[0].id);
        break;
      case "message":
        if (!this.#panes.has(link.chatId)) return;
        this.show(link.chatId);
        this.#panes.get(link.chatId).goTo(link.messageId);
        break;
      case "invite":
        this.#run(
          api.followInvite({ from: this.person.id, link: link.url }).then((to) => {
            if (to.members.includes(this.person.id)) this.show(to.id);
            else this.toast("You have asked to join.");
          }),
        );
        break;
      case "invoice":
        this.#run(api.pay({ from: this.person.id, chat_id: this.person.id, link: link.url }));
        break;
      case "person":
        this.toast(this.#app.store.person(link.id)?.name ?? "Somebody");
        break;
      case "web":
        open(link.url, "_blank", "noopener,noreferrer");
        break;
      default:
        this.toast("This link leads nowhere here.");
    }
  }

  /** Open a Mini App over the chats: a button's `url`, or the main one with its `start_param`. */
  async openApp(launch) {
    const { store } = this.#app;
    const { bot, botTitle } = store;
    try {
      const { result: url } = await api.openWebApp({ from: this.person.id, chat_id: this.#openChat, ...launch });
      this.#webApp?.close();
      const actions = {
        follow: (link) => this.follow(readLink(link, bot.username)),
        closed: () => this.#tablist.removeAttribute("hidden"),
      };
      this.#webApp = new WebApp(url, botTitle, actions, store.people.findIndex(({ id }) => id === this.person.id) % 2 === 1);
      this.#tablist.hidden = true;
      this.#body.append(this.#webApp.node);
    } catch (error) {
      this.fail(error);
    }
  }

  rename() {
    const field = h("input", { class: "rename", value: this.person.name, "aria-label": `New name for ${this.person.name}`, maxlength: 40 });
    let done = false;
    const finish = (keep) => {
      if (done) return;
      done = true;
      const name = field.value.trim();
      this.#showName();
      if (keep && name && name !== this.person.name) this.#run(api.changePerson(this.person.id, { name }));
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") finish(true);
      if (event.key === "Escape") finish(false);
    });
    field.addEventListener("blur", () => finish(true));
    this.#name.replaceChildren(avatar(this.person), field);
    field.focus();
    field.select();
  }

  #isLookedAt(chatId) {
    return chatId === this.#openChat && this.node.offsetParent !== null && !document.hidden;
  }

  #showName() {
    this.#name.replaceChildren(
      avatar(this.person),
      h("h2", {}, this.person.name),
      iconButton("pencil", `Rename ${this.person.name}`, () => this.rename(), "icon-button quiet"),
    );
  }

  /** The chats on this phone: every group, and the private chat with the bot. */
  #showChats() {
    const { store } = this.#app;
    const dm = { id: this.person.id, type: "private", title: store.botTitle, members: [this.person.id] };
    const chats = [...store.groups, dm];
    const wanted = new Set(chats.map(({ id }) => id));
    for (const id of [...this.#panes.keys()].filter((one) => !wanted.has(one))) this.#drop(id);
    for (const chat of chats) {
      if (!this.#panes.has(chat.id)) this.#add(chat);
      this.#tabs.get(chat.id).title.textContent = chat.type === "private" ? store.botTitle : chat.title;
      this.#panes.get(chat.id).update(chat);
    }
    if (!this.#panes.has(this.#openChat)) this.show(chats[0].id);
    this.#keepOpenTabInView();
  }

  #add(chat) {
    const title = h("span", { class: "tab-title" });
    const badge = h("span", { class: "badge", hidden: true });
    const button = h(
      "button",
      { type: "button", role: "tab", class: "tab", "data-chat": chat.id, onclick: () => this.show(chat.id) },
      title,
      badge,
    );
    button.addEventListener("keydown", (event) => this.#walkTabs(event));
    const pane = new ChatPane(this.#app, this, chat);
    pane.node.hidden = chat.id !== this.#openChat;
    this.#tabSizes.observe(button);
    this.#tabs.set(chat.id, { button, title, badge });
    this.#panes.set(chat.id, pane);
    this.#body.append(pane.node);
    if (chat.type === "private") this.#tablist.append(button);
    else this.#tablist.insertBefore(button, this.#tabs.get(this.person.id)?.button ?? null);
  }

  #drop(id) {
    this.#panes.get(id).node.remove();
    this.#tabSizes.unobserve(this.#tabs.get(id).button);
    this.#tabs.get(id).button.remove();
    this.#panes.delete(id);
    this.#tabs.delete(id);
    this.#app.unread.clear(this.person.id, id);
  }

  #walkTabs(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault(); // an arrow also scrolls
    const tabs = [...this.#tablist.children];
    const next = tabs.at((tabs.indexOf(event.currentTarget) + step) % tabs.length);
    next.click();
    next.focus();
  }

  #showBadges() {
    for (const [id, { badge }] of this.#tabs) showBadge(badge, this.#app.unread.of(this.person.id, id));
    this.#app.unreadChanged();
  }

  #menu() {
    return menuButton("more", "More", (close) => {
      const { id, name, blocked_bot: blocked } = this.person;
      const item = (text, act, className) => menuItem(text, close, act, className);
      const run = (act) => () => this.#run(act());
      return [
        item("Rename", () => this.rename()),
        this.#language(),
        menuRule(),
        blocked
          ? item("Unblock the bot", run(() => api.changePerson(id, { blocked_bot: false })))
          : item("Block the bot", run(() => api.changePerson(id, { blocked_bot: true }))),
        ...this.#app.store.groups.flatMap((group) => this.#groupItems(group, item, run)),
        menuRule(),
        item(`Remove ${name}`, () => this.#remove(), "dangerous"),
      ];
    });
  }

  #groupItems(group, item, run) {
    const { id } = this.person;
    if (!group.members.includes(id)) return [item(`Join ${group.title}`, run(() => api.joinChat(group.id, id)))];
    const isAdmin = group.admins.includes(id);
    return [
      item(
        isAdmin ? `No longer admin of ${group.title}` : `Make admin of ${group.title}`,
        run(() => api.setAdmin(group.id, id, !isAdmin)),
      ),
      item(`Leave ${group.title}`, run(() => api.leaveChat(group.id, id))),
    ];
  }

  #language() {
    const current = this.person.language_code ?? "en";
    const names = new Intl.DisplayNames(["en"], { type: "language" });
    const select = h(
      "select",
      { "aria-label": `${this.person.name}'s language` },
      [...new Set([...this.#app.store.page.languages, current])].map((code) =>
        h("option", { value: code, selected: code === current }, names.of(code) ?? code),
      ),
    );
    select.addEventListener("change", () => this.#run(api.changePerson(this.person.id, { language_code: select.value })));
    return h("label", { class: "menu-item menu-field" }, "Language", select);
  }

  async #remove() {
    const { id, name } = this.person;
    const sure = await confirm({ title: `Remove ${name}?`, text: `${name} leaves the group and the phone goes away.`, yes: "Remove" });
    if (sure) this.#run(api.removePerson(id));
  }

  #run(promise) {
    return promise.catch((error) => this.fail(error));
  }
}
