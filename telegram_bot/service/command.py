"""Describe a command: a part of its request's specification, for menus, help pages and parsers.

A bare word is the command's name, one of its `words`, or one of the words in `telegram_bot/words/parsing/grammars/`.
STOP and START by text message are no commands: they belong to the telephone companies, and the SMS channel answers them
before it looks for a command.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto

from sqlmodel import Session

from telegram_bot.service import intents as i
from telegram_bot.service.languages import Sentence
from telegram_bot.service.notices import Notice


class Scope(Flag):
    """Where a command is understood."""

    GROUP = auto()
    """In a group chat, as `/name`."""
    PRIVATE = auto()
    """In a private chat, as `/name`."""
    TALK = auto()
    """In a private chat or in reply to the bot, as a bare word; such a command is understood by text message too."""
    TEXT = auto()
    """By text message, as a bare word."""
    CHATS = GROUP | PRIVATE
    EVERYWHERE = CHATS | TALK | TEXT


class Who(StrEnum):
    """The people who may use a command; others get an explanation."""

    ANYBODY = "anybody"
    PLAYER = "player"
    """Players who sit at the table."""
    HOST = "host"
    HOST_OR_ADMIN = "host_or_admin"
    """The table's host, or an admin of the group."""


class Arguments(StrEnum):
    """How a command reads the words after it."""

    IGNORED = "ignored"
    FORBIDDEN = "forbidden"
    """A text with words after the command is no command: "go away" starts no game."""
    CODE = "code"
    """The first word is a code, which the channel's parser reads: one of the command's `codes`."""
    PARSED = "parsed"
    """The channel's parser of this command reads them."""


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes that a command can begin with. Only a code that exists enrols an unknown phone."""

    exist: Callable[[Session, str, float], bool]
    """True if a code exists at a time."""
    unknown: Callable[[str], Notice] | None = None
    """The answer to an unknown phone with another code, a few times a day. None sends the hint how to begin."""


@dataclass(frozen=True, slots=True)
class HelpLines:
    """A command's line on each page, in English, marked for translators, or None on a page that does not list it."""

    group_menu: str | None = None
    private_menu: str | None = None
    help_page: str | None = None
    guide: str | None = None
    """The line in the documents, in English, for a command that no menu lists or that does more by text message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command, with everything that menus, help pages, parsers and documents need."""

    name: str
    """In lower case. By text message the name works in every language, in addition to the words of the grammars."""
    scope: Scope
    intent: i.PersonRequest | None = None
    """The intent of the command, or None if it depends on the words after the command."""
    who: Who = Who.ANYBODY
    help: HelpLines = HelpLines()
    aliases: tuple[str, ...] = ()
    """Other names in chats, not listed on any page."""
    arguments: Arguments = Arguments.IGNORED
    codes: Codes | None = None
    example: str = ""
    """The words after the command, as the pages show them."""
    reader: Callable[[str, str | None], i.PersonRequest] | None = None
    """The intent from the words after the command, in a language. None leaves them to `intent`, or to the parser.
    """
    words: Sentence = ""
    """The words of a feature's command by text message, with commas between them, which the catalogues translate."""
    anonymous: i.PersonRequest | None = None
    """The intent if a person writes as the group or as a channel, or None if that is ignored."""
    pinned: bool = False
    """Whether it is at the top of the group's menu."""
    is_guessed: bool = True
    """Whether a misspelt word can mean it; not if its words resemble talk ("starts", "sorry") or it ends the game."""
    in_phone_help: bool = False
    """Whether the answer to HELP by text message names it."""


def slash_command(command: Command) -> str:
    """Return a command as people type it in a chat: `/bid 5 4`."""
    return f"/{command.name} {command.example}".rstrip()


def texted_command(command: Command) -> str:
    """Return a command as people text it: `JOIN ABC234 Ana`."""
    return f"{command.name.upper()} {command.example}".rstrip()


def everywhere(line: str, *, private_menu: str | None = None, guide: str | None = None) -> HelpLines:
    """Return the same line on each page."""
    return HelpLines(group_menu=line, private_menu=private_menu or line, help_page=line, guide=guide)


def texted(
    name: str,
    guide: str,
    *,
    intent: i.PersonRequest | None = None,
    who: Who = Who.ANYBODY,
    example: str = "",
    is_guessed: bool = True,
    scope: Scope = Scope.TEXT,
) -> Command:
    """Return a command for text messages: it asks for an intent, or its parser reads the words after it."""
    arguments = Arguments.PARSED if intent is None else Arguments.FORBIDDEN
    return Command(
        name=name,
        scope=scope,
        intent=intent,
        who=who,
        help=HelpLines(guide=guide),
        arguments=arguments,
        example=example,
        is_guessed=is_guessed,
    )
