/** Voice notes: playing and recording. */

import { h, icon } from "./dom.js";
import { drawWaveform, waveformOfFile } from "./waveform.js";

let playing = null;

/** A length as minutes and seconds. */
export function length(seconds) {
  const whole = Math.round(seconds || 0);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A small player with the note's waveform, on which one can choose where to listen; one note plays at a time. */
export function voicePlayer({ url, duration }) {
  const audio = h("audio");
  const place = h("input", { type: "range", min: 0, max: 100, value: 0, "aria-label": "Place in the voice note" });
  const track = h("div", { class: "voice-track" }, place);
  const time = h("span", { class: "voice-time" }, length(duration));
  const button = h("button", { type: "button", class: "voice-button", "aria-label": "Play voice note" }, icon("play"));
  // The whole file is here before it plays, so that one can choose where to listen.
  const loaded = fetch(url)
    .then((answer) => answer.blob())
    .then((file) => {
      audio.src = URL.createObjectURL(file);
      return waveformOfFile(file);
    })
    .then((values) => track.prepend(drawWaveform(values)))
    .catch(() => (time.textContent = "cannot be played"));

  const whole = () => (Number.isFinite(audio.duration) ? audio.duration : duration) || 0;
  const show = (name, label) => {
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", label);
  };
  const moved = () => {
    const part = whole() ? Math.min(audio.currentTime / whole(), 1) : 0;
    place.value = part * 100;
    place.setAttribute("aria-valuetext", `${length(audio.currentTime)} of ${length(whole())}`);
    track.style.setProperty("--played", part);
    time.textContent = length(audio.currentTime || duration);
  };
  button.addEventListener("click", async () => {
    if (!audio.paused) return audio.pause();
    if (playing && playing !== audio) playing.pause();
    await loaded;
    playing = audio;
    return audio.play().catch(() => {});
  });
  place.addEventListener("input", () => {
    audio.currentTime = (place.value / 100) * whole();
    moved();
  });
  audio.addEventListener("play", () => show("pause", "Pause voice note"));
  audio.addEventListener("pause", () => show("play", "Play voice note"));
  audio.addEventListener("error", () => {
    show("play", "Play voice note");
    time.textContent = "cannot be played";
  });
  audio.addEventListener("ended", () => {
    audio.currentTime = 0;
    moved();
  });
  audio.addEventListener("timeupdate", moved);
  moved();
  return h("div", { class: "voice" }, button, track, time, audio);
}

export const canRecord = () => Boolean(navigator.mediaDevices?.getUserMedia && globalThis.MediaRecorder);

/** Whether the browser records what Telegram's apps do; the server makes it from anything else. */
export const recordsOgg = () => MediaRecorder.isTypeSupported("audio/ogg;codecs=opus");

const KINDS = { "audio/ogg": "voice.ogg", "audio/webm": "voice.webm", "audio/mp4": "voice.m4a" };

/**
 * Start recording. `stop()` gives the recorded file and its length in seconds, `cancel()` throws it away, and
 * `seconds()` gives the length so far. Telegram's apps record OGG; from other containers the server makes it.
 */
export async function record() {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const type = Object.keys(KINDS).map((kind) => `${kind};codecs=opus`).find((one) => MediaRecorder.isTypeSupported(one));
  const recorder = new MediaRecorder(stream, { ...(type ? { mimeType: type } : {}), audioBitsPerSecond: 24000 });
  const pieces = [];
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  recorder.addEventListener("dataavailable", ({ data }) => pieces.push(data));
  recorder.start();
  const end = () =>
    new Promise((resolve) => {
      recorder.addEventListener("stop", () => {
        for (const track of stream.getTracks()) track.stop();
        resolve();
      });
      recorder.stop();
    });
  return {
    seconds,
    cancel: end,
    stop: async () => {
      const duration = Math.max(1, Math.round(seconds()));
      await end();
      const kind = recorder.mimeType.split(";")[0];
      return { file: new File(pieces, KINDS[kind] ?? "voice", { type: kind }), duration };
    },
  };
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
