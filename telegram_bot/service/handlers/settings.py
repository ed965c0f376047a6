"""Handle the choices of a person or a group: language, how dice are shown, private way, quiet hours, texts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TypeAlias

from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.intents import (
    ChooseAloud,
    ChooseAskTwice,
    ChooseDiceStyle,
    ChooseLanguage,
    ChooseName,
    ChoosePictures,
    ChooseQuiet,
    ChooseTrustVoice,
    ChooseVerbose,
    ChooseView,
    Intent,
)
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Toast
from telegram_bot.service.people import Place
from telegram_bot.service.person_names import has_own_name, take_name
from telegram_bot.service.repositories import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DiceStyle, GameTable, Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status

PersonalSetting: TypeAlias = (
    ChooseView
    | ChooseAskTwice
    | ChooseDiceStyle
    | ChoosePictures
    | ChooseAloud
    | ChooseTrustVoice
    | ChooseLanguage
    | ChooseVerbose
    | ChooseQuiet
    | ChooseName
)


def serve(  # noqa: PLR0911 - one case per type
    uow: UnitOfWork, intent: Intent, player: Player, what: PersonalSetting
) -> Toast | None:
    """Handle a setting that a person changes."""
    match what:
        case ChooseView(view=view):
            return choose_view(uow, intent, player, view)
        case ChooseAskTwice(on=on):
            return choose_ask_twice(uow, intent, player, on=on)
        case ChooseDiceStyle(style=style, to_all=to_all):
            return choose_dice_style(uow, intent, player, style, to_all=to_all)
        case ChoosePictures(on=on, to_all=to_all):
            return choose_pictures(uow, intent, player, on=on, to_all=to_all)
        case ChooseAloud(on=on, to_all=to_all):
            return choose_aloud(uow, intent, player, on=on, to_all=to_all)
        case ChooseTrustVoice(on=on):
            return choose_trust_voice(uow, intent, player, on=on)
        case ChooseLanguage(language=language, to_all=to_all):
            return choose_language(uow, intent, player, language, to_all=to_all)
        case ChooseVerbose(on=on):
            return choose_verbose(uow, intent, player, on=on)
        case ChooseQuiet():
            return choose_quiet(uow, intent, player, what)
        case ChooseName(name=name):
            return choose_name(uow, intent, player, name)


def choose_name(uow: UnitOfWork, intent: Intent, player: Player, name: str) -> Toast | None:
    """Call the person this from now on. `multi_table` has changed their seats."""
    if not has_own_name(intent, player):
        return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.LINKED, title=player.name))
    take_name(uow, player, name)
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.NAMED, title=name))


def choose_view(uow: UnitOfWork, intent: Intent, player: Player, view: PrivateView) -> Toast | None:
    """Show the player their dice and the bids in another way."""
    if view is PrivateView.TEXT and player.phone is None:
        raise RejectedError(RejectionReason.NO_LINK)
    player.view = view
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.VIEW_CHOSEN, view=view))


def choose_language(
    uow: UnitOfWork, intent: Intent, player: Player, language: str | None, *, to_all: bool
) -> Toast | None:
    """Choose the language of the person or the group; open messages are sent again in it."""
    if to_all and intent.where is not None:
        chat, row = _group_of_a_player(uow, intent.where, player)
        chat.chosen_language = language
        _show_again(uow, chat, row)
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


def choose_dice_style(
    uow: UnitOfWork, intent: Intent, player: Player, style: DiceStyle, *, to_all: bool
) -> Toast | None:
    """Choose the dice style of the person or the group; open messages are sent again in it."""
    if to_all and intent.where is not None:
        chat, row = _group_of_a_player(uow, intent.where, player)
        chat.dice_style = style
        _show_again(uow, chat, row)
    else:
        player.dice_style = style
        uow.session.flush()
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.DICE_STYLE_CHOSEN))


def choose_pictures(uow: UnitOfWork, intent: Intent, player: Player, *, on: bool, to_all: bool) -> Toast | None:
    """Choose whether dice come as pictures to the person or to the group."""
    if to_all and intent.where is not None:
        chat, _ = _group_of_a_player(uow, intent.where, player)
        chat.pictures = on
    else:
        player.pictures = on
    uow.session.flush()
    done = Confirmation.PICTURES_CHOSEN if on else Confirmation.NO_PICTURES_CHOSEN
    return answer(uow, intent, player, ConfirmationNotice(done=done))


def choose_aloud(uow: UnitOfWork, intent: Intent, player: Player, *, on: bool, to_all: bool) -> Toast | None:
    """Choose whether messages are read aloud to the person, or the end of each round to the group."""
    if to_all and intent.where is not None:
        chat, _ = _group_of_a_player(uow, intent.where, player)
        chat.aloud = on
        done = Confirmation.GROUP_ALOUD if on else Confirmation.GROUP_NOT_ALOUD
    else:
        player.aloud = on
        done = Confirmation.ALOUD if on else Confirmation.NOT_ALOUD
    uow.session.flush()
    return answer(uow, intent, player, ConfirmationNotice(done=done))


def choose_trust_voice(uow: UnitOfWork, intent: Intent, player: Player, *, on: bool) -> Toast | None:
    """Choose whether a bid by voice note that was heard surely needs no tap in this group."""
    if intent.where is None:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    chat, _ = _group_of_a_player(uow, intent.where, player)
    chat.trusts_voice = on
    done = Confirmation.TRUSTS_VOICE if on else Confirmation.ASKS_AFTER_NOTES
    return answer(uow, intent, player, ConfirmationNotice(done=done))


def _group_of_a_player(uow: UnitOfWork, place: Place, player: Player) -> tuple[Chat, GameTable | None]:
    """The group and its live table. Raises: RejectedError: others play there, who choose."""
    chat = uow.ensure_chat(place)
    row = uow.lock_live_table_in(chat)
    if row is not None and load_table(row).seat_of(player.id or 0) is None:
        raise RejectedError(RejectionReason.NOT_SEATED)
    return chat, row


def _show_again(uow: UnitOfWork, chat: Chat, row: GameTable | None) -> None:
    """Show the table's message as it is written from now on."""
    uow.session.flush()
    if row is not None:
        outbox, table = TableOutbox(uow, row, chat), load_table(row)
        (outbox.send_lobby if table.status is Status.LOBBY else outbox.send_round)(table)


def choose_ask_twice(uow: UnitOfWork, intent: Intent, player: Player, *, on: bool) -> Toast | None:
    """Choose whether the player's dudo and calza count only at the second tap."""
    player.asks_twice = on
    return answer(
        uow, intent, player, ConfirmationNotice(done=Confirmation.ASKS_TWICE if on else Confirmation.ASKS_ONCE)
    )


def choose_verbose(uow: UnitOfWork, intent: Intent, player: Player, *, on: bool) -> Toast | None:
    """Choose whether the player gets a text for every call."""
    player.verbose = on
    return answer(uow, intent, player, ConfirmationNotice(done=Confirmation.VERBOSE if on else Confirmation.BRIEF))


def choose_quiet(uow: UnitOfWork, intent: Intent, player: Player, what: ChooseQuiet) -> Toast | None:
    """Choose the player's quiet hours. `multi_table` has changed the player's seats."""
    player.quiet = None if what.quiet is None else asdict(what.quiet)
    return answer(
        uow,
        intent,
        player,
        ConfirmationNotice(done=Confirmation.NEVER_QUIET if what.quiet is None else Confirmation.QUIET),
    )
