/** How loud a voice note is from its beginning to its end, as Telegram draws it. */

const VALUES = 100;
const LOUDEST = 31;
const BARS = 50;
const RATE = 16000;
const HEIGHT = 24;
const SVG = "http://www.w3.org/2000/svg";

/** Telegram's waveform of a sound: 100 values of 5 bits, the loudest of which is 31. */
export function waveformOf(samples) {
  const values = Array.from({ length: VALUES }, (_, at) => {
    const end = Math.floor(((at + 1) * samples.length) / VALUES);
    let peak = 0;
    for (let i = Math.floor((at * samples.length) / VALUES); i < end; i++) peak = Math.max(peak, Math.abs(samples[i]));
    return peak;
  });
  const most = Math.max(...values);
  return values.map((value) => (most > 0.001 ? Math.round((value / most) * LOUDEST) : 0));
}

/** The waveform of a file; silence where the browser cannot decode it. */
export async function waveformOfFile(file) {
  try {
    const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await file.arrayBuffer());
    return waveformOf(sound.getChannelData(0));
  } catch {
    return new Array(VALUES).fill(0);
  }
}

/** The bars of a waveform, as one line for each; decorative, because the player says where it is. */
export function drawWaveform(values) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${BARS} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "waveform");
  const each = values.length / BARS;
  const bars = Array.from({ length: BARS }, (_, at) => {
    const loudness = Math.max(...values.slice(Math.floor(at * each), Math.ceil((at + 1) * each)));
    const half = 1 + (loudness / LOUDEST) * (HEIGHT / 2 - 1.5);
    return `M${at + 0.5} ${(HEIGHT / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
  });
  for (const name of ["waveform-whole", "waveform-played"]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", bars.join(""));
    svg.append(path);
  }
  return svg;
}
