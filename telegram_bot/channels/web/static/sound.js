/** Sounds, all made by WebAudio, without files. Silent until a tap on the switch, which browsers require too. */

const KEPT = "sound";
let context = null;
let noise = null;
let pressed = false;

export function kept(name, fallback = null) {
  try {
    return localStorage.getItem(`perudo-${name}`) ?? fallback;
  } catch {
    return fallback;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`perudo-${name}`, value);
  } catch {
    // A private window stores no setting.
  }
}

let on = kept(KEPT) === "on";

export function soundOn() {
  return on;
}

export function switchSound(value) {
  on = value;
  keep(KEPT, value ? "on" : "off");
  if (on) play("turn");
}

/** A browser lets sound begin only in a tap; if sound was on at the last visit, it begins with the first tap. */
for (const press of ["pointerdown", "pointerup", "touchend", "click", "keydown"]) addEventListener(press, () => (pressed = true) && on && ready(), { passive: true });

/** Whether the browser keeps the page silent although sound is on: it was loaded again, and nobody has pressed a key or tapped since. */
export function isHeldBack() {
  return on && !pressed && context?.state !== "running";
}

function ready() {
  const Context = globalThis.AudioContext ?? globalThis.webkitAudioContext; // Safari before 14.1
  if (!context && Context) context = new Context();
  if (!context) return false;
  // "suspended" before the first tap; on an iPhone also "interrupted", after a call.
  if (context.state !== "running") context.resume();
  if (!noise) {
    noise = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
    const samples = noise.getChannelData(0);
    for (let i = 0; i < samples.length; i += 1) samples[i] = Math.random() * 2 - 1;
  }
  return true;
}

export function burst(at, frequency, seconds, volume) {
  const source = context.createBufferSource();
  const filter = context.createBiquadFilter();
  source.buffer = noise;
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  filter.Q.value = 1.6;
  source.connect(filter).connect(fading(at, seconds, volume));
  source.start(at, Math.random() * 0.3, seconds);
}

export function tone(at, frequency, seconds, volume, type = "triangle", to = frequency) {
  const source = context.createOscillator();
  source.type = type;
  source.frequency.setValueAtTime(frequency, at);
  source.frequency.exponentialRampToValueAtTime(to, at + seconds);
  source.connect(fading(at, seconds, volume));
  source.start(at);
  source.stop(at + seconds);
}

function fading(at, seconds, volume) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  gain.connect(context.destination);
  return gain;
}

/** The sounds by name, to which a feature's module may add. */
export const SOUNDS = {
  rattle(now) {
    for (let i = 0; i < 11; i += 1) burst(now + i * 0.055 + Math.random() * 0.03, 1800 + Math.random() * 1600, 0.05, 0.35);
  },
  cup(now) {
    tone(now, 150, 0.16, 0.5, "sine", 70);
    burst(now, 500, 0.09, 0.3);
  },
  tick(now) {
    burst(now, 2600, 0.025, 0.16);
  },
  bid(now) {
    burst(now, 900, 0.05, 0.3);
    tone(now, 220, 0.1, 0.2);
  },
  die(now) {
    burst(now, 2100, 0.05, 0.3);
  },
  counts(now) {
    burst(now, 2100, 0.05, 0.25);
    tone(now, 880, 0.16, 0.16);
  },
  call(now) {
    tone(now, 110, 0.35, 0.5, "sawtooth", 82);
    tone(now + 0.14, 110, 0.4, 0.5, "sawtooth", 78);
  },
  drum(now) {
    for (let i = 0; i < 24; i += 1) tone(now + i * 0.058, 96, 0.09, 0.12 + i * 0.014, "sine", 60);
  },
  sting(now) {
    tone(now, 131, 0.5, 0.4, "sawtooth", 98);
    tone(now + 0.2, 196, 0.9, 0.3);
  },
  join(now) {
    tone(now, 392, 0.12, 0.2);
    tone(now + 0.09, 523, 0.2, 0.2);
  },
  turn(now) {
    tone(now, 587, 0.18, 0.2);
    tone(now + 0.13, 784, 0.26, 0.2);
  },
  lost(now) {
    tone(now, 330, 0.3, 0.25, "triangle", 220);
    tone(now + 0.22, 247, 0.5, 0.25, "triangle", 147);
  },
  won(now) {
    [523, 659, 784, 1047].forEach((frequency, i) => tone(now + i * 0.12, frequency, 0.4, 0.2));
  },
};

/** Make a sound, if sound is on. */
export function play(name) {
  if (on && ready()) SOUNDS[name](context.currentTime + 0.01);
}
