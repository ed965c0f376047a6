/** The tournament: on phones its list and the keys to join and to leave it, on the television the draw. */

import { paragraphs } from "../../parts.js";
import { calm } from "../../room.js";
import { play } from "../../sound.js";
import { html, nothing } from "../../vendor/lit-html.js";
import { speak } from "../../voice.js";
import { announce } from "../../words.js";

export const toasts = ["stage"];

const isListed = (room) => room.card("panel")?.players.includes(room.me) ?? false;

/** The act of a person who has come in by the code of the list. */
export const joinAct = ({ state, wanted }) => state.list && state.list === wanted && { act: "enter", code: wanted };

/** In the lobby, in place of its key to join, unless the person came by the table's code. */
export function joinView(page) {
  const enter = page.room.card("panel")?.acts.find(({ act }) => act === "enter");
  return enter && page.wanted !== page.state.code && !isListed(page.room) ? key(page, enter, "primary") : null;
}

function key(page, { text, ...what }, look) {
  return html`<button class=${look} ?disabled=${page.busy} @click=${() => page.act(what)}>${text}</button>`;
}

/** Below the page, except in a round. */
export function asideView(page) {
  const { room } = page;
  const panel = room.card("panel");
  if (!panel?.title) return null;
  const listed = isListed(room);
  const joinsAbove = room.phase === "lobby" && !room.mySeat;
  const acts = panel.acts.filter(({ act }) => (act === "enter" ? !listed && !joinsAbove : act !== "withdraw" || listed));
  return html`<section class="box panel">
    <h2>${panel.title}</h2>
    ${paragraphs(panel.lines)}
    <div class="actions">${acts.map((each) => key(page, each, nothing))} ${room.phase === "lobby" ? nothing : page.television.key()}</div>
  </section>`;
}

/** At the end of a game of the tournament, in place of the winner: how it goes on. */
export function overLines(room, over) {
  const stage = room.card("stage");
  return stage?.game === over.table ? stage.lines : null;
}

// The television

/** All names of a draw together, and how long the tables then stay. */
const NAMES_MS = 7000;
const STAYS_MS = 3000;

/** The draw of a stage: name after name finds its table. */
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

  begin(card) {
    clearTimeout(this.timer);
    const names = card.tables.reduce((sum, { seats }) => sum + seats.length, 0) || card.draw.finalists.length;
    this.drawn = card;
    this.shown = calm.matches ? names : 0;
    announce(card.draw.title);
    speak(card.draw.title);
    const next = () => {
      if (this.shown < names) {
        this.shown += 1;
        play("die");
        this.timer = setTimeout(next, NAMES_MS / names);
      } else {
        this.timer = setTimeout(() => {
          this.drawn = null;
          this.redraw();
        }, STAYS_MS);
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
    const person = (name, face, here) => html`<li class=${here ? "" : "undrawn"}>${face ? html`<i aria-hidden="true">${face}</i> ` : nothing}${name}</li>`;
    return html`<section class="draw">
      <h2>${draw.title}</h2>
      ${tables.length
        ? html`<div class="tables">${tables.map(({ title, seats }, table) => html`<div class="felt"><h3>${title}</h3><ol>${seats.map(({ name, face }, seat) => person(name, face, isDrawn.has(String([seat, table]))))}</ol></div>`)}</div>`
        : html`<ol class="finalists">${draw.finalists.map((name, i) => person(name, null, i < this.shown))}</ol>`}
    </section>`;
  }
}

export const televised = (redraw) => new Draw(redraw);
