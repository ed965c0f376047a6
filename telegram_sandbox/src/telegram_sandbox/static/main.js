/** Puts the page together. */

import { Board } from "./board.js";
import { CallsStrip } from "./calls.js";
import { InlineAnswers } from "./inline_answers.js";
import { buildActions } from "./settings.js";
import { Store } from "./store.js";
import { follow } from "./stream.js";
import { Taps } from "./taps.js";
import { keepTime } from "./times.js";
import { Unread } from "./unread.js";
import { WELCOME } from "./welcome.js";

const BANNER_AFTER_MS = 800;

const store = new Store();
const app = {
  store,
  taps: new Taps(store),
  inline: new InlineAnswers(store),
  unread: new Unread(),
  board: null,
  unreadChanged: () => app.board.showBadges(),
  welcome: { ...WELCOME },
  /** Further items of the settings, each with its label and an act. */
  settings: [],
  /** Show this person as soon as the sandbox has announced them, by an event of this kind. */
  expect: (personId, kind = "people") => {
    if (app.board.phone(personId)) app.board.welcome(personId);
    else store.addEventListener(kind, () => app.board.welcome(personId), { once: true });
  },
  /** Open this group on every phone as soon as the sandbox has announced it. */
  expectGroup: (chatId) => {
    if (store.chat(chatId)) app.board.open(chatId);
    else store.addEventListener("chats", () => app.board.open(chatId), { once: true });
  },
};

const find = (selector) => document.querySelector(selector);
app.board = new Board(app, find(".board"), find(".people-bar"));
new CallsStrip(store, find(".calls"));
buildActions(app, find(".topbar-actions"));
keepTime(find(".board"));

store.on("loaded", () => {
  const { title } = store.page;
  document.title = title;
  find(".brand h1").textContent = title;
});

const extended = new Set();
store.on("loaded", async () => {
  for (const script of store.state.scripts.filter((one) => !extended.has(one))) {
    extended.add(script);
    await (await import(script)).default(app);
  }
});

store.on("restarted", () => {
  find(".restarted").hidden = false;
});
find(".restarted button").addEventListener("click", () => {
  find(".restarted").hidden = true;
});

let bannerTimer = null;
follow(store, (status) => {
  clearTimeout(bannerTimer);
  const banner = find(".banner");
  if (status === "live") banner.hidden = true;
  else {
    bannerTimer = setTimeout(() => {
      banner.textContent = "The connection to the sandbox is lost. Trying again…";
      banner.hidden = false;
    }, BANNER_AFTER_MS);
  }
});
