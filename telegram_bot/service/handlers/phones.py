"""People with phones: tables that stand in no chat, a phone that speaks for somebody, what they want to be texted."""

from __future__ import annotations

import secrets
from dataclasses import asdict

from sqlalchemy import delete
from sqlmodel import col

from telegram_bot.service.handlers.chats import finish
from telegram_bot.service.intents import ChooseQuiet, Intent, LinkPhone, Place
from telegram_bot.service.notices import Done, DoneNotice, LinkCodeNotice, LobbyNotice, Toast
from telegram_bot.service.replies import answer, say
from telegram_bot.service.seating import new_lobby
from telegram_bot.service.unit_of_work import CODE_LENGTH, CODE_LETTERS, Work, read
from telegram_bot.storage.models import TEXTING, LinkCode, Player, PrivateView
from telegram_bot.tables.events import Denial, DeniedError
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import lobby_view

LINK_SECONDS = 15 * 60
"""How long a code links a phone."""


def open_room(work: Work, intent: Intent, player: Player) -> None:
    """Open a table that stands in no chat; who has one open already is told its code again."""
    room = work.chat(Place(TEXTING, -intent.who.address, title=player.name))
    running = work.live_row_in(room)
    if running is None:
        row, step = new_lobby(work, room, player)
        finish(work, row, None, step)
        return
    table = read(running)
    if table.status is not Status.LOBBY:
        raise DeniedError(Denial.TABLE_EXISTS)
    say(work, intent, player, LobbyNotice(view=lobby_view(table), numbers=work.house.numbers))


def choose_table(work: Work, intent: Intent, player: Player, code: str) -> Toast | None:
    """Let private words concern this one of the player's tables."""
    row = next((row for row in work.live_rows_of(player) if row.code == code.upper()), None)
    if row is None:
        raise DeniedError(Denial.NO_TABLE)
    player.focus = row.id
    return answer(work, intent, player, DoneNotice(done=Done.TABLE_CHOSEN, title=work.chat_of(row).title))


def ask_for_link(work: Work, intent: Intent, player: Player) -> None:
    """Give out a code that links a phone; an earlier one is void."""
    if not work.house.numbers or intent.who.channel == TEXTING:
        raise DeniedError(Denial.NO_TEXTING)
    if intent.where is not None:
        raise DeniedError(Denial.IN_PRIVATE)
    work.session.exec(delete(LinkCode).where(col(LinkCode.player_id) == player.id))
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    work.session.add(LinkCode(code=code, player_id=player.id or 0, expires_at=work.now + LINK_SECONDS))
    say(work, intent, player, LinkCodeNotice(code=code, numbers=work.house.numbers))


def link_phone(work: Work, intent: Intent, phone: Player, what: LinkPhone) -> Toast | None:
    """Let a phone speak for the person who asked for the code; what it was seated at before, it must leave first."""
    if intent.who.channel != TEXTING:
        raise DeniedError(Denial.NO_TEXTING)
    found = work.session.get(LinkCode, what.code.upper())
    if found is None or found.expires_at <= work.now:
        raise DeniedError(Denial.LINK_EXPIRED)
    if work.live_rows_of(phone):
        raise DeniedError(Denial.STILL_SEATED)
    if phone.channel != TEXTING:
        phone.phone = None  # it spoke for somebody else before
        work.session.flush()
    owner = work.player_by_id(found.player_id)
    owner.phone = intent.who.address
    owner.view = PrivateView.TEXT
    work.session.delete(found)
    work.session.flush()
    return answer(work, intent, owner, DoneNotice(done=Done.LINKED, title=owner.name))


def unlink_phone(work: Work, intent: Intent, player: Player) -> Toast | None:
    """Let the phone speak for itself again, or the person without it."""
    if player.phone is None:
        raise DeniedError(Denial.NO_LINK)
    player.phone = None
    if player.view == PrivateView.TEXT:
        player.view = PrivateView.AUTO
    work.session.flush()
    return answer(work, intent, player, DoneNotice(done=Done.UNLINKED))


def choose_verbose(work: Work, intent: Intent, player: Player, *, on: bool) -> Toast | None:
    """Text the player every call, or only what they need to know."""
    player.verbose = on
    return answer(work, intent, player, DoneNotice(done=Done.VERBOSE if on else Done.BRIEF))


def choose_quiet(work: Work, intent: Intent, player: Player, what: ChooseQuiet) -> Toast | None:
    """Set the hours in which the player is not texted; the tables where they sit know already: see `several`."""
    player.quiet = None if what.quiet is None else asdict(what.quiet)
    return answer(work, intent, player, DoneNotice(done=Done.NEVER_QUIET if what.quiet is None else Done.QUIET))
