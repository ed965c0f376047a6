/** Small helpers to build the page. Text always goes in as text, never as markup. */

/**
 * Build an element.
 *
 * Attributes named `on…` are event listeners; `null`, `undefined` and `false` leave an attribute out.
 * Children are nodes or strings; empty ones are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child || child === 0));
  return element;
}

/** A button that shows only an icon; its label is read aloud and shown as a tooltip. */
export function iconButton(name, label, onclick, className = "icon-button") {
  return h("button", { type: "button", class: className, "aria-label": label, title: label, onclick }, icon(name));
}

const SHAPES = {
  add: ["M12 5v14", "M5 12h14"],
  app: ["M4 5h16v14H4z", "M4 9h16"],
  attach: ["M20 11.5l-8.2 8.2a5 5 0 0 1-7-7l8.6-8.7a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.6a1.7 1.7 0 0 1-2.4-2.4l7.6-7.7"],
  chevron: ["M6 15l6-6 6 6"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  copy: ["M9 9h10v10H9z", "M5 15V5h10"],
  down: ["M6 9l6 6 6-6"],
  eye: ["M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z", "M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z"],
  heart: ["M12 19.5S4 15 4 9.2A4.2 4.2 0 0 1 12 7.4 4.2 4.2 0 0 1 20 9.2C20 15 12 19.5 12 19.5z"],
  link: ["M8 16L17 7", "M9.5 7H17v7.5"],
  mic: ["M12 3.5a3 3 0 0 0-3 3V12a3 3 0 0 0 6 0V6.5a3 3 0 0 0-3-3z", "M5.5 11.5a6.5 6.5 0 0 0 13 0", "M12 18v3"],
  more: ["M12 5v.01", "M12 12v.01", "M12 19v.01"],
  pause: ["M9 6v12", "M15 6v12"],
  pencil: ["M4.5 19.5l1-4L16 5l3 3L8.5 18.5z"],
  pin: ["M9 4h6l-1 6 3 3.5H7l3-3.5z", "M12 13.5V20"],
  play: ["M8 5.5v13l10.5-6.5z"],
  reply: ["M10 7L4.5 12l5.5 5", "M5 12h8.5c3.5 0 6 2 6 6"],
  screen: ["M3 5h18v11H3z", "M8 20h8"],
  seat: ["M7 3v10h10V3", "M7 13v8", "M17 13v8", "M7 9h10"],
  send: ["M4 12L20 4l-4.5 16-4-6.5z", "M11.5 13.5L20 4"],
  settings: ["M4 7h9", "M17 7h3", "M15 5v4", "M4 17h3", "M11 17h9", "M9 15v4"],
  stop: ["M7 7h10v10H7z"],
};

/** A line icon; decorative, so hidden from screen readers. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  for (const shape of SHAPES[name]) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", shape);
    svg.append(path);
  }
  return svg;
}

/** The hour and minute of a moment given in seconds since 1970. */
export function clock(seconds, withSeconds = false) {
  const moment = new Date(seconds * 1000);
  const part = (value) => String(value).padStart(2, "0");
  const short = `${part(moment.getHours())}:${part(moment.getMinutes())}`;
  return withSeconds ? `${short}:${part(moment.getSeconds())}` : short;
}
