/** The row in which one person writes to one chat. */

import { h, icon, iconButton } from "./dom.js";
import { InlineResults } from "./inline_results.js";
import { canRecord, durationOf, length, record, recordsOgg } from "./voice.js";

const TALLEST_PX = 120;
const KINDS = [["image/", "photo"], ["video/", "video"], ["audio/", "voice"]];

/**
 * The writing row of a chat.
 *
 * `send(text)` and `attach({kind, file, duration})` deliver; both return a promise. `commands()` lists the offers after
 * a "/", `inline` handles text after the bot's name. `label` names the text field, `sendLabel` its button.
 */
export class Composer {
  node;
  #field;
  #action;
  #suggestions;
  #inline;
  #options;
  #recording = null;
  #recorded;
  #ticking = null;

  constructor(options) {
    this.#options = options;
    this.#field = h("textarea", {
      rows: 1,
      placeholder: "Message",
      "aria-label": options.label,
      enterkeyhint: "send",
      autocomplete: "off",
    });
    this.#inline = new InlineResults(this.#field, {
      ...options.inline,
      choose: (queryId, resultId) => this.#chooseResult(queryId, resultId),
    });
    this.#suggestions = h("div", { class: "suggestions", role: "group", "aria-label": "Commands", hidden: true });
    this.#action = h("button", { type: "button", class: "send-button" });
    const file = h("input", { type: "file", hidden: true, "aria-label": "File to send" });
    file.addEventListener("change", () => this.#attach(file));
    const attach = iconButton("attach", "Attach a file", () => file.click());
    this.#recorded = h("span", { class: "recorded", role: "timer" });
    this.node = h(
      "div",
      { class: "composer" },
      this.#suggestions,
      this.#inline.node,
      attach,
      file,
      this.#field,
      h(
        "div",
        { class: "recording-row" },
        h("span", { class: "recording-dot", "aria-hidden": "true" }),
        this.#recorded,
        h("button", { type: "button", class: "recording-cancel", onclick: () => this.#cancelRecording() }, "Cancel"),
      ),
      this.#action,
    );
    this.#field.addEventListener("input", () => this.#changed());
    this.#field.addEventListener("keydown", (event) => this.#key(event));
    this.#action.addEventListener("click", () => this.#act());
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#recording) return;
      event.stopPropagation();
      this.#cancelRecording();
    });
    this.#changed();
  }

  focus() {
    this.#field.focus({ preventScroll: true });
  }

  /** Put a text into the field, as a button of a message may; an inline query is asked at once. */
  fill(text) {
    this.#write(text);
    this.focus();
    this.#field.setSelectionRange(text.length, text.length);
  }

  async #chooseResult(queryId, resultId) {
    const text = this.#field.value;
    this.#write("");
    try {
      await this.#options.inline.choose(queryId, resultId);
    } catch (error) {
      this.#write(text);
      this.#options.onError(error);
    }
  }

  async #submit() {
    const text = this.#field.value.trim();
    if (!text) return;
    this.#write("");
    try {
      await this.#options.send(text);
    } catch (error) {
      this.#write(text);
      this.#options.onError(error);
    }
  }

  async #attach(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    const kind = KINDS.find(([type]) => file.type.startsWith(type))?.[1] ?? "document";
    await this.#deliver({ kind, file, duration: kind === "voice" ? await durationOf(file) : null });
  }

  async #deliver(media) {
    try {
      await this.#options.attach(media);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #act() {
    if (this.#recording) return this.#finishRecording();
    if (this.#field.value.trim() || !canRecord()) {
      this.focus();
      return this.#submit();
    }
    return this.#startRecording();
  }

  async #startRecording() {
    const needs = recordsOgg() ? "" : this.#options.recordingNeeds();
    if (needs) {
      this.#options.onError(new Error(needs));
      return;
    }
    try {
      this.#recording = await record();
    } catch {
      this.#options.onError(new Error("The microphone cannot be used."));
      return;
    }
    this.#tick();
    this.#ticking = setInterval(() => this.#tick(), 500);
    this.#changed();
    this.#action.focus({ preventScroll: true });
  }

  #tick() {
    this.#recorded.textContent = `Recording ${length(Math.floor(this.#recording.seconds()))}`;
  }

  #endRecording() {
    const recording = this.#recording;
    this.#recording = null;
    clearInterval(this.#ticking);
    this.#changed();
    return recording;
  }

  async #finishRecording() {
    await this.#deliver({ kind: "voice", ...(await this.#endRecording().stop()) });
  }

  async #cancelRecording() {
    await this.#endRecording()?.cancel();
    this.focus();
  }

  #write(text) {
    this.#field.value = text;
    this.#changed();
  }

  #changed() {
    this.#field.style.height = "auto";
    if (this.#field.scrollHeight) this.#field.style.height = `${Math.min(this.#field.scrollHeight, TALLEST_PX)}px`;
    const recording = this.#recording !== null;
    this.node.classList.toggle("is-recording", recording);
    const idle = !this.#field.value.trim() && canRecord();
    const [name, label] = recording
      ? ["stop", "Stop and send the voice note"]
      : idle
        ? ["mic", "Record a voice note"]
        : ["send", this.#options.sendLabel];
    this.#action.replaceChildren(icon(name));
    this.#action.setAttribute("aria-label", label);
    this.#action.title = label;
    this.#action.classList.toggle("idle", idle && !recording);
    this.#action.classList.toggle("recording", recording);
    this.suggest();
    this.#inline.typed(this.#field.value);
  }

  /** Offer the commands that begin with what is typed. */
  suggest() {
    const typed = /^\/\w*$/.exec(this.#field.value)?.[0].slice(1).toLowerCase();
    const found = typed === undefined ? [] : this.#options.commands().filter(({ command }) => command.startsWith(typed));
    this.#suggestions.replaceChildren(
      ...found.map(({ command, description }) =>
        h(
          "button",
          { type: "button", class: "suggestion", onclick: () => this.#choose(command) },
          h("b", {}, `/${command}`),
          h("span", {}, description),
        ),
      ),
    );
    this.#suggestions.hidden = found.length === 0;
  }

  #choose(command) {
    this.#write(`/${command}`);
    this.#suggestions.hidden = true;
    this.focus();
    this.#submit();
  }

  #key(event) {
    if (event.isComposing || this.#inline.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "Escape") {
      this.#suggestions.hidden = true;
      this.#options.onEscape();
    } else if (event.key === "Tab" && !this.#suggestions.hidden && !event.shiftKey) {
      event.preventDefault();
      this.#write(this.#suggestions.querySelector("b").textContent);
    } else if (event.key === "ArrowUp" && !this.#suggestions.hidden) {
      event.preventDefault();
      [...this.#suggestions.children].at(-1).focus();
    }
  }
}
