/** The television: the table large, for everybody in the room. It gets no secret. */

import { features } from "./features.js";
import { ask, Refused, Stream, useToken } from "./net.js";
import { badges, bidSign, bidTrail, changesOf, clock, confetti, die, faceOf, facts, feltViews, icon, isEnough, named, overView, paragraphs, qr, seatView, soundSwitch, SPEAKER, verdict, withDice, withoutSign } from "./parts.js";
import { calm, counts, isCalled, Room } from "./room.js";
import { kept, play, switchSound } from "./sound.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { say, voiceChoice } from "./voice.js";
import { announce, loadWords, t } from "./words.js";

/** The most tables below which the code to scan has room. */
const MOST_WITH_CODE = 2;
/** The smallest letters of the finale, as a share of their usual size. */
const SMALLEST = 0.4;
const TOKEN = "screen-token";

/** The screen's link; without a code in the address, the last link that a host on this device has shown. */
const link = () => new URL(location.pathname.split("/")[2] ? location : kept("screen", location.href));
const room = new Room(draw, news);
/** Another table that the room shows next to its own: its own reveals, to whose end the panel waits. */
const televised = new Room(draw, (card, when) => card.card === "panel" || news(card, when));
televised.put = putTelevised;
/** The scenes of features, before and after a game. */
const scenes = features.flatMap((each) => each.televised?.(draw) ?? []);
const stream = new Stream({
  hello(hello) {
    room.hello(hello);
    televised.hello(hello);
  },
  card: take,
  door: show,
  ready() {
    room.ready();
    televised.ready();
    if (!info && !pairing) show();
  },
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
let seated = 0;
/** How many dice of the reveal have flown to the middle. */
let flown = 0;
let drawing = false;

/** Draw a card of the stream. */
export function take(card) {
  room.take(card);
  if (card.shown) televised.take({ ...card.shown, title: card.title });
  else if (card.card === "panel") televised.take({ ...card, table: null });
  if (card.card === "lobby" && card.code !== info?.code) show();
  if (card.card === "panel" && codeOf(card) && codeOf(card) !== info?.list?.code) show();
}

/** Keep a card of the table that is shown now; those of the table before leave. */
function putTelevised(card) {
  if (card.table !== null && card.table !== this.table) {
    this.table = card.table;
    this.cards.delete("table");
    this.cards.delete("end");
  }
  this.cards.set(card.slot, card);
}

function connection(found) {
  lost = !found;
  draw();
}

async function show() {
  info = await ask("room", { do: "show" }).catch(() => null);
  if (info) info.code = new URL(info.link).pathname.split("/")[2];
  draw();
}

function news(card, when) {
  comment(card, when);
  for (const each of scenes) each.news(card);
  if (when === "die") play(counts(card, card.face) ? "counts" : "die");
  else if (when === "called") play("call");
  else if (when === "drum" || when === "sting") play(when);
  else if (when === "shown") {
    announce(card.text);
    play(card.changes.some((each) => each.dice > 0) ? "won" : "lost");
  } else if (card.card !== "reveal") {
    announce(card.text, card.card === "lobby");
    if (card.card === "lobby" && card.seats.length > seated) play("join");
    if (card.card === "call") play("call");
    if (card.card === "over") play("won");
    if (card.card === "round") play(card.bids.length ? "turn" : "rattle");
  }
  if (card.card === "lobby") seated = card.seats.length;
}

/** Let the voice comment: on a call whatever the dice are, on the dice once they are all open. */
function comment(card, when) {
  if (card.card === "call" || when === "called") say(card.call, card.round);
  else if (when === "shown" && isCalled(card)) say(isEnough(card) === (card.call === "calza") ? "right" : "wrong", card.round);
  else if (when === "sting") {
    const { about, seats } = card.sting;
    say(["duel", "match_point"].includes(about) ? "final" : about, card.round, { name: withoutSign(seats[0].name) });
  } else if (card.card === "over") say("won", card.rounds, { name: withoutSign(card.winner_name) });
}

/** A sentence for the whole room, in smaller letters only where a long name would not fit. */
function loud(text, after = nothing, before = nothing) {
  return html`<p class="loud" .style=${`--length:${text.length}`}>${before} ${text} ${after}</p>`;
}

/** The finale's parts in letters that are as large as their place allows. */
function fit() {
  for (const part of document.querySelectorAll(".over > .over, .moments")) {
    let size = 1;
    do {
      part.style.setProperty("--fit", size);
      size -= 0.04;
    } while (part.scrollHeight > part.clientHeight && size > SMALLEST);
  }
}

/** The dice that count fly from their cups to the middle, one after the other. */
function fly() {
  const { show } = televised.show ? televised : room;
  const dice = show ? show.card.dice.flat().slice(0, show.shown) : [];
  const counted = dice.flatMap((face, i) => (counts(show.card, face) ? [i] : []));
  const flies = counted.length > flown && !calm.matches && !show.done;
  flown = counted.length;
  if (!flies) return;
  const from = document.querySelectorAll(".table .row > *")[counted.at(-1)]?.getBoundingClientRect();
  const landed = document.querySelector(".pile .die:last-child");
  const to = landed?.getBoundingClientRect();
  if (!from || !to) return;
  const start = `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.width / to.width})`;
  landed.animate([{ transformOrigin: "0 0", transform: start }, { transformOrigin: "0 0", transform: "none" }], { duration: 450, easing: "cubic-bezier(0.2, 0.8, 0.3, 1)" });
}

/** The middle of the table: the player on turn and the bid, or the call, or the dice that count. */
function stage({ round, show, end }) {
  if (show || end?.card === "reveal") return revealed(show ?? { card: end, shown: end.dice.flat().length, done: true });
  const bid = round.bids.at(-1);
  const turn = round.seats[round.turn];
  return html`<div class="middle">
    ${bid ? html`<p class="said"><span>${t("says", { name: round.seats[bid.seat].name })}</span> ${bidSign(bid, "large")}</p>` : nothing}
    ${round.paused ? loud(t("paused")) : turn ? loud(t(bid ? "turn_loud" : "opens", { name: turn.name })) : nothing}
    ${bidTrail(round)} ${facts(round)}
  </div>`;
}

/** The moment that has the whole screen: a call before the cups lift, or what follows from a reveal. */
function moment({ show, end }) {
  const call = show ? show.calling : end?.card === "call";
  if (call) {
    const seats = [end.caller, ...(end.bid ? [end.bid.seat] : [])].map((seat) => end.seats[seat]);
    return onCard("call", seats, t(end.call), end.bid ? bidSign(end.bid, "large") : nothing);
  }
  if (!show?.sting) return null;
  const { about, seats, place } = show.sting;
  const words = { name: withoutSign(seats[0].name), n: place };
  const more = about === "palifico" ? t("opens", words) : about !== "falls" || place ? t(`${about}_more`, words) : "";
  return onCard(about, seats, t(about, words), more);
}

function onCard(about, [one, other], words, more) {
  const party = (seat) => html`<p class="party">${faceOf(seat)}${other ? html`<span>${withoutSign(seat.name)}</span>` : nothing}</p>`;
  return html`<section class="sting on-${about}">
    ${party(one)}
    <div><p class="shout" .style=${`--length:${Math.max(8, words.length)}`}>${words}</p><p class="more">${more}</p></div>
    ${other ? party(other) : nothing}
  </section>`;
}

function revealed({ card, shown, done }) {
  const counted = card.dice.flat().slice(0, shown).filter((face) => counts(card, face));
  return html`<div class="middle reveal">
    ${done ? changesOf(card).map(([face, line], i) => loud(line, i ? nothing : html`<em>${verdict(card)}</em>`, face)) : nothing}
    ${done && !card.changes.length ? html`<p class="loud-text">${withDice(card.text)}</p>` : nothing}
    ${card.bid
      ? html`<p class="score">
            <span>${bidSign(card.bid)}<small>${t("the_bid")}</small></span>
            <span class="counted ${done ? (isEnough(card) ? "enough" : "short") : ""}"><b>${counted.length}</b><small>${t("counted")}</small></span>
          </p>
          <p class="pile" aria-hidden="true">${counted.map((face) => die(face, "lit"))}</p>`
      : nothing}
    ${done && card.reaction ? html`<p class="soft">${withDice(card.reaction)}</p>` : nothing}
  </div>`;
}

/** The seats in turn order around the table: half on the far side, half on the near one. */
function seatsOf(of, seats, side) {
  const half = Math.ceil(seats.length / 2);
  const shown = seats.map((seat, i) => [seat, i]).slice(...(side === "far" ? [0, half] : [half]));
  return html`<ul class="seats ${side}">${shown.map(([seat, i]) => seatView(of, seat, i))}</ul>`;
}

function tableOf(of, seats, felt) {
  return html`<div class="table">${seatsOf(of, seats, "far")}<div class="felt">${felt} ${feltViews(of)}</div>${seatsOf(of, seats, "near")}</div>`;
}

/** The code of a list that people can join, or null. */
function codeOf(panel) {
  return panel.acts.find(({ act }) => act === "enter")?.code ?? null;
}

/** The address and the code for people who want to join the table, or the list next to it. */
function wayIn(kind, words, to = info) {
  if (!to?.qr) return nothing;
  return html`<aside class=${kind}>${atTheDoor()} ${qr(to.qr)}<p class="code">${to.code}</p><p>${words}</p><p class="soft">${new URL(to.link).host}/t</p></aside>`;
}

/** The people whom the host has to let in. */
function atTheDoor() {
  return info.asking.length ? html`<p class="waiting" role="status">${t("at_the_door", { names: info.asking.map(({ name }) => name).join(", ") })}</p>` : nothing;
}

/** One question, until it is answered: browsers make no sound before a person has pressed a key. */
function soundPrompt() {
  if (kept("sound") !== null) return soundSwitch(draw);
  const choose = () => {
    switchSound(true);
    draw();
  };
  return html`<button class="primary" @click=${choose}>${icon(SPEAKER)} ${t("sound_on")}</button>`;
}

function pairingView() {
  return html`<section class="hall pairing">
    <div>
      <h2>${t("pair_here")}</h2>
      <p class="code" aria-label=${t("tv_letters")}>${pairing.code}</p>
      <p>${t("pair_how")}</p>
      <p class="soft">${t("pair_new")}</p>
      <p class="back links"><a href="/t">${t("back")}</a></p>
      ${trouble ? html`<p class="trouble" role="alert">${trouble}</p>` : nothing}
    </div>
    ${qr(pairing.qr)}
  </section>`;
}

/** The panel of a game that runs in the group besides the table: one of its tables large, or its sentences. */
function panelView(panel) {
  const shown = televisedIn(panel);
  if (shown) return televisedView(panel, shown);
  return html`<section class="hall panel">
    <h2>${panel.title}</h2>
    <div class="felt">${paragraphs(panel.lines)}</div>
    ${codeOf(panel) ? wayIn("", t("scan_to_join"), info?.list) : nothing}
  </section>`;
}

/** The reveal or the round that is shown large with the tables of a panel, or null. */
function televisedIn(panel) {
  return panel?.tables.length ? (televised.show?.card ?? televised.round) : null;
}

/** One table large, and the others in columns next to it. */
function televisedView(panel, shown) {
  const others = panel.tables.filter(({ title }) => title !== shown.title);
  return html`<section class="televised">
    <div class="bracket">
      ${others.map(bracketTable)} ${panel.late && others.length <= MOST_WITH_CODE ? wayIn("", t("scan_to_join"), info?.list) : nothing}
    </div>
    ${tableOf(televised, shown.seats, stage(televised))}
    ${panel.late ? html`<p class="soft">${panel.late}</p>` : nothing}
  </section>`;
}

function bracketTable({ title, seats, over, clock }) {
  return html`<div class="felt ${over ? "decided" : ""}">
    <h3>${title} ${clock ? html`<span class="soft">⏱ ${clock}</span>` : nothing}</h3>
    <ol>${seats.map(({ name, face, dice, out }) => html`<li class=${out ? "out" : ""}><span>${face ? html`<i aria-hidden="true">${face}</i> ` : nothing}${name}</span><b>${out ? "☠️" : over ? "✅" : dice}</b></li>`)}</ol>
  </div>`;
}

const views = {
  waiting: () => html`<p class="wait">${t("one_moment")}</p>`,
  lobby() {
    const card = room.card("table");
    return html`<section class="hall">
      <div class="felt">
        <h2>${t("at_the_table", { n: card.seats.length, most: card.max_seats })}</h2>
        <p class="soft">${card.rules.title}</p>
        ${card.by_text.map((line) => html`<p class="soft">${line}</p>`)}
        <ul class="people">${card.seats.map((seat) => html`<li>${named(seat)}${badges(seat, card.seats)}${card.ready.includes(seat.player) ? " 🙋" : ""}</li>`)}</ul>
      </div>
      ${wayIn("", t("scan_to_join"))}
      <ol class="how" aria-label=${t("how_to_play")}>${[1, 2, 3, 4].map((step) => html`<li>${t(`how_${step}`)}</li>`)}</ol>
    </section>`;
  },
  dealing: () => tableOf(room, room.card("table").seats, html`<p class="loud-text">${t("rolling")}</p>`),
  round: () => html`${tableOf(room, (room.show?.card ?? room.round ?? room.end).seats, stage(room))} ${room.show ? nothing : wayIn("late", t("scan_to_join"))}`,
  over() {
    const card = room.card("over");
    const isClosed = card.card === "closed";
    const finale = features.flatMap((each) => each.finaleView?.(room) ?? []);
    return html`${isClosed || scenes.some(({ table }) => table === card.table) ? nothing : confetti()} ${overView(card)}
    <div class="moments">${finale.length || isClosed ? finale : html`<p class="champion">${faceOf(card.seats[0])}</p>`}</div>
    ${wayIn("finale-qr", t("again_phone"))}`;
  },
};

function draw() {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    const beside = room.card("panel") ? televised.card("panel") : null;
    const shown = televisedIn(beside);
    // Tables of a tournament have the screen; its list, and a final that waits, leave it to the group's game.
    const free = shown || (room.phase !== "round" && room.phase !== "dealing");
    const panel = free && beside?.acts.length ? beside : null;
    const over = !panel && room.phase === "over" ? room.card("over") : null;
    const acted = scenes.map((each) => each.view(over, room)).find(Boolean);
    const great = acted ?? moment(shown ? televised : room);
    render(
      html`<header>
          <h1>${title}</h1>
          ${shown
            ? html`<span class="soft">${panel.title} · ${shown.title}</span> ${clock(televised)}`
            : html`${beside?.title && room.phase === "round" ? html`<span class="soft">${beside.title}</span>` : nothing} ${room.round ? html`<span class="soft">${t("round", { n: room.round.round })}</span>` : nothing} ${clock(room)}`}
          ${showing() ? html`<button @click=${goOn}>${t(showing().show.done ? "go_on" : "skip")}</button>` : nothing} ${voiceChoice(draw)} ${soundPrompt()}
        </header>
        <main class=${panel ? "beside" : acted ? "round" : room.phase}>
          ${pairing ? pairingView() : great && (acted || (panel ? shown : room.phase === "round")) ? great : panel ? panelView(panel) : views[room.phase]()} ${lost ? html`<div class="toasts"><p class="toast warn">${t("lost")}</p></div>` : nothing}
        </main>`,
      document.getElementById("page"),
    );
    fit();
    fly();
  });
}

/** The room whose reveal is shown now, or undefined. */
const showing = () => [televised, room].find(({ show }) => show);
const goOn = () => showing()?.skip();

/** A television stays awake while it shows a table. */
async function stayAwake() {
  if (!document.hidden) await navigator.wakeLock?.request("screen").catch(() => {});
}

/** The table of a host who typed the code, of the link, or none; the text explains why the link is invalid. */
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
    televised.clear();
    for (const each of scenes) each.end();
    info = null;
    draw();
    stream.start();
  } catch (error) {
    const wait = error instanceof Refused ? error.retryAfter * 1000 : 0;
    setTimeout(who, Math.max(2000, wait));
  }
}

setInterval(() => (room.round ?? televised.round)?.clock_ends && draw(), 1000);
document.addEventListener("visibilitychange", stayAwake);
addEventListener("resize", fit);
addEventListener("storage", ({ key }) => key === "perudo-screen" && !location.hash && who());
addEventListener("hashchange", () => location.reload());
globalThis.speechSynthesis?.addEventListener("voiceschanged", draw);
stayAwake();
who();
