/** The bot's command list, as its last setMyCommands set it. */

const PRIVATE = ["all_private_chats", "default"];
const GROUP = ["all_group_chats", "default"];

/** The commands for this person in this chat; `usual` unless the bot's calls have set a list. */
export function commandsFor(calls, isPrivate, language, usual) {
  const lists = new Map();
  for (const { method, params, ok } of calls) {
    if (method !== "setMyCommands" || !ok) continue;
    const commands = read(params.commands);
    const scope = read(params.scope)?.type ?? "default";
    if (Array.isArray(commands)) lists.set(`${scope}:${params.language_code ?? ""}`, commands);
  }
  for (const scope of isPrivate ? PRIVATE : GROUP) {
    const found = lists.get(`${scope}:${language}`) ?? lists.get(`${scope}:`);
    if (found) return found;
  }
  return usual;
}

/** Parameters may have arrived as JSON text. */
function read(value) {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
