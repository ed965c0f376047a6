/** The television: the table large, for everybody in the room. It gets no secret. */

import { Awake } from "./awake.js";
import { add, features, loaded, more } from "./features.js";
import { names } from "./features/tv_names.js";
import { ask, insist, keyIn, Refused, Stream, useToken } from "./net.js";
import { badges, bidSign, bidTrail, clock, confetti, die, faceOf, facts, icon, isEnough, linesOf, named, overView, qr, seatView, shownIn, soundSwitch, SPEAKER, wantAnother, withDice, withoutSign } from "./parts.js";
import { calm, counts, isCalled, Room } from "./room.js";
import { isHeldBack, kept, play, switchSound } from "./sound.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { say, voiceChoice } from "./television_voice.js";
import { announce, hasWords, loadWords, t } from "./words.js";

/** The smallest letters of the finale, as a share of their usual size. */
const SMALLEST = 0.4;
const TOKEN = "screen-token";

/** The screen's link; without a code in the address, the last link that a host on this device has shown. */
const link = () => new URL(location.pathname.split("/")[2] ? location : kept("screen", location.href));
const room = new Room(draw, news);
/**
 * The scenes of features. Each may have `take(card)`, `news(card)` (while people look on), `end()`, and for the screen
 * `view(over, room)`, of which the first one counts, `ending(over)`, in place of the winner and the places of a game, and a
 * `heading`; or a second `room`, which is shown while `playing`. `isFinal`: no game follows that a newcomer could join.
 */
let scenes = [];
let rooms = [room];
const stream = new Stream({
  hello(hello) {
    for (const each of rooms) each.hello(hello);
  },
  card: take,
  door({ gone }) {
    for (const each of rooms) each.gone = new Set(gone);
    show();
  },
  ready() {
    for (const each of rooms) each.ready();
    if (!info && !pairing) show();
  },
  lost: connection,
  found: () => connection(""),
  end: who,
});

/** The code that a host types to show their table here, and its QR code; null: a table is shown. */
let pairing = null;
let expiring = 0;
let trouble = "";
let info = null;
/** The name of the sentence that says why there are no news, or "". */
let lost = "";
let title = "Perudo";
let seated = 0;
/** How many dice of the reveal have flown to the middle. */
let flown = 0;
let drawing = false;
let isAwake = false;
const awake = new Awake(
  () => true,
  () => {
    isAwake = true;
    draw();
  },
);

/** Draw a card of the stream. @param {Card} card */
export function take(card) {
  room.take(card);
  for (const each of scenes) each.take?.(card);
  if (card.card === "lobby" && card.code !== info?.code) show();
}

function connection(why) {
  lost = why;
  draw();
}

async function show() {
  info = await insist(() => ask("room", { do: "show" })).catch(() => null);
  if (info) info.code = new URL(info.link).pathname.split("/")[2];
  draw();
}

function news(card, when) {
  comment(card, when);
  for (const each of scenes) each.news?.(card);
  if (when === "die") play(counts(card, card.face) ? "counts" : "die");
  else if (when === "called") play("call");
  else if (when === "drum" || when === "sting") play(when);
  else if (when === "shown") {
    announce(card.text);
    play(card.changes.some((each) => each.dice > 0) ? "won" : "lost");
  } else if (card.card !== "reveal") {
    if (room.another) announce(wantAnother(room));
    else announce(card.text, card.card === "lobby");
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

/** The lobby, the finale's parts, and the words on the felt, in letters that are as large as their place allows. */
function fit() {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".over > .over, .moments, .hall > .felt, .table .middle:not(.reveal)"))) {
    const place = part.closest(".felt") ?? part;
    let size = 1;
    do {
      part.style.setProperty("--fit", String(size));
      size -= 0.04;
    } while (part.scrollHeight > place.clientHeight && size > SMALLEST);
  }
}

/** The dice that count fly from their cups to the middle, one after the other. */
function fly() {
  const show = showing()?.show;
  const dice = show ? show.card.dice.flat().slice(0, show.shown) : [];
  const counted = dice.flatMap((face, i) => (counts(show.card, face) ? [i] : []));
  const flies = counted.length > flown && !calm.matches && !show.done;
  flown = counted.length;
  if (!flies) return;
  const from = document.querySelectorAll(".table .row > *")[counted[counted.length - 1]]?.getBoundingClientRect();
  const landed = document.querySelector(".pile .die:last-child");
  const to = landed?.getBoundingClientRect();
  if (!from || !to) return;
  const start = `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.width / to.width})`;
  landed.animate([{ transformOrigin: "0 0", transform: start }, { transformOrigin: "0 0", transform: "none" }], { duration: 450, easing: "cubic-bezier(0.2, 0.8, 0.3, 1)" });
}

/** The middle of the table: the player on turn and the bid, or the call, or the dice that count. @param {Room} room */
function stage({ round, show, end, onTurn }) {
  if (show || end?.card === "reveal") return revealed(show ?? { card: end, shown: end.dice.flat().length, done: true });
  const bid = round.bids[round.bids.length - 1];
  return html`<div class="middle">
    ${bid ? html`<p class="said"><span>${t("says", { name: round.seats[bid.seat].name })}</span> ${bidSign(bid, "large")}</p>` : nothing}
    ${shownIn(round).filter(({ seat }) => seat === bid.seat).map(({ text }) => html`<p class="loud shows" .style=${`--length:${text.length}`}>${withDice(text)}</p>`)}
    ${round.paused ? html`<p class="paused">${round.paused}</p>` : onTurn ? loud(t(bid ? "turn_loud" : "opens", onTurn)) : nothing}
    ${bidTrail(round)} ${facts({ ...round, shown: [] })}
  </div>`;
}

/** The moment that has the whole screen: a call before the cups lift, or what follows from a reveal. @param {Room} room */
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

/** @param {SeatField[]} about */
function onCard(kind, about, words, more) {
  const [one, other] = about;
  const party = (seat) => html`<p class="party">${faceOf(seat)}${other ? html`<span>${withoutSign(seat.name)}</span>` : nothing}</p>`;
  return html`<section class="sting on-${kind}">
    ${party(one)}
    <div><p class="shout" .style=${`--length:${Math.max(8, words.length)}`}>${words}</p><p class="more">${more}</p></div>
    ${other ? party(other) : nothing}
  </section>`;
}

/** The ends of a call, each with a sign and a felt of its own (`tv.css`): a caught bid, one that held, one that held without a die of its own, and calza. */
const ENDS = { caught: "🕵️", held: "✋", bold: "🎭", exact: "🎯", missed: "💨" };

/** The end of a call, once all dice are open; "" if no call ended the round. @param {RevealCard} card @returns {keyof typeof ENDS | ""} */
function endOf(card) {
  if (!card.bid || !isCalled(card)) return "";
  if (card.call === "calza") return isEnough(card) ? "exact" : "missed";
  if (!isEnough(card)) return "caught";
  return card.dice[card.bid.seat].some((face) => counts(card, face)) ? "held" : "bold";
}

/** How many counted dice fit next to the bid below which their result is written. */
const MOST_NEXT_TO_BID = 7;

/** @param {{ card: RevealCard, shown: number, done: boolean }} show */
function revealed({ card, shown, done }) {
  const counted = card.dice.flat().slice(0, shown).filter((face) => counts(card, face));
  const end = endOf(card);
  return html`<div class="middle reveal ${done ? "done" : ""} ${counted.length > MOST_NEXT_TO_BID ? "many" : ""}">
    ${card.bid
      ? html`<div class="counting">
          <p class="score">
            <span>${bidSign(card.bid)}<small>${t("the_bid")}</small></span>
            <span class="counted ${done ? (isEnough(card) ? "enough" : "short") : ""}"><b>${counted.length}</b><small>${t("counted")}</small></span>
          </p>
          <p class="pile" .style=${`--n:${counted.length}`} aria-hidden="true">${counted.map((face) => die(face, "lit"))}</p>
        </div>`
      : nothing}
    ${done && card.verdict ? html`<p class="loud verdict" .style=${`--length:${card.verdict.length}`}>${end ? html`<span class="sign" aria-hidden="true">${ENDS[end]}</span>` : nothing} ${card.verdict}</p>` : nothing}
    ${done ? linesOf(card).map(([face, line]) => loud(line, nothing, face)) : nothing}
    ${done && card.reaction ? html`<p class="soft">${withDice(card.reaction)}</p>` : nothing}
  </div>`;
}

/** The seats in turn order around the table: half on the far side, half on the near one. @param {Room} of @param {SeatField[]} seats */
function seatsOf(of, seats, side) {
  const half = Math.ceil(seats.length / 2);
  const shown = seats.map((seat, i) => /** @type {[SeatField, number]} */ ([seat, i])).slice(...(side === "far" ? [0, half] : [half]));
  return html`<ul class="seats ${side}">${shown.map(([seat, i]) => seatView(of, seat, i))}</ul>`;
}

/** The table of a room, with its round or its reveal. @param {Room} of */
function tableView(of) {
  const { show, end } = of;
  const shown = show ? show.done && show.card : end?.card === "reveal" && end;
  return tableOf(of, (show?.card ?? of.round ?? end).seats, stage(of), shown ? endOf(shown) : "");
}

/** @param {Room} of @param {SeatField[]} seats */
function tableOf(of, seats, felt, end = "") {
  return html`<div class="table">${seatsOf(of, seats, "far")}<div class="felt ${end}">${felt} ${more("screenView", of)}</div>${seatsOf(of, seats, "near")} ${more("benchView", of)}</div>`;
}

/** The address and the code for people who want to join the table, or a list; nothing once the party is over. */
function wayIn(kind, words, to = info) {
  if (!to?.qr || lost === "party_over") return nothing;
  const { host, hostname } = new URL(to.link);
  const address = html`${hostname}<wbr />${host.slice(hostname.length)}/t`;
  return html`<aside class=${kind}>${atTheDoor()} ${qr(to.qr)}<p class="code">${to.code}</p><p>${words}</p><p class="soft">${address}</p></aside>`;
}

/** The code of the list that people can join, if there is one. */
function listCode() {
  return wayIn("", t("scan_to_join"), info?.list ?? null);
}

/** The people whom the host has to let in. */
function atTheDoor() {
  return info.asking.length ? html`<p class="waiting" role="status">${t("at_the_door", { names: info.asking.map(({ name }) => name).join(", ") })}</p>` : nothing;
}

/** One question, until it is answered, and again after the page was loaded again: browsers make no sound before a person has pressed a key. */
function soundPrompt() {
  if (kept("sound") !== null && !isHeldBack()) return soundSwitch(draw);
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
      <p class="soft">${t("pair_new", { address: `${location.host}/t` })}</p>
      ${mayFallAsleep()}
      <p class="back links"><a href="/t">${t("back")}</a></p>
      ${trouble ? html`<p class="trouble" role="alert">${trouble}</p>` : nothing}
    </div>
    ${qr(pairing.qr)}
  </section>`;
}

const views = {
  waiting: () => html`<p class="wait">${t("one_moment")}</p>`,
  lobby() {
    const card = room.lobby;
    return html`<section class="hall">
      <div class="felt">
        <h2>${t("at_the_table", { n: card.seats.length, most: card.max_seats })}</h2>
        <p class="soft">${card.rules.title}</p>
        ${card.by_text.map((line) => html`<p class="soft">${line}</p>`)} ${mayFallAsleep()}
        <ul class="people">${card.seats.map((seat, i) => html`<li>${named(seat)}${badges(seat, card.seats)}${card.ready.includes(seat.player) ? " 🙋" : ""} ${more("seatView", room, i)}</li>`)}</ul>
        ${more("screenView", room)}
      </div>
      ${wayIn("", t("scan_to_join"))}
      <ol class="how" aria-label=${t("how_to_play")}>${(card.rules.how ?? []).map((step) => html`<li>${step}</li>`)}</ol>
    </section>`;
  },
  dealing: () => tableOf(room, room.card("table").seats, html`<p class="loud-text">${t("rolling")}</p>`),
  round: () => moment(room) ?? html`${tableView(room)} ${room.show || scenes.some(({ isFinal }) => isFinal) ? nothing : wayIn("late", t("scan_to_join"))}`,
  over() {
    const card = room.card("over");
    const isClosed = card.card === "closed";
    const finale = features.flatMap((each) => each.finaleView?.(room) ?? []);
    return html`${isClosed || scenes.some(({ table }) => table === card.table) ? nothing : confetti()} ${overView(card)}
    <div class="moments">${finale.length || isClosed ? finale : html`<p class="champion">${faceOf(card.seats[0])}</p>`}</div>
    ${wayIn("finale-qr", room.another ? wantAnother(room) : t("again_phone"))}`;
  },
};

/** The end of a game as a scene shows it, or undefined. @param {OverCard | ClosedCard | null} over */
const ending = (over) => (over?.card === "over" ? scenes.map((each) => each.ending?.(over)).find(Boolean) : undefined);

function draw() {
  if (drawing || !hasWords()) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    const shown = scenes.find(({ playing }) => playing)?.room ?? room;
    const over = shown === room ? room.card("over") : null;
    const acted = scenes.map((each) => each.view?.(over, room)).find(Boolean) ?? ending(over);
    render(
      html`<header>
          <h1>${title}</h1>
          ${scenes.map(({ heading }) => (heading ? html`<span class="soft">${heading}</span>` : nothing))}
          ${shown.round && shown === room ? html`<span class="soft">${t("round", { n: room.round.round })}</span>` : nothing} ${clock(shown)}
          ${showing()?.show.done ? html`<button @click=${goOn}>${t("go_on")}</button>` : nothing} ${voiceChoice(draw)} ${soundPrompt()}
        </header>
        <main class=${acted ? "scene" : room.phase}>
          ${pairing ? pairingView() : (acted ?? views[room.phase]())} ${lost ? html`<div class="toasts"><p class="toast warn">${t(lost)}</p></div>` : nothing}
        </main>`,
      document.getElementById("page"),
    );
    fit();
    fly();
  });
}

/** The room whose reveal is shown now, or undefined. */
const showing = () => [...rooms].reverse().find(({ show }) => show);
const goOn = () => showing()?.skip();

/** A sentence before a game, where the screen may sleep during it. */
function mayFallAsleep() {
  return isAwake ? nothing : html`<p class="soft">${t("may_sleep")}</p>`;
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
  const code = pathname.split("/")[2].toUpperCase();
  const shown = await ask("screen", { code, key: keyIn(hash) }).catch(unlessRefused);
  if (shown) useToken(shown.token);
  return shown;
}

function unlessRefused(error) {
  if (!(error instanceof Refused)) throw error;
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
    for (const each of rooms) each.clear();
    for (const each of scenes) each.end?.();
    info = null;
    draw();
    stream.start();
  } catch (error) {
    if (!hasWords()) render(html`<p class="wait" role="alert">${t("lost")}</p>`, document.getElementById("page"));
    setTimeout(who, Math.max(2000, 1000 * (error.retryAfter ?? 0)));
  }
}

setInterval(() => {
  awake.check();
  if (rooms.some(({ round }) => round?.clock_ends)) draw();
}, 1000);
addEventListener("resize", fit);
addEventListener("click", draw); // sound is no longer held back
addEventListener("storage", ({ key }) => key === "perudo-screen" && !location.hash && who());
addEventListener("hashchange", () => location.reload());
globalThis.speechSynthesis?.addEventListener?.("voiceschanged", draw); // an EventTarget in Safari only since 16
awake.check();
add(names.map((name) => `${name}/tv`));
loaded.then(() => {
  scenes = features.flatMap((each) => each.televised?.({ room, redraw: draw, news, show, listCode, moment, tableView, ending }) ?? []);
  rooms = [room, ...scenes.flatMap((each) => each.room ?? [])];
  who();
});
document.documentElement.dataset.begun = "";
