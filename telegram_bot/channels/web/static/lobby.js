/** The table before the game: the players, the host's choices, the link, the door. */

import { more } from "./features.js";
import { badges, named, paragraphs, qr, rulesView } from "./parts.js";
import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./words.js";

const LEVELS = ["novice", "regular", "strong", "expert"];

export class Lobby {
  /** `page` sends acts and room changes, and knows the room. @param {SeatPage} page */
  constructor(page) {
    this.page = page;
    this.level = "regular";
  }

  view() {
    const { page } = this;
    const card = page.room.lobby;
    const host = page.room.isHost;
    const sits = page.room.mySeat;
    const full = card.seats.length >= card.max_seats;
    const room = !full || card.seats.some((seat) => seat.computer); // a computer player leaves for a person
    const other = more("joinView", page).find(Boolean);
    const enough = card.seats.length >= card.min_seats;
    return html`<section class="lobby">
      <div class="felt">
        <h2 class="soft">${t("at_the_table", { n: card.seats.length, most: card.max_seats })}</h2>
        <ul class="people">
          ${card.seats.map((seat) => this.seat(seat, card, host))}
          ${Array.from({ length: Math.max(0, card.min_seats - card.seats.length) }, () => html`<li class="empty">${t("free_seat")}</li>`)}
        </ul>
      </div>
      <div class="actions">
        ${sits ? nothing : (other ?? html`<button class="primary" ?disabled=${!room} @click=${() => page.act({ act: "join" })}>${room ? t("join") : t("full")}</button>`)}
        ${host
          ? html`<button class="primary" ?disabled=${!enough} aria-describedby="too-few" @click=${() => page.act({ act: "start" })}>${t("start")}</button>
              ${enough ? nothing : html`<p class="soft" id="too-few">${t("too_few", { n: card.min_seats })}</p>`}`
          : sits
            ? html`<p class="soft">${t("host_starts", { name: card.seats.find((seat) => seat.player === card.host)?.name ?? "" })}</p>
                ${card.awaits_host && !card.ready.includes(page.room.me) ? html`<button @click=${() => page.act({ act: "again" })}>🙋 ${t("again")}</button>` : nothing}`
            : nothing}
        ${page.television.key()}
        ${page.room.lastOver?.seats.some(({ player }) => player === page.room.me) ? html`<button @click=${() => page.lookBack(true)}>${t("last_game")}</button>` : nothing}
      </div>
      ${this.invite(card)} ${host && !full ? this.computers(card) : nothing} ${sits ? more("lobbyView", page, card) : nothing} ${this.rules(card, host)}
    </section>`;
  }

  /** @param {SeatField} seat @param {LobbyCard} card */
  seat(seat, card, host) {
    const { page } = this;
    return html`<li class=${seat.player === page.room.me ? "me" : ""}>
      ${named(seat)}
      ${seat.player === card.host ? html`<span class="badge gold">${t("host")}</span>` : nothing}
      ${seat.computer && host && !seat.computer.engine
        ? html`<button class="badge" @click=${() => page.act({ act: "computer", player: seat.player, trait: "level" })}>
              ${t(`level_${seat.computer.level}`)}</button
            ><button class="badge" @click=${() => page.act({ act: "computer", player: seat.player, trait: "character" })}>
              ${t(`character_${seat.computer.character}`)}
            </button>`
        : badges(seat, card.seats)}
      ${card.ready.includes(seat.player) ? html`<span aria-label=${t("again")}>🙋</span>` : nothing}
      ${host && seat.player !== page.room.me
        ? html`<button class="plain" aria-label=${t("kick", { name: seat.name })} @click=${() => page.kick(seat)}>✕</button>`
        : nothing}
    </li>`;
  }

  /** @param {LobbyCard} card */
  computers(card) {
    const { page } = this;
    const add = (count) => page.act({ act: "computers", count, ...(this.engine ? { engine: this.engine } : { level: this.level }) });
    const choose = (event) => {
      const [level, engine] = event.target.value.split(":");
      this.level = level;
      this.engine = engine;
    };
    return html`<details class="box">
      <summary>${t("computer_players")}</summary>
      <div class="computers">
        <select aria-label=${t("computer_players")} @change=${choose}>
          ${LEVELS.map((level) => html`<option value=${level} ?selected=${!this.engine && level === this.level}>${t(`level_${level}`)}</option>`)}
          ${(card.engines ?? []).map((engine) => html`<option value=${`regular:${engine}`} ?selected=${engine === this.engine}>${engine}</option>`)}
        </select>
        <button @click=${() => add(1)}>${t("add_one")}</button>
        <button @click=${() => add(null)}>${t("fill")}</button>
      </div>
    </details>`;
  }

  /** @param {LobbyCard} card */
  invite(card) {
    const { page } = this;
    const room = page.info;
    if (!room) return nothing;
    return html`<details class="box invite" ?open=${room.host && !page.screen}>
      <summary>${t("invite")}</summary>
      <div class="links">
        ${qr(room.qr)}
        <div>
          <p class="code" aria-label=${t("table_code")}>${card.code}</p>
          <button @click=${() => page.share({ url: room.link })}>${navigator.share ? t("share") : t("copy_link")}</button>
        </div>
      </div>
      ${paragraphs(card.by_text)}
    </details>`;
  }

  /** @param {LobbyCard} card */
  rules(card, host) {
    const { page } = this;
    const change = (option, value) => page.act({ act: "option", option, value });
    const named = (text, about) => html`<span>${text}${about ? html`<small class="soft">${about}</small>` : nothing}</span>`;
    const tick = (type, option, on, label, chosen) => html`<label class="check"><input type=${type} name=${option} .checked=${on} @change=${chosen} />${label}</label>`;
    const whole = (/** @type {OptionField} */ { option, title, kind, choices }) => html`<fieldset ?hidden=${!choices.length}>
      <legend>${title}</legend>
      ${choices.map(({ value, text, about, on }) => tick(kind === "one" ? "radio" : "checkbox", option, on, named(text, about), () => change(option, value)))}
    </fieldset>`;
    const single = (/** @type {OptionField} */ { option, title, kind, choices, about, on, changed }) =>
      kind === "switch"
        ? tick("checkbox", option, on, named(changed ? html`<b>${title}</b>` : title, about), () => change(option, null))
        : html`<label>${changed ? html`<b>${title}</b>` : title}
            <select @change=${(event) => change(option, event.target.value)}>
              ${choices.some((choice) => choice.on) ? nothing : html`<option value="" selected>–</option>`}
              ${choices.map((choice) => html`<option value=${choice.value} ?selected=${choice.on}>${choice.text}</option>`)}
            </select>
          </label>`;
    const isSingle = ({ kind }) => kind === "single" || kind === "switch";
    return html`<details class="box rules">
      <summary>${card.rules.title}</summary>
      ${host
        ? html`${card.options.filter((each) => !isSingle(each)).map(whole)}
            <details class="options">
              <summary>${t("change_rule")}</summary>
              ${card.options.filter(isSingle).map(single)}
            </details>`
        : nothing}
      ${rulesView(...card.rules.lines)}
    </details>`;
  }
}
