/** Draws some characters as pictures, if the sandbox's settings say so; the characters stay in the text. */

import { h } from "./dom.js";

let pictures = new Map();
let runs = null;

/** Take the characters to draw, each with its SVG document. */
export function setGlyphs(glyphs) {
  pictures = new Map(Object.entries(glyphs).map(([character, svg]) => [character, `url("data:image/svg+xml,${encodeURIComponent(svg)}")`]));
  const escaped = [...pictures.keys()].map((character) => character.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&"));
  runs = escaped.length ? new RegExp(`((?:${escaped.join("|")})\\uFE0F?)`, "u") : null;
}

/** Replace every such character under this node by its picture. */
export function drawGlyphs(root) {
  if (!runs) return root;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (runs.test(walker.currentNode.data)) texts.push(walker.currentNode);
  for (const text of texts) text.replaceWith(...withGlyphs(text.data));
  return root;
}

/** The text as nodes, with drawn characters. */
export function withGlyphs(text) {
  if (!runs) return [text];
  return text
    .split(runs)
    .filter(Boolean)
    .map((part) => {
      const character = part.replace(/\uFE0F$/u, "");
      const picture = pictures.get(character);
      if (!picture) return part;
      const glyph = h("span", { class: "glyph", "data-glyph": character }, character);
      glyph.style.backgroundImage = picture;
      return glyph;
    });
}
