/** The seat: one page for guests and for the Mini App, drawn from the cards of its room. */

import { Awake } from "./awake.js";
import { Wheel } from "./bid_wheel.js";
import { asksForShakes, Cup, diceOf, listenForShakes } from "./cup.js";
import { features, more } from "./features.js";
import { Lobby } from "./lobby.js";
import { act, ask, insist, once, Refused, Stream } from "./net.js";
import { animals, bidLabel, bidTrail, bidWords, clock, confetti, icon, lastBid, middle, overView, privacy, qr, rulesView, seatView, soundSwitch, wantAnother, withDice } from "./parts.js";
import { counts, Room } from "./room.js";
import { keep, kept, play, soundOn, switchSound } from "./sound.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { Television } from "./pairing.js";
import { announce, languages, loadWords, t, trouble } from "./words.js";

const TOAST_MS = 6000;
/** Acts whose success the table itself shows. */
const SILENT = new Set(["join", "start", "bid", "dudo", "calza", "back", "face"]);
/** Cards whose sentence the page says for a moment. */
const TOASTS = new Set(["toast", "reminder", "news", "note"]);
/** Refusals that the table itself shows: a guest who comes during a game looks on. */
const SHOWN = new Set(["late", "game_over", "already_joined"]);

export class SeatPage {
  /** `enter`: ask who I am again, after the session was lost. `telegram`: the bridge, in a Mini App. `television`: ask for its letters. */
  constructor({ enter, telegram = null, television = false }) {
    this.enter = enter;
    /** The code that the visitor brought; whether they opened a table instead. */
    this.wanted = "";
    this.opened = false;
    /** How many people say that a seat here is theirs. */
    this.claims = 0;
    /** The dialog with the own link, once it was asked for. */
    this.ownLink = null;
    this.telegram = telegram;
    this.redraw = this.redraw.bind(this);
    this.room = new Room(this.redraw, (card, when) => this.news(card, when));
    this.wheel = new Wheel(() => {
      this.haptic("tick");
      this.redraw();
    });
    this.cup = new Cup(this.redraw, () => announce(this.diceInWords()), (kind) => this.haptic(kind));
    this.lobby = new Lobby(this);
    this.television = new Television(this, television);
    this.stream = new Stream(
      {
        hello: (hello) => this.hello(hello),
        card: (card) => this.card(card),
        ready: () => this.ready(),
        door: (door) => this.atTheDoor(door),
        lost: (why) => this.connection(why),
        found: () => this.connection(""),
        end: () => this.ended(),
      },
      { sleeps: telegram !== null },
    );
    this.awake = new Awake(() => this.state?.state === "in" && !telegram && this.room.phase !== "over" && Boolean(this.room.mySeat));
    setInterval(() => {
      this.awake.check();
      if (this.room.round?.clock_ends && !document.hidden) this.redraw();
    }, 1000);
  }

  /** Sit down with the state from the server; the stream brings the rest. */
  async begin(state) {
    this.state = state;
    document.title = state.title ? `${state.title} · Perudo` : "Perudo";
    this.room.clear();
    const armed = JSON.parse(kept("armed", "null"));
    if (armed?.until > Date.now() && armed.code === state.code) this.arm(armed.what, armed.until);
    this.info = null;
    this.screen = false;
    scrollTo(0, 0);
    this.redraw();
    this.stream.start();
    if (kept("shake") === "on" && !this.shakes && !asksForShakes()) this.switchShake(true);
  }

  async hello(hello) {
    this.room.hello(hello);
    if (hello.language) await loadWords(hello.language).catch(() => {});
    this.redraw();
  }

  /** @param {Card} card */
  card(card) {
    if (card.slot === "door" || card.card === "lobby") this.change("show");
    if (card.card === "admitted" || card.card === "refused") {
      if (this.state.state === "asked") this.ended();
      return;
    }
    if (card.card === "question") {
      if (this.room.live && [null, this.room.table].includes(card.table)) this.pose({ text: card.text, yes: () => this.act({ act: card.about, confirmed: true }) });
      return;
    }
    this.room.take(card);
  }

  ready() {
    this.room.ready();
    if (this.state.state === "in" && !this.info) this.change("show");
  }

  /** The way into the room has changed, or a television shows it now, or no longer. */
  atTheDoor({ screen, gone, claims }) {
    const asks = claims !== this.claims;
    Object.assign(this, { screen, claims });
    this.room.gone = new Set(gone);
    this.redraw();
    if (!this.info || this.info.host || asks) this.change("show");
  }

  /** `lost`: the name of the sentence that says why there are no news, or "". */
  connection(lost) {
    this.lost = lost;
    this.redraw();
  }

  /** The session has changed: the host has admitted or refused this visitor, or another room waits for them. */
  async ended() {
    const asked = this.state?.state === "asked";
    const { leaves } = this;
    const returns = Boolean(this.state?.claim);
    this.leaves = false;
    this.room.clear();
    this.stream.stop();
    try {
      const state = await ask("me");
      const isIn = state.state === "in";
      if (isIn) {
        if (location.pathname.startsWith("/t/")) history.replaceState(null, "", `/t/${state.code}`);
        await this.begin(state);
      } else await this.enter(leaves ? { ...state, text: "" } : state, null, leaves ? "" : state.text || t("no_longer"));
      if (asked && isIn && !returns) this.join();
    } catch (error) {
      await this.enter(null, error);
    }
  }

  // The effects of cards: sounds, sentences, the cup

  news(card, when) {
    if (when === "die") {
      play(counts(card, card.face) ? "counts" : "die");
      return;
    }
    if (when === "shown") {
      announce(card.text);
      const mine = card.changes.find((each) => card.seats[each.seat]?.player === this.room.me);
      if (mine) this.haptic(mine.dice > 0 ? "success" : "error");
      play(card.changes.some((each) => each.dice > 0) ? "won" : "lost");
      return;
    }
    const before = this.wasTurn;
    this.wasTurn = this.room.mine.turn;
    if (card.card === "reveal") {
      if (this.looksUp && when === "now") this.haptic("warning");
      return;
    }
    if (this.room.another) announce(wantAnother(this.room));
    else if (card.card !== "hand") announce(card.text, card.card === "lobby");
    if (card.card === "round" && card.bids.length) play("bid");
    if (card.card === "call") {
      play("call");
      this.haptic("thump");
    }
    if (card.card === "over") play("won");
    if (TOASTS.has(card.card) || features.some(({ toasts = [] }) => toasts.includes(card.card))) this.toast(card.text, false);
    if (this.wasTurn && !before) {
      play("turn");
      this.haptic("warning");
    }
  }

  haptic(kind) {
    if (this.telegram) this.telegram.haptic(kind);
    else if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(kind === "tick" ? 5 : 30);
  }

  diceInWords() {
    const hand = this.room.hand;
    return hand ? `${t("my_dice")}: ${hand.dice.map((face) => t(`face_${face}`)).join(", ")}` : "";
  }

  async switchShake(on) {
    keep("shake", on ? "on" : "off");
    this.shakes?.();
    this.shakes = on ? await listenForShakes(() => this.room.hand && this.cup.set(!this.cup.up), this.telegram) : null;
    if (on && !this.shakes) this.toast(t("no_shaking"));
    this.redraw();
  }

  // The player's acts

  /** Turn one of my switches on or off; the others stay as they are. */
  switch(name, value) {
    const others = (this.state.on ?? []).filter((each) => each !== name);
    this.state.on = value ? [...others, name] : others;
    return this.act({ act: "switch", name, value });
  }

  /** Take a seat, or what a feature offers in its place. */
  join() {
    return this.act(more("joinAct", this).find(Boolean) ?? { act: "join" });
  }

  /** Send an act, after those that are on their way; the answer, or null if it could not be sent. */
  act(what) {
    const sent = Promise.resolve(this.busy).then(() => this.send(what));
    this.busy = sent;
    this.redraw();
    sent.then(() => {
      if (this.busy === sent) this.busy = null;
      this.redraw();
    });
    return sent;
  }

  async send(what) {
    try {
      const answer = await act({ table: this.room.table || undefined, ...what });
      if (answer.reason === "tap_again") {
        announce(answer.text);
        const until = Date.now() + 1000 * answer.seconds;
        this.arm(what, until);
        keep("armed", JSON.stringify({ what, until, code: this.state.code }));
        if (answer.explains) this.toast(answer.text, false);
      } else if (!answer.done ? !SHOWN.has(answer.reason) : !SILENT.has(what.act) && !features.some(({ silent = [] }) => silent.includes(what.act))) this.toast(answer.text);
      return answer;
    } catch (error) {
      if (error instanceof Refused && error.status === 401) this.ended();
      else this.toast(error instanceof Refused && error.message ? trouble(error) : t("unsent"));
      // The last of several new names counts as soon as the server takes one again.
      const again = () => this.state?.name === what.value && this.act(what);
      if (what.act === "name" && error.retryAfter) setTimeout(again, 1000 * error.retryAfter);
      return null;
    }
  }

  /** A call on my turn, with the step that I saw. */
  async call(what) {
    const { step } = this.room.mine;
    if (this.room.armed?.act !== what.act) this.room.armed = null;
    this.unsent = (await this.act({ ...what, step })) ? null : step;
    this.redraw();
  }

  /** Ask for a second tap for as long as the server counts it, also on a page that is loaded again. */
  arm(what, until) {
    this.room.armed = what;
    clearTimeout(this.disarm);
    this.disarm = setTimeout(() => {
      this.room.armed = null;
      this.redraw();
    }, until - Date.now());
  }

  /** Show a question, or a text to copy. */
  pose(question) {
    this.question = question;
    this.draw();
    document.getElementById("question").showModal();
    document.getElementById("copied")?.select();
  }

  /** Leave the table; about a running game the server asks. */
  leave() {
    const leave = () => {
      this.leaves = true;
      this.act({ act: "leave" });
    };
    if (this.room.phase === "lobby") this.pose({ text: t("leave_sure"), yes: leave });
    else leave();
  }

  /** @param {SeatField} seat */
  kick(seat) {
    const kick = () => this.act({ act: "kick", player: seat.player });
    if (seat.computer) kick();
    else this.pose({ text: t("kick_sure", { name: seat.name, n: this.room.card("table").seats.indexOf(seat) + 1 }), yes: kick });
  }

  /** Returns whether the change was made. */
  async change(what, player) {
    let done = false;
    try {
      this.info = await (what === "show" ? insist(() => ask("room", { do: what })) : once("room", { do: what, player }));
      if (this.info.screen) keep("screen", this.info.screen);
      done = true;
    } catch (error) {
      if (what !== "show") this.toast(trouble(error));
    }
    this.redraw();
    queueMicrotask(() => this.television.offer());
    return done;
  }

  /** Share a link, or else a text. @param {{ url?: string, text?: string }} what */
  async share({ url, text }, copied = t("copied")) {
    try {
      if (navigator.share) await navigator.share(url ? { title: "Perudo", url } : { text });
      else {
        await navigator.clipboard.writeText(url ?? text);
        this.toast(copied);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      this.pose({ text: t("copy_this"), copied: url ?? text });
      // Over plain HTTP, as at a party, a page has no clipboard of its own.
      if (!document.execCommand("copy")) return;
      document.getElementById("question").close();
      this.toast(copied);
    }
  }

  toast(text, announced = true) {
    if (!text) return;
    this.said = text;
    if (announced) announce(text);
    clearTimeout(this.hush);
    this.hush = setTimeout(() => {
      this.said = "";
      this.redraw();
    }, TOAST_MS);
    this.redraw();
  }

  // Drawing

  redraw() {
    if (this.drawing) return;
    this.drawing = true;
    queueMicrotask(() => {
      this.drawing = false;
      if (this.state) this.draw();
    });
  }

  draw() {
    const { room } = this;
    this.cup.dealt(room.show ? null : room.hand, room.live);
    const playing = room.phase === "round";
    if (room.phase !== this.phase) scrollTo(0, 0);
    this.phase = room.phase;
    const isAsked = room.mine.turn || more("outView", this).some(Boolean);
    const first = room.phase === "lobby" && more("beforeView", this).find(Boolean);
    if (playing !== this.warned) {
      this.warned = playing;
      this.telegram?.confirmClosing(playing && Boolean(room.mySeat));
    }
    document.title = `${room.mine.turn ? "● " : ""}${this.state.title || "Perudo"}`;
    render(
      html`${this.header()}
        <main class="${room.phase} ${isAsked ? "my-turn" : ""} ${playing && this.looksUp ? "looks-up" : ""}">
          ${this.asking()} ${first || (room.phase === "lobby" ? this.lobby.view() : this[room.phase]())} ${room.phase === "round" ? nothing : this.asides()}
          <div class="toasts">
            ${this.lost && !(this.isPartyOver && room.phase === "over") ? html`<p class="toast warn">${t(this.lost)}</p>` : nothing}
            ${this.said ? html`<p class="toast">${withDice(this.said)}</p>` : nothing}
          </div>
        </main>
        ${this.menu()} ${this.television.view()} ${this.ownLink ?? nothing} ${this.questionView()}`,
      document.getElementById("page"),
    );
  }

  header() {
    return html`<header>
      <h1>${this.state.title || "Perudo"}</h1>
      ${clock(this.room)} ${soundSwitch(this.redraw)}
      <button class="plain" aria-label=${t("menu")} @click=${() => this.openMenu()}>${icon("M4 7h16M4 12h16M4 17h16")}</button>
    </header>`;
  }

  waiting() {
    const { claim, state, text } = this.state;
    if (claim) {
      return html`<section class="wait"><p>${t("seat_asked", { name: claim.name, n: claim.number })}</p><p class="number" aria-hidden="true">${claim.number}</p></section>`;
    }
    if (this.asides().length) return this.tables();
    return html`<section class="wait"><img src="/seat/static/icon.svg" alt="" width="88" height="88" /><p>${state === "asked" ? t("asked") : state === "nowhere" ? text || t("no_link") : t("one_moment")}</p>${this.tables()}</section>`;
  }

  asking() {
    const { asking = [], claims = [] } = this.info ?? {};
    const box = (each, said, yes, no) => html`<div class="box knock">
      <p>${t(said, each)}</p>
      <button class="primary" @click=${() => this.change("admit", each.player)}>${t(yes, each)}</button>
      <button @click=${() => this.change("refuse", each.player)}>${t(no)}</button>
    </div>`;
    return html`${claims.map((each) => box(each, "seat_claims", "seat_yes", "no"))} ${asking.length > 1 ? html`<div class="box knock"><button class="primary" @click=${() => this.change("admit", 0)}>${t("admit_all")}</button></div>` : nothing}
      ${asking.map((each) => box(each, "knocks", "admit", "refuse"))}`;
  }

  asides() {
    return more("asideView", this).filter(Boolean);
  }

  tables() {
    const { tables } = this.state;
    if (!tables.length || (tables.length === 1 && tables[0].code === this.state.code)) return nothing;
    return html`<nav class="box" aria-label=${t("my_tables")}>
      ${tables.map((each) => html`<button aria-current=${each.code === this.state.code ? "true" : "false"} @click=${() => this.look(each.code)}>${each.title}</button>`)}
    </nav>`;
  }

  async look(code) {
    document.getElementById("menu")?.close();
    try {
      await this.begin(await insist(() => ask("look", { code })));
    } catch (error) {
      this.toast(trouble(error));
    }
  }

  dealing() {
    const seats = this.room.card("table").seats;
    return html`<ul class="felt seats">${seats.map((seat, i) => seatView(this.room, seat, i))}</ul>
      <p class="wait">${t("rolling")}</p>`;
  }

  round() {
    const { room, cup } = this;
    const { round, show, end } = room;
    const card = round ?? end;
    const mine = room.mine;
    const seats = show ? show.card.seats : card.seats;
    const first = seats.findIndex((seat) => seat.player === room.me);
    const order = seats.map((_, i) => (first + 1 + i) % seats.length);
    const felt = html`<div class="felt">
      <ul class="seats">${order.map((i) => seatView(room, seats[i], i))}</ul>
      ${middle(room)} ${show || !round ? nothing : bidTrail(round)} ${more("feltView", room)}
    </div>`;
    // Below a television a phone is a hand of dice.
    const below = round?.paused ? html`<div class="felt">${middle(room)}</div>` : nothing;
    return html`${this.looksUp ? below : felt}
      <div class="rail">
        ${show
          ? html`${this.looksUp && room.revealedHand ? html`<section class="tray up">${diceOf(room.revealedHand)}</section>` : nothing} ${this.looksUp && !show.done ? html`<p class="look-up">${t("look_up")}</p>` : html`<button class="primary next" @click=${() => room.skip()}>${show.done ? t("go_on") : t("skip")}</button>`}
              ${more("revealView", this)}`
          : html`${cup.view(room.hand)} ${room.hand?.tip && (cup.up || !room.hand.tip_shows_dice) ? html`<p class="hint">🐣 ${room.hand.tip}</p>` : nothing} ${this.calls(mine)} ${more("roundView", this, round)}`}
      </div>`;
  }

  calls(mine) {
    const { room, wheel } = this;
    const { role } = room;
    if (role === "watching" && this.state.claim) return html`<p class="soft status">${t("seat_next", this.state.claim)}</p>`;
    if (role === "watching" || role === "you_are_out") return more("outView", this).find(Boolean) ?? html`<p class="soft status">${t(role)}</p>`;
    const note = room.card("note");
    if (role === "away") return html`<section class="call-box on">${note?.card === "away" ? html`<p class="status"><b>${note.text}</b></p>` : nothing}<button class="primary" @click=${() => this.act({ act: "back" })}>${t("i_am_back")}</button></section>`;
    wheel.offer(mine.raises, mine.step, (this.cup.up && mine.start) || room.round?.start);
    const [quantity, face] = wheel.bid;
    const legal = mine.raises.length > 0;
    const key = (act) => {
      const again = mine.again === act;
      return html`<button class="${act} ${again ? "armed" : ""}" ?disabled=${this.busy} @click=${() => this.call({ act })}>${t(again ? `${act}_again` : act)}</button>`;
    };
    return html`<section class="call-box ${mine.turn ? "on" : ""}" aria-label=${t("your_call")}>
      ${mine.turn ? html`<h2>${t("your_turn")}</h2>` : nothing} ${this.looksUp ? lastBid(room) : nothing}
      ${mine.turn ? nothing : room.end ? nothing : html`<p class="soft status">${room.onTurn ? t("turn_of", room.onTurn) : ""}</p>`}
      ${this.unsent === mine.step ? html`<p class="status trouble" role="alert">${t("unsent")}</p>` : nothing}
      ${legal ? wheel.view(this.busy) : nothing}
      <div class="buttons">
        ${mine.dudo ? key("dudo") : nothing}
        ${legal
          ? html`<button class="primary make" ?disabled=${this.busy} aria-label=${bidLabel({ quantity, face })} @click=${() => this.call({ act: "bid", quantity, face, lifts: this.cup.lifts })}>
              ${bidWords({ quantity, face })}
            </button>`
          : nothing}
      </div>
      <div class="aside">
        ${mine.calza ? key("calza") : nothing}
        ${this.cup.up && mine.shows ? html`<button ?disabled=${this.busy} @click=${() => this.call({ act: "reroll" })}>${withDice(mine.shows)}</button>` : nothing}
        ${mine.turn ? more("turnView", this, mine) : nothing}
      </div>
    </section>`;
  }

  over() {
    const card = this.room.card("over");
    const told = more("overLines", this.room, card).find(Boolean);
    const { looksBack, over } = this.room;
    const acts = (looksBack ? [] : (over?.acts ?? [])).filter(({ act }) => !this.room.cards.has(act));
    const again = html`${this.room.another?.mine ? nothing : html`<button class="primary" @click=${() => this.act({ act: "again" })}>${t("again")}</button>`}
      ${this.room.another ? html`<p class="another">${wantAnother(this.room)}</p>` : nothing}`;
    return html`${card.card === "closed" || looksBack ? nothing : confetti()} ${overView(card, told, more("overPlaces", card), this.room.me)}
      <div class="actions">
        ${this.isPartyOver ? html`<p class="another">${t("party_over")}</p>` : looksBack ? html`<button class="primary" @click=${() => this.lookBack(false)}>${t("back_to_table")}</button>` : over?.going_on ? nothing : again}
        ${more("overAct", this, card)}
      </div>
      <div class="moments">${more("overView", this, card)}</div>
      ${acts.length
        ? html`<details class="box">
            <summary>${t("more")}</summary>
            <div class="actions">${acts.map(({ act, text }) => html`<button ?disabled=${this.busy} @click=${() => this.act({ act })}>${this.busy ? t("one_moment") : text}</button>`)}</div>
          </details>`
        : nothing}
      ${this.info?.qr && !over?.going_on && !this.looksUp && !this.isPartyOver ? html`<aside class="next-table">${qr(this.info.qr)}<p class="soft">${t("scan_to_join")}</p></aside>` : nothing}`;
  }

  /** To the end of the last game, or back to the lobby. */
  lookBack(back) {
    this.room.looksBack = back;
    scrollTo(0, 0);
    this.redraw();
  }

  /** Whether the party has ended with its server. */
  get isPartyOver() {
    return this.lost === "party_over";
  }

  /** Whether a television shows the table to this player. */
  get looksUp() {
    return this.screen && kept("elsewhere") !== "on";
  }

  openMenu() {
    if (this.state.state === "in") this.change("show");
    document.getElementById("menu").showModal();
  }

  menu() {
    const close = () => document.getElementById("menu").close();
    const { room, state, info } = this;
    /** A page that was opened for one seat changes nothing of its player. */
    const isOwn = state.player && !state.linked;
    const check = (label, checked, change) =>
      html`<label class="check"><input type="checkbox" .checked=${checked} @change=${(event) => change(event.target.checked)} />${label}</label>`;
    const featureSwitch = (name, isOn) => check(html`<span>${t(name)} <small class="soft">${t(`${name}_${isOn ? "on" : "off"}`)}</small></span>`, isOn, (on) => this.switch(name, on));
    return html`<dialog id="menu" aria-label=${t("menu")}>
      <button class="plain close" aria-label=${t("close")} @click=${close}>✕</button>
      ${this.tables()}
      ${info?.rules && room.phase !== "lobby" ? html`<details class="box rules"><summary>${t("how_to_play")}</summary>${rulesView(info.rules.title, ...info.rules.lines)}</details>` : nothing}
      ${isOwn
        ? html`<form class="rename" @submit=${(event) => this.rename(event)}>
            <label>${t("your_name")}<input name="name" autocomplete="nickname" maxlength="32" required .value=${state.name} /></label>
            <button>${t("rename")}</button>
          </form>
          ${animals(room.mySeat?.face, (face) => this.act({ act: "face", value: face }), room.card("table")?.seats.map((seat) => seat.face))}`
        : nothing}
      ${check(t("sound"), soundOn(), (on) => { switchSound(on); this.redraw(); })}
      ${check(t("shake_lifts"), Boolean(this.shakes), (on) => this.switchShake(on))}
      ${isOwn ? [check(t("ask_twice"), state.twice, (on) => { state.twice = on; this.act({ act: "twice", value: on }); }), ...features.flatMap(({ switches = [] }) => switches).map((name) => featureSwitch(name, state.on?.includes(name)))] : nothing}
      ${this.screen ? check(t("elsewhere"), kept("elsewhere") === "on", (on) => { keep("elsewhere", on ? "on" : "off"); this.redraw(); }) : nothing}
      ${state.linked ? nothing : html`<label class="check">${t("language")}
        <select @change=${(event) => this.speak(event.target.value)}>
          ${Object.entries(languages()).map(([key, name]) => html`<option value=${key} ?selected=${key === (document.documentElement.lang || "en")}>${name}</option>`)}
        </select>
      </label>`}
      ${info
        ? html`${this.ownLinkKey()}
            ${room.phase === "lobby"
              ? nothing
              : html`<button @click=${() => this.share({ url: info.link })}>${t("invite")}</button>
                  <button @click=${() => this.television.open()}>${t("television")}</button>`}
            ${info.host
              ? html`<button @click=${() => this.change(info.locked ? "unlock" : "lock")}>${t(info.locked ? "unlock" : "lock")}</button>
                  <button @click=${() => this.change("renew")}>${t("renew")}</button>`
              : nothing}`
        : nothing}
      ${privacy([room.lobby?.note, info && t("link_ends")], more("privacyView", this).filter(Boolean))}
      ${room.mySeat ? html`<button @click=${() => { close(); this.leave(); }}>${t("leave")}</button>` : nothing}
      ${info?.host && room.phase !== "over" ? html`<button @click=${() => { close(); this.act({ act: "stop" }); }}>${t("stop")}</button>` : nothing}
    </dialog>`;
  }

  /** The key that shows the player's own link. */
  ownLinkKey() {
    return this.info && this.room.mySeat && !this.state.linked ? html`<button @click=${async () => (await import("./own_seat.js")).showOwnLink(this)}>🔑 ${t("keep_seat")}</button>` : nothing;
  }

  async rename(event) {
    event.preventDefault();
    this.state.name = String(new FormData(event.target).get("name")).trim();
    document.getElementById("menu").close();
    if (this.state.name) await this.act({ act: "name", value: this.state.name });
  }

  async speak(language) {
    await this.act({ act: "language", value: language });
    const [{ title }] = await Promise.all([ask("me").catch(() => this.state), loadWords(language).catch(() => {})]);
    this.state.title = title;
    this.room.clear();
    this.stream.start();
  }

  questionView() {
    const close = () => document.getElementById("question").close();
    const yes = () => {
      close();
      this.question.yes();
    };
    const { text = "", copied } = this.question ?? {};
    return html`<dialog id="question" aria-labelledby="asked">
      <p id="asked">${text}</p>
      ${copied
        ? html`<textarea id="copied" readonly aria-labelledby="asked" rows="3" .value=${copied}></textarea>
            <button @click=${close}>${t("close")}</button>`
        : html`<button class="danger" @click=${yes}>${t("yes")}</button>
            <button @click=${close}>${t("no")}</button>`}
    </dialog>`;
  }
}
