/** The Mini App: another view of the table for a player in Telegram. */

import { ask, Refused, useToken } from "./net.js";
import { SeatPage } from "./seat_page.js";
import { openBridge } from "./telegram.js";
import { html, render } from "./vendor/lit-html.js";
import { loadWords, t } from "./words.js";

const telegram = openBridge();
const query = new URLSearchParams(location.search);
const code = telegram.startCode || query.get("tgWebAppStartParam") || query.get("code") || undefined;
const page = new SeatPage({ enter: arrive, telegram, television: code?.endsWith("_tv") });
page.wanted = code?.replace(/_tv$/, "");

async function arrive(state, error, said) {
  if (state) {
    await page.begin(state);
    page.toast(said);
    return;
  }
  if (error instanceof Refused && error.status === 401) {
    await who();
    return;
  }
  trouble(error instanceof Refused ? error.message : t("lost"));
  if (!(error instanceof Refused)) setTimeout(who, 2000);
}

function trouble(text) {
  render(html`<main class="door"><p role="alert">${text}</p></main>`, document.getElementById("page"));
}

async function who() {
  try {
    await loadWords(navigator.language);
    if (!telegram.initData) {
      trouble(t("open_in_telegram"));
      return;
    }
    const state = await ask("app", { init_data: telegram.initData, code });
    useToken(state.token);
    await loadWords(state.language);
    await page.begin(state);
  } catch (error) {
    if (error instanceof Refused) trouble(error.message);
    else setTimeout(who, 2000);
  }
}

who();
