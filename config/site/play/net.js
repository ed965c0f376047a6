/** In place of the network of the bot's page: a table that Python plays in this browser. */

/** Sentences about the reader, who is called You. */
const OWN = { says: "{name}:", opens: "The first bid: {name}", has_won: "The winner: {name}", palifico_next: "Palifico: one die is left" };
const CALLS_MS = 1000;
const beside = (name) => fetch(new URL(name, import.meta.url));

export class Refused extends Error {}
export const insist = (ask) => ask();

/** The page's sentences; this table has no room. */
export async function ask(path) {
  if (!path.startsWith("words")) throw new Refused();
  return { ...(await (await beside("words.json")).json()), ...OWN };
}

export const once = ask;

let table;

/** Fetch Python and the rules. */
export async function open() {
  const { loadPyodide } = await import("./pyodide.mjs");
  const [python, core] = await Promise.all([loadPyodide(), beside("perudo_core.zip")]);
  python.unpackArchive(await core.arrayBuffer(), "zip");
  table = python.pyimport("table").Table();
}

let news;
const show = () => JSON.parse(table.take_cards()).forEach(news.card);

export async function act({ act, step, quantity, face }) {
  const isCall = ["bid", "dudo", "calza"].includes(act);
  const text = isCall ? table.call(act === "bid" ? `${quantity}x${face}` : act, step) : table.begin();
  show();
  return { done: !text, text };
}

export class Stream {
  constructor(told) {
    news = told;
  }

  start() {
    news.hello({ now: Date.now() / 1000, player: 1 });
    show();
    news.ready();
  }
}

/** A computer player calls each second, unless `isBusy`. */
export function goOn(isBusy) {
  setInterval(() => {
    if (isBusy()) return;
    table.go_on();
    show();
  }, CALLS_MS);
}
