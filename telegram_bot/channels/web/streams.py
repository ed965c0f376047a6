"""Streams: cards as server-sent events; and which pages are open.

No card is queued in memory: a woken stream reads what its page should show, and sends what it has not sent last.
"""

import asyncio
import json
import logging
import math
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from telegram_bot.channels.web import MOST_STREAMS, TRAITS
from telegram_bot.channels.web.admission import Door, Reading, doors_of, rooms_of
from telegram_bot.channels.web.card_store import TICKS, StoredCard, cards_after
from telegram_bot.channels.web.hosts import tell_hosts
from telegram_bot.channels.web.sessions import Page
from telegram_bot.ingress.networks import has_enough
from telegram_bot.intents.intents import DELIVERY, PageChanged
from telegram_bot.notices import Notice
from telegram_bot.presentation.cards import card_of, may_enter
from telegram_bot.screens.differences import next_change
from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.screens.wants import page_wants
from telegram_bot.service.service import Service
from telegram_bot.service.shown_turns import as_shown
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import in_transaction, is_transient, reason
from telegram_bot.storage.key_value import forgotten_span
from telegram_bot.storage.models import GameTable, LaneName
from telegram_bot.storage.web_models import WebSession
from telegram_bot.tables.model import Status, Timings
from telegram_bot.tables.turn_clock import LATE_SECONDS
from telegram_bot.words.page import page_catalogue

log = logging.getLogger(__name__)

PING_SECONDS: Final = 1.0
"""On a television, and on a page whose player is on turn. A page without the next ping begins a new stream."""
QUIET_PING_SECONDS: Final = 5.0
"""On all others: a phone that gets a byte each second keeps its radio awake."""
MOST_SECONDS: Final = 90
"""Then the page must reconnect. A vanished page would otherwise count as open for a quarter of an hour."""
STREAMS_A_SESSION: Final = 3
STREAMS_A_NETWORK: Final = 30
"""More than for a session: a family or a school shares one network."""
SWEEP_SECONDS: Final = 2.0
"""The pause between two looks at who is at the door, and which pages read another room."""
KEEP_SECONDS: Final = 10.0
OPEN_SECONDS: Final = 30.0
"""How long a page counts as open unless it is extended."""
GRACE_SECONDS: Final = 5.0
"""How long a page counts as open after its stream ended: a phone that changes its network returns."""


@dataclass(slots=True, eq=False)
class Stream:
    """One open stream; `tab` is the page's own name for its tab."""

    page: Page
    tab: str
    network: str
    after: dict[int, int] = field(default_factory=dict)
    """The number of the last stored card that was sent, by address."""
    sent: dict[tuple[int, str], object] = field(default_factory=dict)
    """The identity of the last content of each surface that was sent, by table and slot."""
    again: float | None = None
    """When surfaces change without a step."""
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False
    """Whether another stream has taken its place."""
    elsewhere: bool = False
    """Whether that is the stream of another tab."""
    door: Door | None = None
    """The way into the room that the page reads, at the last sweep."""
    door_changed: bool = False

    def has_moved(self, rooms: dict[int, Reading]) -> bool:
        """Return True if the page reads another room or seat than at its beginning, in another language, or none."""
        page = self.page
        return rooms.get(page.session, Reading(None, False, page.player, page.spoken)) != (
            page.lane,
            page.room is not None,
            page.player,
            page.spoken,
        )


class Streams:
    """The streams of one process."""

    def __init__(self, service: Service, wake_lanes: Callable[[Iterable[LaneName]], None]) -> None:
        self.service = service
        self.is_party = False
        """Whether the evening is over when the process ends, as no other one takes over."""
        self.database = service.database
        self.now = service.now
        self.wake_lanes = wake_lanes
        self.closing = False
        self._open: list[Stream] = []
        """The oldest first."""
        self._readers: dict[LaneName, dict[Stream, None]] = {}
        """The streams that show what happens in a chat, or is said to an address of pages."""
        self._asking: list[tuple[Stream, asyncio.Future[_News | None]]] = []
        """Streams that wait for the next query for new cards."""
        self._is_reading = False
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, page: Page, tab: str = "", network: str = "") -> Stream | None:
        """Open a stream, which counts until `leave`, or None if there are too many.

        At a session's limit it replaces the oldest stream: of the same tab, which must be dead, or else of any, because
        the player looks at the newest.
        """
        theirs = [each for each in self._of(page.session) if not each.over]
        same = next((each for each in theirs if each.tab == tab != ""), None)
        replaced = (same or theirs[0]) if len(theirs) >= STREAMS_A_SESSION else None
        others = [each.network for each in self._open if each is not replaced]
        if len(self._open) >= MOST_STREAMS or has_enough(network, others, STREAMS_A_NETWORK):
            return None
        if replaced is not None:
            replaced.over, replaced.elsewhere = True, replaced is not same
            replaced.woken.set()
        stream = Stream(page, tab, network, {address: 0 for address in (page.own, page.room) if address is not None})
        self._open.append(stream)
        for lane in _lanes_of(stream):
            self._readers.setdefault(lane, {})[stream] = None  # woken in the order in which they came
        return stream

    def leave(self, stream: Stream) -> None:
        """Stop counting a stream."""
        if stream not in self._open:
            return
        self._open.remove(stream)
        for lane in _lanes_of(stream):
            self._readers[lane].pop(stream, None)
            if not self._readers[lane]:
                del self._readers[lane]
        if not self._of(stream.page.session):
            self._begin(self._keep([stream.page.session], GRACE_SECONDS))

    def _of(self, session: int) -> list[Stream]:
        return [stream for stream in self._open if stream.page.session == session]

    def wake(self, lanes: Iterable[LaneName]) -> None:
        """Let the streams that read these chats look for news."""
        for lane in lanes:
            for stream in self._readers.get(lane, ()):
                stream.woken.set()

    def wake_session(self, session: int) -> None:
        """Let the streams of a session notice that it may read another room now."""
        for stream in self._of(session):
            stream.woken.set()

    def close(self) -> None:
        """End all streams, because the process stops."""
        self.closing = True
        for stream in self._open:
            stream.woken.set()

    async def events(self, stream: Stream) -> AsyncGenerator[str, None]:
        """Yield a page's events until it disconnects."""
        page, silent, ready = stream.page, 0.0, False
        is_asked, announced = False, PING_SECONDS
        try:
            restored = await self._opened(page)
            about = {"now": self.now(), "player": page.player, "language": page.language, "restored": restored}
            yield _event("hello", about)
            while not (self.closing or stream.over):
                stream.woken.clear()
                news = await self._news(stream)
                if news is None:
                    yield _event("end", {"why": "moved"})
                    return
                stream.after, stream.again = news.after, news.again
                stream.sent |= news.sent
                if stream.door_changed:
                    stream.door_changed = False
                    has_screen, gone, claims = (False, (), ()) if stream.door is None else stream.door[-3:]
                    yield _event("door", {"screen": has_screen, "gone": gone, "claims": len(claims)})
                for card in news.cards:
                    if card.notice.card_slot == "table":
                        is_asked = page.player is not None and card.notice.asked_player == page.player
                    shown = card_of(card.notice, card.address, card.table, page_catalogue(page.language))
                    yield _event("card", shown if card.at is None else shown | {"at": card.at})
                seconds = PING_SECONDS if is_asked or page.kind == "screen" else QUIET_PING_SECONDS
                if seconds != announced:
                    announced = seconds
                    yield f": ping {seconds:g}\n\n"
                if not ready:
                    ready = True
                    yield _event("ready", {})
                while not stream.woken.is_set():
                    left = seconds if stream.again is None else stream.again - self.now()
                    try:
                        async with asyncio.timeout(min(seconds, max(left, 0))):
                            await stream.woken.wait()
                    except TimeoutError:
                        silent += min(seconds, max(left, 0))
                        if silent > MOST_SECONDS:
                            yield _event("end", {"why": "again"})
                            return
                        yield ": ping\n\n"
                        if left < seconds:
                            stream.woken.set()
            if stream.elsewhere:
                yield _event("end", {"why": "elsewhere"})
            elif self.closing and self.is_party:
                yield _event("end", {"why": "over"})
        except SQLAlchemyError as error:
            if not is_transient(error):
                raise
            # Without an `end` the page pauses before it connects again.
            log.warning("the stream of a page ends: %s", reason(error))
        finally:
            self.leave(stream)

    # New cards

    async def _news(self, stream: Stream) -> "_News | None":
        """Return what a stream has not sent, or None if its page reads another room now, or none."""
        answer: asyncio.Future[_News | None] = asyncio.get_running_loop().create_future()
        self._asking.append((stream, answer))
        if not self._is_reading:
            self._is_reading = True
            self._begin(self._tell())
        return await answer

    async def _tell(self) -> None:
        """Tell all waiting streams their news, in one transaction: the streams of a table wake together."""
        while self._asking:
            asking, self._asking = self._asking, []
            try:
                news = await self._read([stream for stream, _ in asking])
            except Exception as error:  # noqa: BLE001 - each of these streams fails with it
                for _, answer in asking:
                    if not answer.done():  # otherwise its page has gone
                        answer.set_exception(error)
            else:
                for stream, answer in asking:
                    if not answer.done():
                        answer.set_result(news[stream])
        self._is_reading = False

    @in_transaction
    def _read(self, session: Session, streams: Sequence[Stream]) -> "dict[Stream, _News | None]":
        """Return what each stream has not sent, or None if its page reads another room now, or none."""
        uow = self.service.unit_of_work(session, DELIVERY)
        rooms = rooms_of(session, {stream.page.session for stream in streams}, uow.now)
        staying = dict.fromkeys(stream for stream in streams if not stream.has_moved(rooms))
        cursors: dict[int, int] = {}
        for stream in staying:
            for address, seq in stream.after.items():
                cursors[address] = min(seq, cursors.get(address, seq))
        said = cards_after(session, cursors)
        chats = {stream.page.chat for stream in staying if stream.page.room is not None}
        tables = {chat: _tables_in(uow, chat) for chat in chats if chat is not None}
        return {stream: None if stream not in staying else _news_of(stream, tables, said) for stream in streams}

    async def idle(self) -> None:
        """Wait until all that closed pages left to do is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that outlives the request; without a database its time limit ends it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.warning("a page's end could not be noted: %s", type(task.exception()).__name__)

    # Which pages are open

    async def _opened(self, page: Page) -> float:
        """Mark a page as open: from now on its player gets the notices of its room here.

        Return when a backup was restored last: a page that was open before shows what that backup does not know.
        """
        await self._keep([page.session], OPEN_SECONDS)
        if page.kind not in ("guest", "screen"):
            self.wake_lanes((await self.service.handle(PageChanged(page.session, page.chat))).lanes)
        span = await self.database.run(forgotten_span)
        return 0 if span is None else span[1]

    @in_transaction
    def _keep(self, session: Session, numbers: list[int], seconds: float) -> None:
        """Extend the time for which sessions count as open."""
        until = self.now() + seconds
        session.exec(
            update(WebSession)
            .where(col(WebSession.id).in_(numbers), ~col(WebSession.replaced))
            .values(open_until=until, seen_at=self.now())
        )

    @in_transaction
    def _ended(self, session: Session) -> list[int]:
        """Mark expired pages as closed; return those that still count as showing a room."""
        over = (col(WebSession.open_until) > 0) & (col(WebSession.open_until) <= self.now())
        for row in session.exec(select(WebSession).where(over)):
            row.open_until = 0
        session.flush()
        shown = col(WebSession.shown_chat_id).is_not(None) & (col(WebSession.open_until) <= self.now())
        return list(session.exec(select(WebSession.id).where(shown)))

    async def run(self) -> None:
        """Notice which pages have moved, and record which are open, until cancelled."""
        kept = 0.0
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await self.sweep()
                if self._open and abs(self.now() - kept) > KEEP_SECONDS:  # the clock may have been set back
                    await self._keep(sorted({stream.page.session for stream in self._open}), OPEN_SECONDS)
                    kept = self.now()
            except Exception as error:  # noqa: BLE001 - the next sweep may go better
                log.warning("looking after open pages failed: %s", type(error).__name__)

    async def sweep(self) -> None:
        """Wake streams with another room or a changed door, and record which pages were closed."""
        now = self.now()
        rooms, doors = await self.database.run(
            lambda session: (
                rooms_of(session, {stream.page.session for stream in self._open}, now),
                doors_of(session, {stream.page.chat for stream in self._open if stream.page.room is not None}, now),
            )
        )
        for stream in self._open:
            door = None if stream.page.room is None else doors.get(stream.page.chat)
            if door != stream.door:
                stream.door, stream.door_changed = door, True
            if stream.door_changed or stream.has_moved(rooms):
                stream.woken.set()
        self.wake_lanes(await self.service.run(tell_hosts))
        for closed in await self._ended():
            self.wake_lanes((await self.service.handle(PageChanged(closed, None))).lanes)


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


def _lanes_of(stream: Stream) -> set[LaneName]:
    """Return the chat that a stream's page shows, and its addresses on this channel."""
    chat = set() if stream.page.lane is None or stream.page.room is None else {stream.page.lane}
    return chat | {LaneName(TRAITS.name, address) for address in stream.after}


# The cards of a page


class _Card(NamedTuple):
    """A card, as it is sent."""

    address: int
    table: int
    notice: Notice
    at: float | None


class _News(NamedTuple):
    """The cards that a stream has not sent, and its state once they are sent."""

    cards: Sequence[_Card]
    after: dict[int, int]
    sent: dict[tuple[int, str], object]
    again: float | None


def _tables_in(uow: UnitOfWork, chat: int) -> Sequence[Facts]:
    """Return the facts about a room's newest table, and until its game begins about the one before as well."""
    newest = select(GameTable.id).where(GameTable.chat_id == chat).order_by(col(GameTable.id).desc())
    found: list[Facts] = []
    for number in uow.session.exec(newest.limit(2)):
        try:
            facts = read_facts(uow, number)
        except ValidationError as error:  # whatever is wrong with it, its room stays open
            log.error("table %s cannot be read: %s", number, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
            continue
        if facts is not None:
            found.insert(0, _with_clock_as_shown(uow, facts))
        if facts is None or facts.table.game is not None:
            break
    return found


def _with_clock_as_shown(uow: UnitOfWork, facts: Facts) -> Facts:
    """Return the facts with the clock as its player has it, if their turn was shown late."""
    table = facts.table
    if (
        table.status is not Status.PLAYING
        or table.running.ends is None
        or facts.now <= table.running.since + LATE_SECONDS
    ):
        return facts
    return replace(facts, table=as_shown(uow, table, Timings()))


def _news_of(stream: Stream, tables: Mapping[int, Sequence[Facts]], said: Sequence[StoredCard]) -> _News:
    """Compare what a page should show with what its stream has sent."""
    page, after = stream.page, dict(stream.after)
    shown = () if page.chat is None or page.room is None else tables[page.chat]
    numbers = {facts.table.id for facts in shown}
    cards = list[_Card]()
    for card in said:
        if card.seq <= after.get(card.address, card.seq):
            continue
        after[card.address] = card.seq
        is_here = card.table in numbers or (card.address == page.room and card.table == 0)
        if is_here or (card.address == page.own and not page.linked):
            cards.append(_Card(card.address, card.table, card.notice, card.seq / TICKS))
    sent: dict[tuple[int, str], object] = {}
    surfaces = list[_Card]()
    for facts in shown:
        table = facts.table.id
        is_first = all(number != table for number, _ in stream.sent)
        for want in page_wants(facts, page.player, is_first=is_first):
            address, notice = page.room if want.player is None else page.own, want.notice
            if address is None or notice.card_slot is None or not may_enter(notice, address):
                continue
            place = (table, f"{want.slot} {notice.card_slot}")
            if want.edit_only and place not in stream.sent:
                continue
            content: object = want.key if want.once else notice.kind if want.frozen else notice
            if stream.sent.get(place, sent.get(place)) != content:
                sent[place] = content
                surfaces.append(_Card(address, table, notice, want.at))
    times = [time for facts in shown if (time := next_change(facts)) is not None]
    every = sorted([*surfaces, *cards], key=lambda card: card.table or math.inf)
    return _News(every, after, sent, min(times, default=None))
