"""Tables without a chat, and linking a phone to a person."""

from __future__ import annotations

import secrets

from sqlalchemy import delete
from sqlmodel import col

from telegram_bot.service.intents import Intent, LinkPhone, Place
from telegram_bot.service.naming import has_own_name, require_same_person, take_name
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, LinkCodeNotice, Toast
from telegram_bot.service.records import CODE_LENGTH, CODE_LETTERS, load_table
from telegram_bot.service.replies import answer, say
from telegram_bot.service.seating import new_lobby, require_may_host
from telegram_bot.service.table_outbox import lobby_notice
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import LinkCode, Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status

LINK_SECONDS = 15 * 60
"""For how long a code can link a phone. In seconds."""


def open_private_lobby(uow: UnitOfWork, intent: Intent, player: Player, name: str | None) -> None:
    """Open a table that stands in no chat; who has one open already is told its code again.

    Raises:
        RejectedError: somebody else sits at a table with this phone, or no table can be opened.
    """
    require_same_person(uow, player, name)
    own_chat = uow.ensure_chat(Place(intent.who.channel, -intent.who.address, title=player.name))
    running = uow.lock_live_table_in(own_chat)
    if running is None:
        require_may_host(uow, player)
        if has_own_name(intent, player):
            take_name(uow, player, name)
        row, step = new_lobby(uow, own_chat, player)
        uow.commit_step(row, None, step)
        return
    table = load_table(running)
    if table.status is not Status.LOBBY:
        raise RejectedError(RejectionReason.TABLE_EXISTS)
    say(uow, intent, player, lobby_notice(uow, running, table))


def choose_table(uow: UnitOfWork, intent: Intent, player: Player, code: str) -> Toast | None:
    """Choose the table that the player's private words concern."""
    row = next((row for row in uow.live_tables_of(player) if row.code == code.upper()), None)
    if row is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    player.focus = row.id
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.TABLE_CHOSEN, title=uow.chat_of(row).title))


def request_phone_link(uow: UnitOfWork, intent: Intent, player: Player) -> None:
    """Create a code that links a phone; an earlier code becomes void."""
    if not uow.config.numbers or uow.traits(intent.who.channel).linkable:
        raise RejectedError(RejectionReason.NO_TEXTING)
    if intent.where is not None:
        raise RejectedError(RejectionReason.IN_PRIVATE)
    uow.session.exec(delete(LinkCode).where(col(LinkCode.player_id) == player.id))
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    uow.session.add(LinkCode(code=code, player_id=player.id or 0, expires_at=uow.now + LINK_SECONDS))
    say(uow, intent, player, LinkCodeNotice(code=code, numbers=uow.config.numbers))


def link_phone(uow: UnitOfWork, intent: Intent, phone: Player, what: LinkPhone) -> Toast | None:
    """Link a phone to the person who asked for the code. The phone must have left its own tables first."""
    if not uow.traits(intent.who.channel).linkable:
        raise RejectedError(RejectionReason.NO_TEXTING)
    found = uow.session.get(LinkCode, what.code.upper())
    if found is None or found.expires_at <= uow.now:
        raise RejectedError(RejectionReason.LINK_EXPIRED)
    if uow.live_tables_of(phone):
        raise RejectedError(RejectionReason.STILL_SEATED)
    if phone.channel != intent.who.channel:
        phone.phone = None  # it was linked to another person before
        uow.session.flush()
    owner = uow.player_by_id(found.player_id)
    owner.phone = intent.who.address
    owner.view = PrivateView.TEXT
    uow.session.delete(found)
    uow.session.flush()
    return answer(uow, intent, owner, ConfirmationNotice(done=Confirmation.LINKED, title=owner.name))


def unlink_phone(uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
    """End the link between a phone and a person."""
    if player.phone is None:
        raise RejectedError(RejectionReason.NO_LINK)
    player.phone = None
    if player.view == PrivateView.TEXT:
        player.view = PrivateView.AUTO
    uow.session.flush()
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.UNLINKED))
