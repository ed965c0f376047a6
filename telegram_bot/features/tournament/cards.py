"""The list of a tournament, and the news of a person, as cards of a page."""

from telegram_bot.channels.web.cards import Card, lines_of
from telegram_bot.features.tournament.notices import (
    BracketNotice,
    HurryNotice,
    Phase,
    PlaceNotice,
    StageResultNotice,
    TableLine,
    TournamentNotice,
)
from telegram_bot.features.tournament.words import tournament_lines
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Medium, plain
from telegram_bot.words.phrases import plain_name


def tournament_card(notice: TournamentNotice, w: Catalogue) -> Card:
    """The sentences, and the ways in and out; nothing of a tournament that was closed."""
    if notice.phase is Phase.CLOSED:
        return {"title": "", "lines": [], "acts": [], "tables": []}
    ways_in = [{"act": "enter", "code": notice.code, "text": w.say("Join")}]
    is_open = notice.phase is Phase.OPEN or notice.late is not None
    ways_out = [{"act": "withdraw", "text": w.say("Leave")}] if notice.phase is not Phase.OVER else []
    title, *lines = (plain([line]) for line in tournament_lines(notice, Format(w, Medium.ALERT)) if line.text)
    return {
        "title": title,
        "lines": lines,
        "acts": [*(ways_in if is_open else []), *ways_out],
        "tables": [_table(table, w) for table in notice.tables],
    }


def _table(table: TableLine, w: Catalogue) -> Card:
    seats = [
        {"name": plain_name(seat.name), "dice": seat.dice, "out": seat.is_out(over=table.over)} for seat in table.seats
    ]
    return {"title": w.say("Table {number}", number=table.number), "seats": seats, "over": table.over}


def news_card(notice: StageResultNotice | PlaceNotice | BracketNotice | HurryNotice, w: Catalogue) -> Card:
    """The sentences."""
    return {"lines": lines_of(notice, w)}
