/** A Mini App over one person's phone: this page is to it what Telegram's web client is. */

import { botAvatar } from "./avatar.js";
import { h, iconButton } from "./dom.js";
import { addressHere } from "./framed_page.js";
import { confirm } from "./notices.js";

/** The colours of this page, as Telegram names them. */
const THEME = {
  bg_color: "--card",
  secondary_bg_color: "--wall",
  text_color: "--ink",
  hint_color: "--soft",
  link_color: "--link",
  button_color: "--accent",
};
/** The permissions that Telegram's web client gives; with no others, the framed page cannot navigate this one. */
const ALLOWED = "allow-scripts allow-same-origin allow-popups allow-forms allow-modals";
const NO_INSETS = { top: 0, bottom: 0, left: 0, right: 0 };

export class WebApp {
  node;
  #frame;
  #origin;
  #title;
  #actions;
  #asksBeforeClosing = false;
  #over = new AbortController();
  #sizes = new ResizeObserver(() => this.#tellSize());

  /** `actions` has `follow(link)` for links that the app opens, and `closed()`; `other`: see `addressHere`. */
  constructor(url, title, actions, other) {
    const address = addressHere(url, other);
    this.#origin = address.origin;
    this.#title = title;
    this.#actions = actions;
    address.hash += `&${new URLSearchParams({ tgWebAppThemeParams: JSON.stringify(theme()) })}`;
    this.#frame = h("iframe", { src: address.href, title, sandbox: ALLOWED, allow: "clipboard-write" });
    this.node = h(
      "section",
      { class: "web-app", "aria-label": `Mini App of ${title}` },
      h("header", {}, botAvatar(), h("h3", {}, title), iconButton("close", "Close the Mini App", () => this.#askToClose())),
      this.#frame,
    );
    const { signal } = this.#over;
    addEventListener("message", (event) => this.#heard(event), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#tellTheme(), { signal });
    this.#sizes.observe(this.#frame);
  }

  close() {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#sizes.disconnect();
    this.node.remove();
    this.#actions.closed();
  }

  async #askToClose() {
    const text = "What you changed in it may not be kept.";
    if (this.#asksBeforeClosing && !(await confirm({ title: `Close ${this.#title}?`, text, yes: "Close" }))) return;
    this.close();
  }

  #heard({ source, origin, data }) {
    if (source !== this.#frame.contentWindow || origin !== this.#origin || typeof data !== "string") return;
    let told;
    try {
      told = JSON.parse(data);
    } catch {
      return;
    }
    this.#answer(told.eventType, told.eventData ?? {});
  }

  #answer(type, data) {
    switch (type) {
      case "iframe_ready":
        return this.#tell("set_custom_style", "");
      case "web_app_request_theme":
        return this.#tellTheme();
      case "web_app_request_viewport":
        return this.#tellSize();
      case "web_app_request_safe_area":
        return this.#tell("safe_area_changed", NO_INSETS);
      case "web_app_request_content_safe_area":
        return this.#tell("content_safe_area_changed", NO_INSETS);
      case "web_app_request_fullscreen":
        return this.#tell("fullscreen_failed", { error: "UNSUPPORTED" });
      case "web_app_start_accelerometer":
        return this.#tell("accelerometer_failed", { error: "UNSUPPORTED" });
      case "web_app_setup_closing_behavior":
        this.#asksBeforeClosing = Boolean(data.need_confirmation);
        return undefined;
      case "web_app_open_link":
        return this.#actions.follow(data.url);
      case "web_app_open_tg_link":
        return this.#actions.follow(`https://t.me${data.path_full}`);
      case "web_app_close":
        return this.close();
      default:
        return undefined; // what a phone without a motor, or without more room, leaves undone
    }
  }

  #tellTheme() {
    this.#tell("theme_changed", { theme_params: theme() });
  }

  #tellSize() {
    const { clientHeight: height, clientWidth: width } = this.#frame;
    this.#tell("viewport_changed", { height, width, is_expanded: true, is_state_stable: true });
  }

  #tell(eventType, eventData) {
    this.#frame.contentWindow?.postMessage(JSON.stringify({ eventType, eventData }), this.#origin);
  }
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const own = Object.entries(THEME).map(([name, property]) => [name, style.getPropertyValue(property).trim()]);
  return { ...Object.fromEntries(own), button_text_color: "#ffffff" };
}
