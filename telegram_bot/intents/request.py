"""Specify a person's request: its buttons, links and acts, its commands, and when it may be answered.

A bare word is a command's name, one of its `words`, or one of the words in `telegram_bot/words/grammars/`.
STOP and START by text message are no commands: they belong to the telephone companies, and the SMS channel answers them
before it looks for a command.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import ClassVar

from sqlmodel import Session

from telegram_bot.intents.forms import Act, Button
from telegram_bot.notices import Notice
from telegram_bot.words.languages import Sentence


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


class Fits(StrEnum):
    """The tables that a request without a place can be about, if the person sits at several."""

    ANY = "any"
    LOBBY = "lobby"
    GAME = "game"
    """Those with a running game; if the person has dice at some of them, these."""
    TURN = "turn"
    """As for a game; if it is the person's turn at some of them, these."""


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
    request: "Request | None" = None
    """The request without words, which the list of all requests adds: None if it depends on the words."""
    who: Who = Who.ANYBODY
    help: HelpLines = HelpLines()
    aliases: tuple[str, ...] = ()
    """Other names in chats, not listed on any page."""
    arguments: Arguments = Arguments.IGNORED
    codes: Codes | None = None
    example: str = ""
    """The words after the command, as the pages show them."""
    reader: "Callable[[str, str | None], Request] | None" = None
    """The request of the words after the command, in a language. None leaves them to `request`, or to the parser."""
    words: Sentence = ""
    """The words of a feature's command by text message, with commas between them, which the catalogues translate."""
    anonymous: "Request | bool" = False
    """Whether a person may use it who writes as the group or as a channel, or the request that is made in its place."""
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
    who: Who = Who.ANYBODY,
    example: str = "",
    is_guessed: bool = True,
    scope: Scope = Scope.TEXT,
) -> Command:
    """Return a command for text messages; its parser reads the words after it if the command has an example."""
    return Command(
        name=name,
        scope=scope,
        who=who,
        help=HelpLines(guide=guide),
        arguments=Arguments.PARSED if example else Arguments.FORBIDDEN,
        example=example,
        is_guessed=is_guessed,
    )


@dataclass(frozen=True)
class Request:
    """A person's request. Class variables guard secrets: each has its strict value unless a type says otherwise."""

    __slots__ = ()
    tells_of_reveal: ClassVar[bool] = True
    """Whether the answer would give away the end of a reveal that its readers have not seen yet."""
    bound_to_step: ClassVar[bool] = True
    """Whether a button counts only at the step of the game for which it was made."""
    allowed_while_suspended: ClassVar[bool] = False
    """Whether it is served at a table to whose chat the bot cannot write."""
    takes_seconds: ClassVar[bool] = False
    """Whether another process computes a fact for its handler, while neither the chat nor Telegram waits."""
    only_asks: ClassVar[bool] = False
    """Whether repetitions by text are ignored after some answers."""
    fits: ClassVar[Fits] = Fits.ANY
    at_one_table: ClassVar[bool] = False
    """Whether it is about the intent's table and nothing else, so that a page for one table alone may ask for it."""
    about_last_table: ClassVar[bool] = False
    """Whether by text it is about the person's last table, even if that is over."""
    buttons: ClassVar[tuple[Button, ...]] = ()
    """The first that fits writes the data of a button."""
    links: ClassVar[tuple[Button, ...]] = ()
    """Its forms as start parameters of links to the bot, `word_{field}`. A button that is one word is also a link."""
    acts: ClassVar[tuple[Act, ...]] = ()
    commands: ClassVar[tuple[Command, ...]] = ()


class TellsNothing(Request):
    """A request whose answer gives away nothing of a reveal: it reads no table, or it is a call at a step."""

    __slots__ = ()
    tells_of_reveal = False


class AtAnyStep(Request):
    """A request whose button counts at every step of the game."""

    __slots__ = ()
    bound_to_step = False
