/** Rebuilds message markup from an allow-list, so that nothing else ever reaches the page. */

const TAGS = {
  B: "b", STRONG: "b", I: "i", EM: "i", U: "u", INS: "u", S: "s", STRIKE: "s", DEL: "s",
  CODE: "code", PRE: "pre", BLOCKQUOTE: "blockquote", A: "a", SPAN: "span", BR: "br",
  TIME: "time",
  "TG-SPOILER": "span", "TG-EMOJI": "span",
};
const SPOILERS = new Set(["tg-spoiler", "spoiler"]);
const SAFE_LINK = /^(https?|tg|mailto|tel):/i;

/** Safe nodes for this markup; links and spoilers work through the listeners of the message list. */
export function sanitise(markup) {
  const parsed = new DOMParser().parseFromString(markup, "text/html");
  const fragment = document.createDocumentFragment();
  copyChildren(parsed.body, fragment);
  return fragment;
}

function copyChildren(from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    else if (node.nodeType === Node.ELEMENT_NODE) copyElement(node, to);
  }
}

function copyElement(element, to) {
  if (element.tagName === "SCRIPT" || element.tagName === "STYLE") return;
  const tag = TAGS[element.tagName];
  if (!tag) {
    copyChildren(element, to);
    return;
  }
  const copy = document.createElement(tag);
  if (tag === "a") copyLink(element, copy);
  if (tag === "time") copyTime(element, copy);
  if (element.tagName === "TG-SPOILER" || [...element.classList].some((name) => SPOILERS.has(name))) {
    copy.className = "spoiler";
    copy.tabIndex = 0;
    copy.setAttribute("role", "button");
    copy.setAttribute("aria-label", "Hidden text: press to reveal");
  }
  if (tag === "blockquote" && element.classList.contains("expandable")) {
    copy.className = "expandable";
    copy.tabIndex = 0;
    copy.setAttribute("role", "button");
    copy.setAttribute("aria-label", "Folded quote: press to unfold");
  }
  copyChildren(element, copy);
  to.append(copy);
}

function copyLink(element, copy) {
  const href = element.getAttribute("href") ?? "";
  if (!SAFE_LINK.test(href)) return;
  copy.href = href;
  copy.target = "_blank";
  copy.rel = "noopener noreferrer";
}

function copyTime(element, copy) {
  for (const name of ["datetime", "data-unix", "data-format"]) {
    if (element.hasAttribute(name)) copy.setAttribute(name, element.getAttribute(name));
  }
}
