/** The host shows the table on a television, which displays four letters for the host to type or scan. */

import { once } from "./net.js";
import { html, nothing } from "./vendor/lit-html.js";
import { t, trouble } from "./words.js";

const TYPED = /^#tv=(\w+)/;

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
    if (this.letters && this.page.opened) this.pair(this.letters);
    else this.open();
  }

  /** The key of the host that opens the dialog, in sight before a game. */
  key() {
    return this.page.info?.host ? html`<button class="television" @click=${() => this.open()}>📺 ${t("television")}</button>` : nothing;
  }

  open() {
    document.getElementById("menu")?.close();
    const dialog = document.getElementById("television");
    if (!dialog.open) dialog.showModal();
  }

  close() {
    document.getElementById("television").close();
  }

  /** Four letters are a whole code, so no key is needed after them. */
  typed({ target }) {
    if (target.value.trim().length === Number(target.maxLength)) this.pair(target.value.trim(), target.form);
  }

  async pair(code, form) {
    const { page } = this;
    if (this.asking) return; // typed letters are sent already when the key is tapped
    this.asking = true;
    try {
      page.info = await once("room", { do: "pair", code });
      this.letters = "";
      this.trouble = "";
      form?.reset();
      this.close();
      page.toast(t("tv_done"));
    } catch (error) {
      this.trouble = trouble(error);
      this.open();
    }
    this.asking = false;
    page.redraw();
  }

  submit(event) {
    event.preventDefault();
    this.pair(String(new FormData(event.target).get("letters")).trim(), event.target);
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
            <form @submit=${(event) => this.submit(event)}>
              <label>${t("tv_letters")}
                <input name="letters" class="letters" autocapitalize="characters" autocomplete="off" spellcheck="false" maxlength="4" required .value=${this.letters} @input=${(event) => this.typed(event)} />
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
