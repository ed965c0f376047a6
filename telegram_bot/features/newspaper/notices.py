"""The newspaper as a message with a picture."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Literal

from babel.dates import format_date

from telegram_bot.features.newspaper.edition import Between, Lie, Luck, Revenge, local_time
from telegram_bot.notices import AboutTable, Picture, PublicNotice
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.languages import ENGLISH
from telegram_bot.words.lines import BLANK, Format, Line
from telegram_bot.words.phrases import percentage, plain_name


class NewspaperNotice(AboutTable, PublicNotice):
    """The page about an evening: its best lie, who caught whom, who fell, who had luck, and a revenge."""

    kind: Literal["newspaper"] = "newspaper"
    title: str
    """The group's."""
    at: float
    """The morning."""
    zone: str
    lie: Lie | None = None
    catches: tuple[Between, ...] = ()
    falls: tuple[Between, ...] = ()
    sun: Luck | None = None
    rain: Luck | None = None
    revenge: Revenge | None = None
    wanted_by: str | None = None
    """The person who wants the revenge, "" if they are hidden, or None before that."""

    def lines(self, f: Format) -> list[Line]:
        """Return the same words as the picture, in chats."""
        w = f.w
        lines = [Line("<b>" + w.say("The morning paper") + "</b>", rank=None, sign="📰"), BLANK]
        sections = sections_of(self, w)
        signs = ("🎭", "🚨", "🪦", "🌦")
        for sign, (_, told) in zip(signs, sections, strict=True):
            lines += [Line(escape(each, quote=False), rank=None, sign=sign) for each in told]
        if self.revenge is not None:
            told_of = owed(self, w) if self.wanted_by is None else wanted(self, w)
            lines += [BLANK, Line(escape(told_of, quote=False), rank=None, sign="⚔️")]
        return lines

    def picture(self, w: Catalogue) -> Picture:
        return Picture(partial(_draw, self, sections_of(self, w), w))


def sections_of(paper: NewspaperNotice, w: Catalogue) -> list[tuple[str, list[str]]]:
    """Return the title and the plain sentences of each part: the headline, the police, the obituaries, the weather."""
    return [
        ("", [headline(paper.lie, w)]),
        (w.say("Police report"), [_catch(each, w) for each in paper.catches]),
        (w.say("Obituaries"), [_fall(each, w) for each in paper.falls]),
        (w.say("Weather"), _weather(paper, w)),
    ]


def headline(lie: Lie | None, w: Catalogue) -> str:
    """Return the sentence about the best lie."""
    if lie is None:
        return w.say("Honest night: no lie held")
    bid = bid_figure(lie.quantity, lie.bid_face, w.with_dice(DiceStyle.WORDS))
    if lie.spoken:
        return w.say("{name} says {bid} out loud, holds none, gets away with it", name=plain_name(lie.name), bid=bid)
    return w.say("{name} says {bid}, holds none, gets away with it", name=plain_name(lie.name), bid=bid)


def _catch(each: Between, w: Catalogue) -> str:
    values = {"name": plain_name(each.name), "other": plain_name(each.other)}
    return w.count("{name} caught {other}.", "{name} caught {other} {n} times.", each.times, **values)


def _fall(each: Between, w: Catalogue) -> str:
    values = {"name": plain_name(each.name), "other": plain_name(each.other)}
    return w.count("{other} fell to {name}.", "{other} fell to {name} {n} times.", each.times, **values)


def _weather(paper: NewspaperNotice, w: Catalogue) -> list[str]:
    if paper.sun is None or paper.rain is None:
        return []
    sun, rain = paper.sun, paper.rain
    return [
        w.say("Sun over {name}: {share} ones.", name=plain_name(sun.name), share=percentage(sun.ones, sun.dice, w)),
        w.say("Rain over {name}: {share} ones.", name=plain_name(rain.name), share=percentage(rain.ones, rain.dice, w)),
    ]


def owed(paper: NewspaperNotice, w: Catalogue) -> str:
    """Return the question about the revenge, or an empty text without one."""
    if paper.revenge is None:
        return ""
    names = {"name": plain_name(paper.revenge.name), "other": plain_name(paper.revenge.other)}
    return w.say("{name} owes {other} a revenge: {when}?", **names, when=when(paper.revenge.at, paper.zone, w))


def wanted(paper: NewspaperNotice, w: Catalogue) -> str:
    """Return the sentence about the revenge that a person wants."""
    assert paper.revenge is not None  # noqa: S101 - it is wanted
    at, name = when(paper.revenge.at, paper.zone, w), plain_name(paper.wanted_by or w.say("someone"))
    told = w.say("{name} wants it: I'll open the table on {when}.", name=name, when=at)
    return told[:1].upper() + told[1:]


def when(at: float, zone: str, w: Catalogue) -> str:
    """Return a weekday with its time: `Friday 20:00`."""
    local = local_time(at, zone)
    return f"{format_date(local, 'EEEE', locale=_locale(w))}\u00a0{local:%H:%M}"


def date_line(paper: NewspaperNotice, w: Catalogue) -> str:
    """Return the date of the newspaper."""
    return str(format_date(local_time(paper.at, paper.zone), "full", locale=_locale(w)))


def _locale(w: Catalogue) -> str:
    return "en_GB" if w.language == ENGLISH else w.language.replace("-", "_")


# The first drawing imports Pillow: most commands of the bot draw nothing.


def _draw(paper: NewspaperNotice, sections: Sequence[tuple[str, Sequence[str]]], w: Catalogue) -> bytes:
    from telegram_bot.features.newspaper.newspaper_picture import Labels, newspaper_picture  # noqa: PLC0415

    labels = w.say("The morning paper"), plain_name(paper.title), date_line(paper, w), owed(paper, w)
    return newspaper_picture(Labels(*labels), paper.lie, sections)
