"""Streams: stored cards as server-sent events; and which pages are open.

No card is queued in memory: a woken stream reads the cards that are newer than its cursor.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from telegram_bot.channels.web import MOST_STREAMS
from telegram_bot.channels.web.admission import Door, Reading, doors_of, rooms_of
from telegram_bot.channels.web.card_store import TICKS, StoredCard, cards_after
from telegram_bot.channels.web.hosts import tell_hosts
from telegram_bot.channels.web.sessions import Page
from telegram_bot.ingress.networks import has_enough
from telegram_bot.presentation.cards import card_of
from telegram_bot.service.intents import PageChanged, RoomWatched
from telegram_bot.service.service import Service
from telegram_bot.storage.database import in_transaction, is_transient, reason
from telegram_bot.storage.key_value import forgotten_span
from telegram_bot.storage.models import Chat, GameTable, LaneName
from telegram_bot.storage.web_models import WebSession
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


class Cursor(NamedTuple):
    """The numbers of the last cards that a page has drawn, and of the restored backup that they were stored after."""

    public: int = 0
    private: int = 0
    restore: int = 0


@dataclass(slots=True, eq=False)
class Stream:
    """One open stream; `tab` is the page's own name for its tab."""

    page: Page
    tab: str
    network: str
    after: dict[int, int]
    """The number of the last card that the page has, by address."""
    restore: int
    """The number of the last restored backup: see `Cursor`."""
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
            page.chat,
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
        self._readers: dict[int, set[Stream]] = {}
        """The streams that read an address."""
        self._asking: list[tuple[Stream, asyncio.Future[list[StoredCard] | None]]] = []
        """Streams that wait for the next query for new cards."""
        self._is_reading = False
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, page: Page, cursor: Cursor, tab: str = "", network: str = "") -> Stream | None:
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
        own = {} if page.own is None else {page.own: cursor.private}
        room = {} if page.room is None else {page.room: cursor.public}
        stream = Stream(page, tab, network, own | room, cursor.restore)
        self._open.append(stream)
        for address in stream.after:
            self._readers.setdefault(address, set()).add(stream)
        return stream

    def leave(self, stream: Stream) -> None:
        """Stop counting a stream."""
        if stream not in self._open:
            return
        self._open.remove(stream)
        for address in stream.after:
            self._readers[address].discard(stream)
            if not self._readers[address]:
                del self._readers[address]
        if not self._of(stream.page.session):
            self._begin(self._keep([stream.page.session], GRACE_SECONDS))

    def _of(self, session: int) -> list[Stream]:
        return [stream for stream in self._open if stream.page.session == session]

    def wake(self, address: int, seq: int) -> None:
        """Wake the streams that read a lane and have not read the card with this number."""
        for stream in self._readers.get(address, ()):
            if stream.after[address] < seq:
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
            if await self._shows_what_is_forgotten(stream):
                yield _event("end", {"why": "moved"})
                return
            await self._opened(page)
            yield _event("hello", {"now": self.now(), "player": page.player, "language": page.language})
            while not (self.closing or stream.over):
                stream.woken.clear()
                cards = await self._news(stream)
                if cards is None:
                    yield _event("end", {"why": "moved"})
                    return
                if stream.door_changed:
                    stream.door_changed = False
                    has_screen, gone, claims = (False, (), ()) if stream.door is None else stream.door[-3:]
                    yield _event("door", {"screen": has_screen, "gone": gone, "claims": len(claims)})
                for card in cards:
                    stream.after[card.address] = card.seq
                    if card.notice.card_slot == "table":
                        is_asked = page.player is not None and card.notice.asked_player == page.player
                    shown = card_of(card.notice, card.address, card.table, page_catalogue(page.language))
                    yield _event("card", shown | {"at": card.seq / TICKS}, _cursor(stream))
                seconds = PING_SECONDS if is_asked or page.kind == "screen" else QUIET_PING_SECONDS
                if seconds != announced:
                    announced = seconds
                    yield f": ping {seconds:g}\n\n"
                if not ready:
                    ready = True
                    yield _event("ready", {})
                while not stream.woken.is_set():
                    try:
                        async with asyncio.timeout(seconds):
                            await stream.woken.wait()
                    except TimeoutError:
                        silent += seconds
                        if silent > MOST_SECONDS:
                            yield _event("end", {"why": "again"})
                            return
                        yield ": ping\n\n"
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

    @in_transaction
    def _shows_what_is_forgotten(self, session: Session, stream: Stream) -> bool:
        """Return True if a page has drawn cards that a backup, which was restored since then, does not know."""
        span = forgotten_span(session)
        drawn_after, stream.restore = stream.restore, 0 if span is None else int(span[1] * TICKS)
        return drawn_after != stream.restore and any(stream.after.values())

    # New cards

    async def _news(self, stream: Stream) -> list[StoredCard] | None:
        """Return the cards that a stream has not read, or None if its page reads another room now, or none."""
        answer: asyncio.Future[list[StoredCard] | None] = asyncio.get_running_loop().create_future()
        self._asking.append((stream, answer))
        if not self._is_reading:
            self._is_reading = True
            self._begin(self._tell())
        return await answer

    async def _tell(self) -> None:
        """Send new cards to all waiting streams, by one query: the streams of a table wake together."""
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
    def _read(self, session: Session, streams: Sequence[Stream]) -> dict[Stream, list[StoredCard] | None]:
        """Return the cards that each stream has not read, or None if its page reads another room now, or none."""
        rooms = rooms_of(session, {stream.page.session for stream in streams}, self.now())
        staying = [stream for stream in streams if not stream.has_moved(rooms)]
        cursors: dict[int, int] = {}
        for stream in staying:
            for address, seq in stream.after.items():
                cursors[address] = min(seq, cursors.get(address, seq))
        found: dict[Stream, list[StoredCard] | None] = dict.fromkeys(streams)
        cards = cards_after(session, cursors)
        rooms_alone = {stream.page.chat for stream in staying if stream.page.linked}
        here = select(GameTable.id, GameTable.chat_id).where(col(GameTable.chat_id).in_(rooms_alone))
        room_of = dict(session.exec(here).all()) if rooms_alone else {}
        for stream in staying:
            page = stream.page
            found[stream] = [
                card
                for card in cards
                if card.seq > stream.after.get(card.address, card.seq)
                and not (page.linked and card.address == page.own and room_of.get(card.table) != page.chat)
            ]
        return found

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

    async def _opened(self, page: Page) -> None:
        """Mark a page as open: from now on its room gets its notices here, and its player those of this room."""
        await self._keep([page.session], OPEN_SECONDS)
        if page.chat is not None and page.room is not None and await self._is_unwatched(page.chat):
            self.wake_lanes((await self.service.handle(RoomWatched(page.chat))).lanes)
        if page.kind not in ("guest", "screen"):
            self.wake_lanes((await self.service.handle(PageChanged(page.session, page.chat))).lanes)

    @in_transaction
    def _is_unwatched(self, session: Session, chat: int) -> bool:
        return not session.exec(select(Chat.watched).where(Chat.id == chat)).one()

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


def _event(name: str, data: dict[str, Any], number: str | None = None) -> str:
    fields = {} if number is None else {"id": number}
    fields |= {"event": name, "data": json.dumps(data, ensure_ascii=False, separators=(",", ":"))}
    return "".join(f"{field}: {value}\n" for field, value in fields.items()) + "\n"


def _cursor(stream: Stream) -> str:
    public, private = (0 if each is None else stream.after[each] for each in (stream.page.room, stream.page.own))
    return f"{public}.{private}.{stream.restore}"
