"""The base of all notices: the look of one in each medium, and the answers to questions about it."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from pydantic import BeforeValidator, PlainValidator, SerializeAsAny

from perudo_core import Reason
from telegram_bot.notices.card_types import ActField, Fields
from telegram_bot.registry import Registry
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import FrozenModel
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import HandView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line, Medium, html, plain
from telegram_bot.words.sms.layout import TextReader


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be drawn. `key` is its name if it is shown more than once.

    The key of a hand reveals its dice, so it must not be logged.
    """

    draw: Callable[[], bytes]
    key: str | None = None
    lasting: bool = True
    """Whether it is shown again on another day; other pictures are shown to several people within seconds."""
    animated: bool = False
    """Whether it is an animation (GIF), not a still picture (PNG)."""
    seconds: float | None = None
    """How long its message waits for it, or None for the usual time."""


@dataclass(frozen=True, slots=True)
class PageFormat:
    """How a card is written for its reader."""

    w: Catalogue
    acts: tuple[ActField, ...] = ()
    """The keys that features add to the card."""


def start_link(bot: str, says: str = "play") -> str:
    """Return a link that opens the private chat and sends the bot a start parameter: a code, or a button's data."""
    return f"https://t.me/{bot}?start={says}"


class WebDoor(NamedTuple):
    """The buttons in chats that open web pages of a table, by the code of its room."""

    code: str
    seat: bool = True
    """Whether one opens the reader's seat."""
    television: bool = False
    """Whether one opens the television."""
    private: bool = False
    """Whether only one person reads the message."""


class About(StrEnum):
    """The subject of a question by text message."""

    LEAVE = "leave"
    CLOSE = "close"
    UNLINK = "unlink"
    LINK = "link"
    START = "start"
    NAME = "name"
    KNOCK = "knock"
    KICK = "kick"


class Question(NamedTuple):
    """A question that a phone answers with a code; a channel stores it with its code."""

    about: About
    table: int | None = None
    link: str = ""
    name: str = ""
    player: int = 0


NOTICES: Final[dict[str, "type[NoticeModel]"]] = {}
"""All types of notices, by kind."""


class NoticeModel(FrozenModel):
    """A notice. One that says nothing more is for one medium alone, or changes only the keys of a message."""

    if TYPE_CHECKING:  # declared by each type, in its stored order
        kind: str

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if (kind := cls.model_fields.get("kind")) is not None and not kind.is_required():
            NOTICES[kind.default] = cls

    cuts_names: ClassVar[bool] = False
    """Whether long names are shortened where its caption would be too long."""
    card_slot: ClassVar[str | None] = None
    """Its place on web pages, or None if pages do not show it."""
    is_public: ClassVar[bool] = False
    """Whether everyone who reads a table's room may see it."""

    # How it looks

    def lines(self, f: Format) -> list[Line]:  # noqa: ARG002 - without lines
        """Return its words for every medium, where it has the same in all."""
        return []

    def in_chat(self, f: Format) -> str | None:  # noqa: ARG002 - no message
        """Return its message in HTML, or None if only the keyboard changes, or if it is for phones only."""
        return None

    def below_picture(self, f: Format) -> str | None:  # noqa: ARG002 - the usual words
        """Return its message without the facts that its picture shows, or None for its usual words."""
        return None

    def alert(self, f: Format) -> str:
        """Return its plain text over a chat."""
        return plain(self.lines(f))

    def by_text(self, f: Format, reader: TextReader) -> Sequence[Line]:  # noqa: ARG002 - phones do not get it
        """Return the lines of its text message, or none if phones do not get it: each costs."""
        return []

    def in_speech(self, f: Format) -> Iterable[str]:
        """Return its lines as they are said, or shown to a screen reader."""
        return (message_of(self, Format(f.w, Medium.CHAT)) or "").split("\n")

    def news(self, f: Format) -> Iterable[str]:
        """Return the news in it for a person who follows the table."""
        return self.in_speech(f)

    def on_page(self, page: PageFormat) -> tuple[str, Fields]:
        """Return the name of its card, and the fields; only notices with a `card_slot` have one.

        The return type names the card, and a `TypedDict`: `test_support/typed_pages.py` reads it.
        """
        raise NotImplementedError

    def picture(self, w: Catalogue) -> Picture | None:  # noqa: ARG002 - no picture
        """Return the picture of a feature's notice, sent with it in chats unless its readers have pictures off."""
        return None

    # Answers to questions about it

    has_own_dice: ClassVar[bool] = False
    """Whether it shows the dice of its only reader."""
    read_aloud: ClassVar[bool] = False
    """Whether it is read aloud to people who listen."""

    @property
    def about_table(self) -> int | None:
        """The table that it is about, or None if it names none."""
        return None

    @property
    def pictured(self) -> HandView | RevealView | None:
        """The dice in its picture, or None if the base game draws none."""
        return None

    @property
    def answers(self) -> int | None:
        """The number of the message in the chat that it answers, or None if it answers none."""
        return None

    @property
    def moves(self) -> bool:
        """True if its picture is an animation."""
        return False

    @property
    def takes_time(self) -> bool:
        """True if its reader closes the alert that shows it."""
        return False

    @property
    def refusal(self) -> Reason | RejectionReason | None:
        """The reason for which it refuses a request, or None if it refuses none."""
        return None

    @property
    def asks_again(self) -> bool:
        """True if a call counts when it is repeated."""
        return False

    @property
    def phone_word(self) -> str:
        """Its subject, if it is about a phone itself, or an empty text."""
        return ""

    @property
    def deletes(self) -> bool:
        """True if it deletes the message that it edits."""
        return False

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        """The table and the step at which its keys make their requests, as far as it has them."""
        return getattr(self, "table", None), getattr(self, "step", None)

    @property
    def turn_ends(self) -> float | None:
        """When the turn that it announces to its reader ends, or None if it announces none."""
        return None

    @property
    def asks(self) -> bool | None:
        """Whether it asks a player for a call, or None if it is no message about a running round."""
        return None

    @property
    def asked_player(self) -> int | None:
        """The player whose turn it is in everyone's message of a round, or None."""
        return None

    @property
    def own_deal(self) -> int | None:
        """The round whose dice it brings to their player, or None if it brings none."""
        return None

    @property
    def text_question(self) -> Question | None:
        """The question that a phone answers with a code, or None if it asks none."""
        return None

    @property
    def web_door(self) -> WebDoor | None:
        """Its buttons that open web pages in chats, or None without one."""
        return None

    @property
    def attached(self) -> tuple[str, str] | None:
        """The name and the content of the file that chats show, or None without a file."""
        return None

    def part_fields(self, w: Catalogue) -> Fields:  # noqa: ARG002 - no parts
        """Return the fields of the parts that features have added to it."""
        return {}

    def sent_by(self, bot: str, *, reads_all: bool) -> Self:  # noqa: ARG002 - the same for all
        """Return it as a bot with this name sends it; `reads_all`: whether the bot reads all messages of groups."""
        return self

    def keeping(self, old: "NoticeModel") -> "tuple[NoticeModel, NoticeModel | None]":  # noqa: ARG002 - nothing
        """Return it with what a waiting notice told that it replaces, and what is left to tell on its own."""
        return self, None

    def is_play(self, *, is_new: bool) -> bool:  # noqa: ARG002 - a game does not need it
        """Return True if the game needs it as a text; `is_new`: it is no answer."""
        return False

    def round_at_front(self, current: int | None) -> int | None:
        """Return the round with which its text message begins, or None; `current`: of its reader's game."""
        return current


class Worded(NoticeModel):
    """A notice that is worded once for all media, as ranked lines."""

    cuts_names = True

    @abstractmethod
    def lines(self, f: Format) -> list[Line]:
        """Return its words; text messages leave out lines with `rank=None`, and are not sent without a line."""

    def in_chat(self, f: Format) -> str | None:
        return html(self.lines(f))

    def by_text(self, f: Format, reader: TextReader) -> Sequence[Line]:  # noqa: ARG002 - the same for all
        """Return the same lines with those that features add, if one has a rank."""
        lines = self.lines(f)
        return [] if all(line.rank is None for line in lines) else lines + added_lines(self, f)

    def in_speech(self, f: Format) -> Iterable[str]:
        return [line.text for line in self.lines(f)]


class FeatureNotice(Worded):
    """A notice of a feature; each type gives `kind` its own value as the default."""

    kind: str
    replaces: ClassVar[bool] = False
    """Whether its lines take the place of those of the notice whose part it is."""
    is_drawn: ClassVar[bool] = False
    """Whether its picture says everything that its lines say."""

    @property
    def tells(self) -> frozenset[tuple[str, str]]:
        """The remarkable facts that it tells: for each a player's name and the kind."""
        return frozenset()

    def without(self, told: frozenset[tuple[str, str]]) -> Self:  # noqa: ARG002 - it tells none of another notice's
        """Return it without the facts that other parts of the same notice tell."""
        return self

    def round_at_front(self, current: int | None) -> int | None:
        """Return no round: it is not about a running game, unless it is about a table."""
        return None if self.about_table is None else current


class FeatureToast(FeatureNotice):
    """A notice of a feature that is short enough for the answer to a tap."""

    start: str = ""
    """The start parameter with which a tap opens the private chat with the bot, where the channel can do that."""


class VoiceNotice(FeatureNotice):
    """A notice of a feature that a channel sends as a voice note, without a message."""

    @property
    def tells_dice(self) -> bool:
        """True if only one person may hear it."""
        return False


class PublicNotice(FeatureNotice):
    """A notice of a feature that everyone who reads a table's room may see."""

    is_public = True


class FileNotice(FeatureNotice):
    """A notice of a feature that chats show as a file, with the words below."""

    document: str
    name: str

    @property
    def attached(self) -> tuple[str, str]:
        return self.name, self.document


class ListNotice(PublicNotice):
    """The message of a feature about a list that people join in a group."""

    @property
    def list_code(self) -> str | None:
        """The code that opens the group's web seat, or None if people do not join any more."""
        return None

    @property
    def web_door(self) -> WebDoor | None:
        return WebDoor(self.list_code, seat=False, television=True) if self.list_code else None


ADDED_LINES: Final = Registry[type, Sequence[Callable[[Any, Format], list[Line]]]]("the lines that features add")
"""By the type of a notice of the base game: lines of features at its end."""
SWITCHED_OFF: Final = Registry[str, None]("the features that are off")


def read_notice(value: Any) -> NoticeModel:
    """Return a notice, or the stored one of its kind."""
    if isinstance(value, NoticeModel):
        return value
    kind = NOTICES.get(str(value.get("kind"))) if isinstance(value, dict) else None
    if kind is None:
        raise ValueError("there is no notice of this kind")
    return kind.model_validate(value)


def _read_feature_notice(value: Any) -> FeatureNotice:
    notice = read_notice(value)
    if not isinstance(notice, FeatureNotice):
        raise ValueError("it is no notice of a feature")  # noqa: TRY004 - pydantic's
    return notice


Notice: TypeAlias = Annotated[SerializeAsAny[NoticeModel], PlainValidator(read_notice)]


def _known_parts(value: Any) -> Any:
    """Leave out the parts that this version cannot read: of a feature that is off, or of another version."""
    found = []
    for each in value:
        with suppress(ValueError):
            found.append(_read_feature_notice(each))
    return tuple(found)


_AnyPart: TypeAlias = Annotated[SerializeAsAny[FeatureNotice], PlainValidator(_read_feature_notice)]
KnownParts: TypeAlias = Annotated[tuple[_AnyPart, ...], BeforeValidator(_known_parts)]


class ExtendedNotice(NoticeModel):
    """A notice of the base game to which features add parts when it is written."""

    parts: KnownParts = ()

    def part_lines(self, f: Format, *, pictured: bool = False) -> list[Line]:
        """Return the lines of the parts that add to its own; `pictured`: below the picture."""
        shown = (part for part in self.parts if not part.replaces and not (pictured and part.is_drawn))
        return [line for part in shown for line in part.lines(f)]

    def replacing_lines(self, f: Format) -> list[Line]:
        """Return the lines of the parts that take the place of its own, or none."""
        return [line for part in self.parts if part.replaces for line in part.lines(f)]

    def part_fields(self, w: Catalogue) -> Fields:
        shown = (part.on_page(PageFormat(w))[1] for part in self.parts if part.card_slot is not None)
        return {name: value for fields in shown for name, value in fields.items()}

    def sent_by(self, bot: str, *, reads_all: bool) -> Self:
        """Return it with the bot's name in its parts."""
        return self.model_copy(update={"parts": tuple(part.sent_by(bot, reads_all=reads_all) for part in self.parts)})

    def picture(self, w: Catalogue) -> Picture | None:
        """Return the picture of the first part that has one."""
        return next((picture for part in self.parts if (picture := part.picture(w)) is not None), None)


class AboutTable(NoticeModel):
    """A notice about one table."""

    table: int

    @property
    def about_table(self) -> int | None:
        return self.table


class LinksToBot(NoticeModel):
    """A notice with a link to the bot."""

    bot: str = ""
    """The bot's own name, which the channel fills in when it sends."""

    def sent_by(self, bot: str, *, reads_all: bool) -> Self:  # noqa: ARG002 - the same for all
        return self.model_copy(update={"bot": bot})


def added_lines(notice: NoticeModel, f: Format) -> list[Line]:
    """Return the lines that features add at the end of a notice of the base game."""
    return [line for lines in ADDED_LINES.get(type(notice), ()) for line in lines(notice, f)]


def message_of(notice: NoticeModel, f: Format) -> str | None:
    """Return a notice as a message in HTML with the lines that features add, or None without a message."""
    text = notice.in_chat(f if notice.cuts_names else Format(f.w, Medium.CHAT))
    added = added_lines(notice, f)
    return "\n".join((text, html(added))) if text is not None and added else text
