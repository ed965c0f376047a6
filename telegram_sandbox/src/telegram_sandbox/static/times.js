/** Moments in messages: in the reader's language and clock, and counted down where the message asks for it. */

const EVERY_MS = 1000;
const STEPS = [
  [60, "second", 1],
  [3600, "minute", 60],
  [86_400, "hour", 3600],
  [Infinity, "day", 86_400],
];
const PARTS = {
  w: { weekday: "long" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
};

/** A language as the browser formats times in it: English without a country means the 24 hours of Europe. */
function localeOf(language) {
  try {
    return language && language !== "en" ? Intl.getCanonicalLocales(language)[0] : "en-GB";
  } catch {
    return "en-GB";
  }
}

/** The hour and minute of a message. */
export function timeOf(seconds, language) {
  const parts = { hour: "2-digit", minute: "2-digit" };
  return new Intl.DateTimeFormat(localeOf(language), parts).format(new Date(seconds * 1000));
}

/** How a moment reads now, or null where the message's own words are to stay. */
export function readMoment(unix, format, language, now = Date.now() / 1000) {
  if (format === "r") return relative(unix - now, language);
  const words = [...format].map((part) => PARTS[part]).filter(Boolean);
  if (words.length === 0) return null;
  const moment = new Date(unix * 1000);
  return words.map((options) => new Intl.DateTimeFormat(localeOf(language), options).format(moment)).join(", ");
}

/** Keep every such moment under this node up to date. */
export function keepTime(root) {
  setInterval(() => {
    for (const list of root.querySelectorAll("[data-language]")) showMoments(list, list.dataset.language);
  }, EVERY_MS);
}

/** Write every moment under this node as it reads now. */
export function showMoments(root, language) {
  for (const time of root.querySelectorAll("time[data-unix]")) {
    const words = readMoment(Number(time.dataset.unix), time.dataset.format ?? "", language);
    if (words !== null && time.textContent !== words) time.textContent = words;
  }
}

function relative(seconds, language) {
  const [, unit, size] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  return new Intl.RelativeTimeFormat(localeOf(language), { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
