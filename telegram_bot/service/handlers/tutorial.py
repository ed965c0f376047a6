"""Handle the tutorial: send its first step, and edit its one message from answer to answer.

Nothing is stored. A button knows its step and its answer, so neither a restart nor an old button can lose the place,
and an answer that is sent twice shows the same twice.
"""

from __future__ import annotations

from telegram_bot.service.intents import Intent, TakeTutorial
from telegram_bot.service.notices import Envelope, SendMode, TutorialNotice
from telegram_bot.service.records import load_table
from telegram_bot.service.replies import say
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.tutorial import lesson


def take_tutorial(uow: UnitOfWork, intent: Intent, player: Player, what: TakeTutorial) -> None:
    """Show a step of the tutorial: the next one after the right answer, the same one with a hint after another.

    Raises:
        RejectedError: not in a private chat.
    """
    if intent.where is not None:
        raise RejectedError(RejectionReason.IN_PRIVATE)
    tables = uow.live_tables_of(player)
    rules = load_table(tables[0]).rules if len(tables) == 1 else uow.config.rules
    if what.step is None or intent.tapped is None:
        say(uow, intent, player, TutorialNotice(rules=rules))
        return
    steps = lesson(rules)
    step, wrong = min(what.step, len(steps)), None
    if step < len(steps) and what.answer is not None and what.answer < len(steps[step].answers):
        if steps[step].answers[what.answer].right:
            step += 1
        else:
            wrong = what.answer
    envelope = Envelope(
        channel=intent.who.channel,
        chat=intent.who.address,
        language=uow.language_for(player),
        dice_style=uow.dice_style_for(player),
        mode=SendMode.TARGET,
        target=intent.tapped,
        notice=TutorialNotice(rules=rules, step=step, wrong=wrong),
    )
    uow.enqueue(envelope)
