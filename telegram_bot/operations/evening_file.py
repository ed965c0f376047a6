"""Write an evening to one HTML file without links to others: first who won, then each finished round, folded."""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from html import escape
from itertools import chain, count
from pathlib import Path
from typing import Final

from babel.dates import format_date
from sqlmodel import Session, col, select

from telegram_bot.notices import GameOverNotice, Picture, RevealNotice
from telegram_bot.notices.rendering import caption_html, spoken_text
from telegram_bot.presentation.pictures import reveal_image
from telegram_bot.service.repositories import load_table
from telegram_bot.storage.database import connect
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


def write_evening(url: str, since: float, folder: Path) -> Path | None:
    """Write the games that were played since a time to a new file in a folder, or None if no round was finished.

    `url` is that of the database, which no bot uses any more.

    Raises:
        OSError: the file cannot be written.
    """
    begun, engine = datetime.fromtimestamp(since).astimezone(), connect(url)
    try:
        with Session(engine) as session:
            page = evening_page(session, begun)
    finally:
        engine.dispose()
    if page is None:
        return None
    names = (f"perudo-{begun:%Y-%m-%d}{suffix}.html" for suffix in chain([""], (f"-{number}" for number in count(2))))
    for path in map(folder.joinpath, names):
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
            file.write(page)
            return path
    return None


def evening_page(session: Session, begun: datetime) -> str | None:
    """Return the page of the evening that began then, or None if there is no finished round.

    It has no dice of a round that is not over.
    """
    since = col(GameTable.updated_at) >= begun.timestamp()
    tables = session.exec(select(GameTable).where(since).order_by(col(GameTable.id)))
    games = [(row, ends) for row in tables if not load_table(row).practice and (ends := _rounds_of(session, row))]
    if not games:
        return None
    w = _words(session.get_one(Chat, games[0][0].chat_id))
    title, date = w.say("An evening of Perudo"), format_date(begun, "full", locale=_locale(w))
    winners = Counter(winner for _, ends in games for end in ends if (winner := _winner(end)))
    wins = " · ".join(f"{name} {won}" for name, won in winners.most_common())
    front = f"<p><b>🏆 {escape(w.say('Wins tonight:'))} {escape(wins)}</b></p>" if wins else ""
    told = "".join(
        f"<h2>{escape(w.say('Game {n}', n=str(number)))}</h2>{''.join(_game(ends, w))}"
        for number, (_, ends) in enumerate(games, 1)
    )
    return (
        f'<!doctype html><html lang="{w.language}"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f"<h1>{escape(title)}</h1><p>{escape(date)}</p>{front}{told}</html>\n"
    )


def _locale(w: Catalogue) -> str:
    return "en_GB" if w.language == ENGLISH else w.language.replace("-", "_")  # with the day first


def _rounds_of(session: Session, row: GameTable) -> list[RoundEnd]:
    """Return the ends of a game's rounds that its room has seen."""
    seen = RoundEnd.table_id == row.id, col(RoundEnd.seen_at).is_not(None)
    return list(session.exec(select(RoundEnd).where(*seen).order_by(col(RoundEnd.deal))))


def _words(chat: Chat) -> Catalogue:
    return catalogue(chat.chosen_language or chat.language)


def _winner(end: RoundEnd) -> str:
    over = None if end.over is None else GameOverView.model_validate(end.over)
    return "" if over is None else next(faced(seat, name_of(seat)) for seat in over.seats if seat.place == 1)


def _game(ends: list[RoundEnd], w: Catalogue) -> Iterator[str]:
    """Yield the end of a game as its room has read it, with the picture of its highlight, then the rounds."""
    if (last := ends[-1]).over is not None:
        over = GameOverNotice.model_validate({"view": last.over | {"again": False}, "parts": last.parts})
        yield _figure(over, over.picture(w), w)
    folded = "" if last.over is not None else " open"
    rounds = w.count("{n} round", "{n} rounds", len(ends))
    yield f"<details{folded}><summary>{escape(rounds)}</summary>"
    for end in ends:
        notice = RevealNotice.model_validate({"view": end.view, "parts": end.reveal_parts, "opened": True})
        shown = None if notice.pictured is None else reveal_image(notice.view, w, key="", animated=False)
        yield _figure(notice, shown, w)
    yield "</details>"


def _figure(notice: RevealNotice | GameOverNotice, picture: Picture | None, w: Catalogue) -> str:
    drawn = ""
    if picture is not None:
        said = escape(spoken_text(notice, w), quote=True)
        drawn = f'<img alt="{said}" src="data:image/png;base64,{b64encode(picture.draw()).decode()}">'
    return f"<figure><figcaption>{caption_html(notice, w)}</figcaption>{drawn}</figure>"
