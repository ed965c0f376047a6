/**
 * The story and the highlight of a game on pages: on a television the ceremony of the story's beats, then the winner;
 * on a phone the card of its player; on both a chart and sentences.
 */

import { askFile } from "../../net.js";
import { bidSign, confetti, cupSign, die, faceOf, named, paragraphs, withDice, withoutSign } from "../../parts.js";
import { calm } from "../../room.js";
import { play } from "../../sound.js";
import { html, nothing, svg } from "../../vendor/lit-html.js";
import { hush, speak } from "../../television_voice.js";
import { announce, t } from "../../words.js";

/** From the end of the game to the first beat. */
const WINNER_MS = 4000;
const BEAT_MS = 6000;
/** From the beginning of a beat to the moment when its cup lifts. */
const LIFT_MS = 2000;
/** The most players in the story's list of luck and skill. */
const MOST_LUCKY = 10;
const SIGNS = { liar: "🤥", nose: "👃", unlucky: "🌧️", decider: "⚡" };

/** The host, or all, may play again meanwhile: then the ceremony ends. */
class Ceremony {
  constructor(room, redraw) {
    this.room = room;
    this.redraw = redraw;
    this.over = { table: 0, at: 0 };
    /** The table whose ceremony has begun, the last one. */
    this.table = 0;
    this.end();
  }

  /** A card came while people look on. */
  news(card) {
    if (card.card === "over") this.over = { table: card.table, at: Date.now() };
    else if (card.card === "story") this.begin(card);
    else if (card.card === "lobby" && this.scenes.length && !this.room.another) this.end();
  }

  /** @param {StoryCard} story */
  begin(story) {
    this.end();
    const seat = (i) => ({ name: story.names[i], face: story.faces[i], colour: story.colours[i] });
    this.scenes = [...story.beats.map((beat) => ({ ...beat, player: seat(beat.seat) })), { about: "winner" }];
    const since = this.over.table === story.table ? Date.now() - this.over.at : WINNER_MS;
    const begin = () => {
      this.table = story.table;
      this.next();
    };
    this.timer = setTimeout(begin, Math.max(0, WINNER_MS - since));
  }

  end() {
    clearTimeout(this.timer);
    if (this.scene) hush();
    Object.assign(this, { scenes: [], scene: null, lifted: false });
  }

  next() {
    clearTimeout(this.timer);
    this.scene = this.scenes.shift() ?? null;
    this.lifted = calm.matches;
    if (this.scene) {
      play(this.scene.about === "winner" ? "won" : "sting");
      if (this.scene.text) {
        announce(`${this.scene.title}. ${this.scene.text}`);
        speak(this.scene.text);
      }
      this.timer = setTimeout(() => this.lift(), LIFT_MS);
    }
    this.redraw();
  }

  lift() {
    this.lifted = true;
    if (this.scene.dice) play("die");
    this.timer = setTimeout(() => this.next(), BEAT_MS - LIFT_MS);
    this.redraw();
  }

  /** The scene that has the whole screen, or null. */
  view(over) {
    if (!this.scene || over?.table !== this.table) return null;
    return this.scene.about === "winner" ? winnerView(over) : this.beatView(this.scene);
  }

  /** @param {{ about: string, title?: string, text?: string, bid?: CalledBidField, dice?: BeatDieField[], player?: any }} beat */
  beatView({ about, title, text, bid, dice, player }) {
    return html`<section class="sting beat on-${about}">
      <p class="party">${faceOf(player)}<span>${withoutSign(player.name)}</span></p>
      <div>
        <p class="shout" .style=${`--length:${Math.max(12, title.length)}`}><span aria-hidden="true">${SIGNS[about]}</span> ${title}</p>
        <p class="more">${text}</p>
      </div>
      ${bid
        ? html`<div class="proof ${this.lifted ? "lifted" : ""}">
            ${bidSign(bid, "large")}
            <p class="row">${dice.map((each) => die(each.face, each.counts ? "lit" : "dim"))}</p>
            ${cupSign(player.colour)}
          </div>`
        : nothing}
    </section>`;
  }
}

/** The winner, large, and the order in which all others fell, the last one first. @param {OverCard} over */
function winnerView({ seats, winner_name }) {
  const [winner, ...fallen] = seats;
  return html`${confetti()}<section class="sting on-winner">
    <p class="party champion">${faceOf(winner)}</p>
    <div>
      <p class="shout" .style=${`--length:${Math.max(12, winner_name.length + 9)}`}>${t("has_won", { name: withoutSign(winner_name) })}</p>
      <ol class="fallen" .style=${`--rows:${fallen.length > 4 ? Math.ceil(fallen.length / 2) : fallen.length}`}>${fallen.map((seat) => html`<li><b>${seat.place ?? ""}</b> ${named(seat)}</li>`)}</ol>
    </div>
  </section>`;
}

/** On a television: the scenes that have its screen after a game. */
export const televised = ({ room, redraw }) => new Ceremony(room, redraw);

/** Acts whose success the page itself shows. */
export const silent = ["reel", "story"];

/** Whether the ceremony of a television tells the highlight. */
const isTold = (/** @type {StoryCard | null} */ story) => story?.beats.some(({ about }) => about === "liar");

/** At the end of a game: the card of the page's player, the reel, the highlight, and the story, which a television tells first. @param {SeatPage} page @param {OverCard} over */
export function overView(page, over) {
  const story = page.room.card("story");
  const told = storyView(story);
  return html`${ownView(page, over)} ${reelView(page)} ${page.looksUp && isTold(story) ? nothing : bluffView(page.room)}
    ${story && page.looksUp ? html`<details class="box"><summary>${story.lines[0]}</summary>${told}</details>` : told}`;
}

/** On a television, next to the places: the highlight, and the story without its list, which is too small to read from a sofa. @param {Room} room */
export function finaleView(room) {
  const story = room.card("story");
  if (!story) return room.card("bluff") ? bluffView(room) : null;
  const lines = story.lines.slice(0, -1 - Math.min(story.names.length, MOST_LUCKY));
  return html`${isTold(story) ? nothing : bluffView(room)} ${storyView({ ...story, lines })}`;
}

/** @param {Room} room */
function bluffView(room) {
  const card = room.card("bluff");
  if (!card) return nothing;
  return html`<section class="felt bluff">
    <h3>${card.title}</h3>
    <p>${withDice(card.sentence)}</p>
    ${card.bid ? bidSign(card.bid, "large") : nothing}
  </section>`;
}

/** A chart of all players' dice, then the sentences. @param {StoryCard} card */
function storyView(card) {
  if (!card) return nothing;
  const [title, ...lines] = card.lines;
  return html`<section class="felt story">
    <h3>${title}</h3>
    ${chart(card)} ${paragraphs(lines)}
  </section>`;
}

const WIDE = 600;
const HIGH = 220;

/** How many dice each player held, round by round; lines that would cover each other lie side by side. */
/** @param {StoryCard} story */
function chart({ course, course_title: title, names, faces, colours, places }) {
  const most = Math.max(...course.flat(), 1);
  const step = WIDE / Math.max(1, course.length - 1);
  const line = (seat) => course.map((dice, i) => `${(i * step).toFixed(1)},${(HIGH - (dice[seat] * HIGH) / most + (seat - names.length / 2) * 4).toFixed(1)}`).join(" ");
  const seats = names.map((_, seat) => seat).sort((one, other) => places[one] - places[other]);
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg viewBox="-12 -24 ${WIDE + 24} ${HIGH + 48}" role="img" aria-label=${title}>
      ${Array.from({ length: most + 1 }, (_, i) => svg`<line class="rule" x1="0" x2=${WIDE} y1=${(i * HIGH) / most} y2=${(i * HIGH) / most} />`)}
      ${[...seats].reverse().map((seat) => svg`<polyline class="c${colours[seat] % 10}" points=${line(seat)} />`)}
    </svg>
    <ul class="legend">${seats.map((seat) => html`<li><i class="c${colours[seat] % 10}"></i>${named({ name: names[seat], face: faces[seat], colour: colours[seat] })}</li>`)}</ul>
  </figure>`;
}

/** The title and the figures of the page's player, to be shared. @param {SeatPage} page @param {OverCard} over */
function ownView(page, { seats = [] }) {
  const story = page.room.card("story");
  const me = seats.find((seat) => seat.player === page.room.me);
  const own = me && story?.own[story.places.indexOf(me.place)];
  if (!own) return nothing;
  return html`<section class="felt own">
    <h3>${faceOf(me)} ${own.title}</h3>
    <p>${own.why}</p>
    <dl>${own.figures.map(({ label, n }) => html`<div><dt>${label}</dt><dd>${n}</dd></div>`)}</dl>
    <button class="primary" @click=${() => page.share({ text: own.share }, own.copied)}>${own.share_key}</button>
  </section>`;
}

/** The reels' animations, by table: null while one is on its way, and where it did not come. */
const files = new Map();

/** The reel: its animation, its sentences, and the key that shares it. @param {SeatPage} page */
function reelView(page) {
  const card = page.room.card("reel");
  if (!card) return nothing;
  if (!files.has(card.table)) load(page, card.table);
  const file = files.get(card.table);
  return html`<section class="felt story reel">
    <h3>${card.title}</h3>
    ${file ? html`<img src=${file.url} alt="" width="540" height="960" />` : nothing} ${paragraphs(card.lines)}
    ${file ? html`<button class="primary" @click=${() => shareFile(file, card.title)}>${card.share}</button>` : nothing}
  </section>`;
}

/** @param {SeatPage} page */
async function load(page, table) {
  files.set(table, null);
  const blob = await askFile("picture?slot=reel");
  if (blob) files.set(table, { blob, url: URL.createObjectURL(blob) });
  page.redraw();
}

async function shareFile({ blob, url }, title) {
  const files = [new File([blob], "perudo.gif", { type: blob.type })];
  if (navigator.canShare?.({ files })) await navigator.share({ files, title }).catch(() => {}); // the player changed their mind
  else Object.assign(document.createElement("a"), { href: url, download: "perudo.gif" }).click();
}
