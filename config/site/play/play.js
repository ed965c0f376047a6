/** The first page of the site: the bot's own page of a seat, at a table in this browser. */

import { features } from "./features.js";
import { goOn, open } from "./net.js";
import { SeatPage } from "./seat_page.js";
import { html } from "./vendor/lit-html.js";
import { loadWords, t } from "./words.js";

const again = () => page.act({ act: "again" });
features.push({ outView: ({ room }) => room.role === "you_are_out" && html`<button class="primary" @click=${again}>${t("again")}</button>` });

const page = new SeatPage({ enter() {} });
const intro = document.getElementById("intro");
const key = document.getElementById("play");
const ready = Promise.all([open(), loadWords("en")]);
ready.catch(() => (document.getElementById("unstarted").hidden = false));

key.addEventListener("click", async () => {
  intro.dataset.waits = "";
  await ready;
  intro.remove();
  await page.begin({ state: "in", title: "Perudo", linked: true, tables: [] });
  goOn(() => page.room.show || document.hidden);
});
key.disabled = false;
