/** Guests: a link, a name, a seat. The link's key stays in the fragment, which no server sees. */

import { loaded } from "./features.js";
import { ask, keyIn, Refused } from "./net.js";
import { animals } from "./parts.js";
import { SeatPage } from "./seat_page.js";
import { keep, kept } from "./sound.js";
import { scannedLetters } from "./pairing.js";
import { html, nothing, render } from "./vendor/lit-html.js";
import { hasWords, loadWords, t, trouble } from "./words.js";

const code = (location.pathname.split("/")[2] ?? "").toUpperCase();
/** The key of a player's own link, which opens their seat here. */
const ownKey = () => /^#seat=([\w-]+)/.exec(location.hash)?.[1];
const key = () => keyIn(location.hash) || undefined;
export const page = new SeatPage({ enter: arrive });
page.wanted = code;

let mayOpen = false;
/** The key that was pressed last: in old browsers the event of a form does not name it. */
let pressed = "";
/** The title of the table behind the link, or "". */
let whose = "";
/** The module of seats that are played already, once the door was asked for them. */
let seats = null;
/** Whether the server has let the visitor in since the page was opened. */
let entered = false;
/** The name in the field of the door. */
let named = "";

/** Go to the seat, or ask for a name, once the server has identified the guest. */
async function arrive(state, error, said = "") {
  if (error && !(error instanceof Refused && hasWords())) {
    door(trouble(error));
    setTimeout(who, 2000);
    return;
  }
  mayOpen = (state ?? error?.body)?.may_open ?? false;
  if (state && state.language) await loadWords(state.language).catch(() => {});
  if (ownKey()) {
    await sitBack(code);
    return;
  }
  if (error?.body?.error === "seat_moved") {
    await sitBack(code);
    door(error.message);
    return;
  }
  const asked = state?.state === "asked";
  const here = !code || asked || state?.code === code || state?.list === code || state?.tables.some((each) => each.code === code);
  if (!state || state.state === "nowhere" || !here || state.kind === "screen") {
    // No card has come: the browser has sent no cookie.
    const unknown = error?.status === 401 && entered && page.stream.restored === null ? t("no_cookies") : "";
    door(error && error.status !== 401 ? error.message : state?.text || said || unknown, state?.name);
    return;
  }
  await page.begin(state.code === code || state.list === code || !code || asked ? state : await ask("look", { code }));
}

async function enter(event) {
  event.preventDefault();
  const form = new FormData(event.target);
  const name = String(form.get("name")).trim();
  const wanted = (code || String(form.get("code") ?? "").trim()).toUpperCase();
  const opens = pressed === "open" && !wanted;
  if (!name) return;
  if (!wanted && !opens) {
    event.target.elements.code.focus();
    return;
  }
  const face = form.get("face") ?? undefined;
  keep("name", name);
  keep("face", face ?? "");
  const language = document.documentElement.lang;
  try {
    const state = opens ? await ask("open", { name, face, language }) : await ask("enter", { code: wanted, key: key(), name, face, language });
    if (state.code && state.code !== code && state.list !== wanted) history.replaceState(null, "", `/t/${state.code}`);
    entered = true;
    page.wanted = wanted;
    page.opened = opens;
    await page.begin(state);
    if (state.state === "in" && !opens) page.join();
  } catch (error) {
    door(trouble(error), name);
  }
}

/** The field for a code. @returns {HTMLInputElement} */
const field = () => document.querySelector("[name=code]");

/** Ask the door for the seats that are played already. */
async function sitBack(table) {
  if (!table) {
    field().focus();
    return;
  }
  const { SeatsAtDoor } = await import("./own_seat.js");
  seats = new SeatsAtDoor(page, (told) => door(told, named));
  await seats.look(table, key(), ownKey());
}

/** The door: a field for the name and, where the address has no code, a new table or a field for a code. */
function door(told, name = kept("name", "")) {
  page.stream.stop();
  page.state = null;
  named = name;
  render(
    hasWords() ? form(told, name) : html`<main class="door"><p role="alert">${told}</p></main>`,
    document.getElementById("page"),
  );
}

function form(told, name) {
  return html`<main class="door">
    <div class="title"><img src="/seat/static/icon.svg" alt="" /><h1>Perudo</h1></div>
    ${whose ? html`<h2>${whose}</h2>` : nothing}
    ${seats?.mine ? html`${told ? html`<p role="alert">${told}</p>` : nothing}${seats.view()}` : enterForm(told, name)}
  </main>`;
}

function enterForm(told, name) {
  const typed = () => code || field().value.trim().toUpperCase();
  return html`<p class="soft">${t("about")}</p>
    ${mayOpen && !code && !scannedLetters() ? html`<p class="tv-first">📺 ${t("tv_open")} <a class="address" href="/tv">${location.host}/tv</a><br />${t("tv_scan")}</p>` : nothing}
    <form @submit=${enter}>
      <label>${t("your_name")}<input name="name" autocomplete="nickname" maxlength="32" required .value=${name ?? ""} /></label>
      ${animals(kept("face", ""))}
      ${mayOpen && !code
        ? html`<button class="primary" @click=${() => { pressed = "open"; }}>${t("open_table")}</button>
            <p class="or">${scannedLetters() ? t("tv_waits") : t("or_join")}</p>`
        : nothing}
      ${code
        ? nothing
        : html`<label>${t("table_code")}<input name="code" autocapitalize="characters" autocomplete="off" maxlength="8" ?required=${!mayOpen} /></label>`}
      <button class=${mayOpen && !code ? "" : "primary"} @click=${() => { pressed = "join"; }}>${t("come_in")}</button>
      ${told ? html`<p class="trouble" role="alert">${told}</p>` : nothing}
    </form>
    ${seats?.view() ?? html`<button @click=${() => sitBack(typed())}>${t("seat_back")}</button>`}
    ${code || mayOpen ? nothing : html`<p class="links"><a href="/tv">${t("television")}</a></p>`}`;
}

async function who() {
  try {
    const table = code && key() ? ask("door", { code, key: key() }).catch(() => null) : null;
    const [me] = await Promise.all([ask("me").catch((error) => error), loadWords(navigator.language), loaded]);
    whose = (await table)?.title ?? "";
    if (me instanceof Error) throw me;
    await arrive(me);
  } catch (error) {
    await arrive(null, error);
  }
}

addEventListener("hashchange", () => page.state || who());
who();
document.documentElement.dataset.begun = "";
