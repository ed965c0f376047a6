/** The targets of links: links into Telegram stay on the page, others open a new tab. */

/**
 * The target of a link.
 *
 * `{kind: "start", payload}` opens the bot's private chat, `{kind: "app", startParam}` its main Mini App,
 * `{kind: "group"}` and `{kind: "message", chatId, messageId}`
 * lead to the group, `{kind: "invite", url}` into another one, `{kind: "invoice", url}` to a checkout,
 * `{kind: "person"}` is a person, `{kind: "web", url}` another site.
 */
export function readLink(text, botUsername) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return { kind: "broken" };
  }
  if (url.protocol === "tg:") return readInner(url, botUsername);
  if (!/^https?:$/.test(url.protocol)) return { kind: "broken" };
  if (!/^(www\.)?(t|telegram)\.me$/.test(url.hostname)) return { kind: "web", url: url.href };
  const [first, ...rest] = url.pathname.split("/").filter(Boolean);
  if (first === "c" && rest.length >= 2) {
    return { kind: "message", chatId: Number(`-100${rest[0]}`), messageId: Number(rest.at(-1)) };
  }
  if (isBot(first, botUsername)) return toBot(url.searchParams);
  if (/^[+$]/.test(first ?? "")) return { kind: first.startsWith("$") ? "invoice" : "invite", url: text };
  return { kind: "web", url: url.href };
}

function readInner(url, botUsername) {
  if (url.host === "user") return { kind: "person", id: Number(url.searchParams.get("id")) };
  if (url.host === "resolve" && isBot(url.searchParams.get("domain"), botUsername)) return toBot(url.searchParams);
  return { kind: "broken" };
}

function isBot(name, botUsername) {
  return Boolean(name) && name.toLowerCase() === botUsername.toLowerCase();
}

function toBot(parameters) {
  if (parameters.has("startgroup")) return { kind: "group" };
  if (parameters.has("startapp")) return { kind: "app", startParam: parameters.get("startapp") };
  return { kind: "start", payload: parameters.get("start") ?? "" };
}
