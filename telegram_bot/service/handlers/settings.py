"""What a person or a group chooses: language, quiet hours, how much is texted; and the page that shows it."""

from __future__ import annotations

from dataclasses import asdict

from telegram_bot.service.announcer import Announcer
from telegram_bot.service.intents import ChooseQuiet, Intent
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, SettingsNotice, Toast
from telegram_bot.service.replies import answer
from telegram_bot.service.unit_of_work import UnitOfWork, load_table, lobby_defaults
from telegram_bot.storage.models import Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status


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
            announcer, table = Announcer(uow, row, chat), load_table(row)
            (announcer.send_lobby if table.status is Status.LOBBY else announcer.send_round)(table)
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


def settings_notice(uow: UnitOfWork, intent: Intent, player: Player) -> SettingsNotice:
    """The settings of a person, or of the group where they asked."""
    chat = None if intent.where is None else uow.ensure_chat(intent.where)
    config = uow.config
    rules, clock = (config.rules, config.clock) if chat is None else lobby_defaults(chat, config)
    return SettingsNotice(
        view=PrivateView(player.view),
        private=intent.where is None,
        rules=rules,
        clock=clock,
        speaks=uow.language_for(player) if chat is None else uow.language_of(chat),
        chosen=(player if chat is None else chat).chosen_language is not None,
        texting=bool(uow.config.numbers),
        phone=player.phone is not None,
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
