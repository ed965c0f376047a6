"""Answers to the person who asked: a toast for a tap, a message for words."""

from telegram_bot.intents.intents import Intent
from telegram_bot.notices import HelpNotice, RejectionNotice, Toast
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, Player
from telegram_bot.tables.events import RejectedError
from telegram_bot.tables.model import TableRules


def help_notice(chat: Chat | None, rules: TableRules, *, voice: bool) -> HelpNotice:
    """Return how to play in a group, or in a private chat. If the bot is an admin, it reads all messages."""
    replies_only = chat is not None and not chat.ephemeral
    return HelpNotice(private=chat is None, rules=rules, replies_only=replies_only, voice=voice)


def answer(uow: UnitOfWork, intent: Intent, player: Player, toast: Toast) -> Toast | None:
    """Answer a tap with a toast, and words with a message in the same place."""
    if intent.answered_by == "toast":
        return toast
    if intent.answered_by == "message":
        say(uow, player, toast, at=intent)
    return None


def rejection_notice(rejected: RejectedError) -> RejectionNotice:
    """Return the notice of a rejection."""
    return RejectionNotice(
        reason=rejected.reason,
        rule=rejected.rule,
        smallest=None if rejected.smallest is None else (rejected.smallest.quantity, rejected.smallest.face),
        standing=None if rejected.standing is None else (rejected.standing.quantity, rejected.standing.face),
        on_turn=rejected.on_turn,
        number=rejected.number,
        shared=rejected.shared,
        wild_by=rejected.wild_by,
        suggestion=rejected.suggestion,
    )
