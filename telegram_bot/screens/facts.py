"""The stored facts from which the content of every surface of a table follows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import and_, func, literal, or_
from sqlmodel import col, select

from telegram_bot import notices as n
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.repositories.next_game import mentioned_in
from telegram_bot.repositories.repositories import Repositories, load_table
from telegram_bot.screens.routes import Route, Routes
from telegram_bot.storage.models import READS_ALL, Chat, GameTable, KeyValue, Player, RoundEnd
from telegram_bot.tables.house_rules import TWIST_BY
from telegram_bot.tables.model import Status, Table, is_person
from telegram_bot.tables.result_views import GameOverView, RevealView, reaction_to
from telegram_bot.tables.views import TableView, table_view

_PARTS: Final = TypeAdapter(n.KnownParts)


@dataclass(frozen=True)
class Ended:
    """The end of one round, as `RoundEnd` stores it."""

    deal: int
    at: float
    cups_at: float
    dice_at: float
    shown_at: float
    """When the table's chat began to show the dice, if it has."""
    seen: bool
    """Whether the message with the dice has arrived in the table's chat; an animation shows them at `dice_at`."""
    view: RevealView
    before: Table | None
    awake: Collection[int]
    shared: bool
    over: GameOverView | None
    parts: tuple[n.FeatureNotice, ...]
    reveal_parts: tuple[n.FeatureNotice, ...]

    @property
    def call(self) -> n.CallNotice | None:
        """Return the call that ended the round, or None if no call did."""
        return n.call_notice(self.view)

    def was_awake(self, seat: int, player: Player) -> bool:
        """Return True if the player took part in the round: another one may have their seat since."""
        return seat in self.awake and self.view.seats[seat].player == player.id

    @property
    def is_animated(self) -> bool:
        """Return True if an animation shows the dice."""
        return self.cups_at < self.dice_at


@dataclass(frozen=True)
class Facts:
    """The stored facts about one table, and the time: a value, which reads nothing."""

    table: Table
    chat: Chat
    menu: str | None
    """The menu of the lobby that its host has opened."""
    ends: Sequence[Ended]
    """The ends of rounds whose dice the chat has not seen yet, and the end of the last round, in order."""
    routes: Routes
    mentions: tuple[n.Mention, ...]
    started_parts: tuple[n.FeatureNotice, ...]
    """The parts that features added to the message of the game's start."""
    people: Mapping[int, Player]
    """The people who have to do with the table, by number."""
    sees_all: bool
    """Whether the bot knows that a message was written below one of `ends` in the table's chat."""
    config: ServiceConfig
    """The choices of the operator."""
    now: float

    @property
    def channels(self) -> ChannelDirectory:
        """Return the traits of all channels."""
        return self.config.channels

    @property
    def shared(self) -> bool:
        """Return True if the table is in a chat that its players read."""
        return self.channels.traits(self.chat.channel).shared_chats

    @cached_property
    def view(self) -> TableView:
        """Return the running game in public form."""
        return table_view(self.table)

    @property
    def last(self) -> Ended | None:
        """Return the end of the last round."""
        return self.ends[-1] if self.ends else None

    @property
    def unrevealed(self) -> Ended | None:
        """Return the first end of a round whose dice the table's chat does not show yet, as `is_unrevealed` says."""
        return next((end for end in self.ends if not end.seen or end.dice_at > self.now), None)

    def player(self, number: int) -> Player | None:
        """Return a person, or None for a computer player."""
        return self.people.get(number)

    def seat_of(self, reader: int) -> int | None:
        """Return the seat that a person has, or had in a round of `ends`, whose end they read as well; or None."""
        rounds = [[seat.player for seat in self.table.seats]]
        rounds += [[seat.player for seat in end.view.seats] for end in reversed(self.ends)]
        return next((players.index(reader) for players in rounds if reader in players), None)

    def player_at(self, seat: int) -> Player | None:
        """Return the person on a seat, or None if it is of a computer player or a forgotten person."""
        return self.player(self.table.seats[seat].player)

    def route_to(self, player: Player) -> Route:
        """Return the best route of private messages to a player."""
        if player.id not in self._routes_found:
            self._routes_found[player.id] = self.routes.to(player)
        return self._routes_found[player.id]

    @cached_property
    def _routes_found(self) -> dict[int, Route]:
        return {}


def facts_about(
    repositories: Repositories,
    row: GameTable,
    table: Table,
    *,
    routes: Routes,
    ends: Sequence[Ended] = (),
    reads_all: bool = False,
) -> Facts:
    """Return the facts about a state of a table; `reads_all`: its messenger lets the bot see all messages of groups."""
    chat = repositories.chat_of(row)
    people = {seat.player for seat in table.seats} | {table.host, table.closed_by or 0}
    people |= {seat.player for end in ends for seat in end.view.seats} | {int(table.options.get(TWIST_BY, 0))}
    return Facts(
        table=table,
        chat=chat,
        menu=row.menu,
        ends=ends,
        routes=routes,
        mentions=mentioned_in(repositories, row, table) if table.status is Status.LOBBY else (),
        started_parts=_PARTS.validate_python(row.started_parts or ()),
        people=repositories.players_by_id(filter(is_person, people)),
        sees_all=bool(ends) and (bool(chat.ephemeral) or table.practice or reads_all),
        config=repositories.config,
        now=repositories.now,
    )


def read_facts(repositories: Repositories, table: int) -> Facts | None:
    """Read the facts about a table as they are now, or None if it does not exist."""
    last = select(func.max(RoundEnd.deal)).where(RoundEnd.table_id == table).scalar_subquery()
    is_news = or_(col(RoundEnd.seen_at).is_(None), col(RoundEnd.deal) == last)
    reads_all_of = select(KeyValue.value).where(KeyValue.key == literal(READS_ALL) + Chat.channel).scalar_subquery()
    query = (
        select(GameTable, Chat, RoundEnd, reads_all_of)
        .join(Chat, col(Chat.id) == col(GameTable.chat_id))
        .outerjoin(RoundEnd, and_(col(RoundEnd.table_id) == col(GameTable.id), is_news))
        .where(GameTable.id == table)
        .order_by(col(RoundEnd.deal))
    )
    stored = repositories.session.exec(query, execution_options={"populate_existing": True}).all()
    if not stored:
        return None
    row, chat, _, reads_all = stored[0]
    remarks = repositories.traits(chat.channel).shared_chats and repositories.config.reactions
    ends = [_ended(end, remarks=remarks) for _, _, end, _ in stored if end is not None]
    routes = Routes.about(repositories, chat)
    return facts_about(repositories, row, load_table(row), routes=routes, ends=ends, reads_all=reads_all == "1")


def _ended(row: RoundEnd, *, remarks: bool) -> Ended:
    view = RevealView.model_validate(row.view)
    return Ended(
        deal=row.deal,
        at=row.at,
        cups_at=row.cups_at,
        dice_at=row.dice_at,
        shown_at=max(row.cups_at, row.seen_at or 0),
        seen=row.seen_at is not None,
        view=view.model_copy(update={"reaction": reaction_to(view)}) if remarks else view,
        before=None if row.before is None else Table.model_validate(row.before),
        awake=row.awake,
        shared=row.shared,
        over=None if row.over is None else GameOverView.model_validate(row.over),
        parts=_PARTS.validate_python(row.parts),
        reveal_parts=_PARTS.validate_python(row.reveal_parts),
    )
