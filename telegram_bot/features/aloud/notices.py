"""The notice that reads another one aloud, and its words."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from telegram_bot import notices as n
from telegram_bot.notices.rendering import texts_to_say
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.lines import Format, Line

ReadAloud: TypeAlias = (
    n.HandNotice
    | n.RevealNotice
    | n.GameOverNotice
    | n.KnockedOutNotice
    | n.ReminderNotice
    | n.ClosedNotice
    | n.TableNotice
    | n.DiceNotice
    | n.ConfirmationNotice
    | n.RejectionNotice
    | n.HeardNotice
)
"""The notices that can be said as well."""


class SpokenNotice(n.VoiceNotice):
    """Reads the words of another message aloud."""

    kind: Literal["spoken"] = "spoken"
    told: Annotated[ReadAloud, Field(discriminator="kind")]

    @property
    def tells_dice(self) -> bool:
        """True if it reads a person's dice."""
        return self.told.has_own_dice


def spoken_lines(notice: SpokenNotice, f: Format) -> list[Line]:
    """Return the words of the message, for the ear alone."""
    return [Line(text, rank=None) for text in texts_to_say(notice.told, f.w.with_dice(DiceStyle.WORDS))]
