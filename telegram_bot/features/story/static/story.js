/** The story on pages: on a television the ceremony of its beats, then the winner; on a phone the card of its player. */

import { bidSign, confetti, cupSign, die, faceOf, named, withoutSign } from "../../parts.js";
import { calm } from "../../room.js";
import { play } from "../../sound.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { hush, speak } from "../../voice.js";
import { announce, t } from "../../words.js";
import { reelView } from "./reel.js";

/** From the end of the game to the first beat. */
const WINNER_MS = 4000;
const BEAT_MS = 6000;
/** From the beginning of a beat to the moment when its cup lifts. */
const LIFT_MS = 2000;
const SIGNS = { liar: "🤥", nose: "👃", unlucky: "🌧️", decider: "⚡" };

/** Phones may play again meanwhile: then the ceremony ends. */
class Ceremony {
  constructor(redraw) {
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
    else if (card.card === "lobby" && this.scenes.length) this.end();
  }

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

/** The winner, large, and the order in which all others fell, the last one first. */
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
export const televised = (redraw) => new Ceremony(redraw);

/** Acts whose success the page itself shows. */
export const silent = ["reel"];

/** At the end of a game: the card of the page's player, and the reel. */
export const overView = (page, over) => html`${ownView(page, over)} ${reelView(page)}`;

/** The title and the figures of the page's player, to be shared. */
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
