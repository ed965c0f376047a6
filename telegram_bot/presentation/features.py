"""How the notices of features are shown, and what features add to the notices of the base game."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from telegram_bot.notices import BaseNotice, FeatureNotice
from telegram_bot.notices.card_types import Fields
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.presentation.pictures import Picture
from telegram_bot.registry import Registry
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line

N = TypeVar("N", bound=FeatureNotice)
B = TypeVar("B", bound=BaseNotice)


class FeatureCard(NamedTuple):
    """How pages show a notice of a feature."""

    slot: str
    """Its place on the page, and the name of its card."""
    fields: Callable[[Any, Catalogue], Fields]
    """Its return type is a `TypedDict`, which `test_support/typed_pages.py` writes for JavaScript."""


@dataclass(frozen=True)
class Presentation(Generic[N]):
    """How the notices of one type are shown.

    Assign it to a name: mypy checks the functions there, but not inside a tuple.
    """

    type: type[N]
    lines: Callable[[N, Format], list[Line]] | None = None
    """Its words, for every medium, if its class has no `lines` of its own."""
    _: KW_ONLY
    keys: Callable[[N, Catalogue], Keys] | None = None
    """The keys below it in chats."""
    picture: Callable[[N, Catalogue], Picture] | None = None
    """Sent with it in chats, unless its readers have pictures off."""
    card: FeatureCard | None = None
    """Its card on web pages, or None if pages do not show it."""


@dataclass(frozen=True)
class Extension(Generic[B]):
    """The additions of a feature to a notice of the base game. Assign it to a name, as `Presentation`."""

    type: type[B]
    _: KW_ONLY
    lines: Callable[[B, Format], list[Line]] | None = None
    """At the end of its message; in the text message at the end of a game, in place of the last sentence."""
    keys: Callable[[B, Catalogue], Keys] | None = None
    """Below its own keys in chats."""
    acts: Callable[[B, Catalogue], list[Key]] | None = None
    """Below its own keys on web pages."""
    part: Callable[[UnitOfWork, GameTable, Table], FeatureNotice | None] | None = None
    """A notice within an `ExtendedNotice` to a group: its lines are shown there, and the fields of its card.

    The step calls it once, and stores its result.
    """


@dataclass(frozen=True, slots=True)
class PagePart:
    """The part of a feature in web pages.

    The folder contains a JavaScript module with the feature's name, which exports views for the places of a page, and
    perhaps a style with that name.
    """

    folder: Path
    words: Callable[[Catalogue], dict[str, str]] = lambda _: {}
    """Its sentences, by their keys on the page."""


PRESENTATIONS: Final = Registry[type, Presentation[Any]]("how the notices of features are shown")
EXTENSIONS: Final = Registry[type, Sequence[Extension[Any]]]("what features add to notices of the base game")
PAGE_PARTS: Final = Registry[str, PagePart]("the parts of features in web pages")
"""By the name of the feature."""
