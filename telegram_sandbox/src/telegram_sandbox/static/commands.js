/** The bot's commands, as setMyCommands set them. */

const PRIVATE = ["all_private_chats", "default"];
const GROUP = ["all_group_chats", "default"];

/** The commands for a person with this language in a chat; each of the lists is for one scope and one language. */
export function commandsFor(lists, isPrivate, language) {
  for (const scope of isPrivate ? PRIVATE : GROUP) {
    const ofScope = lists.filter((list) => list.scope.type === scope);
    const found = [language, ""].map((code) => ofScope.find((list) => list.language_code === code)).find(Boolean);
    if (found) return found.commands;
  }
  return [];
}
