/** Another page of the bot's next to the phones, such as a guest's or the television. */

import { h, icon, iconButton } from "./dom.js";

const THIS_MACHINE = ["127.0.0.1", "localhost"];

/**
 * The address of a page on this machine, under its own name or the other one.
 *
 * A browser keeps six connections to a name, and each page of the bot holds one open; and it gives cookies to a page in
 * a frame only under the name of the page around it.
 */
export function addressHere(text, other = false) {
  const address = new URL(text);
  const own = THIS_MACHINE.indexOf(location.hostname);
  if (own >= 0 && THIS_MACHINE.includes(address.hostname)) address.hostname = THIS_MACHINE[other ? 1 - own : own];
  return address;
}

export class FramedPage {
  node;

  constructor({ title, address, wide }, closed) {
    const { href } = addressHere(address);
    const close = () => {
      this.node.remove();
      closed();
    };
    const tab = { class: "icon-button quiet", href, target: "_blank", rel: "noopener", title: "Open in a tab", "aria-label": `Open ${title} in a tab` };
    this.node = h(
      "section",
      { class: wide ? "phone framed wide" : "phone framed", "aria-label": title },
      h(
        "header",
        { class: "phone-head" },
        h("div", { class: "phone-owner" }, h("div", { class: "phone-name" }, h("h2", {}, title)), h("a", tab, icon("link")), iconButton("close", `Close ${title}`, close)),
      ),
      h("div", { class: "phone-body" }, h("iframe", { src: href, title, allow: "clipboard-write" })),
    );
  }
}
