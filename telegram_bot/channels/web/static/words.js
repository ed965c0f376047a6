/** The page's own sentences; all others come with cards and answers. */

import { ask, Refused } from "./net.js";

let words = {};
let spoken = null;

export async function loadWords(language) {
  if (language === spoken) return;
  words = await ask(`words?language=${encodeURIComponent(language)}`);
  spoken = language;
  document.documentElement.lang = words.lang ?? language;
}

/** A sentence, with its {placeholders} filled. The page itself has what it says before they have come. */
export function t(key, values = {}) {
  return (words[key] ?? document.body.dataset[key] ?? "").replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** Whether the sentences have come. */
export function hasWords() {
  return spoken !== null;
}

/** The sentence about a failed request: the advice of a server that refused it, or else that there is no connection. */
export function trouble(error) {
  return (error instanceof Refused && error.message) || t("lost");
}

/** The languages' own names, by their codes. */
export function languages() {
  return words.languages ?? {};
}

/** The keys of all sentences that begin alike. */
export function keys(beginning) {
  return Object.keys(words).filter((key) => key.startsWith(beginning));
}

/** Announce a sentence to screen readers; a new lobby discards earlier sentences. */
export function announce(text, isNew = false) {
  if (!text && !isNew) return;
  const live = document.getElementById("live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}
