/** The sentences that the page says by itself; everything else comes with cards and answers. */

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

/** Say something to people who listen to the page; a new lobby has nothing to do with what was said before. */
export function announce(text, isNew = false) {
  if (!text && !isNew) return;
  const live = document.getElementById("live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}
