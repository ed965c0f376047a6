/** The page's data: the people, the chats, their messages, the bot's calls. */


const KEPT_CALLS = 500;

/**
 * Keeps the sandbox's state, and emits its changes.
 *
 * Emits `loaded` (everything may have changed), `people`, `chats`, `message` (with `{message, previous}`),
 * `deleted`, `calls`, `commands`, `flood`, `answer` (the bot answered a tap), `inline_answer`
 * (it answered an inline query), events of extensions by their own kinds, and `restarted` (another sandbox answers, without the earlier state).
 */
export class Store extends EventTarget {
  page = { title: "", languages: [] };
  bot = { id: 0, name: "", username: "", command_lists: [], inline: { enabled: false, placeholder: "" } };
  people = [];
  chats = [];
  calls = [];
  floodLimits = false;
  misformedCalls = 0;
  /** All that the sandbox said at the start, with the parts of its extensions. */
  state = {};
  #run = null;
  #messages = new Map();

  load(state) {
    const isAnother = this.#run !== null && this.#run !== state.run;
    this.#run = state.run;
    this.page = state.page;
    this.bot = state.bot;
    this.people = state.people;
    this.chats = state.chats;
    this.calls = state.calls.slice(-KEPT_CALLS);
    this.floodLimits = state.flood_limits;
    this.judgesSchema = state.judges_schema;
    this.misformedCalls = state.totals?.schema_failures ?? state.calls.filter((call) => !call.schema_ok).length;
    const before = this.#messages;
    this.#messages = new Map();
    for (const message of state.messages) {
      const known = before.get(message.chat_id)?.get(message.key);
      this.#put(known && JSON.stringify(known) === JSON.stringify(message) ? known : message);
    }
    this.state = state;
    this.#tell("loaded");
    if (isAnother) this.#tell("restarted");
  }

  /** Take in one event of the sandbox's stream. */
  apply(event) {
    switch (event.kind) {
      case "message":
      case "edited": {
        const previous = this.#put(event.message);
        return this.#tell("message", { message: event.message, previous });
      }
      case "deleted":
        this.#messages.get(event.chat_id)?.delete(event.key);
        return this.#tell("deleted", { chatId: event.chat_id });
      case "people":
        this.people = event.people;
        return this.#tell("people");
      case "chats":
        this.chats = event.chats;
        return this.#tell("chats");
      case "call":
        this.calls = [...this.calls, event.call].slice(-KEPT_CALLS);
        if (!event.call.schema_ok) this.misformedCalls += 1;
        return this.#tell("calls", { call: event.call });
      case "commands":
        this.bot = { ...this.bot, command_lists: event.lists };
        return this.#tell("commands");
      case "inline_mode":
        this.bot = { ...this.bot, inline: event.inline };
        return this.#tell("inline_mode");
      case "inline_answer":
        return this.#tell("inline_answer", event);
      case "alert":
      case "answered":
        return this.#tell("answer", event);
      default:
        return this.#tell(event.kind, event);
    }
  }

  setFloodLimits(enabled) {
    this.floodLimits = enabled;
    this.#tell("flood");
  }

  /** The messages of one chat, oldest first. */
  messagesOf(chatId) {
    return [...(this.#messages.get(chatId)?.values() ?? [])];
  }

  person(id) {
    return this.people.find((person) => person.id === id);
  }

  chat(id) {
    return this.chats.find((chat) => chat.id === id);
  }

  /** The name of the bot's private chat, which always says that it is a bot. */
  get botTitle() {
    return /bot$/i.test(this.bot.name) ? this.bot.name : `${this.bot.name} bot`;
  }

  get groups() {
    return this.chats.filter((chat) => chat.type !== "private");
  }

  on(name, listener) {
    this.addEventListener(name, (event) => listener(event.detail));
  }

  #put(message) {
    let chat = this.#messages.get(message.chat_id);
    if (!chat) this.#messages.set(message.chat_id, (chat = new Map()));
    const previous = chat.get(message.key);
    chat.set(message.key, message);
    return previous;
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** May this person see this message? Ephemeral messages are for one pair of eyes only. */
export function isSeenBy(message, personId) {
  if (message.ephemeral_message_id === null || message.ephemeral_message_id === undefined) return true;
  return message.to === personId || message.from?.id === personId;
}

/** Does this message call this person by name? */
export function mentions(message, person) {
  if (message.to === person.id) return true;
  const named = person.username ? `@${person.username}`.toLowerCase() : null;
  return (message.entities ?? []).some((entity) => {
    if (entity.user?.id === person.id) return true;
    if (entity.url === `tg://user?id=${person.id}`) return true;
    const text = (message.text ?? message.caption ?? "").slice(entity.offset, entity.offset + entity.length);
    return entity.type === "mention" && named !== null && text.toLowerCase() === named;
  });
}
