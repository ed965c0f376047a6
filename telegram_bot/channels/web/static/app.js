/** The Mini App: another view of the table for a player in Telegram. */

import { loaded } from "./features.js";
import { ask, Refused, useToken } from "./net.js";
import { SeatPage } from "./seat_page.js";
import { openBridge } from "./telegram.js";
import { html, render } from "./vendor/lit-html.js";
import { hasWords, loadWords, t, trouble } from "./words.js";

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
  fail(error);
}

function fail(error) {
  tell(trouble(error));
  if (!(error instanceof Refused && hasWords())) setTimeout(who, 2000);
}

function tell(text) {
  render(html`<main class="door"><p role="alert">${text}</p></main>`, document.getElementById("page"));
}

async function who() {
  try {
    const asked = telegram.initData ? ask("app", { init_data: telegram.initData, code }).catch((error) => error) : null;
    const [state] = await Promise.all([asked, loadWords(navigator.language), loaded]);
    if (state instanceof Error) throw state;
    if (!state) {
      tell(t("open_in_telegram"));
      return;
    }
    useToken(state.token);
    await loadWords(state.language).catch(() => {});
    await page.begin(state);
  } catch (error) {
    fail(error);
  }
}

who();
document.documentElement.dataset.begun = "";
