/** Shaking the phone: one way to lift the cup. Every shake has a button as well. */

import { hear, tell } from "./telegram.js";

const HARD = 15;
const SHAKES = 3;
const PAUSE_MS = 900;

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
  if (DeviceMotionEvent.requestPermission) {
    const said = await DeviceMotionEvent.requestPermission().catch(() => "denied");
    if (said !== "granted") return null;
  }
  const moved = ({ accelerationIncludingGravity: a }) => a && a.x !== null && sample(a.x, a.y, a.z);
  addEventListener("devicemotion", moved);
  return () => removeEventListener("devicemotion", moved);
}
