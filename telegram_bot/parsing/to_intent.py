"""Parse typed words to an intent."""

from telegram_bot.intents.request import Request, Scope
from telegram_bot.parsing.command_words import option_called
from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.on_off import is_assent
from telegram_bot.parsing.parsed import ParsedCommand
from telegram_bot.service.commands import find_command
from telegram_bot.service.handlers.game_requests import ConfirmCall
from telegram_bot.service.handlers.queries import SeeRules


def parse_text(
    text: str,
    language: str | None,
    table: str | None = None,
    total_dice: int | None = None,
    standing: tuple[int, int] | None = None,
    *,
    private: bool = False,
) -> Request | None:
    """Return the request of a text, or None if it is ordinary talk. See `grammar.parse`."""
    said = parse(text, language, table=table, total_dice=total_dice, standing=standing, private=private)
    if isinstance(said, ParsedCommand):
        if said.name == "rules" and said.rest:
            return SeeRules(said.rest)
        command = find_command(said.name, Scope.TALK)
        return None if command is None else command.request
    if said is None and is_assent(text):
        return ConfirmCall()
    return option_called(text) if said is None and total_dice is None and ":" in text else said
