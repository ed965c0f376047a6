"""The settings that are on or off, of a person or of a group. Features add them."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from telegram_bot.intents.config import ServiceConfig
from telegram_bot.registry import Registry
from telegram_bot.screens.pictures_of_dice import animations_offered
from telegram_bot.storage.models import Chat, Player
from telegram_bot.words.languages import mark
from telegram_bot.words.switch_words import SwitchWords, WordedSwitch


@dataclass(frozen=True, eq=False)
class Switch(WordedSwitch):
    """A setting that is on or off."""

    _: KW_ONLY
    is_offered: Callable[[Any, ServiceConfig], bool] = lambda _, __: True
    """Whether it has an effect for this `Player` or `Chat` in this installation."""
    by_ear: bool = False
    """Whether people switch it on to hear their messages: an edit does not reach them, and they confirm by voice."""
    turned: Callable[[Any, Player], None] = lambda _, __: None
    """Called in the transaction, with the `UnitOfWork`, when a person has switched it on or off."""
    column: bool = False
    """Whether a column with its name stores it. Features' switches are off until they are stored as switched on."""

    def is_on(self, reader: Player | Chat) -> bool:
        """Return True if the person or the group has switched it on."""
        return bool(getattr(reader, self.name)) if self.column else self.name in reader.switched_on

    def works(self, reader: Player | Chat, config: ServiceConfig) -> bool:
        """Return True if it is on, and has an effect here."""
        return self.is_on(reader) and self.is_offered(reader, config)

    def turn(self, reader: Player | Chat, *, on: bool) -> None:
        """Store the choice of a person or a group."""
        if self.column:
            setattr(reader, self.name, on)
        else:
            others = [name for name in reader.switched_on if name != self.name]
            reader.switched_on = [*others, self.name] if on else others


NOTES_UNANSWERED: Final = "notes_unanswered"

_OF_THE_BASE_GAME: Final = (
    Switch(
        "asks_twice",
        column=True,
        person=SwitchWords(
            label=mark("Ask before dudo and calza"),
            on=mark("Your dudo and calza count when you tap twice."),
            off=mark("In private, your dudo and calza count at the first tap."),
        ),
    ),
    Switch(
        "tips",
        column=True,
        sign="🐣",
        person=SwitchWords(
            label=mark("Tips for new players"),
            on=mark("I explain things when you meet them for the first time."),
            off=mark("No more tips. You know the game!"),
        ),
    ),
    Switch(
        NOTES_UNANSWERED,
        sign="🎙",
        person=SwitchWords(
            label=mark("Let my voice notes be"),
            on=mark("The end of a round doesn't answer your voice notes, and no story says that you spoke."),
            off=mark("When your bid by voice note is doubted, the dice answer that very note."),
        ),
        is_offered=lambda _, config: config.hears_voice,
    ),
    Switch(
        "trusts_voice",
        column=True,
        group=SwitchWords(
            label=mark("Spoken bids need no tap"),
            on=mark("When I'm sure of a spoken bid, it counts right away. Dudo and calza still need a tap."),
            off=mark("I ask after every voice note before it counts."),
        ),
        is_offered=lambda _, config: config.hears_voice,
    ),
    Switch(
        "animations",
        column=True,
        sign="🎬",
        group=SwitchWords(
            label=mark("Animated end of a round"),
            on=mark("At the end of a round the cups lift, and the dice light up one by one."),
            off=mark("The dice at the end of a round come as a still picture from now on."),
        ),
        is_offered=animations_offered,
    ),
    Switch(
        "hidden",
        column=True,
        person=SwitchWords(
            on=mark("I compare you with no one now. /hide off shows you again."),
            off=mark("I may compare you with others again."),
        ),
    ),
)
SWITCHES: Final = Registry[str, Switch]("the switches", {switch.name: switch for switch in _OF_THE_BASE_GAME})
"""By name, in the order of their buttons."""


def by_ear(player: Player, config: ServiceConfig) -> bool:
    """Return True if the person hears their messages."""
    return any(switch.by_ear and switch.works(player, config) for switch in SWITCHES.values())
