"""Handle the settings of a person or a group: language, pictures of dice, private route, quiet hours, texts."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from telegram_bot import notices as n
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import lobby_defaults
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import Place
from telegram_bot.intents.request import Arguments, Command, HelpLines, Scope, TellsNothing, everywhere, texted
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.pictures_of_dice import pictures_for, pictures_offered
from telegram_bot.screens.switches import SWITCHES, Switch
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.handlers.table_context import has_own_name, take_name
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DiceStyle, Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.faces import Face, face_of
from telegram_bot.tables.model import Status
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.languages import mark

SettingValue: TypeAlias = bool | str | QuietHours | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a person, or of a group."""

    kind: type
    """The type of its values. None is a value of some: not chosen."""
    person: bool = True
    """Whether it is stored with the person."""
    group: bool = False
    """Whether it is stored with the group."""
    resends_hand: bool = False
    """Whether the person's dice look different from now on, and are sent again."""
    resends_table: bool = False
    """Whether the group's message looks different from now on, and is sent again."""

    @property
    def offered(self) -> dict[str, SettingValue]:
        """Return the values with a button of their own, by the button's data; a language keeps its code."""
        if self.kind is bool:
            return {"on": True, "off": False}
        if issubclass(self.kind, StrEnum):
            return {member.value: member for member in self.kind}
        return {"auto": None} if self.kind is str and self.group else {}


SETTINGS: Final = {
    "view": Setting(PrivateView),
    "dice_style": Setting(DiceStyle, group=True, resends_hand=True, resends_table=True),
    "pictures": Setting(bool, group=True, resends_hand=True),
    "chosen_language": Setting(str, group=True, resends_hand=True, resends_table=True),
    "quiet": Setting(QuietHours),
    "name": Setting(str),
    "face": Setting(Face),
}
"""The settings that are no switches, by the column that stores them in the row of a `Player` or a `Chat`."""


@dataclass(frozen=True, slots=True)
class SeeSettings(TellsNothing, PersonRequest):
    """Show the stored settings and their choices."""

    buttons = (Button("settings={folder}"),)
    commands = (
        Command(
            name="settings",
            scope=Scope.CHATS,
            help=everywhere(mark("how you see your dice, and the language")),
        ),
    )

    folder: n.SettingsFolder = n.SettingsFolder.ALL

    def handle(self, uow: UnitOfWork, intent: i.Intent, player: Player) -> None:
        """Show the settings of the person or the group; a tap in a private chat changes its message."""
        shown = settings_notice(uow, intent, player).model_copy(update={"folder": self.folder})
        if intent.tapped is not None and intent.where is None:
            say(uow, player, shown, at=intent.who, target=intent.tapped)
        else:  # in a group a forged key could replace any message of the bot
            say(uow, player, shown, at=intent)


def settings_notice(uow: UnitOfWork, intent: i.Intent, player: Player) -> n.SettingsNotice:
    """Return the settings of a person, or of the group where they asked."""
    chat = None if intent.where is None else uow.ensure_chat(intent.where)
    reader = player if chat is None else chat
    config = uow.config
    rules, clock = (config.rules, config.clock) if chat is None else lobby_defaults(chat, config)
    return n.SettingsNotice(
        view=PrivateView(player.view),
        private=intent.where is None,
        rules=rules,
        clock=clock,
        house_rules=config.house_rules,
        dice_style=uow.dice_style_for(reader),
        pictures=pictures_for(reader, config) if pictures_offered(reader, config) else None,
        speaks=uow.language_for(player) if chat is None else uow.language_of(chat),
        chosen=reader.chosen_language is not None,
        face=face_of(player.id, player.face) if chat is None else None,
        name=player.name,
        switches={
            switch.name: switch.is_on(reader)
            for switch in SWITCHES.values()
            if switch.words(to_all=chat is not None) is not None and switch.is_offered(reader, config)
        },
        texting=bool(uow.config.numbers),
        phone=player.phone is not None,
    )


def _buttons() -> Iterator[Button]:
    """Yield a button for each value of no switch that can be tapped, for oneself and for everyone in the group."""
    for name, setting in SETTINGS.items():
        for word, to_all in (("set", False), ("set_to_all", True)):
            if not (setting.group if to_all else setting.person):
                continue
            for text, value in setting.offered.items():
                yield Button(f"{word}={name}__{text}", name=name, value=value, to_all=to_all)
            if setting.kind is str and setting.group:
                yield Button(f"{word}={name}__{{value}}", name=name, to_all=to_all)


@dataclass(frozen=True, slots=True)
class Choose(TellsNothing, PersonRequest):
    """Set one of the `SETTINGS` or a switch for myself, or `to_all` in the place."""

    buttons = tuple(_buttons())
    commands = (
        Command(
            name="name",
            scope=Scope.CHATS | Scope.TEXT,
            arguments=Arguments.PARSED,
            example="Gran",
            is_guessed=False,
            help=HelpLines(guide="what the others call you, at every table"),
        ),
        Command(
            name="hide",
            scope=Scope.CHATS | Scope.TEXT,
            arguments=Arguments.PARSED,
            example="me",
            help=HelpLines(guide="do not be compared with other players; `/hide off`: be compared again"),
        ),
        texted(
            "quiet",
            "no texts in these hours, and your clock waits as long; `QUIET OFF`: texts at any hour",
            example="22-8",
            scope=Scope.CHATS | Scope.TEXT,
        ),
        texted(
            "language",
            "the language of the bot's answers to you",
            example="italiano",
            scope=Scope.CHATS | Scope.TEXT,
        ),
    )

    name: str
    value: SettingValue
    to_all: bool = False

    def handle(self, uow: UnitOfWork, intent: i.Intent, player: Player) -> n.Toast | None:
        """Store a setting of the person, or of the group where they asked. `multi_table` has changed their seats.

        Raises:
            RejectedError: other people play in the group and must choose; the setting needs a linked phone; or the
                words are no name.
        """
        if self.to_all:
            language = _choose_for_group(uow, intent.where, player, self)
        elif self.name == "name" and not has_own_name(intent, player):
            return answer(uow, intent, player, n.ConfirmationNotice(done=n.Confirmation.LINKED, title=player.name))
        else:
            store_choice(uow, player, self)
            language = uow.language_for(player)
        value = language if self.name == "chosen_language" else self.value
        done = n.ConfirmationNotice(
            done=n.Confirmation.SETTING_CHOSEN,
            setting=self.name,
            value=True if isinstance(value, QuietHours) else value,
            title=player.name,
            to_all=self.to_all,
        )
        if intent.tapped is not None and (intent.where is None or self.to_all):
            reader = player if intent.where is None else uow.ensure_chat(intent.where)
            shown = settings_notice(uow, intent, player)
            say(uow, reader, shown, at=intent.where or intent.who, target=intent.tapped)
        return answer(uow, intent, player, done)


def is_chosen(uow: UnitOfWork, intent: i.Intent, player: Player, request: Choose) -> bool:
    """Return True if the settings of the person, or of the group where they asked, show this choice already."""
    shown = settings_notice(uow, intent, player)
    if request.name == "chosen_language":
        return shown.speaks == request.value if shown.chosen else request.value is None
    return bool(shown.switches.get(request.name, getattr(shown, request.name, None)) == request.value)


def switch_buttons(switches: Iterable[Switch]) -> tuple[Button, ...]:
    """Return the buttons of switches, for oneself and for everyone in the group."""
    return tuple(
        Button(f"{word}={switch.name}__{text}", name=switch.name, value=value, to_all=to_all)
        for switch in switches
        for word, to_all in (("set", False), ("set_to_all", True))
        if switch.words(to_all=to_all) is not None
        for text, value in (("on", True), ("off", False))
    )


def store_choice(uow: UnitOfWork, player: Player, request: Choose) -> None:
    """Store a person's setting."""
    match request.value:
        case PrivateView.TEXT if player.phone is None:
            raise RejectedError(RejectionReason.NO_LINK)
        case "" if request.name == "name":
            raise RejectedError(RejectionReason.NO_NAME)
        case str(name) if request.name == "name":
            take_name(uow, player, name)
        case QuietHours() as quiet:
            player.quiet = asdict(quiet)
        case bool(on) if request.name in SWITCHES:
            SWITCHES[request.name].turn(player, on=on)
            SWITCHES[request.name].turned(uow, player)
        case value:
            setattr(player, request.name, value)
    uow.session.flush()


def _choose_for_group(uow: UnitOfWork, place: Place | None, player: Player, request: Choose) -> str:
    """Store a group's setting, and send its message again if it looks different; return the group's language."""
    if place is None:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    chat = uow.ensure_chat(place)
    row = uow.table_in(chat)
    table = None if row is None else load_table(row)
    if table is not None and table.seat_of(player.id) is None:
        raise RejectedError(RejectionReason.NOT_SEATED)
    if request.name in SWITCHES:
        SWITCHES[request.name].turn(chat, on=request.value is True)
        return uow.language_of(chat)
    changes = getattr(chat, request.name) != request.value
    setattr(chat, request.name, request.value)
    uow.session.flush()
    if row is not None and table is not None and changes and SETTINGS[request.name].resends_table:
        uow.mark_table(row.id)
        if table.status is Status.LOBBY:
            TableOutbox(uow, row, chat).send_lobby(table)
    return uow.language_of(chat)
