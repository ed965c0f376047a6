/** The wheel for quantity and face: it starts at the bid that the server offers and never leaves the legal ones. */

import { die } from "./parts.js";
import { play } from "./sound.js";
import { html } from "./vendor/lit-html.js";
import { t } from "./words.js";

const NOTCH = 26;

/** One bid among the legal ones. */
export class Wheel {
  constructor(changed) {
    this.changed = changed;
    this.key = "";
    this.raises = [];
    this.bid = [0, 0];
  }

  /** Take the legal bids of a turn, and the best one. Until the player turns the wheel, it shows the best one. */
  offer(raises, turn, start) {
    const key = `${turn}:${raises.join(";")}`;
    if (key === this.key && this.turned) return;
    this.turned = false;
    this.key = key;
    this.raises = raises;
    this.bid = raises.find((bid) => String(bid) === String(start)) ?? raises[0] ?? [0, 0];
  }

  get quantities() {
    return [...new Set(this.raises.map(([quantity]) => quantity))].sort((a, b) => a - b);
  }

  /** The legal bid nearest to the shown one with this quantity (`at` 0) or face (`at` 1); null where there is none. */
  nearest(at, value) {
    const off = (raise) => Math.abs(raise[1 - at] - this.bid[1 - at]);
    return this.raises.filter((raise) => raise[at] === value).sort((a, b) => off(a) - off(b))[0] ?? null;
  }

  turn(by) {
    const all = this.quantities;
    const at = all.indexOf(this.bid[0]) + by;
    this.choose(this.nearest(0, all[Math.max(0, Math.min(all.length - 1, at))]));
  }

  choose(bid) {
    if (!bid || String(bid) === String(this.bid)) return;
    this.bid = bid;
    this.turned = true;
    play("tick");
    this.changed();
  }

  keys(event) {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5, Home: -1000, End: 1000 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.turn(by);
  }

  faceKeys(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    for (let face = this.bid[1] + by; face >= 1 && face <= 6; face += by) {
      const bid = this.nearest(1, face);
      if (!bid) continue;
      this.choose(bid);
      event.currentTarget.querySelector(`[value="${face}"]`).focus();
      return;
    }
  }

  /** Dragging the number up or down turns it. */
  drag(event) {
    const target = event.currentTarget;
    let from = event.clientY;
    target.setPointerCapture(event.pointerId);
    const move = ({ clientY }) => {
      const notches = Math.trunc((from - clientY) / NOTCH);
      if (!notches) return;
      from -= notches * NOTCH;
      this.turn(notches);
    };
    target.addEventListener("pointermove", move);
    const end = () => target.removeEventListener("pointermove", move);
    target.addEventListener("pointerup", end, { once: true });
    target.addEventListener("pointercancel", end, { once: true });
  }

  view(disabled) {
    const [quantity, face] = this.bid;
    const all = this.quantities;
    const at = all.indexOf(quantity);
    return html`<div class="wheel">
      <div class="quantity">
        <button type="button" class="step" aria-label=${t("fewer")} ?disabled=${disabled || at <= 0} @click=${() => this.turn(-1)}>−</button>
        <div
          class="drum"
          role="spinbutton"
          tabindex=${disabled ? -1 : 0}
          aria-label=${t("how_many")}
          aria-valuenow=${quantity}
          aria-valuemin=${all[0] ?? 0}
          aria-valuemax=${all[all.length - 1] ?? 0}
          @keydown=${(event) => this.keys(event)}
          @pointerdown=${(event) => this.drag(event)}
        >
          <span class="other" aria-hidden="true">${all[at - 1] ?? ""}</span>
          <b aria-hidden="true">${quantity}</b>
          <span class="other" aria-hidden="true">${all[at + 1] ?? ""}</span>
        </div>
        <button type="button" class="step" aria-label=${t("more")} ?disabled=${disabled || at >= all.length - 1} @click=${() => this.turn(1)}>+</button>
      </div>
      <div class="faces" role="radiogroup" aria-label=${t("which_face")} @keydown=${(event) => this.faceKeys(event)}>
        ${[1, 2, 3, 4, 5, 6].map((each) => {
          const bid = this.nearest(1, each);
          return html`<button
            type="button"
            role="radio"
            value=${each}
            aria-checked=${each === face ? "true" : "false"}
            aria-label=${t(`face_${each}`)}
            tabindex=${each === face ? 0 : -1}
            ?disabled=${disabled || !bid}
            @click=${() => this.choose(bid)}
          >
            ${die(each)}
          </button>`;
        })}
      </div>
    </div>`;
  }
}
