"""Notification spoken notices: after the private messages of a person who listens, and after each round of a group."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from perudo_core import RoundStarted
from telegram_bot import notices as n
from telegram_bot.features.aloud.notices import ReadAloud, SpokenNotice
from telegram_bot.features.aloud.switch import READS_ALOUD
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.envelope import Envelope, SendMode
from telegram_bot.service.posting import Notification
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import Player
from telegram_bot.tables.result_views import game_over_view, reveal_view

FRESH_SECONDS: Final = 30
"""After this delay a spoken notice is no news any more."""


def spoken_form(envelope: Envelope) -> Envelope | None:
    """Return a notice in spoken form, or None for an edit, or without words to speak."""
    notice = envelope.notice
    if not isinstance(notice, ReadAloud) or envelope.mode not in (SendMode.SEND, SendMode.REPLACE):
        return None
    return Envelope(
        channel=envelope.channel,
        chat=envelope.chat,
        topic=envelope.topic,
        language=envelope.language,
        silent=True,
        notice=SpokenNotice(told=notice),
    )


def read_aloud_to_person(uow: UnitOfWork, player: Player, notification: Notification) -> Sequence[Notification]:
    """Read a private notice aloud in the person's own chat: elsewhere everyone would hear their dice."""
    envelope = notification.envelope
    is_own = (envelope.channel, envelope.chat) == (player.channel, player.address) and envelope.receiver is None
    if not is_own or not READS_ALOUD.works(player, uow.config):
        return [notification]
    spoken = spoken_form(envelope)
    if spoken is None:
        return [notification]
    return [
        notification,
        replace(notification, envelope=spoken, slot=None, turn=None, expires_at=uow.now + FRESH_SECONDS, passing=True),
    ]


def read_aloud_to_group(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Read the end of a round aloud to the group, after all notices that the game needs."""
    before, table, events = committed.before, committed.step.table, committed.step.game_events
    if before is None or before.game is None or not events or not READS_ALOUD.works(outbox.chat, outbox.uow.config):
        return
    reveal, over = reveal_view(before, table, events), game_over_view(table, events)
    notice: n.RevealNotice | n.GameOverNotice
    if over is not None:
        notice = n.GameOverNotice(view=over, previous=reveal)
    elif reveal is not None and any(isinstance(event, RoundStarted) for event in events):
        notice = n.RevealNotice(view=reveal)
    else:
        return
    spoken = spoken_form(outbox.group_envelope(notice, SendMode.SEND))
    if spoken is not None:
        at = outbox.uow.now if outbox.delay is None else outbox.delay.at
        outbox.enqueue(Notification(spoken, expires_at=at + FRESH_SECONDS, passing=True))
