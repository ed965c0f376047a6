/**
 * The bridge to the Telegram app around a Mini App: events out, events in, and the app's parameters for the page.
 *
 * Phones and Telegram Desktop offer `TelegramWebviewProxy` or `external.notify`; the web clients are a page whose frame
 * contains ours.
 */

const THEME = {
  bg_color: "--page",
  secondary_bg_color: "--sheet",
  text_color: "--text",
  hint_color: "--hint",
  link_color: "--link",
};
const STORED = "telegram-launch";

const listeners = new Map();
let frame = null;

/** Listen for an event of the Telegram app. */
export function hear(type, listener) {
  if (!listeners.has(type)) listeners.set(type, new Set());
  listeners.get(type).add(listener);
  return () => listeners.get(type).delete(listener);
}

function receive(type, data) {
  for (const listener of [...(listeners.get(type) ?? [])]) listener(data ?? {});
}

/** Send an event to the Telegram app. */
export function tell(type, data = {}) {
  const json = JSON.stringify(data);
  if (window.TelegramWebviewProxy) window.TelegramWebviewProxy.postEvent(type, json);
  else if (window.external && "notify" in window.external) {
    window.external.notify(JSON.stringify({ eventType: type, eventData: data }));
  } else if (parent !== window) parent.postMessage(JSON.stringify({ eventType: type, eventData: data }), frame);
}

/** The window around ours: one of those that the server lets frame this page, which is its setting `frame_ancestors`. */
function outer() {
  const around = location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
  return around || "https://web.telegram.org";
}

function fromParent(event) {
  if (event.source !== parent || event.origin !== frame || typeof event.data !== "string") return;
  try {
    const { eventType, eventData } = JSON.parse(event.data);
    receive(eventType, eventData);
  } catch {
    // Other scripts of the page around ours send messages of their own.
  }
}

/** The first fragment; a reload in the app loses it, so the session keeps it. */
function launch() {
  const fresh = location.hash.includes("tgWebApp") ? location.hash.slice(1) : "";
  try {
    if (fresh) sessionStorage.setItem(STORED, fresh);
    return new URLSearchParams(fresh || sessionStorage.getItem(STORED) || "");
  } catch {
    return new URLSearchParams(fresh);
  }
}

function newer(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [needed, least] = than.split(".").map(Number);
  return major > needed || (major === needed && minor >= least);
}

/** Open the bridge. Returns the launch parameters and what the app can do. */
export function openBridge() {
  frame = outer();
  const game = { receiveEvent: receive };
  window.TelegramGameProxy = game;
  window.TelegramGameProxy_receiveEvent = receive;
  window.Telegram = { WebView: game };
  addEventListener("message", fromParent);
  const said = launch();
  const version = said.get("tgWebAppVersion") || "6.0";
  hear("theme_changed", (data) => wear(data.theme_params));
  hear("safe_area_changed", (data) => insets("--safe", data));
  hear("content_safe_area_changed", (data) => insets("--content", data));
  hear("viewport_changed", (data) => {
    if (data.is_state_stable) document.documentElement.style.setProperty("--height", `${data.height}px`);
  });
  try {
    wear(JSON.parse(said.get("tgWebAppThemeParams") || "{}"));
  } catch {
    wear({});
  }
  if (parent !== window) tell("iframe_ready", { reload_supported: true });
  hear("reload_iframe", () => location.reload());
  for (const type of ["theme", "viewport", "safe_area", "content_safe_area"]) tell(`web_app_request_${type}`);
  tell("web_app_expand");
  if (newer(version, "7.7")) tell("web_app_setup_swipe_behavior", { allow_vertical_swipe: false });
  tell("web_app_ready");
  return {
    initData: said.get("tgWebAppData") || "",
    startCode: new URLSearchParams(said.get("tgWebAppData") || "").get("start_param"),
    accelerometer: newer(version, "8.0"),
    confirmClosing(needed) {
      if (newer(version, "6.2")) tell("web_app_setup_closing_behavior", { need_confirmation: needed });
    },
    haptic(kind) {
      if (!newer(version, "6.1")) return;
      const how = { tick: { type: "selection_change" }, thump: { type: "impact", impact_style: "heavy" } }[kind];
      tell("web_app_trigger_haptic_feedback", how ?? { type: "notification", notification_type: kind });
    },
  };
}

/** Take on the colours of the Telegram app. */
function wear(theme = {}) {
  const style = document.documentElement.style;
  for (const [name, property] of Object.entries(THEME)) {
    if (/^#[0-9a-f]{6}$/i.test(theme[name] ?? "")) style.setProperty(property, theme[name]);
  }
  const page = /^#(..)(..)(..)$/.exec(theme.bg_color ?? "");
  if (!page) return;
  const [red, green, blue] = page.slice(1).map((part) => parseInt(part, 16));
  style.colorScheme = red * 0.3 + green * 0.59 + blue * 0.11 < 128 ? "dark" : "light";
  document.documentElement.dataset.scheme = style.colorScheme;
}

function insets(name, data) {
  for (const side of ["top", "bottom", "left", "right"]) {
    document.documentElement.style.setProperty(`${name}-${side}`, `${Number(data[side]) || 0}px`);
  }
}
