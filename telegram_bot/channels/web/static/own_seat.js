/** A seat on another device: its player's own link, and the guests at the door who play already. Loaded when needed. */

import { ask } from "./net.js";
import { named, qr } from "./parts.js";
import { html, nothing } from "./vendor/lit-html.js";
import { t, trouble } from "./words.js";

/** How long the door waits until it asks again whether a guest is missing. */
const AGAIN_MS = 4000;

/** The seats that a person at the door may open: that of an own link, or one of an absent guest ("I'm Bo"). */
export class SeatsAtDoor {
  /** `show`: draw the door again, with a sentence. */
  constructor(page, show) {
    this.page = page;
    this.show = show;
    this.code = "";
    this.own = undefined;
    /** The seat that an own link or this browser opens, and the guests who are absent. */
    this.mine = null;
    this.absent = [];
    this.told = "";
  }

  /** Look at the table with a code; `key`: of its link; `own`: of a player's own link. */
  async look(code, key, own) {
    clearTimeout(this.again);
    let found;
    let told = "";
    try {
      found = await ask("door", { code, key, seat: own });
      if (own && !found.mine) told = t("seat_used");
      else if (!own && !found.mine && !found.absent.length) {
        told = t("seat_none");
        this.again = setTimeout(() => this.page.state || this.look(code, key), AGAIN_MS);
      }
    } catch (error) {
      told = trouble(error);
    }
    Object.assign(this, { code, own, absent: [], mine: null, told }, found);
    if (!this.page.state) this.show("");
  }

  /** Open a seat here, or ask the others whether it is mine. */
  async open(proof) {
    const { page, code } = this;
    page.wanted = code;
    let state;
    try {
      state = await ask("enter", { code, language: document.documentElement.lang, ...proof });
    } catch (error) {
      await this.look(code);
      this.show(trouble(error));
    }
    if (this.own || state) history.replaceState(null, "", `/t/${code}`);
    if (state) await page.begin(state);
  }

  view() {
    const told = this.told ? html`<p class="trouble" role="alert">${this.told}</p>` : nothing;
    const proof = this.own ? { seat: this.own } : { claims: this.mine?.player };
    if (this.mine) return html`<button class="primary" @click=${() => this.open(proof)}>${t("seat_here", this.mine)}</button>`;
    const [before, after] = t("im_name", { name: "|" }).split("|");
    return html`<section class="returning" aria-labelledby="returning">
      <h2 id="returning">${t("seat_back")}</h2>
      ${this.absent.map((seat) => html`<button aria-label=${t("im_name", seat)} @click=${() => this.open({ claims: seat.player })}>${before}${named({ ...seat, colour: 0 })}${after}</button>`)}
      ${told}
    </section>`;
  }
}

/** Show the player's own link: an earlier one ends. @param {SeatPage} page */
export async function showOwnLink(page) {
  document.getElementById("menu").close();
  if (!(await page.change("keep_seat"))) return;
  const own = page.info.seat;
  const dialog = () => document.getElementById("own-link");
  page.ownLink = html`<dialog id="own-link" aria-labelledby="own-link-title">
    <button class="plain close" aria-label=${t("close")} @click=${() => dialog().close()}>✕</button>
    <h2 id="own-link-title">${t("keep_seat")}</h2>
    <div class="links">${qr(own.qr)}</div>
    <p>${t("keep_seat_how")}</p>
    <button class="primary" @click=${() => page.share({ url: own.link }, t("own_link_copied"))}>${navigator.share ? t("share") : t("copy_link")}</button>
  </dialog>`;
  page.draw();
  dialog().showModal();
}
