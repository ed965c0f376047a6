/** Draws the dice characters ⚀–⚅ as real dice; the characters stay in the text. */

import { h } from "./dom.js";

const FACES = "⚀⚁⚂⚃⚄⚅";
const RUNS = /([⚀-⚅]\uFE0F?)/u;

/** Replace every dice character under this node by a drawn die. */
export function drawDice(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (RUNS.test(walker.currentNode.data)) texts.push(walker.currentNode);
  for (const text of texts) text.replaceWith(...withDice(text.data));
  return root;
}

/** The text as nodes, with drawn dice. */
export function withDice(text) {
  return text
    .split(RUNS)
    .filter(Boolean)
    .map((part) => {
      const face = FACES.indexOf(part[0]) + 1;
      return face ? h("span", { class: "die", "data-face": face }, part[0]) : part;
    });
}
