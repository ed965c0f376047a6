/** Voice notes: playing and recording. */

import { h, icon } from "./dom.js";

let playing = null;

function length(seconds) {
  const whole = Math.round(seconds || 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A small player; only one voice note plays at a time. */
export function voicePlayer({ url, duration }) {
  const audio = h("audio", { src: url, preload: "none" });
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Played so far" });
  const time = h("span", { class: "voice-time" }, length(duration));
  const button = h("button", { type: "button", class: "voice-button", "aria-label": "Play voice note" }, icon("play"));

  const show = (name, label) => {
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", label);
  };
  button.addEventListener("click", () => {
    if (!audio.paused) return audio.pause();
    if (playing && playing !== audio) playing.pause();
    playing = audio;
    return audio.play().catch(() => {});
  });
  audio.addEventListener("play", () => show("pause", "Pause voice note"));
  audio.addEventListener("pause", () => show("play", "Play voice note"));
  audio.addEventListener("error", () => {
    show("play", "Play voice note");
    time.textContent = "cannot be played";
  });
  audio.addEventListener("ended", () => (bar.value = 0));
  audio.addEventListener("timeupdate", () => {
    const whole = Number.isFinite(audio.duration) ? audio.duration : duration;
    if (whole) bar.value = Math.min(audio.currentTime / whole, 1);
    time.textContent = length(audio.currentTime || duration);
  });
  return h("div", { class: "voice" }, button, bar, time, audio);
}

export const canRecord = () => Boolean(navigator.mediaDevices?.getUserMedia && globalThis.MediaRecorder);

/** Start recording; resolves to `stop()`, which gives the recorded file and its length in seconds. */
export async function record() {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const type = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus"].find((one) => MediaRecorder.isTypeSupported(one));
  const recorder = new MediaRecorder(stream, type ? { mimeType: type } : {});
  const pieces = [];
  const began = performance.now();
  recorder.addEventListener("dataavailable", ({ data }) => pieces.push(data));
  recorder.start();
  return () =>
    new Promise((resolve) => {
      recorder.addEventListener("stop", () => {
        for (const track of stream.getTracks()) track.stop();
        const kind = recorder.mimeType.split(";")[0];
        const file = new File(pieces, kind === "audio/ogg" ? "voice.ogg" : "voice.webm", { type: kind });
        resolve({ file, duration: Math.max(1, Math.round((performance.now() - began) / 1000)) });
      });
      recorder.stop();
    });
}

/** The length in seconds of a sound file the browser can read; 1 when it cannot. */
export function durationOf(file) {
  const url = URL.createObjectURL(file);
  return new Promise((resolve) => {
    const audio = new Audio();
    const done = (seconds) => {
      URL.revokeObjectURL(url);
      resolve(Number.isFinite(seconds) ? Math.max(1, Math.round(seconds)) : 1);
    };
    audio.addEventListener("loadedmetadata", () => done(audio.duration));
    audio.addEventListener("error", () => done(1));
    audio.src = url;
  });
}
