"""Describe a feature, and install features: fill the registries of the base game with the parts of each feature.

More than one feature uses each field of `Feature`, or a feature and the base game. A feature follows a game by the
events of its table.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlmodel import Session, SQLModel

from telegram_bot.errors import OperatorError
from telegram_bot.ingress.enrichers import LOOK_UPS, Enricher
from telegram_bot.intents.request import Request
from telegram_bot.notices import SWITCHED_OFF, Toast
from telegram_bot.notices.base import ADDED_LINES
from telegram_bot.operations.evening_file import EVENING_PARTS, EveningPart
from telegram_bot.operations.forget import ROWS_ABOUT_PEOPLE
from telegram_bot.operations.pruning import PRUNES
from telegram_bot.presentation.features import EXTENSIONS, PAGE_PARTS, Extension, PagePart
from telegram_bot.repositories.room_access import LISTS, FindLists
from telegram_bot.screens.posting import Notification
from telegram_bot.screens.switches import SWITCHES, Switch
from telegram_bot.service.announcing.announcer import ANNOUNCED_BY_FEATURES
from telegram_bot.service.announcing.private_notices import PRIVATE_NOTICES
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.clock import TIMERS
from telegram_bot.service.handlers.lobby_requests import BEFORE_START
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.naming import NAMING_NOTICES, NamingNotices
from telegram_bot.service.parts import ADDED_PARTS
from telegram_bot.service.requests import fill_requests
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.settings.sections import ALL_ON, FeatureSettings, Section, SettingsError
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.model import Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lobby_options import LOBBY_OPTIONS, LobbyOption
from telegram_bot.words.switch_words import WORDED_SWITCHES


@dataclass(frozen=True)
class Feature:
    """Everything that a feature adds to the base game."""

    name: str
    """The name of its folder, and in the setting `features.off`."""
    _: KW_ONLY
    place: int = 1000
    """Its place among the features, on the help page and below a notice: the smallest first, then by name."""
    requests: tuple[type[Request], ...] = ()
    """The requests that people can make, in the order of the commands on the help page."""
    extensions: tuple[Extension[Any], ...] = ()
    page: PagePart | None = None
    """Its part in web pages."""
    settings: type[Section] | None = None
    """Its section of the settings, `[features.<name>]`; it reads its values with `ServiceConfig.features.of`."""
    look_ups: tuple[Callable[[Service], Enricher], ...] = ()
    rows: Mapping[type[SQLModel], str] = field(default_factory=dict)
    """Models whose rows name a player and are deleted with the player, each with words for a number of rows."""
    naming: NamingNotices | None = None
    """Its notices that name people who do not sit at their table: they show a new name,
    and no longer the name of a forgotten person."""
    lobby_options: tuple[LobbyOption, ...] = ()
    switches: tuple[Switch, ...] = ()
    """Settings of a person or a group that are on or off."""
    private_notices: Callable[[UnitOfWork, Player, Notification], Sequence[Notification]] | None = None
    """Returns what is posted in place of a private notice to a player, with the notice first."""
    before_start: Callable[[TableContext], Toast | None] | None = None
    """Called when a host starts a game: it may change the table. It returns the answer if the game does not begin now.
    """
    announce: Callable[[TableOutbox, CommittedStep], None] | None = None
    """Adds notices about a step, after the base game has written its own."""
    lists: FindLists | None = None
    """Returns the running lists that people join in rooms, by the rooms' chats or by one list's code."""
    timers: Mapping[str, Callable[[UnitOfWork, Table], float | None]] = field(default_factory=dict)
    """By the name of a timer that `UnitOfWork.set_timer` sets: what a worker does then; it returns the next time."""
    evening: Callable[[UnitOfWork, Sequence[GameTable], datetime, Catalogue], Iterable[EveningPart]] | None = None
    """Yields what the file of an evening tells of its finished games and of the evening, which began then."""
    prune: Callable[[Session, float], None] | None = None
    """Deletes old rows; it is called every hour, with the time."""


def install(features: Sequence[Feature], chosen: FeatureSettings = ALL_ON) -> None:
    """Fill the registries. Every program that handles requests or writes messages calls it once, at its start.

    Notices of a feature that is off are still shown, and its rows are still pruned and deleted with their player. The
    feature adds nothing else.

    Raises:
        OperatorError: the settings name a feature that does not exist, or have an invalid value for one.
    """
    names, off = [feature.name for feature in features], chosen.off
    if unknown := sorted({*off, *chosen.__pydantic_extra__} - set(names)):
        raise OperatorError(f"features: there is no {', '.join(unknown)}; the features are {', '.join(names)}")
    for feature in features:
        try:
            chosen.of(feature.name, feature.settings or Section)
        except ValidationError as error:
            found = [(".".join(map(str, detail["loc"])), detail["msg"]) for detail in error.errors()]
            raise SettingsError([f"features.{feature.name}.{key}: {why}" for key, why in found]) from None
    PAGE_PARTS.fill((feature.name, feature.page) for feature in features if feature.page and feature.name not in off)
    ROWS_ABOUT_PEOPLE.fill(rows for feature in features for rows in feature.rows.items())
    NAMING_NOTICES.fill((feature.name, feature.naming) for feature in features if feature.naming is not None)
    PRUNES.fill((feature.name, feature.prune) for feature in features if feature.prune is not None)
    SWITCHED_OFF.fill((name, None) for name in sorted({*off}))
    on = [feature for feature in features if feature.name not in off]
    SWITCHES.fill((switch.name, switch) for feature in on for switch in feature.switches)
    WORDED_SWITCHES.fill(SWITCHES.items())
    PRIVATE_NOTICES.fill(
        (feature.name, feature.private_notices) for feature in on if feature.private_notices is not None
    )
    fill_requests((request for feature in on for request in feature.requests), SWITCHES.values())
    LOBBY_OPTIONS.fill((option.name, option) for feature in on for option in feature.lobby_options)
    TIMERS.fill(timer for feature in on for timer in feature.timers.items())
    BEFORE_START.fill((feature.name, feature.before_start) for feature in on if feature.before_start is not None)
    EVENING_PARTS.fill((feature.name, feature.evening) for feature in on if feature.evening is not None)
    LISTS.fill((feature.name, feature.lists) for feature in on if feature.lists is not None)
    ANNOUNCED_BY_FEATURES.fill((feature.name, feature.announce) for feature in on if feature.announce is not None)
    extensions: dict[type, list[Extension[Any]]] = {}
    for each in (each for feature in on for each in feature.extensions):
        extensions.setdefault(each.type, []).append(each)
    EXTENSIONS.fill(extensions.items())
    ADDED_LINES.fill((kind, [each.lines for each in found if each.lines]) for kind, found in extensions.items())
    ADDED_PARTS.fill((kind, [each.part for each in found if each.part]) for kind, found in extensions.items())
    LOOK_UPS.fill((feature.name, feature.look_ups) for feature in on)
