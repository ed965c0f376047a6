/** Phones without an app: text messages to and from the bot's number, with the parts and the cost of each. */

import { request } from "/static/api.js";
import { avatar, hueOf } from "/static/avatar.js";
import { clock, h, icon } from "/static/dom.js";
import { menuButton, menuItem } from "/static/menu.js";
import { Notices } from "/static/notices.js";

const LONGEST_TEXT = 1000;
const NEAR_THE_END_PX = 60;

/** Add the phones to the page, as soon as their style is loaded. */
export default async function extend(app) {
  const { store, board } = app;
  let sms = {};
  let texts = new Map();
  const load = () => {
    sms = store.state.sms;
    texts = new Map(sms.texts.map((text) => [text.key, text]));
    board.update();
  };
  const style = h("link", { rel: "stylesheet", href: "/extensions/sms/page.css" });
  const styled = new Promise((resolve) => ["load", "error"].forEach((end) => style.addEventListener(end, resolve)));
  document.head.append(style);
  app.sms = {
    get settings() {
      return sms;
    },
    textsOf: (id) => [...texts.values()].filter(({ phone }) => phone === id),
  };
  load();
  store.on("loaded", load);
  store.on("phones", ({ phones }) => {
    sms = { ...sms, phones };
    board.update();
  });
  store.on("text", ({ text }) => {
    texts.set(text.key, text);
    board.phone(text.phone)?.receive(text);
  });
  app.settings.push([
    "Add a phone without an app",
    async () => app.expect((await request("POST", "phones", { name: `Phone ${sms.phones.length + 1}` })).id, "phones"),
  ]);
  await styled;
  board.addKind({ owners: () => sms.phones, Phone: TextPhone });
}

class TextPhone {
  node;
  person;
  #app;
  #notices = new Notices();
  #name = h("div", { class: "phone-name" });
  #bill = h("p", { class: "text-bill" });
  #list = h("div", { class: "texts", role: "log", tabindex: "0" });
  #rows = new Map();
  #field;
  #isInFront = false;

  constructor(app, person) {
    this.#app = app;
    this.person = person;
    const send = h("button", { type: "button", class: "send-button", "aria-label": `Text as ${person.name}`, onclick: () => this.#send() }, icon("send"));
    this.#field = h("input", {
      class: "text-field",
      placeholder: "Text message",
      "aria-label": `Text message from ${person.name}`,
      maxlength: LONGEST_TEXT,
      autocomplete: "off",
      enterkeyhint: "send",
    });
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) this.#send();
    });
    this.node = h(
      "section",
      { class: "phone text-phone", "data-person": person.id },
      h("header", { class: "phone-head" }, h("div", { class: "phone-owner" }, this.#name, this.#menu()), this.#bill),
      h("div", { class: "phone-body" }, this.#list),
      h("div", { class: "pane-footer" }, this.#field, send),
      this.#notices.node,
    );
    this.node.style.setProperty("--hue", hueOf(person.id));
    this.update(person);
    for (const text of app.sms.textsOf(person.id)) this.#show(text);
  }

  /** Draw the phone again. */
  update(person) {
    this.person = person;
    this.node.setAttribute("aria-label", `${person.name}'s phone, text messages only`);
    this.node.classList.toggle("off", !person.is_on);
    this.#name.replaceChildren(
      avatar(person),
      h("div", { class: "text-owner" }, h("h2", {}, person.name), h("p", {}, person.number)),
    );
    this.#showBill();
    if (this.#rows.size === 0) this.#showHint();
  }

  /** A text was sent, or its fate is known. */
  receive(text) {
    const isNew = !this.#rows.has(text.key);
    this.#show(text);
    this.#showBill();
    if (isNew && text.from_bot && !this.#isLookedAt()) {
      this.#app.unread.add(this.person.id, this.person.id, { isNew: true, calls: false });
      this.#app.unreadChanged();
    }
  }

  lookAt(isInFront) {
    this.#isInFront = isInFront;
    this.node.classList.toggle("in-front", isInFront);
    if (!this.#isLookedAt()) return;
    this.#app.unread.clear(this.person.id, this.person.id);
    this.#app.unreadChanged();
  }

  rename() {
    this.#field.focus();
  }

  fail(error) {
    this.#notices.toast(error.message, "failure");
  }

  #isLookedAt() {
    return (this.#isInFront || this.node.offsetParent !== null) && !document.hidden;
  }

  #show(text) {
    if (this.#rows.size === 0) this.#list.replaceChildren();
    const nearTheEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < NEAR_THE_END_PX;
    const row = draw(text, this.#app.store.bot.name);
    const before = this.#rows.get(text.key);
    if (before) before.replaceWith(row);
    else this.#list.append(row);
    this.#rows.set(text.key, row);
    if (nearTheEnd || !text.from_bot) this.#list.scrollTop = this.#list.scrollHeight;
  }

  #showHint() {
    const { number, hint } = this.#app.sms.settings;
    this.#list.replaceChildren(h("p", { class: "text-hint" }, hint.replace("{number}", number)));
  }

  #showBill() {
    const { price } = this.#app.sms.settings;
    const texts = this.#app.sms.textsOf(this.person.id);
    const count = (wanted) => texts.filter(({ from_bot: fromBot }) => fromBot === wanted).reduce((sum, { segments }) => sum + segments, 0);
    const [came, went] = [count(true), count(false)];
    this.#bill.textContent = `${came} in, ${went} out · costs ${((came + went) * price).toFixed(2)} at ${price.toFixed(2)} each`;
  }

  #menu() {
    return menuButton("more", "More", (close) => {
      const { id, is_on: isOn } = this.person;
      return [menuItem(isOn ? "Turn the phone off" : "Turn the phone on", close, () => this.#run(request("PATCH", `phones/${id}`, { is_on: !isOn })))];
    });
  }

  async #send() {
    const text = this.#field.value.trim();
    if (!text) return this.#field.focus();
    this.#field.value = "";
    try {
      await request("POST", "texts", { phone: this.person.id, text });
    } catch (error) {
      this.#field.value = text;
      this.fail(error);
    }
    return undefined;
  }

  #run(promise) {
    return promise.catch((error) => this.fail(error));
  }
}

function draw(text, botName) {
  const many = text.segments === 1 ? "1 text" : `${text.segments} texts`;
  const fate = { waiting: "not delivered yet", undelivered: "not delivered" }[text.status];
  return h(
    "article",
    { class: `text-row ${text.from_bot ? "came" : "went"} ${text.status}`, "data-key": text.key, "aria-label": `Text ${text.from_bot ? "from" : "to"} ${botName}` },
    h("p", { class: "text-body" }, text.body),
    h("p", { class: "text-meta" }, [fate, `${text.length} characters`, many, text.alphabet !== "GSM-7" && text.alphabet, clock(text.date)].filter(Boolean).join(" · ")),
  );
}
