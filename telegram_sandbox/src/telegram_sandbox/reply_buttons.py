"""The messages that the buttons of a reply keyboard send."""

from collections.abc import Sequence
from dataclasses import dataclass

from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import Chat, Json, Person, Poll, StoredMessage
from telegram_sandbox.reply_keyboard import latest, shown
from telegram_sandbox.user_actions import MessageDraft, send_message, send_service
from telegram_sandbox.world import World

HOME = (50.85, 4.35)
"""Where people are who say nothing else, in degrees."""


@dataclass(frozen=True, slots=True)
class Given:
    """The things that a person gives where a button asks for them."""

    location: tuple[float, float] = HOME
    users: Sequence[int] = ()
    chat_id: int | None = None
    poll: Sequence[str] = ()
    """The question and the options of a poll."""
    data: str | None = None
    """The data that a Mini App sends to the bot, after a button has opened it."""


def press(world: World, person: Person, chat: Chat, label: str, given: Given) -> StoredMessage:
    """Press a button, which sends its text or what it asks for.

    Raises:
        ControlError: the person has no such button, or does not give what it asks for.
    """
    buttons = [button for row in shown(world, person, chat) for button in row if button["text"] == label]
    message = latest(world, person, chat)
    if not buttons or message is None:
        raise ControlError(f"{person.name} has no button {label!r} in place of the keyboard")
    button = buttons[0]
    kind = next((name for name in button if name.startswith("request_") or name == "web_app"), None)
    if kind is None:
        # In a group the apps send it as an answer to the bot, which privacy mode would not show it otherwise.
        return send_message(world, person, chat, MessageDraft(label, reply_to=message if chat.is_group else None))
    if kind in ("request_contact", "request_location"):
        attachment = {"contact": person.contact} if kind == "request_contact" else _place(given.location)
        return send_message(world, person, chat, MessageDraft(attachment=attachment, reply_to=message))
    if kind == "request_poll" and given.poll:
        question, *options = given.poll
        right = [0] if button[kind].get("type") == "quiz" else []
        poll = Poll(Poll.new_id(), question, tuple(options), correct=right)
        return send_message(world, person, chat, MessageDraft(poll=poll, reply_to=message))
    service, text = _shared(world, kind, button, given)
    return send_service(world, person, chat, service, text)


def _place(where: tuple[float, float]) -> Json:
    return {"location": {"latitude": where[0], "longitude": where[1]}}


def _shared(world: World, kind: str, button: Json, given: Given) -> tuple[Json, str]:
    """Return the message of Telegram itself that a button causes, and its words on the page."""
    asked = button[kind]
    if kind == "web_app" and given.data is not None:
        return {"web_app_data": {"data": given.data, "button_text": button["text"]}}, f"sent data of {button['text']}"
    if kind == "request_users" and 1 <= len(given.users) <= asked.get("max_quantity", 1):
        users = [_named({"user_id": one}, asked, "username", world.people[one].username) for one in given.users]
        for user in users:
            _named(user, asked, "first_name", world.people[user["user_id"]].name, "request_name")
        return {"users_shared": {"request_id": asked["request_id"], "users": users}}, "shared people"
    if kind == "request_chat" and given.chat_id is not None:
        title = world.chats[given.chat_id].title
        shared = _named({"request_id": asked["request_id"], "chat_id": given.chat_id}, asked, "title", title)
        return {"chat_shared": shared}, f"shared {title}"
    raise ControlError(f"the button {button['text']!r} asks for something by {kind}, and it is not given")


def _named(found: Json, asked: Json, name: str, value: str | None, wish: str | None = None) -> Json:
    if value and asked.get(wish or f"request_{name}"):
        found[name] = value
    return found
