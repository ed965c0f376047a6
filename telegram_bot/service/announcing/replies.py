"""Answers to the person who asked: a toast for a tap, a message for words."""

from telegram_bot.notices import HelpNotice, Notice, RejectionNotice, Toast
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.intents import Intent
from telegram_bot.service.presentation import envelope_to, own_page
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, Player
from telegram_bot.tables.events import RejectedError
from telegram_bot.tables.model import TableRules

ANSWER_SECONDS = 60
"""How long an answer may wait to be sent in a group; a person who asks for many must not delay the game."""


def help_notice(chat: Chat | None, rules: TableRules, *, voice: bool) -> HelpNotice:
    """Return how to play in a group, or in a private chat. If the bot is an admin, it reads all messages."""
    replies_only = chat is not None and not chat.ephemeral
    return HelpNotice(private=chat is None, rules=rules, replies_only=replies_only, voice=voice)


def answer(uow: UnitOfWork, intent: Intent, player: Player, toast: Toast) -> Toast | None:
    """Answer a tap with a toast, and words with a message in the same place."""
    if intent.answered_by == "toast":
        return toast
    if intent.answered_by == "message":
        reply(uow, intent, player, toast)
    return None


def reply(
    uow: UnitOfWork,
    intent: Intent,
    player: Player,
    notice: Notice,
    *,
    table: int | None = None,
    slot: str | None = None,
) -> None:
    """Send a message where the person spoke."""
    if intent.where is None:
        at = own_page(uow, player) if uow.traits(intent.source).reads_rooms else intent.who
        say(uow, player, notice, about=table, at=at, slot=slot, again=True)
        return
    chat = uow.ensure_chat(intent.where)
    if not uow.is_enqueued(envelope_to(uow, chat, notice)):
        say(uow, chat, notice, about=table, slot=slot, until=uow.now + ANSWER_SECONDS, again=True)


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
