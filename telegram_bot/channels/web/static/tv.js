/** The big screen: the table large, for everybody in the room. It is told nothing that is secret. */

import { ask, Refused, Stream, useToken } from "./net.js";
import { badges, clock, middle, overView, qr, seatView, soundSwitch } from "./parts.js";
import { counts, Room } from "./room.js";
import { kept, play } from "./sound.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { announce, loadWords, t } from "./words.js";

const TOKEN = "screen-token";

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

/** The code that a host types to show their table here, and its QR code; null: a table is shown. */
let pairing = null;
let expiring = 0;
let trouble = "";
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

function pairingView() {
  return html`<section class="hall pairing">
    <div>
      <h2>${t("pair_here")}</h2>
      <p class="code" aria-label=${t("tv_letters")}>${pairing.code}</p>
      <p>${t("pair_how")}</p>
      <p class="soft">${t("pair_new")}</p>
      ${trouble ? html`<p class="trouble" role="alert">${trouble}</p>` : nothing}
    </div>
    ${qr(pairing.qr)}
  </section>`;
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
          ${pairing ? pairingView() : views[room.phase]()} ${lost ? html`<div class="toasts"><p class="toast warn">${t("lost")}</p></div>` : nothing}
        </main>`,
      document.getElementById("page"),
    );
  });
}

/** A television stays awake while it shows a table. */
async function stayAwake() {
  if (!document.hidden) await navigator.wakeLock?.request("screen").catch(() => {});
}

/** The table of a host who typed the code, of the link, or none; the text says why the link leads nowhere. */
async function state() {
  const token = location.hash ? null : sessionStorage.getItem(TOKEN);
  useToken(token);
  const known = token && (await ask("me").catch(unlessRefused));
  if (known?.state === "in") return known;
  const { pathname, hash } = link();
  if (!hash) return null;
  useToken(null);
  const code = decodeURIComponent(pathname.split("/")[2]).toUpperCase();
  const shown = await ask("screen", { code, key: hash.slice(1) }).catch(unlessRefused);
  if (shown) useToken(shown.token);
  return shown;
}

function unlessRefused(error) {
  if (!(error instanceof Refused) || error.status >= 500) throw error;
  if (error.status !== 401 && location.hash) trouble = error.message;
  return null;
}

/** Show a code until a host types it. */
async function pair() {
  useToken(sessionStorage.getItem(TOKEN));
  const offered = await ask("pair", {});
  if (offered.token) {
    useToken(offered.token);
    sessionStorage.setItem(TOKEN, offered.token);
  }
  pairing = offered.pairing;
  expiring = setTimeout(who, Math.max(1, pairing.ends - offered.now) * 1000);
  return offered;
}

async function who() {
  clearTimeout(expiring);
  try {
    await loadWords(navigator.language);
    trouble = "";
    const found = await state();
    pairing = null;
    const shown = found ?? (await pair());
    title = shown.title || "Perudo";
    document.title = shown.title ? `${title} · Perudo` : title;
    await loadWords(shown.language ?? navigator.language);
    room.clear();
    info = null;
    draw();
    stream.start();
  } catch (error) {
    const wait = error instanceof Refused ? error.retryAfter * 1000 : 0;
    setTimeout(who, Math.max(2000, wait));
  }
}

setInterval(() => room.round?.clock_ends && draw(), 1000);
document.addEventListener("visibilitychange", stayAwake);
addEventListener("storage", ({ key }) => key === "perudo-screen" && !location.hash && who());
addEventListener("hashchange", () => location.reload());
stayAwake();
who();
