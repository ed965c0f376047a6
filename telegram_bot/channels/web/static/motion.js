/** Shaking the phone: one way to lift the cup, and what a lucky word is made of. Every shake has a button beside it. */

import { hear, tell } from "./telegram.js";

const HARD = 15;
const SHAKES = 3;
const PAUSE_MS = 900;

/**
 * Listen for shakes. In Telegram its accelerometer speaks, elsewhere the browser's, which iOS allows only in a tap.
 *
 * `onShake` gets the samples of a shake. Returns how to stop, or null where the device or the person says no.
 */
export async function listenForShakes(onShake, telegram) {
  let samples = [];
  let last = null;
  let hits = 0;
  let hitAt = 0;
  const sample = (x, y, z) => {
    const now = Date.now();
    samples = [...samples.slice(-127), x, y, z, now];
    const jerk = last ? Math.hypot(x - last[0], y - last[1], z - last[2]) : 0;
    last = [x, y, z];
    if (now - hitAt > PAUSE_MS) hits = 0;
    if (jerk < HARD || now - hitAt < 60) return;
    hits += 1;
    hitAt = now;
    if (hits === SHAKES) onShake(samples);
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
  if (DeviceMotionEvent.requestPermission) {
    const said = await DeviceMotionEvent.requestPermission().catch(() => "denied");
    if (said !== "granted") return null;
  }
  const moved = ({ accelerationIncludingGravity: a }) => a && a.x !== null && sample(a.x, a.y, a.z);
  addEventListener("devicemotion", moved);
  return () => removeEventListener("devicemotion", moved);
}

/** A word that can be said in any language, from the samples of a shake and from chance. */
export function luckyWord(samples = []) {
  const chance = crypto.getRandomValues(new Uint32Array(4));
  let mixed = 2166136261;
  for (const value of [...samples, ...chance]) {
    mixed = Math.imul(mixed ^ Math.round(value * 4096), 16777619) >>> 0;
  }
  let word = "";
  for (let i = 0; i < 4; i += 1) {
    mixed = Math.imul(mixed ^ chance[i], 2654435761) >>> 0;
    word += "bdfglmnprstvz"[(mixed >>> 8) % 13] + "aeiou"[(mixed >>> 20) % 5];
  }
  return word;
}
