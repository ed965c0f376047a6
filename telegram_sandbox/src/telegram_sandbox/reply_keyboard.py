"""Which keyboard a bot has put in place of a person's own."""

from telegram_sandbox.model import Chat, Json, Person, StoredMessage
from telegram_sandbox.store import Store
from telegram_sandbox.text.entities import utf16_slice


def meant_for(store: Store, message: StoredMessage) -> list[int] | None:
    """Return the people whose keyboard this message changes, None for everyone who sees it."""
    if not (message.reply_interface or {}).get("selective"):
        return None
    named = {utf16_slice(message.text or "", one["offset"] + 1, one["length"] - 1).lower() for one in message.entities}
    found = [one["user"]["id"] for one in message.entities if one["type"] == "text_mention"]
    found += [person.id for person in store.active_people() if (person.username or "").lower() in named]
    target = store.find_message(message.chat_id, message.reply_to or 0)
    return [*found, target.sender_id] if target else found


def latest(store: Store, person: Person, chat: Chat) -> StoredMessage | None:
    """Return the last message that changed a person's keyboard in a chat."""
    for message in reversed(store.messages.values()):
        if message.chat_id == chat.id and message.reply_interface and not message.lost:
            people = [message.seen_by] if message.seen_by else meant_for(store, message)
            if people is None or person.id in people:
                return message
    return None


def shown(store: Store, person: Person, chat: Chat) -> list[list[Json]]:
    """Return the rows of the keyboard that a person has in a chat."""
    message = latest(store, person, chat)
    rows: list[list[Json]] = (message.reply_interface or {}).get("keyboard", []) if message else []
    return rows
