/** A dialog for every act of the sandbox: its fields are drawn from the table that the control API serves. */

import * as api from "./api.js";
import { h } from "./dom.js";

const PEOPLE = ["from", "user_id", "forwarded_from"];
const CHATS = ["chat_id", "to_chat_id", "into_chat_id"];
const MESSAGES = ["message_id", "reply_to"];
const LONGEST = 60;

/** Let the person at the keyboard choose an act, fill in its fields, and see what came of it. */
export async function openActs(store) {
  const acts = await api.acts();
  const which = h("select", { "aria-label": "Act", onchange: () => draw() }, Object.keys(acts).map((name) => choice(name, name.replaceAll("_", " "))));
  const about = h("p", { class: "act-about" });
  const fields = h("div", { class: "act-fields" });
  const outcome = h("pre", { class: "act-outcome", role: "status", hidden: true });
  let inputs = new Map();

  function draw() {
    const { about: words, fields: schema } = acts[which.value];
    const needed = schema.required ?? [];
    about.textContent = words;
    inputs = new Map(Object.entries(schema.properties ?? {}).map(([name, wanted]) => [name, field(name, resolved(wanted, schema), needed.includes(name))]));
    fields.replaceChildren(
      ...[...inputs].map(([name, input]) => h("label", {}, h("span", {}, needed.includes(name) ? name : `${name} (may be empty)`), input.node)),
    );
    for (const [name, { node }] of inputs) node.setAttribute("aria-label", name);
    if (inputs.has("chat_id")) inputs.get("chat_id").node.addEventListener("change", showMessages);
    showMessages();
    outcome.hidden = true;
  }

  function showMessages() {
    const needs = acts[which.value].fields.required ?? [];
    const chat = Number(inputs.get("chat_id")?.node.value || inputs.get("from")?.node.value);
    const shown = store.messagesOf(chat).filter((message) => message.message_id).reverse();
    for (const name of MESSAGES) {
      inputs.get(name)?.node.replaceChildren(
        ...(needs.includes(name) ? [] : [choice("", "")]),
        ...shown.map((message) => choice(message.message_id, `${message.from.name}: ${message.text ?? message.caption ?? message.service ?? "…"}`.slice(0, LONGEST))),
      );
    }
  }

  function field(name, wanted, needed) {
    if (PEOPLE.includes(name)) return select(store.people.map(({ id, name: label }) => [id, label]), Number, needed);
    if (CHATS.includes(name)) return select(store.chats.map(({ id, title, type }) => [id, type === "private" ? `${title}, private` : title]), Number, needed);
    if (MESSAGES.includes(name)) return select([], Number);
    if (wanted.enum) return select(wanted.enum.map((one) => [one, one]), String, needed, wanted.default);
    if (wanted.type === "boolean") return select([["true", "yes"], ["false", "no"]], (value) => value === "true", needed, wanted.default);
    if (name === "members") {
      const node = h("select", { multiple: true }, store.people.map(({ id, name: label }) => choice(id, label)));
      return { node, value: () => [...node.selectedOptions].map((option) => Number(option.value)) };
    }
    if (name === "file") {
      const node = h("input", { type: "file" });
      return { node, value: () => node.files[0] };
    }
    if (wanted.type === "array") return typed(h("textarea", { rows: 3, placeholder: "one in each line" }), (text) => text.split("\n"), []);
    if (wanted.type === "string") return typed(h("input", { value: wanted.default }), String);
    return typed(h("input", { value: wanted.default && JSON.stringify(wanted.default) }), JSON.parse);
  }

  async function perform(event) {
    event.preventDefault();
    const { address, in_path: places } = acts[which.value];
    try {
      const given = Object.fromEntries([...inputs].map(([name, input]) => [name, input.value()]).filter(([, value]) => value !== undefined));
      outcome.textContent = JSON.stringify(await api.perform(address, places, given), null, 1);
    } catch (error) {
      outcome.textContent = error.message;
    }
    outcome.hidden = false;
  }

  const form = h(
    "form",
    { class: "confirm-form", onsubmit: perform },
    h("h2", {}, "All acts"),
    which,
    about,
    fields,
    outcome,
    h(
      "div",
      { class: "confirm-buttons" },
      h("button", { type: "button", class: "button", onclick: () => dialog.remove() }, "Close"),
      h("button", { type: "submit", class: "button primary" }, "Do it"),
    ),
  );
  const dialog = h("dialog", { class: "confirm acts", "aria-label": "All acts", onclose: () => dialog.remove() }, form);
  draw();
  document.body.append(dialog);
  dialog.showModal();
}

const choice = (value, label) => h("option", { value }, String(label));

/** A field with a choice, of which one is chosen from the start where it is `needed`. */
function select(options, read, needed = false, usual = undefined) {
  const node = h("select", {}, needed || choice("", ""), options.map(([value, label]) => choice(value, label)));
  if (usual !== undefined && usual !== null) node.value = String(usual);
  return typed(node, read);
}

function typed(node, read, empty) {
  return { node, value: () => (node.value === "" ? empty : read(node.value)) };
}

/** The schema of a field that may be null, or is defined elsewhere. */
function resolved(wanted, schema) {
  const one = wanted.anyOf?.find(({ type }) => type !== "null") ?? wanted;
  const found = one.$ref ? schema.$defs[one.$ref.split("/").at(-1)] : one;
  return { ...found, default: wanted.default };
}
