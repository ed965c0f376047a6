"""Write an evening to one HTML file without links to others: who won, each game's end, its rounds folded."""

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from html import escape
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple

from babel.dates import format_date
from sqlmodel import col, select

from telegram_bot.intents.config import ServiceConfig
from telegram_bot.notices import GameOverNotice, Picture, RevealNotice
from telegram_bot.notices.card_parts import plain_text
from telegram_bot.notices.rendering import caption_html, spoken_text
from telegram_bot.presentation.pictures import reveal_image
from telegram_bot.registry import Registry
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameTable, RoundEnd
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.words.catalogue import Catalogue, catalogue
from telegram_bot.words.languages import ENGLISH
from telegram_bot.words.phrases import faced, name_of

_STYLE: Final = """
body{margin:0 auto;max-width:50rem;padding:1rem;background:#0e3b2b;color:#fff;font:1.05rem/1.5 system-ui,sans-serif}
body{overflow-wrap:anywhere}
h1{color:#ffcd40}h2{margin-top:3rem;border-bottom:2px solid #3a8066;padding-bottom:.3rem}
figure{margin:0 0 2rem}img{width:100%;border-radius:.6rem}figcaption{white-space:pre-line;margin-bottom:.6rem}
@media print{body{background:#fff;color:#000}h1{color:#000}figure{break-inside:avoid}}
"""


class EveningPart(NamedTuple):
    """A feature's part of the file of an evening: about one game, below its end, or about all, at the begin."""

    table: int | None
    """The game's, or None for the whole evening."""
    words: str
    """In Telegram's HTML, without the facts of the picture."""
    picture: Picture
    shown: str
    """The facts that it shows, in the same HTML."""


EVENING_PARTS: Final = Registry[
    str, Callable[[UnitOfWork, Sequence[GameTable], datetime, Catalogue], Iterable[EveningPart]]
]("what features tell in the file of an evening")


def write_evening(url: str, config: ServiceConfig, since: float, folder: Path) -> Path | None:
    """Write the games that were played since a time to a new file in a folder, or None if no round was finished.

    `url` is that of the database, which no bot uses any more.

    Raises:
        OSError: the file cannot be written.
    """
    begun, database = datetime.fromtimestamp(since).astimezone(), Database(url)
    try:
        service = Service(database, config)
        with database.transaction() as session:
            page = evening_page(service.unit_of_work(session, "evening"), begun)
    finally:
        database.close()
    if page is None:
        return None
    names = (f"perudo-{begun:%Y-%m-%d}{suffix}.html" for suffix in chain([""], (f"-{number}" for number in count(2))))
    for path in map(folder.joinpath, names):
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
            file.write(page)
            return path
    return None


def evening_page(uow: UnitOfWork, begun: datetime) -> str | None:
    """Return the page of the evening that began then, or None if there is no finished round.

    It has no dice of a round that is not over.
    """
    since = col(GameTable.updated_at) >= begun.timestamp()
    tables = uow.session.exec(select(GameTable).where(since).order_by(col(GameTable.id)))
    games = [(row, ends) for row in tables if not load_table(row).practice and (ends := _rounds_of(uow, row))]
    if not games:
        return None
    w = _words(uow.chat_of(games[0][0]))
    title, tonight = w.say("An evening of Perudo"), w.say("Wins tonight:")
    date = format_date(begun, "full", locale=_locale(w))
    winners = Counter(winner for _, ends in games for end in ends if (winner := _winner(end)))
    wins = " · ".join(f"{name} {won}" for name, won in winners.most_common())
    front = f"<p><b>🏆 {escape(tonight)} {escape(wins)}</b></p>" if wins else ""
    over = [row for row, ends in games if ends[-1].over is not None]
    parts = [part for told_by in EVENING_PARTS.values() for part in told_by(uow, over, begun, w)]

    def told(table: int | None) -> str:
        about = (part for part in parts if part.table == table)
        return "".join(_figure(each.words, each.picture, plain_text(each.shown)) for each in about)

    headings = (w.say("Game {n}", n=str(number)) for number in count(1))
    played = "".join(
        f"<h2>{escape(heading)}</h2>{_end(ends[-1], w)}{told(row.id)}{_rounds(ends, w)}"
        for heading, (row, ends) in zip(headings, games, strict=False)
    )
    return (
        f'<!doctype html><html lang="{w.language}"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1><p>{escape(date)}</p>{front}{told(None)}{played}</html>\n"
    )


def _locale(w: Catalogue) -> str:
    return "en_GB" if w.language == ENGLISH else w.language.replace("-", "_")  # with the day first


def _rounds_of(uow: UnitOfWork, row: GameTable) -> list[RoundEnd]:
    """Return the ends of a game's rounds that its room has seen."""
    seen = RoundEnd.table_id == row.id, col(RoundEnd.seen_at).is_not(None)
    return list(uow.session.exec(select(RoundEnd).where(*seen).order_by(col(RoundEnd.deal))))


def _words(chat: Chat) -> Catalogue:
    return catalogue(chat.chosen_language or chat.language)


def _winner(end: RoundEnd) -> str:
    over = None if end.over is None else GameOverView.model_validate(end.over)
    return "" if over is None else next(faced(seat, name_of(seat)) for seat in over.seats if seat.place == 1)


def _end(end: RoundEnd, w: Catalogue) -> str:
    """Return the end of a game as its room has read it, with the picture of its highlight, or "" before it."""
    if end.over is None:
        return ""
    over = GameOverNotice.model_validate({"view": end.over | {"again": False}, "parts": end.parts})
    return _pictured(over, over.picture(w), w)


def _rounds(ends: list[RoundEnd], w: Catalogue) -> str:
    folded = "" if ends[-1].over is not None else " open"
    shown = []
    for end in ends:
        notice = RevealNotice.model_validate({"view": end.view, "parts": end.reveal_parts, "opened": True})
        picture = None if notice.pictured is None else reveal_image(notice.view, w, key="", animated=False)
        shown.append(_pictured(notice, picture, w))
    rounds = escape(w.count("{n} round", "{n} rounds", len(ends)))
    return f"<details{folded}><summary>{rounds}</summary>{''.join(shown)}</details>"


def _pictured(notice: RevealNotice | GameOverNotice, picture: Picture | None, w: Catalogue) -> str:
    return _figure(caption_html(notice, w) or "", picture, spoken_text(notice, w))


def _figure(words: str, picture: Picture | None, described: str) -> str:
    drawn = ""
    if picture is not None:
        source = b64encode(picture.draw()).decode()
        drawn = f'<img alt="{escape(described, quote=True)}" src="data:image/png;base64,{source}">'
    return f"<figure><figcaption>{words}</figcaption>{drawn}</figure>"
