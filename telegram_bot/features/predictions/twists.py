"""Twists: the best ghost of a game chooses a change of the rules for the next game in that place, and for no other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeVar

from pydantic import BaseModel
from sqlmodel import Session

from perudo_core import Outcome, Rules
from telegram_bot.features.predictions.ghosts import Prediction, guesses_at
from telegram_bot.features.predictions.notices import TwistOfferNotice, twist_line
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import AtAnyStep, Fits
from telegram_bot.notices import AnswerNotice, Confirmation, ConfirmationNotice, LobbyNotice, Toast
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.routes import own_page
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.key_value import delete_of_deleted_chats, kept
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, KeyValue, Player
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import PlainEvent, RejectedError, RejectionReason, TableChange
from telegram_bot.tables.house_rules import EXTRA_DIE, TWIST, TWIST_BY, TWISTS, twist_of, twisted
from telegram_bot.tables.model import FrozenModel, Status, Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.rules import twist_label

LEAST_RIGHT: Final = 2
"""A ghost with fewer right guesses in a game chooses no twist."""
OFFERED: Final = 3
CHOSEN: Final = AnswerNotice(sentence=mark("👻 Your twist is for the next game here."))
Kept = TypeVar("Kept", bound=BaseModel)


class Offer(FrozenModel):
    """The twists that a ghost may choose from, and the one that waits for a game."""

    since: float
    """The beginning of the evening: `Chat.plays_since`."""
    game: int
    player: int
    twists: tuple[str, ...]
    last: int = 0
    """The player who was last in that game."""
    chosen: str | None = None


class SwitchedOn(FrozenModel):
    """A twist that is switched on at a table."""

    table: int
    twist: str
    was: dict[str, bool | int | str]
    """The options of the rules that it has changed, as they were."""

    def rules_without(self, rules: Rules) -> Rules:
        """Return the rules as they were; an option that the host has changed since stays."""
        changed = TWISTS.get(self.twist, {})
        return rules.with_options(
            **{name: value for name, value in self.was.items() if getattr(rules, name) == changed.get(name)}
        )


_KEYS: Final[dict[type[BaseModel], str]] = {Offer: "twist_offer:", SwitchedOn: "twist_on:"}


def _read(uow: UnitOfWork, chat: Chat, model: type[Kept]) -> Kept | None:
    """Return what is stored about a place."""
    return kept(uow.session, f"{_KEYS[model]}{chat.id}", model)


def _write(uow: UnitOfWork, chat: Chat, value: BaseModel) -> None:
    uow.session.merge(KeyValue(key=f"{_KEYS[type(value)]}{chat.id}", value=value.model_dump_json()))
    uow.session.flush()


def _drop(uow: UnitOfWork, chat: Chat, *models: type[BaseModel]) -> None:
    for model in models:
        row = uow.session.get(KeyValue, f"{_KEYS[model]}{chat.id}")
        if row is not None:
            uow.session.delete(row)
    uow.session.flush()


def prune(session: Session, _: float) -> None:
    """Delete what is stored about deleted chats."""
    for prefix in _KEYS.values():
        delete_of_deleted_chats(session, prefix)


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Offer twists at the end of a game, switch one on in the next lobby, and forget the offer when its game begins.

    A die more for the last player is switched on while they sit in the lobby.
    """
    table, chat = committed.step.table, outbox.chat
    if committed.before is None and table.status is Status.LOBBY:
        _open(outbox.uow, committed.row, chat, table)
    elif table.status is Status.LOBBY and committed.before is not None and committed.before.seats != table.seats:
        _follow_last(outbox.uow, committed.row, chat, table)
    elif PlainEvent.GAME_STARTED in committed.step.events and twist_of(table.rules, table.options) is not None:
        _drop(outbox.uow, chat, Offer)
    elif PlainEvent.RESULT_SHOWN in committed.step.events and table.again and not table.practice:
        outcome = table.begun_game.outcome
        assert outcome is not None  # noqa: S101 - its game is over
        _offer(outbox, table, outcome)


def _offer(outbox: TableOutbox, table: Table, outcome: Outcome) -> None:
    """Offer three twists to the best ghost whom a message with keys reaches."""
    uow, chat = outbox.uow, outbox.chat
    on = _read(uow, chat, SwitchedOn)
    rules = table.rules if on is None or on.table != table.id else on.rules_without(table.rules)
    last = table.seats[outcome.placements.index(len(table.seats))].player
    possible = [twist for twist in TWISTS if twisted(rules, twist) is not None]
    for player, right in _best(uow, table.id):
        route = outbox.routes.to(player)
        reads = player.direct == DirectMessages.OPEN or route.by_the_room or uow.traits(player.channel).reads_rooms
        if not possible or not reads or route.to is None or not uow.traits(route.to.channel).buttons:
            continue
        twists = tuple(uow.rng.sample(possible, min(OFFERED, len(possible))))
        offer = Offer(since=chat.plays_since, game=table.id, player=player.id, twists=twists, last=last)
        _write(uow, chat, offer)
        notice = TwistOfferNotice(table=table.id, title=chat.title, right=right, twists=twists)
        say(uow, player, notice, about=outbox, at=route, slot=f"twist:{player.id}")
        return


def _best(uow: UnitOfWork, game: int) -> Iterator[tuple[Player, int]]:
    """Yield the ghosts with enough right guesses, and their number; the longest row, then the first one, decides."""
    judged: dict[int, list[Prediction]] = {}
    for each in guesses_at(uow, game):
        if each.knew is not None:
            judged.setdefault(each.player_id, []).append(each)

    def order(player: int) -> tuple[int, int, int, int]:
        right = [each.deal for each in judged[player] if each.knew]
        return -len(right), -_longest(judged[player]), min(right), player

    right = {player: sum(bool(each.knew) for each in guesses) for player, guesses in judged.items()}
    players = uow.players_by_id(player for player, number in right.items() if number >= LEAST_RIGHT)
    for player in sorted(players, key=order):
        yield players[player], right[player]


def _longest(guesses: Sequence[Prediction]) -> int:
    rows = groupby(bool(each.knew) for each in guesses)
    return max((len(list(row)) for knew, row in rows if knew), default=0)


def _open(uow: UnitOfWork, row: GameTable, chat: Chat, table: Table) -> None:
    """Give a new lobby the rules from before the last twist, and the twist that waits."""
    on, offer = _read(uow, chat, SwitchedOn), _read(uow, chat, Offer)
    _drop(uow, chat, SwitchedOn)
    before = _without(table, on)
    _change(uow, row, table, before if offer is None else _with(uow, chat, before, offer))


def _follow_last(uow: UnitOfWork, row: GameTable, chat: Chat, table: Table) -> None:
    """Switch a die more for the last player on when they sit down, and off when they leave."""
    offer, is_on = _read(uow, chat, Offer), table.options.get(TWIST) == EXTRA_DIE
    if offer is None or offer.chosen != EXTRA_DIE or is_on == (table.seat_of(offer.last) is not None):
        return
    if is_on:
        _change(uow, row, table, _without(table, _read(uow, chat, SwitchedOn)))
    else:
        _change(uow, row, table, _with(uow, chat, table, offer))


def _without(table: Table, on: SwitchedOn | None) -> Table:
    """Return a lobby without a twist, or as it is if none is on."""
    options = {name: value for name, value in table.options.items() if name not in (TWIST, TWIST_BY)}
    return table.replace(options=options, rules=table.rules if on is None else on.rules_without(table.rules))


def _with(uow: UnitOfWork, chat: Chat, table: Table, offer: Offer) -> Table:
    """Return a lobby with the chosen twist, or as it is if the twist has no place there."""
    player = uow.session.get(Player, offer.player)
    rules = None if offer.chosen is None else twisted(table.rules, offer.chosen)
    if player is None or offer.chosen is None or rules is None or offer.since != chat.plays_since:
        return table
    first = table.seat_of(offer.last) if offer.chosen == EXTRA_DIE else 0
    if first is None:
        return table
    was = {name: getattr(table.rules, name) for name in TWISTS[offer.chosen]}
    _write(uow, chat, SwitchedOn(table=table.id, twist=offer.chosen, was=was))
    by = {} if player.hidden else {TWIST_BY: str(player.id)}
    seats = table.seats[first:] + table.seats[:first]
    return table.replace(rules=rules, options={**table.options, TWIST: offer.chosen, **by}, seats=seats)


def _change(uow: UnitOfWork, row: GameTable, table: Table, wanted: Table) -> None:
    if wanted != table:
        uow.commit_step(row, table, _changed(uow, table, wanted))


def _changed(uow: UnitOfWork, table: Table, wanted: Table) -> TableChange:
    step = lobby_rules.choose_rules(table, table.host, wanted.rules, moment=uow.moment)
    return TableChange(step.table.replace(options=wanted.options, seats=wanted.seats), step.events)


@dataclass(frozen=True, slots=True)
class ChooseTwist(PersonRequest):
    """Choose the twist of the next game, as the best ghost of a game (by its table's id)."""

    buttons = (Button("twist={game}_{twist}"),)
    acts = (Act("twist", "game", "twist"),)

    game: int
    twist: str

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Keep the choice for the next lobby; one that is open has it at once.

        Raises:
            RejectedError: the twists were offered to another person or another evening, or one of them is chosen.
        """
        game = uow.session.get(GameTable, self.game)
        if game is None:
            raise RejectedError(RejectionReason.STALE)
        chat = uow.chat_of(game)
        row = uow.live_table_in(chat)
        offer = _read(uow, chat, Offer)
        if offer is None or (offer.game, offer.since, offer.chosen) != (self.game, chat.plays_since, None):
            raise RejectedError(RejectionReason.STALE)
        if offer.player != player.id:
            raise RejectedError(RejectionReason.NOT_YOURS)
        if self.twist not in offer.twists:
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        chosen = offer.model_copy(update={"chosen": self.twist})
        _write(uow, chat, chosen)
        lobby = None if row is None else load_table(row)
        if row is not None and lobby is not None and lobby.status is Status.LOBBY:
            _change(uow, row, lobby, _with(uow, chat, lobby, chosen))
        on_page = uow.traits(intent.source).reads_rooms
        if on_page or (intent.tapped is not None and intent.where is None):
            at = own_page(uow, player) if on_page else intent.who
            shown = TwistOfferNotice(table=self.game, title=chat.title, twists=(self.twist,), is_chosen=True)
            say(uow, player, shown, at=at, target=intent.tapped, about=self.game, slot=f"twist:{player.id}")
        return CHOSEN


@dataclass(frozen=True, slots=True)
class RefuseTwist(AtAnyStep, TableRequest):
    """Play the next game without the ghost's twist, for the host only."""

    fits = Fits.LOBBY
    buttons = (Button("no_twist"),)
    acts = (Act("no_twist"),)

    def handle(self, context: TableContext) -> Toast | None:
        """Restore the rules.

        Raises:
            RejectedError: the person is not the host, or no twist is on.
        """
        uow, table, chat = context.uow, context.table, context.chat
        lobby_rules.require_host(table, context.player_id)
        on = _read(uow, chat, SwitchedOn)
        if on is None or on.table != table.id or twist_of(table.rules, table.options) is None:
            raise RejectedError(RejectionReason.STALE)
        _drop(uow, chat, Offer, SwitchedOn)
        context.save(_changed(uow, table, _without(table, on)))
        houses = uow.config.house_rules
        return ConfirmationNotice(done=Confirmation.RULES_CHOSEN, rules=context.table.rules, house_rules=houses)


def offer_keys(notice: TwistOfferNotice, w: Catalogue) -> Keys:
    """Below the offer: the twists."""
    return [[Key(twist_label(twist, w), ChooseTwist(notice.table, twist))] for twist in notice.open_twists]


def lobby_keys(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Below the host's menu of rules: the refusal of a ghost's twist."""
    is_on = notice.to_host and notice.shown_menu is LobbyMenu.RULES
    is_on = is_on and twist_of(notice.view.rules, notice.view.options) is not None
    return [[Key(w.say("Without the twist"), RefuseTwist(), sign="✖️")]] if is_on else []


def lobby_acts(notice: LobbyNotice, w: Catalogue) -> list[Key]:
    """On pages the same key, which says the twist: only its reader knows whether they are the host."""
    found = twist_line(notice, Format(w, Medium.ALERT))
    return [] if found is None else [Key(f"{found.sign} {found.text}", RefuseTwist())]
