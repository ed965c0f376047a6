/** The strip at the bottom: every call the bot makes, and whether the schema accepted it. */

import { clock, h, icon } from "./dom.js";

export class CallsStrip {
  #store;
  #rows = h("tbody", {});
  #summary = h("span", { class: "calls-summary" });
  #light = h("span", { class: "light", "aria-hidden": "true" });
  #drawer;
  #onlyProblems = false;
  #list;
  #details = h("div", { class: "call-details", role: "region", "aria-label": "Details of the call" });
  #chosen = null;

  constructor(store, node) {
    this.#store = store;
    const toggle = h(
      "button",
      { type: "button", class: "calls-toggle", "aria-expanded": "false", "aria-controls": "calls-drawer" },
      this.#light,
      this.#summary,
      icon("chevron"),
    );
    toggle.addEventListener("click", () => {
      this.#drawer.hidden = !this.#drawer.hidden;
      toggle.setAttribute("aria-expanded", String(!this.#drawer.hidden));
      this.#show();
    });
    const filter = h("input", { type: "checkbox" });
    filter.addEventListener("change", () => {
      this.#onlyProblems = filter.checked;
      this.#show();
    });
    const heads = ["Time", "Method", "Chat", "Took", "Answer", "Schema"];
    this.#list = h(
      "div",
      { class: "calls-list" },
      h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), this.#rows),
    );
    this.#drawer = h(
      "div",
      { class: "calls-drawer", id: "calls-drawer", hidden: true },
      h("label", { class: "calls-filter" }, filter, "Only problems"),
      h("div", { class: "calls-columns" }, this.#list, this.#details),
    );
    node.append(toggle, this.#drawer);
    store.on("loaded", () => this.#show());
    store.on("calls", ({ call }) => this.#add(call));
    this.#show();
  }

  #show() {
    this.#summarise();
    if (this.#drawer.hidden) return;
    this.#rows.replaceChildren(...this.#store.calls.filter((call) => this.#fits(call)).map((call) => this.#row(call)).reverse());
    this.#detail(this.#store.calls.find(({ n }) => n === this.#chosen) ?? null);
  }

  #add(call) {
    this.#summarise();
    if (!this.#drawer.hidden && this.#fits(call)) this.#rows.prepend(this.#row(call));
  }

  #fits(call) {
    return !this.#onlyProblems || !call.ok || !call.schema_ok;
  }

  #summarise() {
    const { calls, misformedCalls: misformed } = this.#store;
    const total = calls.at(-1)?.n ?? 0;
    const refused = calls.filter((call) => !call.ok);
    const judged = this.#store.judgesSchema ? ", all accepted by the schema" : "";
    const schema = misformed === 0 ? judged : `, ${misformed} not accepted by the schema`;
    const answers = refused.length === 0 ? "" : `, ${refused.length} refused, last ${refused.at(-1).method}: ${refusal(refused.at(-1))}`;
    this.#summary.textContent =
      total === 0 ? "Bot calls: none yet" : `Bot calls: ${Math.max(total, calls.length)}${schema}${answers}`;
    this.#light.className = `light ${total === 0 ? "" : misformed ? "bad" : refused.length ? "odd" : "good"}`;
  }

  #row(call) {
    const open = h("button", { type: "button", class: "call-method", onclick: () => this.#choose(call) }, call.method);
    return h(
      "tr",
      { class: call.n === this.#chosen ? "chosen" : "", "data-call": call.n, onclick: () => this.#choose(call) },
      h("td", {}, clock(call.time, true)),
      h("td", {}, open),
      h("td", {}, this.#chatName(call.params?.chat_id)),
      h("td", { class: "number" }, `${Math.round(call.ms)} ms`),
      h("td", { class: call.ok ? "good" : "bad" }, call.ok ? "ok" : `✗ refused: ${refusal(call)}`),
      h("td", { class: call.schema_ok ? "good" : "bad", "aria-label": call.schema_ok ? "accepted" : "not accepted" }, call.schema_ok ? "✓" : "✗"),
    );
  }

  #chatName(id) {
    if (id === undefined || id === null) return "–";
    return this.#store.person(Number(id))?.name ?? this.#store.chat(Number(id))?.title ?? String(id);
  }

  #choose(call) {
    this.#chosen = call.n;
    for (const row of this.#rows.children) row.classList.toggle("chosen", Number(row.dataset.call) === call.n);
    this.#detail(call);
  }

  #detail(call) {
    this.#details.classList.toggle("empty", !call);
    if (!call) {
      this.#details.replaceChildren(h("p", { class: "faint" }, "Choose a call to see what was sent."));
      return;
    }
    this.#details.replaceChildren(
      ...[
        h("h3", {}, call.method),
        call.error && h("p", { class: "bad" }, `Refused: ${refusal(call)}`),
        call.schema_error && h("p", { class: "bad" }, call.schema_error),
        call.by_webhook && h("p", { class: "faint" }, "By the webhook's answer: the bot does not learn the result"),
        call.ignored?.length > 0 && h("p", { class: "faint" }, `Without effect here: ${call.ignored.join(", ")}`),
        h("pre", { tabindex: "0" }, JSON.stringify(call.params, null, 2)),
      ].filter(Boolean),
    );
  }
}

/** The answer that the bot got instead of a result, as Telegram writes it. */
function refusal({ error_code: code, error }) {
  return `${code} ${error}`;
}
