"""Every command, declared once. Menus, help pages, the parsing of commands and the documents' tables are made from it.

The list holds no sentences: `HelpKeys` name lines of `telegram_bot/words/command_help.py`. A bare word is the command's
name or one of the words in `telegram_bot/words/parsing/grammars/`. STOP and START by text message are no commands: they
belong to the telephone companies, and the SMS channel answers them before it looks for a command. CONTRIBUTING.md tells
how to add a command.
"""

from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Final

from telegram_bot.service.intents import (
    CallCalza,
    CallDudo,
    IdentifyAdmin,
    Join,
    Leave,
    OpenLobby,
    PersonRequest,
    PlayAgain,
    Practise,
    RequestPhoneLink,
    ReturnToSeat,
    SeeDice,
    SeeHelp,
    SeeLeague,
    SeeRules,
    SeeSettings,
    SeeStatistics,
    SeeStatus,
    Start,
    StartPrivateChat,
    Stop,
    TakeTutorial,
    TellStory,
    UnlinkPhone,
)


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
    """Who may use a command; anybody else is told why not."""

    ANYBODY = "anybody"
    PLAYER = "player"
    """Players who sit at the table."""
    HOST = "host"
    HOST_OR_ADMIN = "host_or_admin"
    """The table's host, or an admin of the group."""


class Arguments(StrEnum):
    """What a command does with the words after it."""

    IGNORED = "ignored"
    FORBIDDEN = "forbidden"
    """A text with words after the command is no command: "go away" starts no game."""
    CODE = "code"
    """The first word is a code, which the channel's parser reads."""
    PARSED = "parsed"
    """The channel's parser of this command reads them."""


@dataclass(frozen=True, slots=True)
class HelpKeys:
    """A command's line on each page, as a key of `words.command_help`; None: the page does not list the command."""

    group_menu: str | None = None
    private_menu: str | None = None
    help_page: str | None = None
    guide: str | None = None
    """The line in the documents, for a command that no menu lists or that does more by text message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command, with everything that menus, help pages, parsers and documents need."""

    name: str
    """In lower case. By text message the name works in every language, in addition to the words of the grammars."""
    scope: Scope
    intent: PersonRequest | None = None
    """The intent of the command; None if it depends on the words after the command."""
    who: Who = Who.ANYBODY
    help: HelpKeys = HelpKeys()
    aliases: tuple[str, ...] = ()
    """Other names in chats, which no page lists."""
    arguments: Arguments = Arguments.IGNORED
    example: str = ""
    """The words after the command, as the pages show them."""
    anonymous: PersonRequest | None = None
    """The intent if somebody writes as the group or as a channel; None: nothing happens."""
    pinned: bool = False
    """Whether it stands at the top of the group's menu."""
    in_phone_help: bool = False
    """Whether the text message that answers HELP names it."""


__all__ = [
    "COMMANDS",
    "Arguments",
    "Command",
    "HelpKeys",
    "Scope",
    "Who",
    "commands_in",
    "find_command",
    "group_menu",
    "help_page",
    "phone_help",
    "private_menu",
]


def _everywhere(key: str, *, private_menu: str | None = None, guide: str | None = None) -> HelpKeys:
    return HelpKeys(group_menu=key, private_menu=private_menu or key, help_page=key, guide=guide)


COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        name="perudo",
        aliases=("newgame",),
        intent=OpenLobby(),
        scope=Scope.CHATS,
        anonymous=IdentifyAdmin("open"),
        help=HelpKeys(group_menu="open_table", help_page="open_table_in_group"),
        pinned=True,
    ),
    Command(name="start", intent=OpenLobby(), scope=Scope.GROUP, anonymous=IdentifyAdmin("open")),
    Command(name="start", intent=StartPrivateChat(), scope=Scope.PRIVATE, arguments=Arguments.PARSED),
    Command(
        name="practise",
        aliases=("practice",),
        intent=Practise(),
        scope=Scope.PRIVATE,
        help=HelpKeys(private_menu="practise", help_page="practise", guide="practise"),
    ),
    Command(name="join", intent=Join(), scope=Scope.CHATS, help=HelpKeys(guide="take_seat")),
    Command(
        name="join",
        scope=Scope.TEXT,
        arguments=Arguments.CODE,
        example="ABC234 Ana",
        help=HelpKeys(guide="take_seat_by_code"),
    ),
    Command(
        name="new",
        scope=Scope.TEXT,
        arguments=Arguments.PARSED,
        example="Ana",
        help=HelpKeys(guide="open_phone_table"),
    ),
    Command(
        name="name",
        scope=Scope.TEXT,
        arguments=Arguments.PARSED,
        example="Gran",
        help=HelpKeys(guide="choose_name"),
    ),
    Command(
        name="dice",
        intent=SeeDice(),
        scope=Scope.EVERYWHERE,
        who=Who.PLAYER,
        help=_everywhere("see_dice"),
        in_phone_help=True,
    ),
    Command(
        name="bid",
        scope=Scope.CHATS,
        who=Who.PLAYER,
        arguments=Arguments.PARSED,
        example="5 4",
        help=HelpKeys(group_menu="bid_in_words", private_menu="bid_in_words", help_page="bid_five_fours"),
        pinned=True,
    ),
    Command(name="dudo", intent=CallDudo(), scope=Scope.CHATS, who=Who.PLAYER, help=HelpKeys(guide="doubt_bid")),
    Command(name="calza", intent=CallCalza(), scope=Scope.CHATS, who=Who.PLAYER, help=HelpKeys(guide="call_bid_exact")),
    Command(
        name="status",
        intent=SeeStatus(),
        scope=Scope.EVERYWHERE,
        arguments=Arguments.PARSED,
        anonymous=SeeStatus(),
        help=_everywhere("bring_table_down", private_menu="see_table", guide="see_table_by_text"),
        in_phone_help=True,
    ),
    Command(
        name="rules",
        intent=SeeRules(),
        scope=Scope.EVERYWHERE,
        arguments=Arguments.PARSED,
        anonymous=SeeRules(),
        help=_everywhere("see_this_tables_rules", private_menu="see_your_tables_rules"),
        in_phone_help=True,
    ),
    Command(
        name="learn",
        intent=TakeTutorial(),
        scope=Scope.PRIVATE | Scope.TEXT,
        help=HelpKeys(private_menu="learn", help_page="learn", guide="learn_by_text"),
    ),
    Command(name="settings", intent=SeeSettings(), scope=Scope.CHATS, help=_everywhere("settings")),
    Command(
        name="stats",
        intent=SeeStatistics(),
        scope=Scope.CHATS | Scope.TEXT,
        help=_everywhere("see_statistics", guide="see_statistics_by_text"),
    ),
    Command(
        name="league",
        intent=SeeLeague(),
        scope=Scope.CHATS,
        anonymous=SeeLeague(),
        help=HelpKeys(group_menu="see_league", help_page="see_league"),
    ),
    Command(
        name="hide",
        scope=Scope.CHATS | Scope.TEXT,
        arguments=Arguments.PARSED,
        example="me",
        help=HelpKeys(guide="hide_me"),
    ),
    Command(
        name="leave",
        intent=Leave(),
        scope=Scope.EVERYWHERE,
        who=Who.PLAYER,
        arguments=Arguments.FORBIDDEN,
        help=_everywhere("leave_table", guide="leave_by_text"),
        in_phone_help=True,
    ),
    Command(
        name="stop",
        intent=Stop(),
        scope=Scope.CHATS,
        who=Who.HOST_OR_ADMIN,
        anonymous=IdentifyAdmin("stop"),
        help=HelpKeys(group_menu="close_table", help_page="close_table"),
    ),
    Command(
        name="help",
        intent=SeeHelp(),
        scope=Scope.EVERYWHERE,
        anonymous=SeeHelp(),
        help=HelpKeys(group_menu="how_to_play", private_menu="how_to_play"),
    ),
    Command(name="link", intent=RequestPhoneLink(), scope=Scope.CHATS, help=HelpKeys(guide="ask_for_link_code")),
    Command(
        name="link",
        scope=Scope.TEXT,
        arguments=Arguments.CODE,
        example="234567",
        help=HelpKeys(guide="link_phone"),
    ),
    Command(name="unlink", intent=UnlinkPhone(), scope=Scope.CHATS | Scope.TEXT, help=HelpKeys(guide="unlink_phone")),
    Command(
        name="stir",
        scope=Scope.TEXT,
        who=Who.PLAYER,
        arguments=Arguments.PARSED,
        example="llama",
        help=HelpKeys(guide="stir_dice"),
    ),
    Command(
        name="go",
        intent=Start(),
        scope=Scope.TEXT,
        who=Who.HOST,
        arguments=Arguments.FORBIDDEN,
        help=HelpKeys(guide="start_game"),
    ),
    Command(
        name="book",
        scope=Scope.TEXT,
        who=Who.HOST,
        arguments=Arguments.PARSED,
        example="azteca",
        help=HelpKeys(guide="choose_rulebook"),
    ),
    Command(
        name="clock",
        scope=Scope.TEXT,
        who=Who.HOST,
        arguments=Arguments.PARSED,
        example="6H",
        help=HelpKeys(guide="choose_clock"),
    ),
    Command(
        name="kick",
        scope=Scope.TEXT,
        who=Who.HOST,
        arguments=Arguments.PARSED,
        example="Bo",
        help=HelpKeys(guide="send_out"),
    ),
    Command(
        name="bots",
        scope=Scope.TEXT,
        who=Who.HOST,
        arguments=Arguments.PARSED,
        example="2",
        help=HelpKeys(guide="add_computers"),
    ),
    Command(
        name="close",
        intent=Stop(),
        scope=Scope.TEXT,
        who=Who.HOST,
        arguments=Arguments.FORBIDDEN,
        help=HelpKeys(guide="close_own_table"),
    ),
    Command(
        name="again",
        intent=PlayAgain(),
        scope=Scope.TEXT,
        who=Who.PLAYER,
        arguments=Arguments.FORBIDDEN,
        help=HelpKeys(guide="play_again"),
    ),
    Command(
        name="story",
        intent=TellStory(),
        scope=Scope.TEXT,
        arguments=Arguments.FORBIDDEN,
        help=HelpKeys(guide="tell_story"),
    ),
    Command(
        name="back",
        intent=ReturnToSeat(),
        scope=Scope.TEXT,
        who=Who.PLAYER,
        arguments=Arguments.FORBIDDEN,
        help=HelpKeys(guide="take_seat_back"),
    ),
    Command(
        name="quiet",
        scope=Scope.TEXT,
        arguments=Arguments.PARSED,
        example="22-8",
        help=HelpKeys(guide="choose_quiet_hours"),
    ),
    Command(
        name="verbose",
        scope=Scope.TEXT,
        arguments=Arguments.PARSED,
        example="ON",
        help=HelpKeys(guide="choose_every_bid"),
    ),
    Command(
        name="language",
        scope=Scope.TEXT,
        arguments=Arguments.PARSED,
        example="italiano",
        help=HelpKeys(guide="choose_language"),
    ),
)
"""In the order of the help page."""


def find_command(name: str, scope: Scope) -> Command | None:
    """The command with this name, in lower case, in one scope; None if there is none."""
    for command in COMMANDS:
        named = name == command.name or (name in command.aliases and scope in Scope.CHATS)
        if named and scope in command.scope:
            return command
    return None


def commands_in(scope: Scope) -> tuple[Command, ...]:
    """The commands that are understood in one scope."""
    return tuple(command for command in COMMANDS if scope in command.scope)


def group_menu() -> list[tuple[Command, str]]:
    """The commands of the group's menu, with their help keys."""
    listed = [(command, key) for command in COMMANDS if (key := command.help.group_menu) is not None]
    return sorted(listed, key=lambda line: not line[0].pinned)


def private_menu() -> list[tuple[Command, str]]:
    """The commands of the private chat's menu, with their help keys."""
    return [(command, key) for command in COMMANDS if (key := command.help.private_menu) is not None]


def help_page() -> list[tuple[Command, str]]:
    """The commands of the help page in a chat, with their help keys."""
    return [(command, key) for command in COMMANDS if (key := command.help.help_page) is not None]


def phone_help() -> list[Command]:
    """The commands that the text message answering HELP names."""
    return [command for command in COMMANDS if command.in_phone_help]
