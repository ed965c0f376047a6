"""Show pages about no game: help, rules, settings, and the question who an anonymous person is."""

from __future__ import annotations

from telegram_bot.service.config import lobby_defaults
from telegram_bot.service.intents import Intent, PostedElsewhere, SeeHelp, SeeRules, SeeSettings
from telegram_bot.service.notices import (
    IdentifyAdminNotice,
    RulesNotice,
    SettingsNotice,
    WelcomeNotice,
)
from telegram_bot.service.picture_choice import pictures_for, pictures_offered
from telegram_bot.service.reading_aloud import aloud_offered
from telegram_bot.service.records import load_table
from telegram_bot.service.replies import help_notice, say
from telegram_bot.service.table_lookup import ask_which_table, find_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason


def serve(uow: UnitOfWork, intent: Intent, player: Player, what: SeeHelp | SeeRules | SeeSettings) -> None:
    """Show the page that a person wants."""
    match what:
        case SeeHelp():
            see_help(uow, intent, player)
        case SeeRules():
            see_rules(uow, intent, player)
        case SeeSettings():
            see_settings(uow, intent, player)


def see_help(uow: UnitOfWork, intent: Intent, player: Player) -> None:
    """Show how to play; without buttons, to somebody who plays nowhere, how to begin."""
    if not uow.traits(intent.who.channel).buttons and not uow.live_tables_of(player):
        say(uow, intent, player, WelcomeNotice(name=player.name))
    else:
        chat = None if intent.where is None else uow.ensure_chat(intent.where)
        say(uow, intent, player, help_notice(chat, voice=uow.config.hears_voice))


def see_rules(uow: UnitOfWork, intent: Intent, player: Player) -> None:
    """Show the rules of the table, or those of the place's next one."""
    try:
        rules = load_table(find_table(uow, intent, player)).rules
    except RejectedError as rejected:
        if rejected.denial is RejectionReason.WHICH_TABLE:
            ask_which_table(uow, intent, player)
            return
        rules = _settings_notice(uow, intent, player).rules
    say(uow, intent, player, RulesNotice(rules=rules, house_rules=uow.config.house_rules))


def identify_admin(uow: UnitOfWork, intent: Intent, player: Player, *, stop: bool) -> None:
    """Ask somebody who writes as the group or as a channel to tap a button, which tells who they are."""
    if intent.where is None:
        return
    row = uow.lock_live_table_in(uow.ensure_chat(intent.where)) if stop else None
    if stop and row is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    say(uow, intent, player, IdentifyAdminNotice(table=None if row is None else row.id))


def posted_elsewhere(uow: UnitOfWork, player: Player, what: PostedElsewhere) -> None:
    """Tell a player, where that is possible, that the call which they posted does not count in that chat.

    Raises:
        RejectedError: it does not count, and the player can be told.
    """
    if what.table is None:
        raise RejectedError(RejectionReason.ELSEWHERE)
    row = uow.read_table_unlocked(what.table)
    table = None if row is None or not row.live else load_table(row)
    seat = None if table is None else table.seat_of(player.id or 0)
    if table is None or seat is None or table.step != what.step or player.direct != DirectMessages.OPEN:
        return
    if seat not in table.claims:
        raise RejectedError(RejectionReason.ELSEWHERE)


def see_settings(uow: UnitOfWork, intent: Intent, player: Player) -> None:
    """Show the settings of a person, or of the group where they asked."""
    say(uow, intent, player, _settings_notice(uow, intent, player))


def _settings_notice(uow: UnitOfWork, intent: Intent, player: Player) -> SettingsNotice:
    """The settings of a person, or of the group where they asked."""
    chat = None if intent.where is None else uow.ensure_chat(intent.where)
    reader = player if chat is None else chat
    config = uow.config
    rules, clock = (config.rules, config.clock) if chat is None else lobby_defaults(chat, config)
    return SettingsNotice(
        view=PrivateView(player.view),
        private=intent.where is None,
        rules=rules,
        clock=clock,
        house_rules=config.house_rules,
        dice_style=uow.dice_style_for(reader),
        pictures=pictures_for(reader, config) if pictures_offered(reader, config) else None,
        speaks=uow.language_for(player) if chat is None else uow.language_of(chat),
        chosen=reader.chosen_language is not None,
        asks_twice=player.asks_twice,
        aloud=reader.aloud if aloud_offered(reader, config) else None,
        trusts_voice=chat.trusts_voice if chat is not None and config.hears_voice else None,
        texting=bool(uow.config.numbers),
        phone=player.phone is not None,
    )
