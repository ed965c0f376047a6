"""The list of a tournament, and the news of a person, as cards of a page."""

from typing import Final, NotRequired, TypedDict

from telegram_bot.features.tournament.draw import seats_at_a_table
from telegram_bot.features.tournament.notices import (
    BracketNotice,
    HurryNotice,
    Phase,
    PlaceNotice,
    StageResultNotice,
    TableLine,
    TelevisedRevealNotice,
    TelevisedRoundNotice,
    TournamentAnswerNotice,
    TournamentNotice,
)
from telegram_bot.features.tournament.words import late_line, table_title, tournament_lines
from telegram_bot.notices import RevealNotice, TableNotice
from telegram_bot.notices.card_types import ActField
from telegram_bot.presentation.cards import Card, card_of, lines_of
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Medium, plain
from telegram_bot.words.phrases import plain_name

_EVERYBODY: Final = -1
"""A lane that everyone may read."""


class LineSeatField(TypedDict):
    """A seat in the list of a stage's tables."""

    name: str
    face: str | None
    dice: int | None
    out: bool


class StageTableField(TypedDict):
    """A table of the stage."""

    title: str
    seats: list[LineSeatField]
    over: bool
    clock: str


class DrawField(TypedDict):
    """The ceremony of a stage on a television."""

    stage: int
    title: str
    finalists: list[str]


class NextField(TypedDict):
    """The stage after this one, and the number of its people."""

    title: str
    places: int


class PanelFields(TypedDict):
    """The tournament next to the table."""

    title: str
    lines: list[str]
    acts: list[ActField]
    players: list[int]
    tables: list[StageTableField]
    draw: NotRequired[DrawField | None]
    next: NotRequired[NextField]
    late: NotRequired[str]


class TelevisedFields(TypedDict):
    """The card of another table, with its name."""

    text: str
    title: str
    shown: Card


class StageFields(TypedDict):
    """The reader's result of a stage, and its game."""

    game: int | None
    lines: list[str]


class NewsLinesFields(TypedDict):
    """News of the tournament for a person."""

    lines: list[str]


def tournament_card(notice: TournamentNotice, w: Catalogue) -> PanelFields:
    """Return the sentences, and the ways in and out; nothing of a tournament that was closed."""
    if notice.phase is Phase.CLOSED:
        return {"title": "", "lines": [], "acts": [], "players": [], "tables": []}
    ways_in: list[ActField] = [{"act": "enter", "code": notice.code, "text": w.say("Join the tournament")}]
    is_open = notice.phase is Phase.OPEN or notice.late is not None
    ways_out: list[ActField] = [{"act": "withdraw", "text": w.say("Leave")}] if notice.phase is not Phase.OVER else []
    title, *lines = (plain([line]) for line in tournament_lines(notice, Format(w, Medium.ALERT)) if line.text)
    return {
        "title": f"🏆 {w.say('The grand final')}" if notice.phase is Phase.FINAL else title,
        "lines": lines,
        "acts": [*(ways_in if is_open else []), *ways_out],
        "players": list(notice.players),
        "tables": [_table(table, w) for table in notice.tables],
        "draw": _draw(notice, w),
        "next": _next(notice, w),
        "late": "" if notice.late is None else plain([late_line(notice.late, Format(w, Medium.ALERT))]),
    }


def _draw(notice: TournamentNotice, w: Catalogue) -> DrawField | None:
    """Return the ceremony of this stage on a television: its number, its title, and the finalists."""
    if notice.phase not in (Phase.TABLES, Phase.FINAL):
        return None
    is_final = notice.phase is Phase.FINAL
    return {
        "stage": notice.stage + is_final,
        "title": w.say("The grand final") if is_final else w.say("The draw"),
        "finalists": [plain_name(name) for name in notice.names] if is_final else [],
    }


def _next(notice: TournamentNotice, w: Catalogue) -> NextField:
    """Return the stage after this one: its title, and the number of its people."""
    places = sum(table.going_on for table in notice.tables)
    if places <= seats_at_a_table(notice.rules):
        return {"title": w.say("The grand final"), "places": places}
    return {"title": w.say("Tournament, stage {stage}", stage=str(notice.stage + 1)), "places": places}


def _table(table: TableLine, w: Catalogue) -> StageTableField:
    seats: list[LineSeatField] = [
        {
            "name": plain_name(seat.name),
            "face": None if seat.face is None else seat.face.sign,
            "dice": seat.dice,
            "out": seat.is_out(over=table.over),
        }
        for seat in table.seats
    ]
    clock = f"{table.seconds // 60}:{table.seconds % 60:02}" if table.seconds else ""
    return {"title": table_title(table.number, w), "seats": seats, "over": table.over, "clock": clock}


def televised_round_card(notice: TelevisedRoundNotice, w: Catalogue) -> TelevisedFields:
    """Return the card of the round, as its own room would show it, and the table's name."""
    shown = TableNotice(view=notice.view, shared=False, unreachable=False)
    return _televised(notice.number, card_of(shown, _EVERYBODY, notice.view.table, w), w)


def televised_reveal_card(notice: TelevisedRevealNotice, w: Catalogue) -> TelevisedFields:
    """Return the card of the reveal, as its own room would show it, and the table's name."""
    shown = RevealNotice(view=notice.view)
    return _televised(notice.number, card_of(shown, _EVERYBODY, notice.view.table, w), w)


def _televised(number: int, shown: Card, w: Catalogue) -> TelevisedFields:
    return {"text": "", "title": table_title(number, w), "shown": shown}


def stage_card(notice: StageResultNotice, w: Catalogue) -> StageFields:
    """Return the sentences, and the game that they are about."""
    return {"game": notice.table, "lines": lines_of(notice, w)}


def news_card(
    notice: PlaceNotice | BracketNotice | HurryNotice | TournamentAnswerNotice, w: Catalogue
) -> NewsLinesFields:
    """Return the sentences."""
    return {"lines": lines_of(notice, w)}
