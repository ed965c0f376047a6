/** One message as one person sees it. */

import { attachment, kindOf, player, poll } from "./attachments.js";
import { avatar, botAvatar, hueOf } from "./avatar.js";
import { h, icon, iconButton } from "./dom.js";
import { keyboard } from "./keyboard.js";
import { draw } from "./text.js";
import { showMoments, timeOf } from "./times.js";
import { voicePlayer } from "./voice.js";

const HIGHEST_PHOTO_PX = 320;
const REACTION = "❤";

/**
 * Draws a message and keeps the drawing in step with its edits.
 *
 * `phone` is the phone that shows it: `{personId, language, isGroup, quoted(messageId), reply(message), goTo(messageId), vote(message, options),
 * react(message, emojis), keys}`.
 */
export class MessageView {
  node;
  message;
  #phone;
  #keyboard = null;
  #markup = "";

  constructor(message, phone) {
    this.#phone = phone;
    this.node = h("article", { class: "message", "data-key": message.key });
    this.update(message);
  }

  /** Show this version of the message; an edit shines for a moment. */
  update(message) {
    const isEdit = this.message !== undefined && this.message !== message;
    this.message = message;
    if (message.service) this.#drawService();
    else this.#draw();
    if (isEdit) {
      this.node.classList.remove("edited-now");
      requestAnimationFrame(() => this.node.classList.add("edited-now"));
    }
  }

  /** A message that follows another from the same sender needs no name of its own. */
  continues(previous) {
    const same =
      previous && !previous.service && !this.message.service && previous.from?.id === this.message.from?.id;
    this.node.classList.toggle("continued", Boolean(same));
  }

  #drawService() {
    this.node.className = "message service";
    this.node.setAttribute("aria-label", "Notice");
    this.node.replaceChildren(h("p", {}, this.message.service));
  }

  #draw() {
    const { message } = this;
    const own = message.from.id === this.#phone.personId;
    const isPrivate = isEphemeral(message);
    const kind = own ? "own" : message.from.is_bot ? "from-bot" : "from-friend";
    const continued = this.node.classList.contains("continued") ? "continued" : "";
    this.node.className = `message ${kind} ${isPrivate ? "ephemeral" : ""} ${continued}`;
    this.node.style.setProperty("--hue", hueOf(message.from.id, message.from.is_bot));
    this.node.dataset.from = message.from.id;
    if (message.message_id) this.node.dataset.messageId = message.message_id;
    if (isPrivate) this.node.dataset.ephemeralMessageId = message.ephemeral_message_id;
    this.node.setAttribute("aria-label", `${isPrivate ? "Private message" : "Message"} from ${message.from.name}`);

    const showsFace = this.#phone.isGroup && !own;
    this.node.replaceChildren(
      ...[
        showsFace && (message.from.is_bot ? botAvatar() : avatar(message.from)),
        h("div", { class: "stack" }, this.#bubble(showsFace), reactions(message, this.#phone.personId), this.#keys()),
      ].filter(Boolean),
    );
  }

  #bubble(showsName) {
    const { message } = this;
    return h(
      "div",
      { class: "bubble" },
      showsName && h("p", { class: "sender" }, message.from.name),
      message.forwarded_from && h("p", { class: "via" }, `Forwarded from ${message.forwarded_from}`),
      message.via && h("p", { class: "via" }, `via @${message.via}`),
      isEphemeral(message) && h("p", { class: "only-you" }, icon("eye"), "Only you see this"),
      message.reply_to && this.#quote(message.reply_to),
      message.photo && photo(message),
      message.voice && voicePlayer(message.voice),
      player(message),
      attachment(message),
      poll(message, this.#phone.personId, (options) => this.#phone.vote(message, options)),
      message.document && h("a", { class: "file", href: message.document.url, download: "" }, icon("attach"), message.document.name),
      (message.text || message.caption) && this.#text(),
      h(
        "p",
        { class: "meta" },
        message.edit_date && "edited ",
        h("time", { datetime: new Date(message.date * 1000).toISOString() }, timeOf(message.date, this.#phone.language())),
      ),
      message.effect && h("span", { class: "effect", role: "img", "aria-label": `Effect ${message.effect}` }, message.effect),
      canReply(message) && iconButton("reply", "Reply", () => this.#phone.reply(message), "reply-button"),
      canReply(message) && iconButton("heart", `React with ${REACTION}`, () => this.#react(), "reply-button react-button"),
    );
  }

  /** A second click takes the reaction back. */
  #react() {
    const own = this.message.reactions_of?.[this.#phone.personId] ?? [];
    this.#phone.react(this.message, own.length ? [] : [REACTION]);
  }

  #text() {
    const text = h("div", { class: "text" }, drawn(this.message));
    showMoments(text, this.#phone.language());
    for (const name of text.querySelectorAll('a[href^="tg://user"]')) {
      name.classList.add("mention");
      name.classList.toggle("me", name.getAttribute("href") === `tg://user?id=${this.#phone.personId}`);
    }
    return text;
  }

  #quote(messageId) {
    const quoted = this.#phone.quoted(messageId);
    const line = quoted ? h("span", { class: "quote-text" }, this.message.quote ?? summary(quoted)) : h("span", { class: "quote-text" }, "Deleted message");
    const quote = h(
      "button",
      { type: "button", class: "quote", "aria-label": "Go to the answered message", onclick: () => this.#phone.goTo(messageId) },
      quoted && h("b", {}, quoted.from.name),
      line,
    );
    if (quoted) quote.style.setProperty("--hue", hueOf(quoted.from.id, quoted.from.is_bot));
    return quote;
  }

  /** The keyboard is kept while its buttons stay the same, so that a waiting button keeps waiting. */
  #keys() {
    const rows = this.message.reply_markup?.inline_keyboard ?? [];
    const markup = JSON.stringify(rows);
    if (markup === this.#markup) return this.#keyboard;
    const focused = [...(this.#keyboard?.querySelectorAll("button") ?? [])].indexOf(document.activeElement);
    this.#markup = markup;
    this.#keyboard = rows.length ? keyboard(rows, this.#phone.keys(this.message)) : null;
    if (focused >= 0) {
      queueMicrotask(() => this.#keyboard?.querySelectorAll("button")[focused]?.focus({ preventScroll: true }));
    }
    return this.#keyboard;
  }
}

/** Each reaction once, with the number of those who chose it, as in the apps. */
function reactions({ reactions: all = [], reactions_of: of = {} }, personId) {
  const counts = new Map();
  for (const { emoji } of all) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  const marks = [...counts].map(([emoji, count]) => [emoji, count > 1 ? `${emoji} ${count}` : emoji]);
  const label = `Reactions: ${marks.map(([, shown]) => shown).join(" ")}`;
  const mark = ([emoji, shown]) => h("span", { class: of[personId]?.includes(emoji) && "own-reaction" }, shown);
  return marks.length > 0 && h("p", { class: "reactions", role: "img", "aria-label": label }, marks.map(mark));
}

/** The size is given, so that nothing jumps when the picture arrives. */
function photo({ photo: url, photo_size: [wide, high], from }) {
  const scale = Math.min(1, HIGHEST_PHOTO_PX / high);
  const [width, height] = [Math.round(wide * scale), Math.round(high * scale)];
  return h(
    "a",
    { class: "photo", href: url, target: "_blank", rel: "noopener", "aria-label": "Open the photo" },
    h("img", { src: url, alt: `Photo from ${from.name}`, width, height }),
  );
}

function isEphemeral(message) {
  return message.ephemeral_message_id !== null && message.ephemeral_message_id !== undefined;
}

export function canReply(message) {
  return Boolean(message.message_id) && !message.service;
}

const drawn = ({ text, caption, entities }) => draw(text ?? caption ?? "", entities);

/** A message in one line. */
export function summary(message) {
  const shown = drawn(message);
  for (const hidden of shown.querySelectorAll(".spoiler")) hidden.textContent = "…";
  const words = shown.textContent.replace(/\s+/gu, " ").trim();
  return words || kindOf(message);
}

/** A private message may replace the message whose button was tapped, until it is closed. */
export function covered(messages) {
  const present = new Set(messages.map((message) => message.message_id));
  const covers = new Map();
  for (const message of messages) if (message.replaces && present.has(message.replaces)) covers.set(message.replaces, message);
  const standIns = new Set(covers.values());
  return messages.filter((message) => !standIns.has(message)).map((message) => covers.get(message.message_id) ?? message);
}

/** Unfold a quote, or show a hidden text. */
export function reveal(target) {
  target.closest?.("blockquote.expandable")?.classList.toggle("unfolded");
  const spoiler = target.closest?.(".spoiler");
  if (!spoiler) return;
  spoiler.classList.add("revealed");
  spoiler.removeAttribute("role");
  spoiler.removeAttribute("aria-label");
}
