"""Every command, declared once. Menus, help pages, the parsing of commands and the documents' tables are made from it.

The list holds no sentences: `HelpKeys` name lines of `telegram_bot/words/command_help.py`. A bare word is the command's
name or one of the words in `telegram_bot/words/parsing/grammars/`. STOP and START by text message are no commands: they
belong to the telephone companies, and the SMS channel answers them before it looks for a command. docs/recipes.md tells
how to add a command.
"""

from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Final, Literal

from telegram_bot.service import intents as i


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
    intent: i.PersonRequest | None = None
    """The intent of the command; None if it depends on the words after the command."""
    who: Who = Who.ANYBODY
    help: HelpKeys = HelpKeys()
    aliases: tuple[str, ...] = ()
    """Other names in chats, which no page lists."""
    arguments: Arguments = Arguments.IGNORED
    example: str = ""
    """The words after the command, as the pages show them."""
    anonymous: i.PersonRequest | None = None
    """The intent if somebody writes as the group or as a channel; None: nothing happens."""
    pinned: bool = False
    """Whether it stands at the top of the group's menu."""
    in_phone_help: bool = False
    """Whether the text message that answers HELP names it."""


def _everywhere(key: str, *, private_menu: str | None = None, guide: str | None = None) -> HelpKeys:
    return HelpKeys(group_menu=key, private_menu=private_menu or key, help_page=key, guide=guide)


def _texted(
    name: str, guide: str, *, intent: i.PersonRequest | None = None, who: Who = Who.ANYBODY, example: str = ""
) -> Command:
    """A command by text message alone: it asks for an intent, or its parser reads the words after it."""
    arguments = Arguments.PARSED if intent is None else Arguments.FORBIDDEN
    return Command(
        name=name,
        scope=Scope.TEXT,
        intent=intent,
        who=who,
        help=HelpKeys(guide=guide),
        arguments=arguments,
        example=example,
    )


COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        name="perudo",
        aliases=("newgame",),
        intent=i.OpenLobby(),
        scope=Scope.CHATS,
        anonymous=i.IdentifyAdmin("open"),
        help=HelpKeys(group_menu="open_table", help_page="open_table_in_group"),
        pinned=True,
    ),
    Command(name="start", intent=i.OpenLobby(), scope=Scope.GROUP, anonymous=i.IdentifyAdmin("open")),
    Command(name="start", intent=i.StartPrivateChat(), scope=Scope.PRIVATE, arguments=Arguments.PARSED),
    Command(
        name="practise",
        aliases=("practice",),
        intent=i.Practise(),
        scope=Scope.PRIVATE,
        help=HelpKeys(private_menu="practise", help_page="practise", guide="practise"),
    ),
    Command(name="join", intent=i.Join(), scope=Scope.CHATS, help=HelpKeys(guide="take_seat")),
    Command(
        name="join",
        scope=Scope.TEXT,
        arguments=Arguments.CODE,
        example="ABC234 Ana",
        help=HelpKeys(guide="take_seat_by_code"),
    ),
    _texted("new", "open_phone_table", example="Ana"),
    _texted("name", "choose_name", example="Gran"),
    Command(
        name="dice",
        intent=i.SeeDice(),
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
    Command(name="dudo", intent=i.CallDudo(), scope=Scope.CHATS, who=Who.PLAYER, help=HelpKeys(guide="doubt_bid")),
    Command(
        name="calza", intent=i.CallCalza(), scope=Scope.CHATS, who=Who.PLAYER, help=HelpKeys(guide="call_bid_exact")
    ),
    Command(
        name="status",
        intent=i.SeeStatus(),
        scope=Scope.EVERYWHERE,
        arguments=Arguments.PARSED,
        anonymous=i.SeeStatus(),
        help=_everywhere("bring_table_down", private_menu="see_table", guide="see_table_by_text"),
        in_phone_help=True,
    ),
    Command(
        name="rules",
        intent=i.SeeRules(),
        scope=Scope.EVERYWHERE,
        arguments=Arguments.PARSED,
        anonymous=i.SeeRules(),
        help=_everywhere("see_this_tables_rules", private_menu="see_your_tables_rules"),
        in_phone_help=True,
    ),
    Command(
        name="learn",
        intent=i.TakeTutorial(),
        scope=Scope.PRIVATE | Scope.TEXT,
        help=HelpKeys(private_menu="learn", help_page="learn", guide="learn_by_text"),
    ),
    Command(
        name="daily",
        intent=i.PlayDaily(),
        scope=Scope.CHATS | Scope.TEXT,
        arguments=Arguments.PARSED,
        help=_everywhere("daily_hand", guide="daily_hand_by_text"),
    ),
    Command(name="settings", intent=i.SeeSettings(), scope=Scope.CHATS, help=_everywhere("settings")),
    Command(
        name="stats",
        intent=i.SeeStatistics(),
        scope=Scope.CHATS | Scope.TEXT,
        help=_everywhere("see_statistics", guide="see_statistics_by_text"),
    ),
    Command(
        name="league",
        intent=i.SeeLeague(),
        scope=Scope.CHATS,
        anonymous=i.SeeLeague(),
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
        intent=i.Leave(),
        scope=Scope.EVERYWHERE,
        who=Who.PLAYER,
        arguments=Arguments.FORBIDDEN,
        help=_everywhere("leave_table", guide="leave_by_text"),
        in_phone_help=True,
    ),
    Command(
        name="stop",
        intent=i.Stop(),
        scope=Scope.CHATS,
        who=Who.HOST_OR_ADMIN,
        anonymous=i.IdentifyAdmin("stop"),
        help=HelpKeys(group_menu="close_table", help_page="close_table"),
    ),
    Command(
        name="help",
        intent=i.SeeHelp(),
        scope=Scope.EVERYWHERE,
        anonymous=i.SeeHelp(),
        help=HelpKeys(group_menu="how_to_play", private_menu="how_to_play"),
    ),
    Command(name="link", intent=i.RequestPhoneLink(), scope=Scope.CHATS, help=HelpKeys(guide="ask_for_link_code")),
    Command(
        name="link",
        scope=Scope.TEXT,
        arguments=Arguments.CODE,
        example="234567",
        help=HelpKeys(guide="link_phone"),
    ),
    Command(name="unlink", intent=i.UnlinkPhone(), scope=Scope.CHATS | Scope.TEXT, help=HelpKeys(guide="unlink_phone")),
    _texted("stir", "stir_dice", who=Who.PLAYER, example="7"),
    _texted("go", "start_game", intent=i.Start(), who=Who.HOST),
    _texted("book", "choose_rulebook", who=Who.HOST, example="azteca"),
    _texted("clock", "choose_clock", who=Who.HOST, example="6H"),
    _texted("kick", "send_out", who=Who.HOST, example="Bo"),
    _texted("bots", "add_computers", who=Who.HOST, example="2"),
    _texted("close", "close_own_table", intent=i.Stop(), who=Who.HOST),
    _texted("again", "play_again", intent=i.PlayAgain(), who=Who.PLAYER),
    _texted("story", "tell_story", intent=i.TellStory()),
    _texted("back", "take_seat_back", intent=i.ReturnToSeat(), who=Who.PLAYER),
    _texted("quiet", "choose_quiet_hours", example="22-8"),
    _texted("language", "choose_language", example="italiano"),
)
"""In the order of the help page."""


def find_command(name: str, scope: Scope) -> Command | None:
    """The command with this name, in lower case, in one scope; None if there is none."""
    for command in COMMANDS:
        named = name == command.name or (name in command.aliases and scope in Scope.CHATS)
        if named and scope in command.scope:
            return command
    return None


def listed_on(page: Literal["group_menu", "private_menu", "help_page"]) -> list[tuple[Command, str]]:
    """The commands of a menu or of the help page, with their help keys."""
    listed = [(command, key) for command in COMMANDS if (key := getattr(command.help, page)) is not None]
    return sorted(listed, key=lambda line: not line[0].pinned) if page == "group_menu" else listed
