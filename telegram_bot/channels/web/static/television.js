/** The host shows the table on a television, which displays four letters for the host to type or scan. */

import { ask, Refused } from "./net.js";
import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./words.js";

const TYPED = /^#tv=(\w+)$/;

/** The letters of the television whose QR code opened this page, or "". */
export function scannedLetters() {
  return TYPED.exec(location.hash)?.[1] ?? "";
}

export class Television {
  /** `page` knows the room's links; `wanted`: the page was opened for a television. */
  constructor(page, wanted) {
    this.page = page;
    this.letters = scannedLetters();
    this.wanted = wanted || this.letters;
    this.trouble = "";
  }

  /** After a scan of a television's code, ask whether to show the table there. */
  offer() {
    if (!this.wanted || !this.page.info || this.offered) return;
    this.offered = true;
    if (this.letters) history.replaceState(null, "", location.pathname);
    this.open();
  }

  open() {
    document.getElementById("menu")?.close();
    document.getElementById("television").showModal();
  }

  close() {
    document.getElementById("television").close();
  }

  async show(event) {
    event.preventDefault();
    const code = new FormData(event.target).get("letters").trim();
    if (!code) return;
    const { page } = this;
    try {
      page.info = await ask("room", { do: "pair", code });
      this.letters = "";
      this.trouble = "";
      event.target.reset();
      this.close();
      page.toast(t("tv_done"));
    } catch (error) {
      this.trouble = error instanceof Refused ? error.message : t("lost");
    }
    page.redraw();
  }

  async endScreens() {
    if (await this.page.change("end_screens")) this.page.toast(t("tv_ended"));
    this.close();
  }

  view() {
    const { page } = this;
    const { info } = page;
    return html`<dialog id="television" aria-labelledby="television-title">
      <button class="plain close" aria-label=${t("close")} @click=${() => this.close()}>✕</button>
      <h2 id="television-title">${t("television")}</h2>
      ${info?.host
        ? html`<p>${t("tv_open")} <b class="address">${new URL("/tv", info.link).href.replace(/^https?:\/\//, "")}</b></p>
            <form @submit=${(event) => this.show(event)}>
              <label>${t("tv_letters")}
                <input name="letters" class="letters" autocapitalize="characters" autocomplete="off" spellcheck="false" maxlength="4" required .value=${this.letters} />
              </label>
              <button class="primary">${t("tv_show")}</button>
              ${this.trouble ? html`<p class="trouble" role="alert">${this.trouble}</p>` : nothing}
            </form>`
        : html`<p>${t("tv_host")}</p>`}
      ${info?.host
        ? html`<label class="check"><input type="checkbox" .checked=${info.asks_first} @change=${(event) => page.change(event.target.checked ? "ask_first" : "ask_nobody")} />${t("ask_first")}</label>
          <div class="links">
            <a href=${info.screen} target="_blank" rel="noopener" @click=${() => this.close()}>${t("tv_here")}</a>
            <button @click=${() => this.endScreens()}>${t("tv_end")}</button>
          </div>`
        : nothing}
    </dialog>`;
  }
}
