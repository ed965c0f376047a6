/** Moments in messages: shown in the reader's own clock, and counted down where the message asks for it. */

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

/** How a moment reads now, or null where the message's own words are to stay. */
export function readMoment(unix, format, now = Date.now() / 1000) {
  if (format === "r") return relative(unix - now);
  const words = [...format].map((part) => PARTS[part]).filter(Boolean);
  if (words.length === 0) return null;
  const moment = new Date(unix * 1000);
  return words.map((options) => new Intl.DateTimeFormat("en-GB", options).format(moment)).join(", ");
}

/** Keep every such moment under this node up to date. */
export function keepTime(root) {
  setInterval(() => {
    for (const time of root.querySelectorAll("time[data-unix]")) {
      const words = readMoment(Number(time.dataset.unix), time.dataset.format ?? "");
      if (words !== null && time.textContent !== words) time.textContent = words;
    }
  }, EVERY_MS);
}

function relative(seconds) {
  const [, unit, size] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
