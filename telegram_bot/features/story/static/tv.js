/** After a game on a television: the ceremony of the story's beats, then the winner, then the story next to the places. */

import { bidSign, confetti, cupSign, die, faceOf, lengthOf, named, withoutSign } from "../../parts.js";
import { calm } from "../../room.js";
import { play } from "../../sound.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { hush, speak } from "../../television_voice.js";
import { announce, t } from "../../words.js";
import { bluffView, isTold, storyView } from "./story.js";

/** From the end of the game to the first beat. */
const WINNER_MS = 4000;
const BEAT_MS = 6000;
/** From the beginning of a beat to the moment when its cup lifts. */
const LIFT_MS = 2000;
/** The most players in the story's list of luck and skill. */
const MOST_LUCKY = 10;
const SIGNS = { liar: "🤥", nose: "👃", unlucky: "🌧️", decider: "⚡", tell: "👀" };

/** The one of this television. @type {Ceremony} */
let ceremony;

/** The host, or all, may play again meanwhile: then the ceremony ends. */
class Ceremony {
  constructor({ room, redraw, ending }) {
    this.room = room;
    this.redraw = redraw;
    this.endingOf = ending;
    this.over = { table: 0, at: 0 };
    /** The table whose ceremony has begun, the last one. */
    this.table = 0;
    this.end();
  }

  /** A card came while people look on. */
  news(card) {
    if (card.card === "over") this.over = { table: card.table, at: Date.now() };
    else if (card.card === "story" && card.table === this.table) this.takeBack(card);
    else if (card.card === "story") this.begin(card);
    else if (card.card === "lobby" && this.scenes.length && !this.room.another) this.end();
  }

  /** @param {StoryCard} story */
  begin(story) {
    this.end();
    const seat = (i) => ({ name: story.names[i], face: story.faces[i], colour: story.colours[i] });
    const winner = this.endingOf(this.room.over) ? [] : [{ about: "winner" }];
    this.scenes = [...story.beats.map((beat) => ({ ...beat, player: seat(beat.seat) })), ...winner];
    const since = this.over.table === story.table ? Date.now() - this.over.at : WINNER_MS;
    const begin = () => {
      this.table = story.table;
      this.next();
    };
    this.timer = setTimeout(begin, Math.max(0, WINNER_MS - since));
  }

  /** A player objects to a beat that was to come, or is on the screen. @param {StoryCard} story */
  takeBack({ beats }) {
    const stays = ({ about }) => about === "winner" || beats.some((beat) => beat.about === about);
    this.scenes = this.scenes.filter(stays);
    if (!this.scene || stays(this.scene)) return;
    hush();
    this.next();
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
        <p class="shout" .style=${lengthOf(title, 12)}><span aria-hidden="true">${SIGNS[about]}</span> ${title}</p>
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
export const televised = (tv) => (ceremony = new Ceremony(tv));

/** On a television, next to the places, once the ceremony has told its part: the highlight, and the story without its list, which is too small to read from a sofa. @param {Room} room */
export function finaleView(room) {
  if (ceremony?.scenes.length) return null;
  const story = room.card("story");
  if (!story) return room.over?.wonder ? bluffView(room) : null;
  const lines = story.lines.slice(0, -1 - Math.min(story.names.length, MOST_LUCKY));
  return html`${isTold(story) ? nothing : bluffView(room)} ${storyView({ ...story, lines })}`;
}
