"""Decide who may enter a room and who may stay, for every request and every open stream."""

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from sqlalchemy import and_, func, select
from sqlmodel import Session, col

from telegram_bot.channels.web import TRAITS
from telegram_bot.repositories.repositories import REMATCH_SECONDS, known_as_live
from telegram_bot.repositories.room_access import hosts_of, is_on_screen, lists_in
from telegram_bot.storage.models import Chat, GameTable, LaneName, Member, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom, WebSession

REFUSED_SECONDS: Final = 600.0
"""How long a person whom the host has refused cannot ask again."""

# Proofs that a visitor shows


@dataclass(frozen=True, slots=True)
class RoomKey:
    """The key at the end of a link or QR code."""

    key: str


@dataclass(frozen=True, slots=True)
class TypedCode:
    """A table's code alone."""


@dataclass(frozen=True, slots=True)
class TelegramSignature:
    """Telegram's signature of the Mini App's user."""

    in_group: bool = False
    """Whether the user is in the room's group, by Telegram's answer or by a signed link of that group."""


@dataclass(frozen=True, slots=True)
class KnownSession:
    """A session that has entered before, or has asked to enter."""


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """The key of the television's link."""

    key: str


@dataclass(frozen=True, slots=True)
class PairedBy:
    """A player has typed the code that the television shows."""

    player: int | None


Proof: TypeAlias = RoomKey | TypedCode | TelegramSignature | KnownSession | ScreenKey | PairedBy


# Decisions


@dataclass(frozen=True, slots=True)
class Admitted:
    """The page may read the room, and its player may act."""


@dataclass(frozen=True, slots=True)
class AskHost:
    """The host must decide; until then the page reads nothing of the room."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The page may not read the room."""

    reason: str
    retry_after: int | None = None
    """The seconds until the person may ask again, or None if time does not matter."""


Decision: TypeAlias = Admitted | AskHost | Refused

ADMITTED: Final = Admitted()
ASK_HOST: Final = AskHost()


@dataclass(frozen=True, slots=True)
class Visitor:
    """A page, its room, and the facts that decide whether it may read the room."""

    chat: int
    lane: LaneName
    player: int | None
    language: str | None
    """The player's language, or None for a page without a player."""
    hosts: frozenset[int]
    """The host of the room's newest table, and that of its list."""
    is_screen: bool
    screen_is_admitted: bool
    is_member: bool
    """Whether the room is a group of the person's own messenger, which has not reported that they left."""
    has_left: bool
    """Whether the person left the group, or was removed from it."""
    has_seat: bool
    """Whether the person sits at the newest table of the room, sat there to its end, or owns a seat there."""
    is_kicked: bool
    """Whether the host has removed the person from the newest table of the room."""
    answer: str | None
    """The answer of the host or the link to the person since the first of this evening's tables."""
    answered_at: float
    claims_seat: bool
    """Whether the person waits because they say that a seat of the room is theirs."""
    key: str | None
    screen_key: str | None
    """The keys of the room's links, or None if no link is valid."""
    is_locked: bool
    has_ended: bool
    """Whether the links of the room have ended with its games."""
    seat_has_ended: bool = False
    """Whether the page shows a seat that an own link has opened, or the others' answer, for an evening that is over."""


def admit(visitor: Visitor, proof: Proof, now: float) -> Decision:
    """Decide about a page at a room."""
    if visitor.is_screen:
        return _admit_screen(visitor, proof)
    if visitor.seat_has_ended:
        return Refused("ended")
    if visitor.is_kicked:
        return Refused("kicked")
    if visitor.has_seat and not visitor.has_left:
        return ADMITTED
    if visitor.has_ended:
        return Refused("ended")
    if visitor.answer == EntryAnswer.ADMITTED:
        return ADMITTED
    if visitor.claims_seat and isinstance(proof, KnownSession):
        return ASK_HOST
    has_key = isinstance(proof, RoomKey) and _is_same(proof.key, visitor.key)
    in_group = isinstance(proof, TelegramSignature) and proof.in_group and visitor.is_member
    is_trusted = in_group and visitor.answer in (None, EntryAnswer.ASKED, EntryAnswer.UNANSWERED)
    if visitor.is_locked:
        return Refused("locked")
    if has_key or is_trusted:
        return ADMITTED
    if visitor.answer == EntryAnswer.ASKED:
        return ASK_HOST
    if visitor.answer == EntryAnswer.REFUSED and now < visitor.answered_at + REFUSED_SECONDS:
        return Refused("refused", int(visitor.answered_at + REFUSED_SECONDS - now) + 1)
    if isinstance(proof, KnownSession):
        return Refused("unanswered" if visitor.answer == EntryAnswer.UNANSWERED else "not_in")
    return ASK_HOST


def _admit_screen(visitor: Visitor, proof: Proof) -> Decision:
    if visitor.has_ended:
        return Refused("ended")
    if isinstance(proof, PairedBy):
        return ADMITTED if proof.player in visitor.hosts else Refused("not_host")
    shows_key = isinstance(proof, ScreenKey) and _is_same(proof.key, visitor.screen_key)
    is_known = isinstance(proof, KnownSession) and visitor.screen_is_admitted
    return ADMITTED if shows_key or is_known else Refused("bad_key")


def _is_same(given: str, key: str | None) -> bool:
    return key is not None and hmac.compare_digest(given.encode(), key.encode())


def visitors(session: Session, sessions: Collection[int], now: float) -> dict[int, Visitor]:
    """Return the page and its room by session; a session without a room is missing."""
    query = (
        select(WebSession, Chat, Player, WebRoom, WebEntry, col(Member.gone))
        .join(Chat, col(Chat.id) == col(WebSession.chat_id))
        .outerjoin(Player, col(Player.id) == col(WebSession.player_id))
        .outerjoin(WebRoom, col(WebRoom.chat_id) == col(Chat.id))
        .outerjoin(
            WebEntry,
            and_(col(WebEntry.chat_id) == col(Chat.id), col(WebEntry.player_id) == col(WebSession.player_id)),
        )
        .outerjoin(
            Member,
            and_(
                col(Member.channel) == col(Chat.channel),
                col(Member.address) == col(Chat.address),
                col(Member.player_id) == col(WebSession.player_id),
            ),
        )
        .where(col(WebSession.id).in_(sessions), ~col(WebSession.replaced))
    )
    rows = session.execute(query).all()
    tables = _newest_tables(session, {chat.id for _, chat, *_ in rows}, now)
    lists = lists_in(session, {chat.id for _, chat, *_ in rows})
    found = {}
    for page, chat, player, room, entry, gone in rows:
        newest, listed = tables.get(chat.id, _NO_TABLE), lists.get(chat.id)
        if newest is _NO_TABLE and listed is None:
            continue
        links = room if room is not None and room.made_at >= chat.plays_since else None
        said = entry if entry is not None and entry.at >= chat.plays_since else None
        has_ended = listed is None and newest.over_at is not None and newest.over_at + REMATCH_SECONDS < now
        found[page.id] = Visitor(
            chat=chat.id,
            lane=chat.lane,
            player=page.player_id,
            language=None if player is None else player.chosen_language or player.language,
            hosts=hosts_of(listed, newest.host, live=newest.over_at is None),
            is_screen=page.player_id is None,
            screen_is_admitted=page.admitted_at >= chat.plays_since,
            is_member=player is not None and player.channel == chat.channel != TRAITS.name and not gone,
            has_left=bool(gone),
            has_seat=page.player_id in newest.seated,
            is_kicked=page.player_id in newest.kicked,
            answer=None if said is None else said.answer,
            answered_at=0 if said is None else said.at,
            claims_seat=said is not None and said.answer == EntryAnswer.ASKED and said.claimed is not None,
            key=None if links is None else links.key,
            screen_key=None if links is None else links.screen_key,
            is_locked=links is not None and links.locked,
            has_ended=has_ended,
            seat_has_ended=page.linked_at is not None and (has_ended or page.linked_at < chat.plays_since),
        )
    return found


class Reading(NamedTuple):
    """A session's room, player and language, and whether it may read the room."""

    lane: LaneName | None
    may_read: bool
    player: int | None
    language: str | None


def rooms_of(session: Session, sessions: Collection[int], now: float) -> dict[int, Reading]:
    """Return what each session with a room reads; a session that has ended is missing."""
    known = KnownSession()
    found = visitors(session, sessions, now)
    return {
        page: Reading(visitor.lane, admit(visitor, known, now) == ADMITTED, visitor.player, visitor.language)
        for page, visitor in found.items()
    }


class Door(NamedTuple):
    """The way into a room."""

    key: str
    locked: bool
    asks_first: bool | None
    """Whether the code on the television does not admit."""
    waiting: tuple[int, ...]
    """The people who wait."""
    has_screen: bool
    """Whether a television shows the room."""
    gone: tuple[int, ...]
    """The guests without an open page."""
    claims: tuple[int, ...]
    """The people who say that a seat is theirs."""


def doors_of(session: Session, chats: Collection[int | None], now: float) -> dict[int | None, Door]:
    """Return the ways into rooms."""
    found = select(WebRoom, is_on_screen(col(WebRoom.chat_id), now)).where(col(WebRoom.chat_id).in_(chats))
    rooms = list(session.execute(found)) if chats else []
    asked = (col(WebEntry.chat_id).in_(chats), col(WebEntry.answer) == EntryAnswer.ASKED)
    waiting = list(session.scalars(select(WebEntry).where(*asked).order_by(col(WebEntry.at)))) if rooms else []
    has_page = func.max(col(WebSession.open_until)) > now
    guests = (
        select(col(WebSession.chat_id), col(WebSession.player_id), has_page)
        .join(Player, (col(Player.id) == col(WebSession.player_id)) & (col(Player.channel) == TRAITS.name))
        .where(col(WebSession.chat_id).in_(chats))
        .group_by(col(WebSession.chat_id), col(WebSession.player_id))
        .order_by(col(WebSession.player_id))
    )
    pages = session.execute(guests).all() if rooms else []
    return {
        room.chat_id: Door(
            room.key,
            room.locked,
            room.asks_first,
            tuple(entry.player_id for entry in waiting if entry.chat_id == room.chat_id),
            has_screen,
            tuple(player for chat, player, is_open in pages if chat == room.chat_id and not is_open),
            tuple(entry.player_id for entry in waiting if entry.chat_id == room.chat_id and entry.claimed is not None),
        )
        for room, has_screen in rooms
    }


@dataclass(frozen=True, slots=True)
class _NewestTable:
    host: int | None
    over_at: float | None
    kicked: frozenset[int]
    seated: frozenset[int]


_NO_TABLE: Final = _NewestTable(None, None, frozenset(), frozenset())


def _newest_tables(session: Session, chats: Collection[int], now: float) -> dict[int, _NewestTable]:
    newest = (
        select(func.max(col(GameTable.id))).where(col(GameTable.chat_id).in_(chats)).group_by(col(GameTable.chat_id))
    )
    columns = col(GameTable.chat_id), known_as_live(now), col(GameTable.updated_at)
    state = [col(GameTable.state)[name] for name in ("host", "kicked", "seats")]
    found = session.execute(select(*columns, *state).where(col(GameTable.id).in_(newest)))
    return {
        chat: _NewestTable(
            host,
            None if live else updated_at,
            frozenset(kicked or ()),
            frozenset(each["player"] for seat in seats or () for each in (seat, seat.get("owner")) if each),
        )
        for chat, live, updated_at, host, kicked, seats in found
    }
