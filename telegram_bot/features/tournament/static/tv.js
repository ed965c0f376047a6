/** The tournament on the television: its list, the draw, all tables, and the finale. */

import { confetti, paragraphs } from "../../parts.js";
import { calm, Room } from "../../room.js";
import { play } from "../../sound.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { speak } from "../../television_voice.js";
import { announce } from "../../words.js";
import { entering } from "./tournament.js";

/** The part of a draw's time in which all names come; then the tables stay. */
const NAMES = 0.7;

/** The draw of a stage, in which name after name finds its table, or the entrance of the finalists. */
class Draw {
  constructor(redraw) {
    this.redraw = redraw;
    this.end();
  }

  end() {
    clearTimeout(this.timer);
    this.stage = null;
    this.drawn = null;
  }

  news(card) {
    if (card.card !== "panel" || !card.draw || card.draw.stage === this.stage) return;
    const wasKnown = this.stage !== null;
    this.stage = card.draw.stage;
    const seats = card.tables.flatMap((table) => table.seats);
    // A page that was loaded in the middle of a stage does not draw it again.
    if (seats.length ? seats.every(({ dice }) => dice === seats[0].dice) : wasKnown) this.begin(card);
  }

  /** @param {PanelCard} card */
  begin(card) {
    clearTimeout(this.timer);
    const { title, seconds } = card.draw;
    const names = card.tables.reduce((sum, { seats }) => sum + seats.length, 0) || card.draw.finalists.length;
    this.drawn = card;
    this.shown = calm.matches ? names : 0;
    announce(title);
    speak(title);
    const next = () => {
      if (this.shown < names) {
        this.shown += 1;
        play("die");
        this.timer = setTimeout(next, (seconds * 1000 * NAMES) / names);
      } else {
        this.timer = setTimeout(() => {
          this.drawn = null;
          this.redraw();
        }, seconds * 1000 * (1 - NAMES));
      }
      this.redraw();
    };
    next();
  }

  view() {
    if (!this.drawn) return null;
    const { draw, tables } = this.drawn;
    // As cards are dealt: the first seat of each table, then the second ones.
    const order = tables.flatMap(({ seats }, table) => seats.map((_, seat) => [seat, table])).sort(([a, b], [c, d]) => a - c || b - d);
    const isDrawn = new Set(order.slice(0, this.shown).map(String));
    const person = (seat, here) => html`<li class=${here ? "" : "undrawn"}>${faceOf(seat)} ${seat.name}</li>`;
    return html`<section class="draw">
      <h2>${draw.title}</h2>
      ${tables.length
        ? html`<div class="tables">${tables.map(({ title, seats }, table) => html`<div class="felt"><h3>${title}</h3><ol>${seats.map((each, seat) => person(each, isDrawn.has(String([seat, table]))))}</ol></div>`)}</div>`
        : html`<ol class="finalists">${draw.finalists.map((each, i) => html`<li class=${i < this.shown ? "" : "undrawn"}>${faceOf(each)}<b>${each.name}</b></li>`)}</ol>`}
    </section>`;
  }
}

/** The most tables below which the code to scan has room. */
const MOST_WITH_CODE = 3;
/** The most tables in one column. */
const MOST_IN_COLUMN = 3;

const faceOf = (/** @type {{ face?: string | null }} */ { face }) => (face ? html`<i class="face" aria-hidden="true">${face}</i>` : nothing);

/** The room of the table that is shown large: the panel waits to the end of its reveals. */
class LargeTable extends Room {
  put(card) {
    if (card.table !== null && card.table !== this.table) {
      this.table = card.table;
      this.cards.delete("table");
      this.cards.delete("end");
    }
    this.cards.set(card.slot, card);
    return true;
  }
}

/** The list, then the tables of the stage and one of them large, also while a game runs in the group. */
class Stage {
  constructor(tv) {
    this.tv = tv;
    this.room = new LargeTable(tv.redraw, (card, when) => card.card === "panel" || tv.news(card, when));
    this.code = null;
  }

  take(card) {
    if (card.card === "televised" || card.card === "televised_end") this.room.take({ ...card.shown, title: card.title, at: card.at });
    if (card.card !== "panel") return;
    this.room.take({ ...card, table: null });
    const code = entering(card)?.code;
    if (code && code !== this.code) this.tv.show();
    this.code = code;
  }

  get panel() {
    return this.tv.room.card("panel") && this.room.card("panel");
  }

  /** The reveal or the round of the large table, or null. */
  get playing() {
    return this.panel?.tables.length ? (this.room.show?.card ?? this.room.round) : null;
  }

  /** Whether the group's game is the final: its list is closed, and no table of a stage plays. */
  get isFinal() {
    const panel = this.tv.room.card("panel");
    return Boolean(panel?.title) && !panel.tables.length && !entering(panel);
  }

  get heading() {
    const { panel, playing } = this;
    if (playing) return `${panel.title} · ${playing.title}`;
    return panel?.tables.length || this.tv.room.phase === "round" ? panel?.title : "";
  }

  /** The list, and a final that waits, leave the screen to the group's game; the final's end is the finale. */
  view(over) {
    const { panel, playing, room, tv } = this;
    if (playing) return tv.moment(room) ?? this.tables(panel, playing);
    if (!panel?.acts.length || over?.finale || ["round", "dealing"].includes(tv.room.phase)) return null;
    if (panel.tables.length) return this.tables(panel, null);
    const { listed, lines } = panel;
    return html`<section class="hall panel">
      <h2>${panel.title}</h2>
      <div class="felt">
        ${paragraphs(listed ? lines.filter((line) => line !== listed.line) : lines)}
        ${listed ? html`<ul class="people" .style=${gridOf(listed.people.length)}>${listed.people.map((each) => html`<li>${faceOf(each)}<b>${each.name}</b></li>`)}</ul>` : nothing}
      </div>
      ${entering(panel) ? tv.listCode() : nothing}
    </section>`;
  }

  /** @param {PanelCard} panel */
  tables({ tables, late, next }, playing) {
    const code = late && tables.length <= MOST_WITH_CODE ? [this.tv.listCode()] : [];
    const columns = code.length || tables.length > MOST_IN_COLUMN ? 2 : 1;
    const rows = Math.ceil((tables.length + code.length) / columns);
    const through = tables.filter(({ over }) => over).flatMap(({ seats }) => seats.filter(({ out }) => !out));
    const places = Array.from({ length: Math.max(next.places, through.length) }, (_, i) => through[i]);
    return html`<section class="televised">
      <div class="bracket ${columns > 1 ? "wide" : ""}" .style=${`--columns:${columns}; --rows:${rows}`}>
        <div class="tables">${tables.map((table) => tableOf(table, table.title === playing?.title))} ${code}</div>
        <div class="next"><h3>${next.title}</h3><p>${places.map((seat) => (seat ? faceOf(seat) : html`<i class="face"></i>`))}</p></div>
      </div>
      ${playing ? this.tv.tableView(this.room) : nothing}
    </section>`;
  }
}

/** A table of the stage, from which a line leads to the next one. @param {StageTableField} table @param {boolean} isLarge */
function tableOf({ title, seats, over }, isLarge) {
  return html`<div class="felt ${over ? "decided" : ""} ${isLarge ? "large" : ""}">
    <h3>${title}</h3>
    <ol>${seats.map((seat) => html`<li class=${seat.out ? "out" : ""}><span>${faceOf(seat)} ${seat.name}</span><b>${seat.out ? "☠️" : over ? "✅" : seat.dice}</b></li>`)}</ol>
  </div>`;
}

/** The columns and the rows of the people on the list. */
function gridOf(people) {
  const columns = Math.min(4, Math.ceil(people / 5));
  return `--columns:${columns}; --rows:${Math.ceil(people / columns)}`;
}

/** How long the winner of the tournament has the screen. */
const WINNER_MS = 6000;
/** From one stage of the bracket to the next one, while it fills with faces. */
const STAGE_S = 2;

/** The end of the final: the winner of the tournament, then its bracket, which fills with faces, and everyone's place. */
class Finale {
  constructor(redraw) {
    this.redraw = redraw;
    this.end();
  }

  end() {
    clearTimeout(this.timer);
    /** The table whose winner has the screen. */
    this.crowning = 0;
  }

  news(card) {
    if (card.card !== "over" || !card.finale) return;
    this.end();
    this.crowning = card.table;
    this.timer = setTimeout(() => {
      this.end();
      this.redraw();
    }, WINNER_MS);
  }

  /** @param {OverCard} over */
  ending({ table, finale }) {
    if (!finale) return null;
    return table === this.crowning ? winnerView(finale) : wholeView(finale);
  }
}

/** @param {FinaleField} finale */
function winnerView({ title, winner }) {
  return html`${confetti()}<section class="sting on-cup">
    <p class="party">${faceOf(winner)}</p>
    <p class="shout" .style=${`--length:${Math.max(12, title.length)}`}>🏆 ${title}</p>
  </section>`;
}

/** The stages from left to right, then the winner, and next to them all people. @param {FinaleField} finale */
function wholeView({ title, winner, stages, places, bluff }) {
  const seat = (each, i, stage) => html`<li class=${each.goes_on ? "" : "out"} .style=${`--wait:${stage * STAGE_S + i * 0.1}s`}>${faceOf(each)}</li>`;
  return html`<section class="finale">
    <h2 .style=${`--length:${title.length}`}>🏆 ${title}</h2>
    <div class="stages" .style=${`--columns:${stages.length + 1}; --tables:${Math.max(...stages.map(({ tables }) => tables.length))}`}>
      ${stages.map(
        (stage, number) => html`<div class="stage">
          <h3>${stage.title}</h3>
          ${stage.tables.map((seats) => html`<ol class="felt">${seats.map((each, i) => seat(each, i, number))}</ol>`)}
        </div>`,
      )}
      <p class="stage winner" .style=${`--wait:${stages.length * STAGE_S}s`}>${faceOf(winner)}</p>
    </div>
    <ol class="places" .style=${`--rows:${rowsOf(places.length)}`}>${places.map((each) => html`<li><b>${each.place}</b> ${faceOf(each)}<span>${each.name}</span></li>`)}</ol>
    ${bluff ? html`<p class="soft">🎭 ${bluff}</p>` : nothing}
  </section>`;
}

/** The most places that are in one column. */
const MOST_IN_LIST = 14;

const rowsOf = (/** @type {number} */ places) => (places > MOST_IN_LIST ? Math.ceil(places / 2) : places);

export const televised = (tv) => [new Draw(tv.redraw), new Stage(tv), new Finale(tv.redraw)];
