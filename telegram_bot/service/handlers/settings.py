"""What a person or a group chooses: language, quiet hours, how much is texted."""

from __future__ import annotations

from dataclasses import asdict

from telegram_bot.service.intents import ChooseQuiet, Intent
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Toast
from telegram_bot.service.records import load_table
from telegram_bot.service.replies import answer
from telegram_bot.service.table_outbox import TableOutbox
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status


def choose_view(uow: UnitOfWork, intent: Intent, player: Player, view: PrivateView) -> Toast | None:
    """Show the player their dice and the bids in another way."""
    if view is PrivateView.TEXT and player.phone is None:
        raise RejectedError(RejectionReason.NO_LINK)
    player.view = view
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.VIEW_CHOSEN, view=view))


def choose_language(
    uow: UnitOfWork, intent: Intent, player: Player, language: str | None, *, to_all: bool
) -> Toast | None:
    """Speak another language from now on, to the person or in the group; what stands open is said again in it."""
    if to_all and intent.where is not None:
        chat = uow.ensure_chat(intent.where)
        row = uow.lock_live_table_in(chat)
        if row is not None and load_table(row).seat_of(player.id or 0) is None:
            raise RejectedError(RejectionReason.NOT_SEATED)
        chat.chosen_language = language
        uow.session.flush()
        if row is not None:
            outbox, table = TableOutbox(uow, row, chat), load_table(row)
            (outbox.send_lobby if table.status is Status.LOBBY else outbox.send_round)(table)
        return answer(
            uow,
            intent,
            player,
            ConfirmationNotice(done=Confirmation.GROUP_LANGUAGE_CHOSEN, speaks=uow.language_of(chat)),
        )
    player.chosen_language = language
    uow.session.flush()
    return answer(
        uow,
        intent,
        player,
        ConfirmationNotice(done=Confirmation.LANGUAGE_CHOSEN, speaks=uow.language_for(player)),
    )


def choose_verbose(uow: UnitOfWork, intent: Intent, player: Player, *, on: bool) -> Toast | None:
    """Text the player every call, or only what they need to know."""
    player.verbose = on
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.VERBOSE if on else Confirmation.BRIEF))


def choose_quiet(uow: UnitOfWork, intent: Intent, player: Player, what: ChooseQuiet) -> Toast | None:
    """Set the hours in which the player is not texted; the tables where they sit know already: see `multi_table`."""
    player.quiet = None if what.quiet is None else asdict(what.quiet)
    return answer(
        uow,
        intent,
        player,
        ConfirmationNotice(done=Confirmation.NEVER_QUIET if what.quiet is None else Confirmation.QUIET),
    )
