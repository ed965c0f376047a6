/** The voice of the television: a character comments on what everybody sees, in the page's language. */

import { icon } from "./parts.js";
import { keep, kept, soundOn } from "./sound.js";
import { html, nothing } from "./vendor/lit-html.js";
import { keys, t } from "./words.js";

const CHARACTERS = ["dry", "grand", "cheeky"];

/** The browser's voice for the page's language, if it has one. */
function voice() {
  const language = document.documentElement.lang;
  return globalThis.speechSynthesis?.getVoices().find(({ lang }) => lang.startsWith(language));
}

const isOn = () => kept("voice") !== "off";
const character = () => kept("character", CHARACTERS[0]);

/** Say a phrase for a moment; `number` chooses among several. */
export function say(moment, number, values) {
  const phrases = keys(`voice_${character()}_${moment}_`);
  speak(t(phrases[number % phrases.length], values));
}

/** Say a sentence, if sound and voice are on. */
export function speak(text) {
  const spoken = voice();
  if (!spoken || !isOn() || !soundOn()) return;
  const said = new SpeechSynthesisUtterance(text);
  Object.assign(said, { voice: spoken, lang: spoken.lang });
  hush();
  speechSynthesis.speak(said);
}

export function hush() {
  globalThis.speechSynthesis?.cancel();
}

/** The key that turns the voice off and on, and the choice of its character; nothing where there is no voice or no sound. */
export function voiceChoice(redraw) {
  if (!voice() || !soundOn()) return nothing;
  const change = (name, value) => {
    keep(name, value);
    if (!isOn()) hush();
    redraw();
  };
  return html`${isOn()
      ? html`<select aria-label=${t("voice_character")} @change=${({ target }) => change("character", target.value)}>
          ${CHARACTERS.map((each) => html`<option value=${each} ?selected=${each === character()}>${t(`voice_${each}`)}</option>`)}
        </select>`
      : nothing}
    <button class="plain" aria-pressed=${isOn() ? "true" : "false"} aria-label=${t("voice")} @click=${() => change("voice", isOn() ? "off" : "on")}>
      ${icon("M4 5h16v11h-9l-4 4v-4H4z", isOn() ? "M8 9h8M8 12h5" : "M9 8l6 5M15 8l-6 5")}
    </button>`;
}
