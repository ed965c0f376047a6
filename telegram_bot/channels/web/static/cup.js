/** My dice and the cup over them: tap or swipe it up, hold it, press a key, or shake the phone. */

import { cube } from "./parts.js";
import { play } from "./sound.js";
import { hear, tell } from "./telegram.js";
import { html, nothing } from "./vendor/lit-html.js";
import { t } from "./words.js";

const HOLD_MS = 350;
const SWIPE = 40;

/** My dice. */
export const diceOf = (dice) => html`<div class="mydice n${dice.length}">${dice.map(cube)}</div>`;

export class Cup {
  /** `lifted(hand)`: my dice are seen for the first time. */
  constructor(redraw, lifted, haptic) {
    this.redraw = redraw;
    this.lifted = lifted;
    this.haptic = haptic;
    this.deal = null;
    this.up = false;
    /** How often it was lifted in this round. */
    this.lifts = 0;
    this.drag = null;
  }

  /** New dice: the cup is shaken and closed. */
  dealt(hand, live) {
    const deal = hand ? `${hand.table}:${hand.deal}:${hand.dice}` : null;
    if (deal === this.deal) return;
    this.deal = deal;
    this.lifts = 0;
    this.up = false;
    this.rolling = Boolean(deal) && live;
    if (!this.rolling) return;
    play("rattle");
    setTimeout(() => {
      this.rolling = false;
      this.redraw();
    }, 900);
  }

  set(up) {
    if (up === this.up) return;
    this.up = up;
    this.rolling = false;
    play("cup");
    this.haptic("thump");
    if (up) {
      this.lifts = Math.min(50, this.lifts + 1);
      this.lifted();
    }
    this.redraw();
  }

  press(event) {
    if (event.button) return;
    const cup = event.currentTarget;
    const drag = { from: event.clientY, was: this.up, held: false, moved: 0 };
    this.drag = drag;
    cup.setPointerCapture(event.pointerId);
    const timer = setTimeout(() => {
      if (drag.was || drag.moved > 8) return;
      drag.held = true;
      this.set(true);
    }, HOLD_MS);
    const move = ({ clientY }) => {
      drag.moved = drag.from - clientY;
      if (!drag.was && !drag.held) cup.style.setProperty("--pull", `${Math.max(0, Math.min(80, drag.moved))}px`);
      if (!drag.was && drag.moved > SWIPE) this.set(true);
      if (drag.was && drag.moved < -SWIPE) this.set(false);
    };
    const end = () => {
      clearTimeout(timer);
      cup.style.removeProperty("--pull");
      cup.removeEventListener("pointermove", move);
      if (drag.held && Math.abs(drag.moved) < SWIPE) this.set(false);
      // A click follows a tap; the click at the end of a swipe or a hold does not count.
      drag.done = drag.held || Math.abs(drag.moved) > 8;
    };
    cup.addEventListener("pointermove", move);
    cup.addEventListener("pointerup", end, { once: true });
    cup.addEventListener("pointercancel", end, { once: true });
  }

  click() {
    const swiped = this.drag?.done;
    this.drag = null;
    if (!swiped) this.set(!this.up);
  }

  view(hand) {
    if (!hand) return nothing;
    return html`<section class="tray ${this.up ? "up" : ""} ${this.rolling ? "rolling" : ""}" aria-label=${t("my_dice")}>
      ${this.up ? diceOf(hand.dice) : nothing}
      <button
        type="button"
        class="cup"
        aria-pressed=${this.up ? "true" : "false"}
        aria-label=${this.up ? t("cover") : t("lift")}
        @pointerdown=${(event) => this.press(event)}
        @click=${() => this.click()}
      >
        <span class="leather" aria-hidden="true"></span>
      </button>
      <p class="tip" aria-hidden="true">${this.up ? "" : t("lift_tip")}</p>
    </section>`;
  }
}

/* Shaking the phone: one way to lift the cup. Every shake has a button as well. */

const HARD = 15;
const SHAKES = 3;
const PAUSE_MS = 900;

/** On iOS: the question whether the page may feel shakes, which only a tap may ask. @returns {(() => Promise<string>) | undefined} */
export const asksForShakes = () => globalThis.DeviceMotionEvent?.["requestPermission"]?.bind(DeviceMotionEvent);

/**
 * Listen for shakes: in Telegram by the app's accelerometer, else by the browser's, which iOS allows only in a tap.
 *
 * Returns a function that stops listening, or null where the device or the person refuses.
 */
export async function listenForShakes(onShake, telegram) {
  let last = null;
  let hits = 0;
  let hitAt = 0;
  const sample = (x, y, z) => {
    const now = Date.now();
    const jerk = last ? Math.hypot(x - last[0], y - last[1], z - last[2]) : 0;
    last = [x, y, z];
    if (now - hitAt > PAUSE_MS) hits = 0;
    if (jerk < HARD || now - hitAt < 60) return;
    hits += 1;
    hitAt = now;
    if (hits === SHAKES) onShake();
  };
  if (telegram) {
    if (!telegram.accelerometer) return null;
    const deaf = hear("accelerometer_changed", ({ x, y, z }) => sample(x, y, z));
    tell("web_app_start_accelerometer", { refresh_rate: 60 });
    return () => {
      deaf();
      tell("web_app_stop_accelerometer");
    };
  }
  if (typeof DeviceMotionEvent === "undefined") return null;
  const asks = asksForShakes();
  if (asks) {
    const said = await asks().catch(() => "denied");
    if (said !== "granted") return null;
  }
  const moved = ({ accelerationIncludingGravity: a }) => a && a.x !== null && sample(a.x, a.y, a.z);
  addEventListener("devicemotion", moved);
  return () => removeEventListener("devicemotion", moved);
}
