/** The parts of a message that are neither text nor photo nor voice note: players, stickers, places, contacts, dice, polls, invoices. */

import { h, icon } from "./dom.js";

const PERCENT = 100;

/** The player of a video or audio file, or a sticker's picture; null for a message without one. */
export function player({ media, from }) {
  if (!media) return null;
  const { kind, url } = media;
  if (kind === "sticker") {
    return h("img", { class: "sticker", src: url, alt: `Sticker ${media.emoji ?? ""} from ${from.name}`.replace("  ", " ") });
  }
  if (kind === "audio") {
    const title = [media.performer, media.title].filter(Boolean).join(" – ");
    return h("div", { class: "audio" }, title && h("p", {}, title), h("audio", { src: url, controls: true, preload: "none" }));
  }
  return h("video", { class: kind, src: url, controls: true, preload: "metadata" });
}

/** A place, a contact, an invoice, a game or a dice; null for a message without one. */
export function attachment({ attachment: all, invoice: one }) {
  if (all?.venue) return place(all.venue.location, h("b", {}, all.venue.title), all.venue.address);
  if (all?.location) return place(all.location, h("b", {}, "Location"));
  if (all?.contact) {
    const { first_name: first, last_name: last, phone_number: number } = all.contact;
    return h("div", { class: "attachment" }, h("b", {}, [first, last].filter(Boolean).join(" ")), h("span", {}, number));
  }
  if (one) {
    const { title, description } = one;
    return h("div", { class: "attachment" }, h("b", {}, title), h("span", {}, description), h("span", {}, price(one)));
  }
  if (all?.game) {
    const { title, description, text = "" } = all.game;
    const scores = text.split("\n").filter(Boolean);
    return h("div", { class: "attachment" }, h("b", {}, title), h("span", {}, description), scores.map((one) => h("span", {}, one)));
  }
  if (all?.dice) return h("p", { class: "dice", role: "img", "aria-label": `${all.dice.emoji} shows ${all.dice.value}` }, `${all.dice.emoji} ${all.dice.value}`);
  return null;
}

/** The price of an invoice, which counts the smallest units of its currency, or stars. */
function price({ total_amount: total, currency }) {
  if (currency === "XTR") return `${total} ★`;
  const money = new Intl.NumberFormat([], { style: "currency", currency });
  return money.format(total / 10 ** money.resolvedOptions().maximumFractionDigits);
}

/** A poll whose options are buttons; `vote(options)` gets the places of the chosen options, none to take the vote back. */
export function poll({ poll: one, votes = {} }, personId, vote) {
  if (!one) return null;
  const own = votes[personId] ?? [];
  const kind = `${one.is_anonymous ? "Anonymous" : "Public"} ${one.type === "quiz" ? "quiz" : "poll"}`;
  return h(
    "div",
    { class: "poll" },
    h("b", {}, one.question),
    h("p", { class: "poll-kind" }, one.is_closed ? `${kind}, closed` : kind),
    one.options.map((option, number) => line(one, option, own.includes(number), () => vote(chosen(one, own, number)))),
    h("p", { class: "poll-kind" }, one.total_voter_count === 1 ? "1 vote" : `${one.total_voter_count} votes`),
  );
}

function line(one, option, isOwn, onclick) {
  const share = one.total_voter_count ? Math.round((option.voter_count / one.total_voter_count) * PERCENT) : 0;
  return h(
    "button",
    { type: "button", class: "poll-option", disabled: one.is_closed, "aria-pressed": String(isOwn), onclick },
    h("span", {}, option.text),
    h("span", { class: "poll-share" }, `${share} %`),
  );
}

function chosen(one, own, number) {
  if (own.includes(number)) return own.filter((each) => each !== number);
  return one.allows_multiple_answers ? [...own, number] : [number];
}

function place({ latitude, longitude }, ...lines) {
  const at = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const link = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return h(
    "a",
    { class: "attachment", href: link, target: "_blank", rel: "noopener noreferrer" },
    h("span", { class: "attachment-title" }, icon("pin"), ...lines.slice(0, 1)),
    lines.slice(1).map((text) => h("span", {}, text)),
    h("span", {}, at),
  );
}

/** The name of a message without words, in one line. */
export function kindOf({ photo, voice, document, media, attachment: other, poll: one, invoice }) {
  const names = { video: "Video", video_note: "Video message", audio: "Audio", sticker: "Sticker" };
  if (photo) return "Photo";
  if (voice) return "Voice note";
  if (document) return document.name;
  if (media) return names[media.kind];
  if (one) return `Poll: ${one.question}`;
  if (invoice) return invoice.title;
  if (other?.venue) return other.venue.title;
  if (other?.location) return "Location";
  if (other?.contact) return `Contact: ${other.contact.first_name}`;
  if (other?.dice) return other.dice.emoji;
  if (other?.game) return other.game.title;
  return "Message";
}
