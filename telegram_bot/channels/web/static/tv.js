/** The big screen: the table large, for everybody in the room. It is told nothing that is secret. */

import { ask, Refused, Stream, useToken } from "./net.js";
import { badges, clock, middle, overView, qr, seatView, soundSwitch } from "./parts.js";
import { counts, Room } from "./room.js";
import { kept, play } from "./sound.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { announce, loadWords, t } from "./words.js";

/** Where the screen's link leads: without a code in the address, the last one that a seat on this device has shown. */
const link = () => new URL(location.pathname.split("/")[2] ? location : kept("screen", location.href));
const room = new Room(draw, news);
const stream = new Stream({
  hello(hello) {
    room.hello(hello);
  },
  card(card) {
    room.take(card);
    if (card.card === "lobby" && card.code !== info?.code) show(card.code);
  },
  ready: () => room.ready(),
  lost: () => connection(false),
  found: () => connection(true),
  end: who,
});

let info = null;
let lost = false;
let title = "Perudo";
let drawing = false;

function connection(found) {
  lost = !found;
  draw();
}

async function show(of) {
  info = { code: of, ...(await ask("room", { do: "show" }).catch(() => ({}))) };
  draw();
}

function news(card, when) {
  if (when === "die") play(counts(card, card.face) ? "counts" : "die");
  else if (when === "shown") {
    announce(card.text);
    play(card.changes.some((each) => each.dice > 0) ? "won" : "lost");
  } else if (card.card !== "reveal") {
    announce(card.text);
    if (card.card === "call") play("call");
    if (card.card === "over") play("won");
    if (card.card === "round") play(card.bids.length ? "bid" : "rattle");
  }
}

/** Seats stand around the table, the first of them at the top. */
function around(i, n) {
  const angle = (i / n) * 2 * Math.PI - Math.PI / 2;
  return `--x:${Math.cos(angle).toFixed(3)};--y:${Math.sin(angle).toFixed(3)}`;
}

const views = {
  waiting: () => html`<p class="wait">${t("one_moment")}</p>`,
  lobby() {
    const card = room.card("table");
    return html`<section class="hall">
      <div class="felt">
        <h2>${t("at_the_table", { n: card.seats.length, most: card.max_seats })}</h2>
        <ul class="people">${card.seats.map((seat) => html`<li><span class="name">${seat.name}</span>${badges(seat, card.seats)}</li>`)}</ul>
        <p class="soft">${card.rules.title}</p>
      </div>
      ${info?.qr
        ? html`<aside>${qr(info.qr)}<p class="code">${card.code}</p><p>${t("scan_to_join")}</p><p class="soft">${new URL(info.link).host}/t</p></aside>`
        : nothing}
    </section>`;
  },
  dealing: () => html`<p class="wait">${t("rolling")}</p>`,
  round() {
    const seats = (room.show?.card ?? room.round ?? room.end).seats;
    return html`<div class="ring n${seats.length} ${room.show ? "showing" : ""}">
      <div class="felt">${middle(room)}</div>
      <ul class="seats">${seats.map((seat, i) => seatView(room, seat, i, around(i, seats.length)))}</ul>
    </div>`;
  },
  over() {
    const story = room.card("story");
    return html`${overView(room.card("over"))}
    ${story ? html`<section class="box story"><h3>${story.lines[0]}</h3>${story.lines.slice(1).map((line) => html`<p>${line}</p>`)}</section>` : nothing}`;
  },
};

function draw() {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    render(
      html`<header>
          <h1>${title}</h1>
          ${room.round ? html`<span class="soft">${t("round", { n: room.round.round })}</span>` : nothing} ${clock(room)} ${soundSwitch(draw)}
        </header>
        <main class=${room.phase}>
          ${views[room.phase]()} ${lost ? html`<div class="toasts"><p class="toast warn">${t("lost")}</p></div>` : nothing}
        </main>`,
      document.getElementById("page"),
    );
  });
}

function trouble(text) {
  render(html`<main class="door"><p role="alert">${text}</p></main>`, document.getElementById("page"));
}

/** A television stays awake while it shows a table. */
async function stayAwake() {
  if (!document.hidden) await navigator.wakeLock?.request("screen").catch(() => {});
}

async function who() {
  try {
    await loadWords(navigator.language);
    const { pathname, hash } = link();
    if (!hash) {
      trouble(t("no_screen"));
      return;
    }
    const code = decodeURIComponent(pathname.split("/")[2]).toUpperCase();
    const state = await ask("screen", { code, key: hash.slice(1) });
    useToken(state.token);
    title = state.title || "Perudo";
    document.title = `${title} · Perudo`;
    await loadWords(state.language ?? navigator.language);
    room.clear();
    draw();
    stream.start();
  } catch (error) {
    if (error instanceof Refused && error.status < 500) trouble(error.message);
    else setTimeout(who, 2000);
  }
}

setInterval(() => room.round?.clock_ends && draw(), 1000);
document.addEventListener("visibilitychange", stayAwake);
addEventListener("storage", ({ key }) => key === "perudo-screen" && !location.hash && who());
addEventListener("hashchange", () => location.reload());
stayAwake();
who();
