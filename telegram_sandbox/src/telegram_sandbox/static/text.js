/** Draws a text with its entities: words go in as text, and nothing else than these elements reaches the page. */

import { h } from "./dom.js";

const TAGS = { bold: "b", italic: "i", underline: "u", strikethrough: "s", code: "code", pre: "pre", blockquote: "blockquote" };
const SAFE_LINK = /^(https?|tg|mailto):/i;
const LAST_SECOND = 8.64e12;

/** Well-formed nodes even where entities cross each other; links and spoilers work through the listeners of the message list. */
export function draw(text, entities) {
  const root = document.createDocumentFragment();
  const shown = entities.filter((one) => element(one, text));
  const cuts = new Set([0, text.length, ...shown.flatMap(({ offset, length }) => [offset, offset + length])]);
  const places = [...cuts].sort((one, other) => one - other);
  let open = [];
  places.slice(0, -1).forEach((start, number) => {
    const end = places[number + 1];
    const wanted = shown.filter(({ offset, length }) => offset <= start && end <= offset + length);
    const changed = wanted.findIndex((one, depth) => open[depth]?.entity !== one);
    open = open.slice(0, changed < 0 ? wanted.length : changed);
    for (const entity of wanted.slice(open.length)) {
      const node = element(entity, text);
      (open.at(-1)?.node ?? root).append(node);
      open.push({ entity, node });
    }
    (open.at(-1)?.node ?? root).append(text.slice(start, end));
  });
  return root;
}

/** The element of an entity, or null where the words need none. */
function element(entity, text) {
  const { type, offset, length } = entity;
  switch (type) {
    case "spoiler":
      return folded("span", "spoiler", "Hidden text: press to reveal");
    case "expandable_blockquote":
      return folded("blockquote", "expandable", "Folded quote: press to unfold");
    case "text_mention":
      return link(`tg://user?id=${entity.user.id}`);
    case "text_link":
    case "url":
      return link((entity.url ?? text.slice(offset, offset + length)).trim());
    case "date_time":
      return moment(entity);
    default:
      return TAGS[type] ? h(TAGS[type]) : null;
  }
}

function folded(tag, name, label) {
  return h(tag, { class: name, tabindex: 0, role: "button", "aria-label": label });
}

function link(href) {
  return SAFE_LINK.test(href) ? h("a", { href, target: "_blank", rel: "noopener noreferrer" }) : null;
}

function moment({ unix_time: unix, date_time_format: format = "" }) {
  if (Math.abs(unix) > LAST_SECOND) return null;
  return h("time", { datetime: new Date(unix * 1000).toISOString(), "data-unix": unix, "data-format": format });
}
