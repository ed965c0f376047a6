"""Call players who are away, and remove them amid a game."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal, NamedTuple

from sqlmodel import col, select

from telegram_bot.feature import Feature
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import AtAnyStep, Command, Fits, HelpLines, Scope, Who
from telegram_bot.notices import FeatureNotice, FeatureToast, PageFormat, Toast
from telegram_bot.notices.card_types import NoFields
from telegram_bot.presentation.features import Extension, PagePart
from telegram_bot.presentation.keys import Key, Keys, Style
from telegram_bot.repositories.repositories import in_quiet_hours
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.game_requests import ReturnToSeat
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.own_seats import has_open_page
from telegram_bot.storage.models import OutboxEntry, Player
from telegram_bot.tables import sleepers
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark, mark_in_context
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import plain_name

PAUSE_SECONDS: Final = {False: 600.0, True: 3600.0}
"""The least time between two calls to a player, in chats and by text message."""


class Called(StrEnum):
    """Whether a sleeper was called, or why not."""

    NOW = "now"
    LATELY = "lately"
    QUIET = "quiet"
    UNREACHABLE = "unreachable"


class Sleeper(NamedTuple):
    """A player for whom the bot plays, and whether they were called."""

    player: int
    name: str
    called: Called


_SAID: Final = {
    Called.NOW: mark("I've called {name}."),
    Called.LATELY: mark("{name} was called a while ago. Let them wake up."),
    Called.QUIET: mark("{name} has quiet hours now."),
    Called.UNREACHABLE: mark("I can't reach {name}: their page is closed."),
}


class SleepersNotice(FeatureToast):
    """The answer to a friend: which sleepers were called."""

    kind: Literal["sleepers"] = "sleepers"
    table: int
    sleepers: tuple[Sleeper, ...]
    for_host: bool = False
    """Whether the host gets keys to remove them."""

    def lines(self, f: Format) -> list[Line]:
        if not self.sleepers:
            return [Line(f.w.say("No one is asleep here."))]
        return [
            Line(f.w.say(_SAID[each.called], name=f.strong(f.name(each.name))), rank=at)
            for at, each in enumerate(self.sleepers)
        ]


class CalledNotice(FeatureNotice):
    """Private, to a sleeper: a friend calls."""

    kind: Literal["called"] = "called"
    card_slot = "note"
    table: int
    name: str
    """The friend."""
    title: str

    def lines(self, f: Format) -> list[Line]:
        w = f.w
        said = w.say("{name} calls you: the game goes on, and I play for you.", name=f.strong(f.name(self.name)))
        lines = [Line(w.say("Table: {title}.", title=f.strong(f.name(self.title))), rank=1), Line(said, sign="⏰")]
        return [*lines, Line(w.say("Text BACK to play on."))] if f.medium is Medium.TEXT else lines

    def on_page(self, page: PageFormat) -> tuple[Literal["note"], NoFields]:  # noqa: ARG002 - its sentence alone
        return "note", {}


class RemovedNotice(FeatureToast):
    """The answer to the host: the sleeper is removed."""

    kind: Literal["sleeper_removed"] = "sleeper_removed"
    name: str
    dice_go: bool

    def lines(self, f: Format) -> list[Line]:
        w, name = f.w, f.strong(f.name(self.name))
        if self.dice_go:
            return [Line(w.say("{name} is out of the game, and so are the dice.", name=name))]
        return [Line(w.say("I play for {name} until the game is over.", name=name))]


@dataclass(frozen=True, slots=True)
class CallSleepers(AtAnyStep, TableRequest):
    """Call a sleeper (by the players' own id) in the channel that they read; 0: all sleepers of the game."""

    fits = Fits.GAME
    buttons = (Button("wake={player}"),)
    acts = (Act("wake", "player"),)
    commands = (
        Command(
            name="wake",
            scope=Scope.CHATS | Scope.TEXT,
            who=Who.PLAYER,
            words=mark_in_context("typed", "wake them, wake everyone"),
            help=HelpLines(help_page=mark("call players who are away")),
        ),
    )

    player: int = 0

    def handle(self, context: TableContext) -> Toast | None:
        """Call them, each once in a while and not in their quiet hours; a miss is counted against no one."""
        table = context.table
        context.seat()
        asleep = [table.seats[seat] for seat in sleepers.asleep(table) if table.seats[seat].player != context.player_id]
        found = tuple(
            Sleeper(seat.player, seat.name, _call(context, context.uow.player_by_id(seat.player)))
            for seat in asleep
            if self.player in (0, seat.player)
        )
        told = SleepersNotice(table=table.id, sleepers=found, for_host=context.player_id == table.host)
        return answer(context.uow, context.intent, context.player, told)


def _call(context: TableContext, player: Player) -> Called:
    uow, table = context.uow, context.table
    outbox = TableOutbox(uow, context.row, context.chat)
    route = outbox.routes.to(player)
    if route.to is None or (route.to.channel == uow.channels.rooms and not has_open_page(uow, player)):
        return Called.UNREACHABLE
    if in_quiet_hours(player, uow.now):
        return Called.QUIET
    slot = f"call:{player.id}"
    pause = PAUSE_SECONDS[uow.traits(route.to.channel).paid]
    lately = (col(OutboxEntry.slot) == slot, col(OutboxEntry.created_at) > uow.now - pause)
    if uow.session.exec(select(OutboxEntry.id).where(OutboxEntry.table_id == table.id, *lately)).first() is not None:
        return Called.LATELY
    friend = table.seats[context.seat()].name
    notice = CalledNotice(table=table.id, name=friend, title=context.chat.title)
    say(uow, player, notice, about=outbox, at=route, slot=slot)
    return Called.NOW


@dataclass(frozen=True, slots=True)
class RemoveSleeper(AtAnyStep, TableRequest):
    """Remove a sleeper (by the players' own id) from the game, for the host only.

    `dice_go`: their dice go; otherwise the bot plays with them until the game is over.
    """

    fits = Fits.GAME
    buttons = (
        Button("sleeper_out={player}", dice_go=True),
        Button("sleeper_bot={player}", dice_go=False),
    )
    acts = (Act("sleeper_out", "player", dice_go=True), Act("sleeper_bot", "player", dice_go=False))

    player: int
    dice_go: bool

    def handle(self, context: TableContext) -> Toast | None:
        table = context.table
        step = sleepers.remove(table, context.player_id, self.player, dice_go=self.dice_go, moment=context.uow.moment)
        seat = table.seat_of(self.player)
        if seat is None:
            raise RejectedError(RejectionReason.STALE)
        context.save(step)
        told = RemovedNotice(name=table.seats[seat].name, dice_go=self.dice_go)
        context.close_question(told)
        return told


def sleepers_keys(notice: SleepersNotice, w: Catalogue) -> Keys:
    """Return the keys of the host: what becomes of each sleeper's dice."""
    if not notice.for_host:
        return []
    rows: Keys = []
    for each in notice.sleepers:
        name = plain_name(each.name)
        out = Key(
            w.say("{name}: take the dice out", name=name), RemoveSleeper(each.player, dice_go=True), style=Style.DANGER
        )
        rows += [
            [out],
            [Key(w.say("{name}: the bot plays on", name=name), RemoveSleeper(each.player, dice_go=False), sign="🤖")],
        ]
    return rows


def called_keys(_: CalledNotice, w: Catalogue) -> Keys:
    """Return the key with which the sleeper comes back."""
    return [[Key(w.say("I'm back"), ReturnToSeat(), sign="🙋", style=Style.SUCCESS)]]


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of pages."""
    return {
        "play_for": w.say("Play on for {name}", name="{name}"),
        "wake": w.say("Wake {name}", name="{name}"),
        "sleeper_out": w.say("{name}: take the dice out", name="{name}"),
        "sleeper_bot": w.say("{name}: the bot plays on", name="{name}"),
    }


_SLEEPERS: Final = Extension(SleepersNotice, keys=sleepers_keys)
_CALLED: Final = Extension(CalledNotice, keys=called_keys)

FEATURE: Final = Feature(
    "nudges",
    place=120,
    requests=(CallSleepers, RemoveSleeper),
    extensions=(_SLEEPERS, _CALLED),
    page=PagePart(Path(__file__).with_name("static"), page_words),
)
