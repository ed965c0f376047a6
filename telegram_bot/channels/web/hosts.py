"""Change the links of a room for its hosts, and tell them who is at its door."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete
from sqlmodel import col, select

from telegram_bot.channels.web import sessions
from telegram_bot.channels.web.entering import named_claims, waiting_at
from telegram_bot.channels.web.sessions import Page, RefusedRequestError
from telegram_bot.intents.intents import Person
from telegram_bot.notices import GuestNotice, SeatClaim
from telegram_bot.repositories.repositories import join_code_of, load_table
from telegram_bot.repositories.room_access import hosts_of, lists_in, new_key
from telegram_bot.screens.routes import page_or_chat
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.own_seats import claims_in, judges_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, LaneName
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom, WebSession
from telegram_bot.tables.model import TableRules
from telegram_bot.tables.names import told_apart

ASK_AGAIN_SECONDS: Final = {False: 20.0, True: 300.0}
"""The minimum time between two messages to the host about visitors, in chats and by text message.

It doubles with each message that the host has not answered.
"""
LONGEST_PAUSE_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class RoomState:
    """The links of a room, for its pages."""

    code: str
    """The code of the newest table; without one, that of the list."""
    list_code: str | None
    """The code of the list that people join there."""
    key: str | None
    """None if the page is a television whose code admits no one."""
    screen_key: str | None
    """None if the page is not the host's."""
    host: bool
    locked: bool
    asks_first: bool
    """Whether people who scan the television's code have to ask the host."""
    asking: tuple[tuple[int, str], ...]
    claims: tuple[SeatClaim, ...]
    """The people who want a seat back, of whom the page's player has to answer."""
    rules: TableRules | None
    """None if there is no table."""


def room_state(uow: UnitOfWork, page: Page) -> RoomState:
    """Return the links of the page's room; the first request creates them.

    Raises:
        RefusedRequestError: the page reads no room.
    """
    chat = sessions.room_of(uow, page)
    newest, listed = sessions.newest_in(uow, chat.id), lists_in(uow.session, [chat.id]).get(chat.id)
    table = None if newest is None else load_table(newest)
    room = sessions.ensure_room(uow, chat)
    hosts = hosts_of(listed, None if table is None else table.host, live=_is_live(uow, newest))
    is_host = page.player is not None and page.player in hosts
    waiting = waiting_at(uow, chat.id)
    asking = [entry for entry in waiting if entry.claimed is None] if is_host or page.player is None else []
    claims = [
        entry
        for entry in waiting
        if table is not None and entry.claimed is not None and str(page.player) not in entry.votes
        if page.player in judges_of(uow, table, entry.claimed)[0]
    ]
    names = _names(uow, newest, [entry.player_id for entry in asking])
    asks_first = not sessions.is_party(chat) if room.asks_first is None else room.asks_first
    return RoomState(
        table.join_code if table is not None else listed.code if listed is not None else "",
        listed.code if listed is not None else None,
        None if page.player is None and (asks_first or room.locked) else room.key,
        room.screen_key if is_host else None,
        is_host,
        room.locked,
        asks_first,
        tuple((entry.player_id, names[entry.player_id]) for entry in asking),
        named_claims(uow, claims),
        None if table is None else table.rules,
    )


def change_room(uow: UnitOfWork, page: Page, what: str) -> RoomState:
    """Change the links, for the host only.

    Raises:
        RefusedRequestError: the player is not the host.
    """
    state = room_state(uow, page)
    if not state.host or page.chat is None:
        raise RefusedRequestError(403, "not_host")
    room = uow.session.get_one(WebRoom, page.chat)
    match what:
        case "lock" | "unlock":
            room.locked, room.screen_key = what == "lock", new_key()
            for entry in waiting_at(uow, page.chat):
                if entry.claimed is None:
                    entry.answer = EntryAnswer.UNANSWERED
            room.door_changed = True
        case "ask_first" | "ask_nobody":
            room.asks_first = what == "ask_first"
            if room.asks_first:  # the screen has shown the key
                room.key = new_key()
        case "renew":
            sessions.make_links(uow, room)
            came_in = (col(WebEntry.chat_id) == page.chat) & (col(WebEntry.answer) == EntryAnswer.ADMITTED)
            uow.session.exec(delete(WebEntry).where(came_in, col(WebEntry.seat_key).is_(None)))
            for entry in uow.session.exec(select(WebEntry).where(came_in)):  # a seat's own link stays
                entry.answer = EntryAnswer.UNANSWERED
            _end_screens(uow, room)
        case "end_screens":
            _end_screens(uow, room)
        case _:
            raise RefusedRequestError(400, "bad_request")
    uow.session.flush()
    return room_state(uow, page)


def answers_for_list(uow: UnitOfWork, page: Page, player: int) -> bool:
    """Return True if the page's player answers a visitor as the host of the room's list.

    The host of the newest table answers by a step of that table, as those do who are asked about a seat.
    """
    if page.player is None or page.chat is None:
        return False
    newest, listed = sessions.newest_in(uow, page.chat), lists_in(uow.session, [page.chat]).get(page.chat)
    if listed is None or listed.host != page.player:
        return False
    claims_seat = any(claim.player_id == player for claim in claims_in(uow.session, [page.chat]))
    return not claims_seat and (newest is None or load_table(newest).host != page.player)


def tell_hosts(uow: UnitOfWork) -> frozenset[LaneName]:
    """Tell each host about new waiting visitors if a message is due; return the lanes with notices."""
    for room in uow.session.exec(select(WebRoom).where(col(WebRoom.door_changed))).all():
        _tell_host(uow, room)
    return uow.finish()


def _tell_host(uow: UnitOfWork, room: WebRoom) -> None:
    """Send the host the list of waiting visitors; the pauses grow while the host does not answer."""
    newest = sessions.newest_in(uow, room.chat_id)
    entries = waiting_at(uow, room.chat_id)
    waiting_players = [entry.player_id for entry in entries]
    room.door_changed = bool(waiting_players)
    if waiting_players == room.host_told:
        return
    listed = lists_in(uow.session, [room.chat_id]).get(room.chat_id)
    seated = None if newest is None else load_table(newest).host
    of_table = seated is not None and seated in hosts_of(listed, seated, live=_is_live(uow, newest))
    number = seated if of_table else None if listed is None else listed.host
    if number is None:
        room.host_told = waiting_players
        return
    host, chat = uow.player_by_id(number), uow.session.get_one(Chat, room.chat_id)
    # Pages show the visitors of a list to its host, who may have left theirs open and look at the chat.
    at = page_or_chat(uow, host, chat) if of_table else Person(host.channel, host.address, host.name)
    traits = uow.traits(at.channel)
    if not of_table and (traits.reads_rooms or not traits.buttons or host.direct != DirectMessages.OPEN):
        room.host_told = waiting_players  # a text answers about a table
        return
    pause = 0.0 if traits.reads_rooms else ASK_AGAIN_SECONDS[traits.paid]
    is_news = bool(set(waiting_players) - set(room.host_told))
    if uow.now < room.host_told_at + min(pause * 2 ** max(0, room.times_told - 1), LONGEST_PAUSE_SECONDS):
        room.door_changed = True
        return
    room.host_told, room.host_told_at = waiting_players, uow.now
    room.times_told += is_news
    if traits.paid and not is_news:
        return
    claims = named_claims(uow, [entry for entry in entries if entry.claimed is not None])
    knocks = [entry.player_id for entry in entries if entry.claimed is None]
    names = _names(uow, newest, knocks)
    first = knocks[0] if knocks else claims[0].player if claims else 0
    notice = GuestNotice(
        what="knock",
        table=0 if newest is None else newest.id,
        room=0 if of_table else room.chat_id,
        code=join_code_of(newest) if newest is not None else listed.code if listed is not None else "",
        player=first,
        name=names.get(first, ""),
        waiting=tuple((player, names[player]) for player in knocks),
        claims=claims if of_table else (),
    )
    key, edit_only = None if traits.supersedes else (), not (is_news or traits.supersedes)
    slot = f"door:{host.id}" if of_table else f"door:{room.chat_id}:{host.id}"
    say(uow, host, notice, at=at, key=key, edit_only=edit_only, about=notice.table, slot=slot)
    if is_news and of_table and newest is not None:
        _tell_judges(uow, newest, claims, notice)


def _tell_judges(uow: UnitOfWork, row: GameTable, claims: Sequence[SeatClaim], notice: GuestNotice) -> None:
    """Ask the players who answer in the place of an absent host, if they have no page, which shows it."""
    table, chat = load_table(row), uow.chat_of(row)
    owners = {entry.player_id: entry.claimed for entry in claims_in(uow.session, [chat.id])}
    for claim in claims:
        judges, _ = judges_of(uow, table, owners[claim.player] or 0)
        told = notice.model_copy(update={"player": claim.player, "waiting": (), "claims": (claim,)})
        for judge in map(uow.player_by_id, sorted(judges - {table.host})):
            at = page_or_chat(uow, judge, chat)
            if not uow.traits(at.channel).paid:
                say(uow, judge, told, at=at, about=row.id, slot=f"claim:{claim.player}:{judge.id}")


def _end_screens(uow: UnitOfWork, room: WebRoom) -> None:
    room.screen_key = new_key()
    screens = (col(WebSession.chat_id) == room.chat_id) & col(WebSession.player_id).is_(None)
    uow.session.exec(delete(WebSession).where(screens))


def _is_live(uow: UnitOfWork, table: GameTable | None) -> bool:
    """Return True if there is a table that is live as far as people know."""
    return table is not None and (table.live or uow.unrevealed(table) is not None)


def _names(uow: UnitOfWork, table: GameTable | None, players: Sequence[int]) -> dict[int, str]:
    """Return the names of waiting people, distinct from each other and from the names at the table."""
    people = uow.players_by_id(players)
    taken, names = [seat.name for seat in load_table(table).seats] if table is not None else [], {}
    for player in players:
        names[player] = told_apart(people[player].name, taken)
        taken.append(names[player])
    return names
