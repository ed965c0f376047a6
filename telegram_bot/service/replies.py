"""Answers to the person who asked: a toast on a tap, a message where words were said."""

from __future__ import annotations

from telegram_bot.service.intents import Intent, Leave, MakeBid, SayCalza, SayDudo, SeeDice, SeeRules, SeeStatus, Stop
from telegram_bot.service.notices import DeniedNotice, Envelope, Notice, Toast
from telegram_bot.service.unit_of_work import Work
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import DeniedError

ANSWER_SECONDS = 60
"""How long an answer in a group waits for its turn: who asks for many must not keep the game waiting."""


def answer(work: Work, intent: Intent, player: Player, toast: Toast) -> Toast | None:
    """Answer a tap at once, and words with a message where they were said."""
    if intent.answered_by == "toast":
        return toast
    if intent.answered_by == "message":
        say(work, intent, player, toast)
    return None


def say(
    work: Work, intent: Intent, player: Player, notice: Notice, *, table: int | None = None, slot: str | None = None
) -> None:
    """Send a message where the person spoke."""
    if intent.where is None:
        language = work.language_for(player)
        envelope = Envelope(channel=intent.who.channel, chat=intent.who.address, language=language, notice=notice)
        work.send(envelope, table=table, slot=slot)
        return
    chat = work.chat(intent.where)
    envelope = Envelope(
        channel=chat.channel,
        chat=chat.address,
        topic=chat.topic,
        language=work.language_of(chat),
        notice=notice,
    )
    if not work.waits(envelope):
        work.send(envelope, table=table, slot=slot, expires_at=work.now + ANSWER_SECONDS)


def denied_notice(denied: DeniedError) -> DeniedNotice:
    """The denial as something that can be told."""
    return DeniedNotice(
        denial=denied.denial,
        reason=denied.reason,
        smallest=None if denied.smallest is None else (denied.smallest.quantity, denied.smallest.face),
        standing=None if denied.standing is None else (denied.standing.quantity, denied.standing.face),
        on_turn=denied.on_turn,
        number=denied.number,
        suggestion=None if denied.suggestion is None else f"{denied.suggestion.quantity}x{denied.suggestion.face}",
    )


def word_of(intent: Intent) -> str:  # noqa: PLR0911 - one case per word
    """The canonical word for what was typed, to be repeated once the table is chosen."""
    match intent.what:
        case MakeBid(quantity=quantity, face=face):
            return f"{quantity}x{face}"
        case SayDudo():
            return "dudo"
        case SayCalza():
            return "calza"
        case SeeDice():
            return "dice"
        case SeeRules():
            return "rules"
        case SeeStatus():
            return "status"
        case Leave():
            return "leave"
        case Stop():
            return "stop"
        case _:
            return "dice"
