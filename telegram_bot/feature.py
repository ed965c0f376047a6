"""Describe a feature, and install features: fill the registries of the base game with the parts of each feature.

More than one feature uses each field of `Feature`, or a feature and the base game. A feature follows a game by the
events of its table.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Final, Generic, TypeVar

from sqlmodel import Session, SQLModel

from telegram_bot.channels.telegram.buttons import Rows
from telegram_bot.channels.telegram.keyboards import ADDED_KEYS, KEYS
from telegram_bot.channels.telegram.pictures import PICTURES, Picture
from telegram_bot.channels.web.cards import ADDED_ACTS, CARDS, FeatureCard
from telegram_bot.errors import OperatorError
from telegram_bot.ingress.enrichers import LOOK_UPS, Enricher
from telegram_bot.operations.forget import ROWS_ABOUT_PEOPLE
from telegram_bot.operations.pruning import PRUNES
from telegram_bot.service.announcing.announcer import ANNOUNCED_BY_FEATURES
from telegram_bot.service.announcing.private_posts import PRIVATE_POSTS
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.clock import TIMERS
from telegram_bot.service.handlers.request import Request
from telegram_bot.service.lobby_options import LOBBY_OPTIONS, LobbyOption
from telegram_bot.service.notices import FEATURE_NOTICES, BaseNotice, FeatureNotice
from telegram_bot.service.parts import ADDED_PARTS
from telegram_bot.service.posting import AS_USUAL, POLICIES, Post, PostPolicy
from telegram_bot.service.requests import fill_requests
from telegram_bot.service.room_access import LISTS, FindLists
from telegram_bot.service.service import Service
from telegram_bot.service.switches import SWITCHES, Switch
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.model import Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.notices import ADDED_LINES, LINES

N = TypeVar("N", bound=FeatureNotice)
B = TypeVar("B", bound=BaseNotice)


@dataclass(frozen=True)
class Told(Generic[N]):
    """How the notices of one type are shown.

    Assign it to a name: mypy checks the functions there, but not inside a tuple.
    """

    type: type[N]
    lines: Callable[[N, Format], list[Line]]
    """Its words, for every channel; text messages leave out lines with `rank=None`, and are not sent without a line."""
    _: KW_ONLY
    keys: Callable[[N, Catalogue], Rows] | None = None
    """The buttons below it in chats."""
    picture: Callable[[N, Catalogue], Picture] | None = None
    """Sent with it in chats, unless its readers have pictures off."""
    card: FeatureCard | None = None
    """Its card on web pages, or None if pages do not show it."""
    policy: PostPolicy = AS_USUAL


@dataclass(frozen=True)
class Added(Generic[B]):
    """The additions of a feature to a notice of the base game. Assign it to a name, as `Told`."""

    type: type[B]
    _: KW_ONLY
    lines: Callable[[B, Format], list[Line]] | None = None
    """At the end of its message in chats; in the text message at the end of a game, in place of the last sentence."""
    keys: Callable[[B, Catalogue, str], Rows] | None = None
    """Below its own buttons, by the notice, its language and the bot's name."""
    acts: Callable[[B, Catalogue], dict[str, str]] | None = None
    """Below its own buttons on web pages: the words of each act."""
    part: Callable[[UnitOfWork, GameTable, Table], FeatureNotice | None] | None = None
    """A notice within an `ExtendedNotice` to a group: its lines are shown there, and the fields of its card.

    The step calls it once, and stores its result.
    """


@dataclass(frozen=True)
class Feature:
    """Everything that a feature adds to the base game."""

    name: str
    """The name of its folder, and in the setting `features.off`."""
    _: KW_ONLY
    requests: tuple[Request[Any], ...] = ()
    """The requests that people can make, in the order of the commands on the help page."""
    notices: tuple[Told[Any], ...] = ()
    added: tuple[Added[Any], ...] = ()
    look_ups: tuple[Callable[[Service], Enricher], ...] = ()
    rows: Mapping[type[SQLModel], str] = field(default_factory=dict)
    """Models whose rows name a player and are deleted with the player, each with words for a number of rows."""
    lobby_options: tuple[LobbyOption, ...] = ()
    switches: tuple[Switch, ...] = ()
    """Settings of a person or a group that are on or off."""
    private_posts: Callable[[UnitOfWork, Player, Post], Sequence[Post]] | None = None
    """Returns what is posted in place of a private notice to a player, with the notice first."""
    announce: Callable[[TableOutbox, CommittedStep], None] | None = None
    """Adds notices about a step, after the base game has written its own."""
    lists: FindLists | None = None
    """Returns the running lists that people join in rooms, by the rooms' chats or by one list's code."""
    timers: Mapping[str, Callable[[UnitOfWork, Table], float | None]] = field(default_factory=dict)
    """By the name of a timer that `UnitOfWork.set_timer` sets: what a worker does then; it returns the next time."""
    prune: Callable[[Session, float], None] | None = None
    """Deletes old rows; it is called every hour, with the time."""


def install(features: Sequence[Feature], off: Collection[str] = ()) -> None:
    """Fill the registries. Every program that handles requests or writes messages calls it once, at its start.

    Notices of a feature that is off are still shown, and its rows are still pruned and deleted with their player. The
    feature adds nothing else.

    Raises:
        OperatorError: `off` names a feature that does not exist.
    """
    names = [feature.name for feature in features]
    if unknown := sorted(set(off) - set(names)):
        raise OperatorError(f"features.off: there is no {', '.join(unknown)}; the features are {', '.join(names)}")
    told: Final = [each for feature in features for each in feature.notices]
    FEATURE_NOTICES.fill((each.type.model_fields["kind"].default, each.type) for each in told)
    LINES.fill((each.type, each.lines) for each in told)
    PICTURES.fill((each.type, each.picture) for each in told if each.picture is not None)
    CARDS.fill((each.type, each.card) for each in told if each.card is not None)
    POLICIES.fill((each.type, each.policy) for each in told if each.policy != AS_USUAL)
    ROWS_ABOUT_PEOPLE.fill(rows for feature in features for rows in feature.rows.items())
    PRUNES.fill((feature.name, feature.prune) for feature in features if feature.prune is not None)
    on = [feature for feature in features if feature.name not in off]
    SWITCHES.fill((switch.name, switch) for feature in on for switch in feature.switches)
    PRIVATE_POSTS.fill((feature.name, feature.private_posts) for feature in on if feature.private_posts is not None)
    fill_requests((request for feature in on for request in feature.requests), SWITCHES.values())
    LOBBY_OPTIONS.fill((option.name, option) for feature in on for option in feature.lobby_options)
    TIMERS.fill(timer for feature in on for timer in feature.timers.items())
    LISTS.fill((feature.name, feature.lists) for feature in on if feature.lists is not None)
    ANNOUNCED_BY_FEATURES.fill((feature.name, feature.announce) for feature in on if feature.announce is not None)
    KEYS.fill((each.type, each.keys) for feature in on for each in feature.notices if each.keys is not None)
    lines: dict[type, list[Callable[[Any, Format], list[Line]]]] = {}
    keys: dict[type, list[Callable[[Any, Catalogue, str], Rows]]] = {}
    acts: dict[type, list[Callable[[Any, Catalogue], dict[str, str]]]] = {}
    parts: dict[type, list[Callable[[UnitOfWork, GameTable, Table], FeatureNotice | None]]] = {}
    for added in (each for feature in on for each in feature.added):
        if added.lines is not None:
            lines.setdefault(added.type, []).append(added.lines)
        if added.keys is not None:
            keys.setdefault(added.type, []).append(added.keys)
        if added.acts is not None:
            acts.setdefault(added.type, []).append(added.acts)
        if added.part is not None:
            parts.setdefault(added.type, []).append(added.part)
    ADDED_LINES.fill(lines.items())
    ADDED_KEYS.fill(keys.items())
    ADDED_ACTS.fill(acts.items())
    ADDED_PARTS.fill(parts.items())
    LOOK_UPS.fill((feature.name, feature.look_ups) for feature in on)
