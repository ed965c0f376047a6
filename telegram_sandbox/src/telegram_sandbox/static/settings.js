/** The page's own buttons: add a person, settings, start over. */

import * as api from "./api.js";
import { h, icon } from "./dom.js";
import { menuButton, menuItem, menuRule, menuSwitch } from "./menu.js";
import { confirm } from "./notices.js";

const NAMES = ["Ana", "Bruno", "Clara", "Diego", "Elena", "Felipe", "Gala", "Hugo", "Inés", "Julia", "Kiko", "Luz"];

export function buildActions(app, node) {
  const { store, board } = app;
  const run = (promise) => promise.catch((error) => board.fail(error));

  async function addPerson() {
    const taken = new Set(store.people.map(({ name }) => name));
    const name = NAMES.find((one) => !taken.has(one)) ?? `Guest ${store.people.length + 1}`;
    const { id } = await api.addPerson(name);
    app.expect(id);
  }

  async function addPhone() {
    const taken = new Set([...store.people, ...store.sms.phones].map(({ name }) => name));
    const name = NAMES.find((one) => !taken.has(one)) ?? `Phone ${store.sms.phones.length + 1}`;
    const { id } = await api.addPhone(name);
    app.expect(id);
  }

  async function startOver() {
    const sure = await confirm({ title: "Start over?", text: "All messages go away.", yes: "Start over" });
    if (sure) run(api.reset());
  }

  async function setFloodLimits(enabled) {
    await api.setFloodLimits(enabled);
    store.setFloodLimits(enabled);
  }

  const groupItems = (group, close) => {
    const isIn = !["kicked", "left"].includes(group.bot_status);
    return [
      isIn &&
        menuSwitch(`Bot is admin of ${group.title}`, "An admin sees every message.", group.bot_status === "administrator", (on) =>
          run(api.setBotStatus(group.id, on ? "administrator" : "member")),
        ),
      isIn
        ? menuItem(`Remove the bot from ${group.title}`, close, () => run(api.setBotStatus(group.id, "kicked")))
        : menuItem(`Add the bot to ${group.title}`, close, () => run(api.setBotStatus(group.id, "member"))),
    ];
  };

  node.append(
    h(
      "button",
      { type: "button", class: "button add-person", "aria-label": "Add a person", title: "Add a person", onclick: () => run(addPerson()) },
      icon("add"),
      h("span", {}, "Add a person"),
    ),
    menuButton("settings", "Settings", (close) => [
      ...store.groups.flatMap((group) => groupItems(group, close)),
      store.sms.number && menuItem("Add a phone without an app", close, () => run(addPhone())),
      menuRule(),
      menuSwitch("Flood limits", "Refuse a bot that sends too fast.", store.floodLimits, (on) => run(setFloodLimits(on))),
      menuRule(),
      menuItem("Start over", close, startOver, "dangerous"),
    ]),
  );
}
