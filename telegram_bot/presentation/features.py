"""The additions of features to notices and to web pages."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from telegram_bot.notices import FeatureNotice, NoticeModel
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.registry import Registry
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line

N = TypeVar("N", bound=NoticeModel)


@dataclass(frozen=True)
class Extension(Generic[N]):
    """The additions of a feature to a notice of the base game, and the keys of its own notice.

    Assign it to a name: mypy checks the functions there, but not inside a tuple.
    """

    type: type[N]
    _: KW_ONLY
    lines: Callable[[N, Format], list[Line]] | None = None
    """At the end of its message; in the text message at the end of a game, in place of the last sentence."""
    keys: Callable[[N, Catalogue], Keys] | None = None
    """Below its own keys in chats."""
    acts: Callable[[N, Catalogue], list[Key]] | None = None
    """Below its own keys on web pages."""
    part: Callable[[UnitOfWork, GameTable, Table], FeatureNotice | None] | None = None
    """A notice within an `ExtendedNotice` to a group: its lines are shown there, and the fields of its card.

    The step calls it once, and stores its result.
    """


@dataclass(frozen=True, slots=True)
class PagePart:
    """The part of a feature in web pages.

    The folder contains a JavaScript module with the feature's name, and perhaps a style with that name. The module
    exports views for the places of a page: `lobbyView`, `turnView`, `roundView`, `overView`, `revealView`, `seatView`,
    `feltView`, `asideView`, `joinView`, `joinAct`, `overAct`, `overLines`, `overPlaces`, `toasts`, `switches`. The
    television also loads `tv.js` and `tv.css`, if it has them, with `finaleView`, `benchView` and `televised`.
    """

    folder: Path
    words: Callable[[Catalogue], dict[str, str]] = lambda _: {}
    """Its sentences, by their keys on the page."""


EXTENSIONS: Final = Registry[type, Sequence[Extension[Any]]]("what features add to notices")
PAGE_PARTS: Final = Registry[str, PagePart]("the parts of features in web pages")
"""By the name of the feature."""
