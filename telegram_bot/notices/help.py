"""Notices that explain: the rules, help, the welcome."""

from typing import Literal, Self

from perudo_core import Rules
from telegram_bot.notices.base import Worded
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import TableRules
from telegram_bot.words.command_lines import COMMAND_LINES
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.lines import BLANK, Format, Line, Medium
from telegram_bot.words.phrases import table_name
from telegram_bot.words.rules import (
    how_to_play,
    in_brief,
    rules_text,
    sentences_about,
)


class RulesNotice(Worded):
    """A table's rules in words; `about`: only the meaning of one word of the game."""

    kind: Literal["rules"] = "rules"
    rules: TableRules
    about: str | None = None
    smallest: tuple[int, int] | None = None
    """The smallest bid now, for a player who wants to pass, or to repeat the bid."""
    house_rules: tuple[HouseRules, ...] = ()

    def lines(self, f: Format) -> list[Line]:
        """Return a table's rules, or the meaning of one word."""
        w, texted = f.w, f.medium is Medium.TEXT
        if self.about is not None:
            sentences = sentences_about(self.about, self.rules, w)
            if not texted:
                return [Line(f.foreign(" ".join(sentences)), sign="📖")]
            if self.smallest is not None:
                sentences.insert(1, w.say("The smallest bid now is {bid}.", bid=f.bid(*self.smallest)))
            return [Line(sentence, rank) for rank, sentence in enumerate(sentences)]
        book = rules_title(self.rules, self.house_rules, w, in_full=not texted)
        if texted:
            game = w.say(
                "{book}: bid how many dice of a face all have together, always higher. DUDO doubts.", book=f.name(book)
            )
            return [Line(game), *(Line(sentence, rank) for rank, sentence in enumerate(in_brief(self.rules, w), 1))]
        title = "<b>" + w.say("The rules at this table") + "</b> · " + f.foreign(book)
        return [Line(title, sign="📖"), BLANK, *(Line(f.foreign(line), sign="•") for line in rules_text(self.rules, w))]


class HelpNotice(Worded):
    """How to play, and the commands."""

    kind: Literal["help"] = "help"
    private: bool
    rules: TableRules = Rules()
    """The rules of the table, or of the place's next one."""
    replies_only: bool = False
    """Whether the bot reads only commands and replies to its messages in this group."""
    voice: bool = False
    """Whether voice notes are recognised here."""
    waits_for: str | None = None
    """The player whose turn it is, or the host, for whom a reader without a possible action waits."""
    lobby: str | None = None
    """The code of the table that has not started yet."""

    def sent_by(self, bot: str, *, reads_all: bool) -> Self:  # noqa: ARG002 - it does not name the bot
        """Return it without the advice to reply, if the bot reads all messages."""
        return self.model_copy(update={"replies_only": False}) if reads_all else self

    def lines(self, f: Format) -> list[Line]:
        """Return how to play in five lines, then the commands."""
        w = f.w
        if f.medium is Medium.TEXT:
            return self._waiting_by_text(f) if self.lobby or self.waits_for else help_by_text(f)
        lines = [
            Line(f.strong(w.say("Perudo in a minute")), sign="🎲"),
            *map(Line, how_to_play(self.rules, w)),
            BLANK,
            *self._how_to_bid(f),
            BLANK,
            *(Line(f"{each.typed} · {w.say(each.line)}") for each in COMMAND_LINES.values() if each.line is not None),
        ]
        if self.private:
            lines += [BLANK, Line(w.say("Add me to a group with your friends and send /perudo there."))]
        return lines

    def _how_to_bid(self, f: Format) -> list[Line]:
        """In a group most bots receive only commands and replies to their messages."""
        w = f.w
        if self.replies_only:
            typed = w.say(
                "Tap the buttons, or reply to my message: "
                "<code>5x4</code>, <code>five fours</code>, <code>dudo</code>, <code>calza</code>."
            )
            spoken = w.say("🎙 Or reply to my message with a voice note: “five fours”.")
        else:
            typed = w.say(
                "Tap the buttons or type: <code>5x4</code>, <code>five fours</code>, <code>dudo</code>, "
                "<code>calza</code>."
            )
            spoken = w.say("🎙 Or send a voice note: “five fours”.")
        return [Line(typed), Line(spoken)] if self.voice else [Line(typed)]

    def _waiting_by_text(self, f: Format) -> list[Line]:
        """Return the event that a player waits for."""
        w = f.w
        name = f.name(self.waits_for or "")
        if self.lobby is None:
            said = [w.say("It's {name}'s turn.", name=name), w.say("You'll get a text when it's yours.")]
        elif self.waits_for is None:
            said = [w.say("Friends join by texting me JOIN {code}. When all are in, text GO.", code=self.lobby)]
        else:
            said = [w.say("{name} starts the game. Then your dice come by text.", name=name)]
        return [Line(each) for each in said]


def help_by_text(f: Format) -> list[Line]:
    """Return how to bid, and the commands that phones know."""
    names = ", ".join(name.upper() for name, each in COMMAND_LINES.items() if each.in_phone_help)
    return [
        Line(
            f.w.say(
                "3x4 = three fours among all dice. Raise it, or DUDO if you doubt it. {commands}. QUIET 22-8: no texts "
                "at night. STOP: no texts at all.",
                commands=names,
            )
        )
    ]


class WelcomeNotice(Worded):
    """The greeting in a private chat; `titles` are the person's live tables."""

    kind: Literal["welcome"] = "welcome"
    name: str
    titles: tuple[str, ...] = ()

    def lines(self, f: Format) -> list[Line]:
        """Return the greeting in a private chat, or by text message."""
        w = f.w
        if f.medium is Medium.TEXT:
            return [
                Line(
                    w.say(
                        "Perudo by text. Text JOIN and a table's code to take a seat, or NEW for a table of your own."
                    )
                )
            ]
        if self.titles:
            titles = w.listed([f.name(table_name(title, w)) for title in self.titles])
            where = w.say("You sit at the table in <b>{titles}</b>. Your dice come here.", titles=titles)
        else:
            where = w.say("Add me to a group with your friends and send /perudo there. Your dice come here.")
        return [
            Line(w.say("👋 Hi {name}! I run Perudo, the game of liars and dice.", name=f.name(self.name))),
            Line(where),
            Line(w.say("First time? Send /help.")),
        ]
