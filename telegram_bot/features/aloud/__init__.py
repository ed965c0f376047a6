"""Reading aloud: private messages to a person who listens, and the end of each round to a group."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from perudo_core import RoundStarted
from telegram_bot import notices as n
from telegram_bot.feature import Feature
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices.rendering import texts_to_say
from telegram_bot.screens.posting import Notification, Urgency
from telegram_bot.screens.switches import Switch
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import Chat, DiceStyle, Player
from telegram_bot.tables.result_views import game_over_view, reveal_view
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.switch_words import SwitchWords


def _can_be_heard(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Return True if the installation has a voice, and the channel plays it."""
    return config.speaks and config.channels.traits(reader.channel).plays_voice


READS_ALOUD: Final = Switch(
    "aloud",
    sign="🔊",
    person=SwitchWords(
        label=mark("Read to me aloud"),
        on=mark("I read your messages aloud from now on."),
        off=mark("I only write to you from now on."),
    ),
    group=SwitchWords(
        label=mark("Read rounds aloud"),
        on=mark("I read the end of each round aloud from now on."),
        off=mark("I only write here from now on."),
    ),
    is_offered=_can_be_heard,
    by_ear=True,
)


class SpokenNotice(n.VoiceNotice):
    """Reads the words of another message aloud."""

    kind: Literal["spoken"] = "spoken"
    told: n.Notice

    @property
    def tells_dice(self) -> bool:
        return self.told.has_own_dice

    def lines(self, f: Format) -> list[Line]:
        """Return the words of the message, for the ear alone."""
        return [Line(text, rank=None) for text in texts_to_say(self.told, f.w.with_dice(DiceStyle.WORDS))]


FRESH_SECONDS: Final = 30
"""After this delay a spoken notice is no news any more."""


def spoken_form(envelope: Envelope) -> Envelope | None:
    """Return a notice in spoken form, or None for an edit, or without words to speak."""
    notice = envelope.notice
    if not notice.read_aloud or envelope.edits or envelope.target is not None:
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
        replace(notification, envelope=spoken, slot=None, turn=None, expires_at=uow.now + FRESH_SECONDS),
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
    at = outbox.uow.now if outbox.delay is None else outbox.delay.at
    spoken = SpokenNotice(told=notice)
    say(outbox.uow, outbox.chat, spoken, about=outbox, silent=True, until=at + FRESH_SECONDS, urgency=Urgency.OPTIONAL)


FEATURE: Final = Feature(
    "aloud",
    place=30,
    switches=(READS_ALOUD,),
    private_notices=read_aloud_to_person,
    announce=read_aloud_to_group,
)
