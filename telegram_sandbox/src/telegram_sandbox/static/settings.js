/** The page's own buttons: add a person, settings, start over. */

import { openActs } from "./acts.js";
import * as api from "./api.js";
import { h, icon } from "./dom.js";
import { menuButton, menuItem, menuRule, menuSwitch } from "./menu.js";
import { askName, confirm } from "./notices.js";

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

  async function addGroup() {
    const title = await askName({ title: "Add a group", label: "The group's name", value: newTitle(), yes: "Add" });
    if (!title) return;
    const { id } = await api.addGroup(title, store.people.map((person) => person.id));
    app.expectGroup(id);
  }

  function newTitle() {
    const taken = new Set(store.groups.map((group) => group.title));
    let number = 2;
    while (taken.has(`Group ${number}`)) number += 1;
    return `Group ${number}`;
  }

  async function startOver() {
    const sure = await confirm({ title: "Start over?", text: "All messages, groups and people whom you added go away.", yes: "Start over" });
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
      menuItem("Add a group", close, () => run(addGroup())),
      ...app.settings.map(([label, act]) => menuItem(label, close, () => run(act()))),
      menuRule(),
      menuSwitch("Inline mode", `Typing @${store.bot.username} asks the bot.`, store.bot.inline.enabled, (on) =>
        run(api.setInlineMode(on)),
      ),
      menuSwitch("Flood limits", "Refuse a bot that sends too fast.", store.floodLimits, (on) => run(setFloodLimits(on))),
      menuRule(),
      menuItem("All acts…", close, () => run(openActs(store))),
      menuItem("Start over", close, startOver, "dangerous"),
    ]),
  );
}
