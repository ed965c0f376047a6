"""Put a notice into its envelope: the address, the language and the dice style of its reader."""

from telegram_bot import notices as n
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.intents import Person, Place
from telegram_bot.repositories.repositories import Repositories
from telegram_bot.screens.pictures_of_dice import pictures_for
from telegram_bot.screens.routes import Address, Route
from telegram_bot.storage.models import Chat, Player


def with_words_open(envelope: Envelope) -> Envelope:
    """Return a notice that no other one will open: the words below an animation are open from the start."""
    notice = envelope.notice
    if not notice.moves:
        return envelope
    return envelope.model_copy(update={"notice": notice.model_copy(update={"opened": True})})


def envelope_to(
    repositories: Repositories,
    reader: Player | Chat,
    notice: n.Notice,
    *,
    at: Person | Place | Route | None = None,
    target: MessageRef | None = None,
) -> Envelope:
    """Return a notice to a person's own chat, or to a group, in the chosen language and dice style.

    `at`: the place of the message, if it is another one, such as a linked phone. `target`: the message to edit.

    Raises:
        ValueError: the route leads nowhere.
    """
    to, topic = _address(reader, at)
    by_the_room = isinstance(at, Route) and at.by_the_room
    return Envelope(
        channel=to.channel,
        chat=to.chat,
        topic=topic,
        receiver=to.receiver if target is None else target.receiver,
        language=repositories.language_of(reader) if isinstance(reader, Chat) else repositories.language_for(reader),
        dice_style=repositories.dice_style_for(reader),
        pictures=not by_the_room
        and pictures_for(reader, repositories.config, reveal=isinstance(notice, n.OpenedRevealNotice)),
        target=target,
        notice=notice,
    )


def _address(reader: Player | Chat, at: Person | Place | Route | None) -> tuple[Address, int]:
    """Return the chat of a message to a reader, and its topic."""
    if isinstance(at, Route):
        if at.to is None:
            raise ValueError("no private message reaches the player")
        return at.to, at.topic
    to = at or reader
    return Address(to.channel, to.address), to.topic if isinstance(to, Chat | Place) else 0
