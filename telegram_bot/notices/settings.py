"""The settings of a person or of a group."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import Field

from telegram_bot.notices.base import Worded
from telegram_bot.notices.help import help_by_text
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import TableRules, TurnClock
from telegram_bot.words.catalogue import own_name
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import BLANK, Format, Line, Medium
from telegram_bot.words.phrases import clock_label


class SettingsFolder(StrEnum):
    """A part of the settings with keys of its own."""

    ALL = "all"
    ANIMALS = "animals"
    DICE = "dice"
    LANGUAGE = "language"


VIEW_LABELS: Final[dict[PrivateView, str]] = {
    PrivateView.AUTO: mark("Whatever works best"),
    PrivateView.EPHEMERAL: mark("In the group, for my eyes only"),
    PrivateView.DIRECT: mark("In our private chat"),
    **dict.fromkeys((PrivateView.ALERT, PrivateView.SHARED), mark("When I tap My dice")),
    PrivateView.INLINE: mark("In the text field"),
    PrivateView.TEXT: mark("By text message"),
}
"""The same as labels of choices."""


class SettingsNotice(Worded):
    """The stored choices of a person and, in a group, of the group."""

    kind: Literal["settings"] = "settings"
    view: PrivateView
    private: bool
    rules: TableRules
    clock: TurnClock
    house_rules: tuple[HouseRules, ...] = ()
    texting: bool = False
    """Whether the installation can link phones."""
    phone: bool = False
    """Whether a phone is linked to the person."""
    speaks: str = "en"
    """The language of these messages to the person, or to the group."""
    chosen: bool = False
    """Whether that language was chosen."""
    face: Face | None = None
    """The person's face, or None in a group."""
    folder: SettingsFolder = SettingsFolder.ALL
    """The part whose choices the message offers."""
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    pictures: bool | None = None
    """Whether pictures show the dice, or None if this installation draws none."""
    name: str = ""
    """The person's name at the table."""
    switches: dict[str, bool] = Field(default_factory=dict)
    """The switches that are offered, by name, and whether each is on."""

    def lines(self, f: Format) -> list[Line]:
        """Return the stored choices, and how to change them; phones get help: texts change each choice."""
        w = f.w
        if f.medium is Medium.TEXT:
            return help_by_text(f)
        lines = [Line(f.strong(w.say("Settings")), sign="⚙️"), BLANK]
        if self.private:
            language = w.say("🌐 I speak {language} with you.", language=own_name(self.speaks))
        else:
            book = rules_title(self.rules, self.house_rules, w)
            language = w.say(
                "🌐 In this group I speak {language}. Anyone who plays can change that.", language=own_name(self.speaks)
            )
            lines += [
                Line(w.say("📖 This group plays: {rules}", rules=f.foreign(book))),
                Line(w.say("⏱ Turn clock: {clock}", clock=clock_label(self.clock, w))),
                Line(w.say("The host can change this before a game, and I remember it.")),
                BLANK,
            ]
        chosen = w.say(VIEW_LABELS[self.view])
        choice = chosen[:1].lower() + chosen[1:]
        lines += [
            Line(w.say("🎲 How would you like to see your dice? Now: {choice}.", choice=choice)),
            Line(w.say("Bids look like this: {bid}", bid=bid_figure(5, 4, w)), sign="🔢"),
            Line(language),
        ]
        if self.private and self.name:
            lines.append(
                Line(
                    w.say("The others call you {name}. To change that, send /name and a name.", name=f.name(self.name)),
                    sign="🏷",
                )
            )
        if self.switches.get("asks_twice"):
            lines.append(Line(w.say("Your dudo and calza count when you tap twice."), sign="☝️"))
        if self.phone:
            lines.append(Line(w.say("📱 A phone can play for you too. Send /unlink to stop that.")))
        elif self.texting and self.private:
            lines.append(Line(w.say("📱 Want to play by text message now and then? Send /link.")))
        return lines
