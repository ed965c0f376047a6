/** The page's own sentences; all others come with cards and answers. */

import { ask } from "./net.js";

let words = {};
let spoken = null;

export async function loadWords(language) {
  if (language === spoken) return;
  words = await ask(`words?language=${encodeURIComponent(language)}`);
  spoken = language;
  document.documentElement.lang = words.lang ?? language;
}

/** A sentence, with its {placeholders} filled. */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
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
