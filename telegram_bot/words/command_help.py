"""What each command does, in one line: `help_lines` for menus and help pages, `GUIDE_LINES` for the documents.

`python -m telegram_bot.words.command_help`, run from the project's folder, writes the documents' tables of commands
between two comments, `<!-- commands in chats -->` or `<!-- commands by text -->`, and `<!-- end of commands -->`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from telegram_bot.service.command import Command, Scope, Who
from telegram_bot.service.commands import COMMANDS
from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.catalogue import Catalogue, catalogue


def help_lines(w: Catalogue) -> dict[str, str]:
    """The line of each help key of a menu or a help page, in the catalogue's language."""
    return {
        "open_table": w.say("open a table, or show it again"),
        "open_table_in_group": w.say("open a table in your group"),
        "practise": w.say("play alone against computer players"),
        "bid_in_words": w.say("bid in words: /bid 5 4"),
        "bid_five_fours": w.say("bid five fours"),
        "see_dice": w.say("see your dice"),
        "bring_table_down": w.say("show the table again"),
        "see_table": w.say("how your table stands"),
        "see_this_tables_rules": w.say("this table's rules in words"),
        "see_your_tables_rules": w.say("your table's rules in words"),
        "learn": w.say("learn to play in two minutes"),
        "daily_hand": w.say("the hand of the day, the same for everybody"),
        "see_statistics": w.say("how you play"),
        "see_league": w.say("this month's league of the group"),
        "settings": w.say("how you see your dice, and the language"),
        "leave_table": w.say("leave the table"),
        "close_table": w.say("close the table (host or admin)"),
        "how_to_play": w.say("how to play"),
    }


def slash_command(command: Command) -> str:
    """A command as people type it in a chat: `/bid 5 4`."""
    return f"/{command.name} {command.example}".rstrip()


def texted_command(command: Command) -> str:
    """A command as people text it: `JOIN ABC234 Ana`."""
    return f"{command.name.upper()} {command.example}".rstrip()


GUIDE_LINES: Final = {
    "take_seat": "take a seat at the group's table",
    "doubt_bid": "doubt the standing bid",
    "call_bid_exact": "say that the standing bid is exact",
    "ask_for_link_code": "get a code with which a phone plays for you by text message",
    "unlink_phone": "end the link: the phone plays for itself again",
    "take_seat_by_code": "take a seat; the lobby shows the code, the name is up to you",
    "open_phone_table": "open a table for phones, and get its code",
    "choose_name": "what the others call you, at every table",
    "stir_dice": "shake the sealed dice before the game, with a sign: a number from 1 to 12",
    "start_game": "start the game at a table for phones",
    "choose_rulebook": "choose the rulebook, in the lobby",
    "choose_clock": "choose the turn clock, in the lobby: `5M`, `15M`, `1H`, `6H`, `24H` or `OFF`",
    "add_computers": "have computer players sit down, in the lobby",
    "send_out": "send somebody out of the lobby, by name or by their place in the list (`KICK 2`)",
    "close_own_table": "close the table; if others sit there, the bot asks first, and `CLOSE` with its code closes it",
    "play_again": "open a new lobby with the same people, after a game",
    "tell_story": "how your last game went: the boldest bluff, the best call, everybody's luck",
    "take_seat_back": "take your seat back, after a turn that you missed",
    "leave_by_text": "leave; the bot asks first, and `LEAVE` with its code leaves",
    "see_table_by_text": "how your table stands; with a code (`TABLE ABC234`): which of your tables your words are for",
    "choose_quiet_hours": "no texts in these hours, and your clock waits as long; `QUIET OFF`: texts at any hour",
    "choose_language": "English, Italian, French, Spanish or Dutch",
    "learn_by_text": "learn to play in two minutes; by text message: the game in one text",
    "daily_hand_by_text": "the hand of the day: decide once, by text `DAILY DUDO`, and ask tomorrow for the answer",
    "see_statistics_by_text": "how you play; in a group, in reply to somebody: how they play",
    "hide_me": "be left out of leagues and of others' statistics; `/hide off`: no longer",
    "link_phone": "play for somebody in Telegram, who gets the code from the bot there (`/link`)",
}
"""Lines that only the documents have, which are in English."""


# The documents' tables

ROOT: Final = Path(__file__).parents[2]
WHO: Final = {
    Who.ANYBODY: "anybody",
    Who.PLAYER: "players at the table",
    Who.HOST: "the host",
    Who.HOST_OR_ADMIN: "the host, or an admin of the group",
}
_HEAD: Final = ("| command | use | for |", "|---|---|---|")


def chat_table() -> str:
    """The commands of groups and private chats."""
    return _table(Scope.CHATS, slash_command, lambda command: command.help.group_menu or command.help.guide)


def text_table() -> str:
    """The commands by text message."""
    return _table(Scope.TEXT, texted_command, lambda command: command.help.guide or command.help.private_menu)


TABLES: Final[dict[str, tuple[str, Callable[[], str]]]] = {
    "docs/playing.md": ("commands in chats", chat_table),
    "docs/sms/README.md": ("commands by text", text_table),
}
"""By document: what its comment says, and what writes the table."""


def _table(scope: Scope, typed: Callable[[Command], str], key_of: Callable[[Command], str | None]) -> str:
    lines = help_lines(catalogue(ENGLISH)) | GUIDE_LINES
    rows = (
        f"| `{typed(command)}` | {lines[key]} | {WHO[command.who]} |"
        for command in COMMANDS
        if command.scope & scope and (key := key_of(command)) is not None
    )
    return "\n".join((*_HEAD, *rows))


def with_table(document: str, comment: str, table: str) -> str:
    """A document with the table between its two comments.

    Raises:
        ValueError: the document has no such comments, or several.
    """
    begin, end = f"<!-- {comment} -->", "<!-- end of commands -->"
    between = re.compile(f"(?<={re.escape(begin)}\n).*?(?={re.escape(end)})", re.DOTALL)
    written, found = between.subn(lambda _: f"{table}\n", document)
    if found != 1:
        raise ValueError(f"{begin} … {end} stands there {found} times")
    return written


def files(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Every document with a table of commands, as it should be."""
    for name, (comment, table) in TABLES.items():
        path = root / name
        yield path, with_table(path.read_text(encoding="utf-8"), comment, table())


def main() -> int:
    """Rewrite the documents that are out of date, and print which."""
    for path, text in files():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
