"""Delete a person's data; in other players' games a placeholder named Somebody takes their seat."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Text, cast, delete, func, or_, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, col, select

from perudo_core.stirs import SIGNS
from telegram_bot.channels.sms import TRAITS as SMS
from telegram_bot.channels.web import TRAITS as WEB
from telegram_bot.errors import OperatorError
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.intents import COMPUTER, DEADLINE, Intent, Person
from telegram_bot.intents.slots import hand_slot, menu_slot
from telegram_bot.notices import NOTICES, AboutTable, FeatureNotice, FileNotice
from telegram_bot.registry import Registry
from telegram_bot.screens.routes import room_address
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.naming import NAMING_NOTICES
from telegram_bot.service.quotas import person_key
from telegram_bot.service.service import Service
from telegram_bot.storage.database import in_transaction
from telegram_bot.storage.models import (
    Chat,
    GameAction,
    GameTable,
    InboxEntry,
    LaneName,
    LinkCode,
    Member,
    NextGameRequest,
    OutboxEntry,
    Player,
    Rate,
    RoundEnd,
    SentMessage,
    TableSeat,
)
from telegram_bot.storage.phone_models import Phone, TextTally
from telegram_bot.storage.statistics_models import (
    COUNTS,
    Award,
    PlayerStatistics,
    SeatResult,
)
from telegram_bot.storage.web_models import WebCard, WebEntry, WebSession
from telegram_bot.tables.model import Status

SOMEBODY: Final = "Somebody"
FORGOTTEN: Final = "forgotten"
LEFT: Final = -1000
"""The player number of a stir by a player who left the lobby; no seat has it."""
SOURCE: Final = "operator"
ROWS_ABOUT_PEOPLE: Final = Registry[type[SQLModel], str]("the rows of features about people")
"""The models of features whose rows name a player, each with words for a number of rows.

The rows are deleted with the player's own row: `ON DELETE CASCADE`.
"""


@dataclass(frozen=True, slots=True)
class Traces:
    """The data about a person. `seated`: tables where they sit now; `running`: running games that they have left."""

    seated: tuple[str, ...]
    running: int
    lines: tuple[str, ...]
    """All of it in words."""


class PersonDeletion:
    """Finds a person, lists the data about them, and deletes it."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.database = service.database

    async def all_of(self, user: str, *, dry_run: bool, leave: bool) -> list[str]:
        """Delete the data of the person that the operator names, or list it; return the lines to print.

        Raises:
            OperatorError: some of the data could not be deleted.
        """
        player = await self.find(user)
        traces = await self.traces(player)
        if dry_run:
            return [*traces.lines, "Nothing was deleted: this was a dry run."]
        if leave:
            await self.leave(player)
        await self.forget(player)
        return [*traces.lines, "Deleted. What was written in chats stays there, and backups are yours to look after."]

    async def find(self, user: str) -> int:
        """Find the person that the operator names: by id (12345 or telegram:12345) or by @name.

        Raises:
            OperatorError: no person has this name, or several have it.
        """
        rows = await self.database.run(lambda session: list(session.exec(select(Player).where(_named(user)))))
        if not rows:
            raise OperatorError(f"no one is known as {user}: give the id that Telegram knows them by, or their @name")
        if len(rows) > 1:
            names = ", ".join(f"{row.channel}:{row.address}" for row in rows)
            raise OperatorError(f"{user} may be several people: say which of {names}")
        return rows[0].id

    @in_transaction
    def traces(self, session: Session, player: int) -> Traces:
        """Return the data about them."""
        row = session.get_one(Player, player)
        seated = [session.get_one(Chat, table.chat_id).title or table.code for table in _seated_at(session, player)]
        over, running = _tables_of(session, player)
        left = len(running) - len(seated)
        waiting = _count(session, OutboxEntry, col(OutboxEntry.lane).in_(_lanes_of(row)))
        counts = {
            "{} game(s) that they left and that still run": left,
            f"{{}} game(s) that are over, which stay, with {SOMEBODY} in their place": len(over),
            "{} notice(s) and messages of their private chat": waiting + _count(session, SentMessage, _seen_by(row)),
            "{} update(s) that wait or were set aside": len(_updates_of(session, row)),
            "the wish to be told of the next game in {} group(s)": _rows_of(session, NextGameRequest, player),
            "statistics of {} game(s), rating and achievements: their places stay, nameless": _rows_of(
                session, SeatResult, player
            ),
            **{words: _rows_of(session, model, player) for model, words in ROWS_ABOUT_PEOPLE.items()},
            "a telephone number, and what was texted to it": int(_phone_of(row) is not None),
        }
        who = " ".join(filter(None, (row.name, row.username and f"@{row.username}", f"{row.channel}:{row.address}")))
        said = ["name, language and settings"]
        if seated:
            said.append(f"a seat at {len(seated)} table(s): {', '.join(seated)}")
        said += [words.format(count) for words, count in counts.items() if count]
        return Traces(tuple(seated), left, (who, *(f"  {words}" for words in said)))

    async def leave(self, player: int) -> None:
        """Leave every table where they sit, as with /leave."""

        def look(session: Session) -> tuple[Person, list[int]]:
            row = session.get_one(Player, player)
            person = Person(row.channel, row.address, row.name, row.username, row.language)
            return person, [table.id for table in _seated_at(session, player)]

        person, tables = await self.database.run(look)
        for table in tables:
            cause = f"forget:{player}:{table}:{self.service.now()!r}"
            await self.service.handle(
                Intent(SOURCE, cause, person, Leave(confirmed=True), table=table, answered_by="nothing")
            )

    async def forget(self, player: int) -> None:
        """Delete their data, table by table, then the rest. If the command is interrupted, run it again.

        Raises:
            OperatorError: they sit at a table, or took part in a game that still runs. All other data is deleted.
        """
        traces = await self.traces(player)
        if traces.seated:
            raise OperatorError(f"they sit at a table ({', '.join(traces.seated)}): --leave takes them from it")
        over, _ = await self.database.run(lambda session: _tables_of(session, player))
        for table in over:
            await self.database.run(lambda session, table=table: _forget_at(session, player, table))  # type: ignore[misc]
        await self.database.run(lambda session: _forget_watched(session, player, self.service.config.channels))
        if traces.running:
            raise OperatorError(
                f"{traces.running} game(s) that they left still run, and their seat is in them. Games that are over"
                " do not name them any more; all the rest is still there: do this again when no game of theirs runs"
            )
        try:
            await self.database.run(lambda session: self._forget_person(session, player))
        except IntegrityError as error:
            raise OperatorError("they came back while they were being forgotten: do this again") from error

    def _forget_person(self, session: Session, player: int) -> None:
        """Delete the rest, and show lists without them."""
        about = {name: set(naming.about(session, player)) for name, naming in NAMING_NOTICES.items()}
        _forget_person(session, player, self.service.config.channels)
        session.flush()
        uow = self.service.unit_of_work(session, f"{SOURCE}:forget:{player}")
        for name, naming in NAMING_NOTICES.items():
            if naming.show is not None:
                naming.show(uow, about[name])
        uow.finish()


def _named(user: str) -> ColumnElement[bool]:
    if user.startswith("@"):
        return func.lower(col(Player.username)) == user[1:].lower()
    channel, _, number = user.rpartition(":")
    if not number.isascii() or not number.removeprefix("-").isdecimal():
        raise OperatorError(f"{user} is neither an id, such as 12345, nor a name, such as @ana")
    return (col(Player.channel) == (channel or "telegram")) & (col(Player.address) == int(number))


# One table


def _forget_at(session: Session, player: int, table: int) -> None:
    """Replace them by Somebody: in the table, in the causes of its actions, in its waiting notices."""
    row = session.exec(select(GameTable).where(GameTable.id == table)).one()
    person = session.get_one(Player, player)
    session.exec(delete(TableSeat).where(col(TableSeat.table_id) == table, col(TableSeat.player_id) == player))
    session.exec(
        delete(OutboxEntry).where(col(OutboxEntry.table_id) == table, col(OutboxEntry.lane).in_(_lanes_of(person)))
    )
    session.exec(
        delete(SentMessage).where(
            col(SentMessage.table_id) == table,
            or_(_seen_by(person), col(SentMessage.slot).in_((hand_slot(player), menu_slot(player)))),
        )
    )
    session.exec(delete(WebCard).where(col(WebCard.table_id) == table))
    names = {person.name, person.username, *_words_of(row.state, player)}
    for waiting in session.exec(
        select(OutboxEntry).where(OutboxEntry.table_id == table, _holds_json(OutboxEntry.notice))
    ):
        # A whole file: its reader can ask for it again.
        kind = (waiting.notice or {}).get("notice", {}).get("kind")
        if issubclass(NOTICES.get(kind, object), FileNotice):
            session.delete(waiting)
        else:
            waiting.notice = _without(waiting.notice, names)
    row.started_parts = _without(row.started_parts, names)
    state, seats = without_person(row.state, player)
    for end in session.exec(select(RoundEnd).where(RoundEnd.table_id == table)):
        _forget_in_end(end, player, names, is_over=not row.live)
    row.state, row.version = state, row.version + 1
    shared = [index for index, seat in enumerate(state["seats"]) if seat.get("changed_hands")]
    for seat in {*seats, *shared}:
        _forget_causes(session, table, seat)


def without_person(stored: dict[str, Any], player: int) -> tuple[dict[str, Any], list[int]]:
    """Return a table's stored state with Somebody in a player's seats, and the numbers of these seats.

    Their lucky words are deleted, and the secret with them: without a word the dice can no longer be verified. Only a
    running game keeps the words, without a name: the dice of all players follow from them.
    """
    is_over = stored.get("status") not in (Status.LOBBY, Status.PLAYING)
    state = deepcopy(stored)
    seats = _seats_of(state, player)
    for stir in state["stirs"]:
        if stir["player"] == player:
            stir |= {"player": -1 - seats[0] if seats else LEFT, "name": SOMEBODY}
            if is_over and stir["what"] not in SIGNS:
                stir["what"] = FORGOTTEN
                state["secret"] = None
    for role in ("opened_by", "closed_by"):
        if state.get(role) == player:
            state[role] = None
    for seat in state["seats"]:
        seat |= {role: None for role in ("next", "owner") if (seat.get(role) or {}).get("player") == player}
    state["kicked"] = [kicked for kicked in state["kicked"] if kicked != player]
    for index in seats:
        nobody = -1 - index
        seat = state["seats"][index]
        state["seats"][index] = {"player": nobody, "name": SOMEBODY, "away": seat["away"], "misses": seat["misses"]}
        if state["host"] == player:
            state["host"] = nobody
        if state["game"]:
            state["game"]["seats"][index] = SOMEBODY
    if state["host"] == player:  # another player has the host's seat
        state["host"] = LEFT
    return state, seats


def _forget_in_end(end: RoundEnd, player: int, names: set[str | None], *, is_over: bool) -> None:
    """Replace them in the end of a round; once the table is over, no board needs the table before it."""
    end.before = None if end.before is None or is_over else without_person(end.before, player)[0]
    nobody = -1 - next((index for index, seat in enumerate(end.view["seats"]) if seat["player"] == player), -LEFT)
    nameless = {"player": nobody, "name": SOMEBODY, "face": None, "guest": False}

    def forgotten(view: Any) -> Any:
        seats = [seat | nameless if seat["player"] == player else seat for seat in view["seats"]]
        return _without(view | {"seats": seats}, names)

    end.view, end.over = forgotten(end.view), None if end.over is None else forgotten(end.over)
    end.parts, end.reveal_parts = _without(end.parts, names), _without(end.reveal_parts, names)


def _forget_watched(session: Session, player: int, channels: ChannelDirectory) -> None:
    """Replace their name by Somebody in what features say about lists, and about tables where they only watched."""
    names: set[str | None] = {session.get_one(Player, player).name}
    naming = list(NAMING_NOTICES.values())
    tables = {number for each in naming for number in each.about(session, player)}
    for end in session.exec(select(RoundEnd).where(col(RoundEnd.table_id).in_(tables))):
        end.parts, end.reveal_parts = _without(end.parts, names), _without(end.reveal_parts, names)
    rooms = _rooms_that_name(session, player, channels)
    of_them = or_(col(WebCard.table_id).in_(tables), col(WebCard.address).in_(rooms))
    for card in session.exec(select(WebCard).where(of_them)):
        # The other cards are of newer tables, where another person may have the name.
        if card.table_id in tables or _is_about_no_table(card.notice):
            card.notice = _without(card.notice, names)
    for waiting in session.exec(
        select(OutboxEntry).where(col(OutboxEntry.table_id).in_(tables), _holds_json(OutboxEntry.notice))
    ):
        waiting.notice = _without(waiting.notice, names)


def _rooms_that_name(session: Session, player: int, channels: ChannelDirectory) -> list[int]:
    """Return the addresses of the rooms where they played, watched, or are on a list."""
    queries = (
        select(GameTable.chat_id).join(TableSeat).where(TableSeat.player_id == player),
        select(WebEntry.chat_id).where(WebEntry.player_id == player),
    )
    chats = {chat for query in queries for chat in session.exec(query)}
    chats |= {chat for each in NAMING_NOTICES.values() if each.chats for chat in each.chats(session, player)}
    return [room_address(chat, channels) for chat in session.exec(select(Chat).where(col(Chat.id).in_(chats)))]


def _is_about_no_table(stored: Mapping[str, Any]) -> bool:
    notice = NOTICES.get(stored["kind"], object)
    return issubclass(notice, FeatureNotice) and not issubclass(notice, AboutTable)


def _words_of(stored: dict[str, Any], player: int) -> set[str]:
    """Return the lucky words that they stirred in."""
    return {stir["what"] for stir in stored["stirs"] if stir["player"] == player} - set(SIGNS)


def _forget_causes(session: Session, table: int, seat: int) -> None:
    """Replace the causes of their actions, which name the messages that they sent."""
    actions = session.exec(select(GameAction).where(GameAction.table_id == table)).all()
    # Calls that the bot played for players have one cause for all seats, and name no message.
    causes = {action.cause for action in actions if action.action.get("seat") == seat} - {DEADLINE, COMPUTER}
    session.exec(
        update(GameAction)
        .where(col(GameAction.table_id) == table, col(GameAction.cause).in_(causes))
        .values(cause=FORGOTTEN)
    )


def _without(value: Any, names: set[str | None]) -> Any:
    if isinstance(value, dict):
        return {key: _without(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without(inner, names) for inner in value]
    return SOMEBODY if isinstance(value, str) and value in names else value


# The rest


def _forget_person(session: Session, player: int, channels: ChannelDirectory) -> None:
    person = session.get_one(Player, player)
    lanes = _lanes_of(person)
    session.exec(delete(OutboxEntry).where(col(OutboxEntry.lane).in_(lanes)))
    session.exec(delete(SentMessage).where(_seen_by(person)))
    counted = [col(Rate.key).startswith(f"{person_key(lane.channel, lane.chat)}:", autoescape=True) for lane in lanes]
    session.exec(delete(Rate).where(or_(*counted)))
    pages = [lane.chat for lane in lanes if lane.channel == WEB.name]
    session.exec(delete(WebCard).where(col(WebCard.address).in_(pages)))
    for model in (
        LinkCode,
        WebSession,
        WebEntry,
        Member,
        NextGameRequest,
        Award,
        PlayerStatistics,
    ):
        session.exec(delete(model).where(col(model.player_id) == player))
    # A place and a rating without a name remain in each game: the others' ratings need them.
    nobody = dict.fromkeys(COUNTS, 0)
    session.exec(update(SeatResult).where(col(SeatResult.player_id) == player).values(nobody | {"player_id": None}))
    for update_ in _updates_of(session, person):
        update_.payload = update_.facts = None
        update_.done_at = update_.done_at or update_.received_at
    for lane in lanes:
        if not channels.traits(lane.channel).shared_chats:  # the place of their own tables is called after them
            own = (col(Chat.channel) == lane.channel) & (col(Chat.address) == -lane.chat)
            session.exec(update(Chat).where(own).values(title=""))
    room_of_theirs = (col(Chat.channel) == WEB.name) & (col(Chat.title) == person.name)
    session.exec(update(Chat).where(room_of_theirs).values(title=""))
    phone = _phone_of(person)
    if phone is not None:
        scopes = [f"{tally}:{phone}" for tally in ("phone", "talk", "link", "answer", "resuming", "code")]
        last_texts = col(TextTally.scope).startswith(f"last:{phone}:")
        of_hours = col(TextTally.scope).like(f"%@%:{phone}")
        session.exec(delete(TextTally).where(or_(col(TextTally.scope).in_(scopes), last_texts, of_hours)))
        session.exec(delete(Phone).where(col(Phone.id) == phone))
    session.flush()
    session.delete(person)


# Rows about a person


def _tables_of(session: Session, player: int) -> tuple[list[int], list[int]]:
    """Return the tables where they ever sat: those they can be removed from, and running games that need their seat."""
    query = (
        select(TableSeat.table_id, GameTable.live, GameTable.state)
        .join(GameTable, col(GameTable.id) == col(TableSeat.table_id))
        .where(TableSeat.player_id == player)
        .order_by(col(TableSeat.table_id))
    )
    over: list[int] = []
    running: list[int] = []
    for table, live, state in session.exec(query):
        (running if live and _seats_of(state, player) else over).append(table)
    return over, running


def _seats_of(state: Mapping[str, Any], player: int) -> list[int]:
    """Return the numbers of a player's seats in a table's stored state."""
    return [index for index, seat in enumerate(state.get("seats", ())) if seat.get("player") == player]


def _seated_at(session: Session, player: int) -> list[GameTable]:
    """Return the live tables where they sit now."""
    query = (
        select(GameTable)
        .join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
        .where(TableSeat.player_id == player, col(TableSeat.live), col(GameTable.live))
        .order_by(col(GameTable.id))
    )
    return list(session.exec(query))


def _count(session: Session, model: Any, condition: ColumnElement[bool]) -> int:
    """Return the number of rows of a model that meet the condition."""
    return session.exec(select(func.count()).select_from(model).where(condition)).one()


def _rows_of(session: Session, model: Any, player: int) -> int:
    return _count(session, model, col(model.player_id) == player)


def _lanes_of(person: Player) -> list[LaneName]:
    """Return the lanes of notices to them alone."""
    lanes = [person.lane]
    if person.channel != WEB.name:
        lanes.append(LaneName(WEB.name, person.id))  # of a page that they have opened
    return lanes if person.phone is None else [*lanes, LaneName(SMS.name, person.phone)]


def _phone_of(person: Player) -> int | None:
    """Return the address of their phone on the channel for text messages, or None if they have none."""
    return person.address if person.channel == SMS.name else person.phone


def _seen_by(person: Player) -> ColumnElement[bool]:
    """Messages in their private chat, and messages in a group that only they see. Groups have negative addresses."""
    return or_(col(SentMessage.chat) == person.address, col(SentMessage.receiver) == person.address)


def _updates_of(session: Session, person: Player) -> list[InboxEntry]:
    """Find stored updates from them or about them that wait or were set aside."""
    found = [row for row in _with(session, person.channel, person.address) if person.address in _ids(row.payload)]
    phone = _phone_of(person)
    if phone is not None:
        found += [row for row in _with(session, SMS.name, phone) if (row.payload or {}).get("phone") == phone]
    return found


def _with(session: Session, source: str, number: int) -> Sequence[InboxEntry]:
    """Return a channel's updates whose JSON contains the number."""
    holds = cast(col(InboxEntry.payload), Text).contains(str(number))
    return session.exec(
        select(InboxEntry).where(InboxEntry.source == source, _holds_json(InboxEntry.payload), holds)
    ).all()


def _holds_json(column: Any) -> ColumnElement[bool]:
    """Return whether a column contains JSON. An empty one may be SQL's NULL or JSON's null."""
    return cast(col(column), Text) != "null"


def _ids(value: Any) -> Iterator[Any]:
    """Yield the ids in an update."""
    if isinstance(value, dict):
        yield value.get("id")
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _ids(inner)
