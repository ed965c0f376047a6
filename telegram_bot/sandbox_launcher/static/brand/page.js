/** The game's words on the sandbox's page, and links to the bot's other pages. */

import { h, icon } from "/static/dom.js";

const WELCOME = {
  title: "Play a game of Perudo",
  about: "Perudo, or liar's dice: bid on what lies under all cups together, raise the bid, or doubt it.",
  steps: [
    "Start a game: the button below sends /perudo.",
    "Join on the other phones. Computer players are in the private chat with the bot.",
    "Tap Start, and look at everyone's hidden dice.",
  ],
  picture: "🎲",
  message: "/perudo",
  button: "Start a game",
  others: "When a table opens, join it from here too.",
  aloneMessage: "/practise",
  aloneButton: "Practise alone",
};

export default function extend(app) {
  const links = h("nav", { class: "page-links", "aria-label": "Other pages" });
  document.querySelector(".topbar-actions").prepend(links);
  Object.assign(app.welcome, WELCOME);
  const draw = () => links.replaceChildren(...app.store.state.brand.links.map((link) => button(link, app.board)));
  app.store.on("loaded", draw);
  draw();
  app.board.update();
}

function button(link, board) {
  return h(
    "button",
    { type: "button", class: "button", title: link.title, "aria-label": link.title, onclick: () => board.show(link) },
    h("span", {}, link.title),
    icon(link.wide ? "screen" : "seat"),
  );
}
