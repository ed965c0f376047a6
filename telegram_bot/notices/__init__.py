"""Notices: messages as data, and their words. The outbox stores them; they become sentences when they are sent."""

from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AliasChoices, BeforeValidator, Field, PlainValidator, SerializeAsAny

from perudo_core import Reason
from telegram_bot.registry import Registry
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import CloseReason, FrozenModel, TableRules, TurnClock
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.sealed_dice import StirView
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import BidView, HandView, LobbyView, SeatView, TableView


class Confirmation(StrEnum):
    """A confirmed success."""

    JOINED = "joined"
    LEFT = "left"
    BID = "bid"
    DUDO = "dudo"
    CALZA = "calza"
    CLAIMED = "claimed"
    BACK = "back"
    STARTED = "started"
    BIDS_SHOWN_TO_ALL = "shared_keyboard"
    DICE_SENT = "dice_sent"
    SENT_OUT = "sent_out"
    ADMITTED = "admitted"
    NOT_ADMITTED = "not_admitted"
    NOBODY_WAITS = "nobody_waits"
    TABLE_CHOSEN = "table_chosen"
    LINKED = "linked"
    UNLINKED = "unlinked"
    OPENED_AGAIN = "opened_again"
    SETTING_CHOSEN = "setting_chosen"
    RULES_CHOSEN = "rules_chosen"
    CHOICES_IN_PRIVATE = "choices_in_private"
    OPTION_CHANGED = "option_changed"
    PLAYS_ON = "plays_on"
    PLAYS_ALONG = "plays_along"
    NEXT_GAME = "next_game"
    TAP_DUDO_AGAIN = "tap_dudo_again"
    TAP_CALZA_AGAIN = "tap_calza_again"
    SAY_CALZA_AGAIN = "say_calza_again"
    NOTE_FORGOTTEN = "note_forgotten"


class PhoneMessage(StrEnum):
    """A message about the phone itself, not about a game."""

    HINT = "hint"
    """For an unknown number: how to begin."""
    WHO = "who"
    """The answer to HELP: the sender of these texts, and how to stop them."""
    STOPPED = "stopped"
    RESUMED = "resumed"
    TOO_OLD = "too_old"
    """A text that took days to arrive."""
    LIMIT = "limit"
    """The day's texts are used up."""
    TALK_LIMIT = "talk_limit"
    """The day's texts are used up, except those reserved for the game."""
    ASK_START = "ask_start"
    """Asks whether the phone wants texts again."""
    ASK_UNLINK = "ask_unlink"
    """Asks whether the phone is to stop playing for another person."""
    ASK_LINK = "ask_link"
    """Asks whether the phone is to play for the asker; `detail`: the person for whom it plays until then."""
    ASK_NAME = "ask_name"
    """Asks whether `detail` is to be the owner's new name."""
    ASK_KICK = "ask_kick"
    """Asks whether the host means `detail`, whom they named by the place in the list."""
    WRONG_CODE = "wrong_code"
    """The code is not that of the last question."""
    NEEDS_CODE = "needs_code"
    UNKNOWN_CODE = "unknown_code"
    """No table has the code `detail`, with which an unknown number wants to join."""
    MEANT = "meant"
    """The text is almost a command; contains the corrected one."""
    LANGUAGES = "languages"
    QUIET_HOW = "quiet_how"
    CLOCK_HOW = "clock_how"
    KICK_HOW = "kick_how"
    BOTS_HOW = "bots_how"
    BOOK_HOW = "book_how"
    NAME_HOW = "name_how"


class Mention(FrozenModel):
    """A person whom a message mentions, so that they are notified."""

    name: str
    address: int


class FeatureNotice(FrozenModel):
    """A notice of a feature; each type gives `kind` its own value as the default."""

    kind: str


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


class FileNotice(FeatureNotice):
    """A notice of a feature that chats show as a file, with the words below."""

    document: str
    name: str


FEATURE_NOTICES: Final = Registry[str, type[FeatureNotice]]("the notices of features")
"""The types of the features' notices, by kind."""


def _read_feature_notice(value: Any) -> FeatureNotice:
    if isinstance(value, FeatureNotice):
        return value
    kind = str(value.get("kind")) if isinstance(value, dict) else ""
    if kind not in FEATURE_NOTICES:
        raise ValueError("no feature has notices of this kind")
    return FEATURE_NOTICES[kind].model_validate(value)


AnyFeatureNotice: TypeAlias = Annotated[SerializeAsAny[FeatureNotice], PlainValidator(_read_feature_notice)]


def _known_parts(value: Any) -> Any:
    """Leave out the parts that this version cannot read: of a feature that is off, or of another version."""
    found = []
    for each in value:
        with suppress(ValueError):
            found.append(_read_feature_notice(each))
    return tuple(found)


KnownParts: TypeAlias = Annotated[tuple[AnyFeatureNotice, ...], BeforeValidator(_known_parts)]


class ExtendedNotice(FrozenModel):
    """A notice of the base game to which features add parts when it is written."""

    parts: KnownParts = ()


class AboutTable(FrozenModel):
    """A notice about one table."""

    table: int


class LobbyNotice(FrozenModel):
    """The lobby's message."""

    kind: Literal["lobby"] = "lobby"
    view: LobbyView
    menu: str | None = Field(default=None, validation_alias=AliasChoices("menu", "page"))  # the name in release 1.0
    """The menu that its message shows, under the channel's name for it, or None for the main menu."""
    to_host: bool = False
    """Whether only the host reads it."""
    asks_name: bool = False
    """Whether its only reader is asked for their name."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that accept a text with the table's code."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which a host can choose, and which give some rules their name."""
    usual_clock: TurnClock | None = None
    """The turn clock of a quick table without one of its own."""
    mentions: tuple[Mention, ...] = ()
    """People who asked to be told of the next game, and whom no private message reaches."""


class StartedNotice(ExtendedNotice):
    """The lobby's message once the game has begun."""

    kind: Literal["started"] = "started"
    view: LobbyView
    house_rules: tuple[HouseRules, ...] = ()


class ClosedNotice(FrozenModel):
    """The message of a table that was closed without a winner."""

    kind: Literal["closed"] = "closed"
    why: CloseReason
    names: tuple[str, ...] = ()
    by: str = ""
    """The name of the person who closed it, if a person did."""


class TableNotice(FrozenModel):
    """The message of the running round.

    `shared`: the table's message asks the player on turn, because no private message does. `unreachable`: some player
    has no private route, and gets instructions to open one.
    """

    kind: Literal["table"] = "table"
    view: TableView
    shared: bool
    unreachable: bool
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    may_calza: bool = False
    """Whether that reader may say calza."""
    own_chat: bool = False
    """Whether its only reader watches computer players, in their own chat."""
    in_text_field: bool = False
    """Whether the player on turn sees dice and bids in the text field, and needs no shared buttons."""


class RevealNotice(ExtendedNotice):
    """The message of a round once it is over."""

    kind: Literal["reveal"] = "reveal"
    view: RevealView
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    shared: bool = False
    """Whether the round's message offered bids to all."""
    animated: bool = False
    """Whether an animation shows the dice: the words below it are hidden at first, and no call precedes it."""
    opened: bool = False
    """Whether the words below an animation are not hidden."""


class GameOverNotice(ExtendedNotice):
    """The winner, the places, and a way to play again."""

    kind: Literal["game_over"] = "game_over"
    view: GameOverView
    previous: RevealView | None = None
    """The end of the last round, for readers who have not seen it."""
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader, by its number at the table."""
    title: str = ""
    """The title of the table's chat, for a reader elsewhere."""


class KnockedOutNotice(FrozenModel):
    """A private message below the dice: the reader is out, with their place."""

    kind: Literal["knocked_out"] = "knocked_out"
    place: int
    players: int
    title: str
    practice: int | None = None
    """The practice table where computer players still play, or None in another game."""


class HandNotice(FrozenModel):
    """One player's dice, and their legal bids if they are on turn.

    In a private chat it is the player's board, which is edited during the round.
    """

    kind: Literal["hand"] = "hand"
    view: HandView
    player: int
    title: str
    deal: int
    previous: RevealView | None = None
    help: Literal["unheard", "asked", "again"] | None = None
    """The reason for an explanation: words without a meaning, a question, or a second failure."""
    board: bool = False
    """Whether the message is edited during the round, so that it shows the state of the round."""
    called: Literal["dudo", "calza"] | None = None
    """The call that has ended the round, or None if it goes on."""
    caller: int | None = None
    """The seat whose call it was."""
    stirs: tuple[StirView, ...] | None = None
    """The stirs, with the first dice of a game for a player who does not see the table's chat."""
    tip: Tip | None = None
    """The tip for a new player."""


ANY_FACE: Final = 0
"""Asks for the choice between the faces, instead of one face's bids."""


class BidsNotice(FrozenModel):
    """The bids on a face, the choice of a face, or the most likely bids, in a message with other contents."""

    kind: Literal["bids"] = "bids"
    view: TableView
    seat: int
    face: int | None
    private: bool
    """Whether only the player sees the message."""
    dice: tuple[int, ...] = ()
    """The player's dice, in a private message only: the best bids follow from them."""


class HeardNotice(FrozenModel):
    """Asks the speaker of a voice note which of these calls they said; after the answer, reports it."""

    kind: Literal["heard"] = "heard"
    table: int
    step: int
    player: int
    name: str
    private: bool
    """Whether only the player reads it."""
    guesses: tuple[str, ...]
    """Calls as `perudo_core` writes them, the likeliest first."""
    sure: bool = False
    """Whether the recogniser is sure of the first."""
    explained: BidView | None = None
    """The bid to beat, if the first guess is calza and the player has never said it: the question explains calza."""
    answered: bool = False
    """Whether the player has said that the only guess is right."""
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round, or None if they are not."""


class ReminderNotice(FrozenModel):
    """The player on turn has little time left."""

    kind: Literal["reminder"] = "reminder"
    name: str
    address: int
    clock_ends: float
    direct: bool
    view: HandView | None = None
    """The player's turn, if they alone read the notice: a text names a bid that is legal."""


class AwayNotice(AboutTable):
    """Private: the bot plays for the player until they return."""

    kind: Literal["away"] = "away"
    title: str
    costs_die: bool = False
    """Whether the next missed turn costs a die."""


class PausedNotice(AboutTable):
    """Everyone is away; the game waits."""

    kind: Literal["paused"] = "paused"


class ResumedNotice(FrozenModel):
    """The bot can write here again."""

    kind: Literal["resumed"] = "resumed"


class RestoredNotice(FrozenModel):
    """The database was put back from a backup: the table is as it was at that time."""

    kind: Literal["restored"] = "restored"
    at: float


class HostNotice(FrozenModel):
    """Another player is now the host of the running game."""

    kind: Literal["host"] = "host"
    name: str


class NextGameOfferNotice(FrozenModel):
    """Offers spectators a message when the next game opens."""

    kind: Literal["next_game_offer"] = "next_game_offer"


class NextGameNotice(FrozenModel):
    """Private: a lobby has opened in a group."""

    kind: Literal["next_game"] = "next_game"
    title: str
    code: str


class DiceNotice(FrozenModel):
    """The dice of one player, short enough for an alert."""

    kind: Literal["dice"] = "dice"
    view: HandView
    tip: Tip | None = None


class LinksToBot(FrozenModel):
    """A notice with a link to the bot."""

    bot: str = ""
    """The bot's own name, which the channel fills in when it sends."""


class ListNotice(PublicNotice):
    """The message of a feature about a list that people join in a group."""

    @property
    def list_code(self) -> str | None:
        """The code that opens the group's web seat, or None if people do not join any more."""
        return None


class CalledRound(FrozenModel):
    """A round that ended with dudo or calza: its bids and call, without the dice."""

    round: int
    seats: tuple[SeatView, ...]
    bids: tuple[BidView, ...]
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round, or None if they are not."""


class CallNotice(FrozenModel):
    """A player has called dudo or calza. The dice follow in the same message."""

    kind: Literal["call"] = "call"
    round: CalledRound
    call: Literal["dudo", "calza"]
    caller: int
    bid: BidView
    shared: bool = False
    """Whether the round's message offered bids to all."""


class OpenedRevealNotice(ExtendedNotice):
    """The reveal below an animation that has ended: the words are no longer hidden."""

    kind: Literal["opened_reveal"] = "opened_reveal"
    view: RevealView
    seat: int | None = None
    """As in the `RevealNotice`."""


class RoundOverNotice(FrozenModel):
    """The old message of a round whose reveal is in a new one: the bids remain, the buttons go."""

    kind: Literal["round_over"] = "round_over"
    round: CalledRound
    shared: bool = False
    """Whether the message offered bids to all."""


class Celebration(StrEnum):
    """The occasion of a celebration, the greatest first."""

    WIN = "win"
    EXACT_CALZA = "exact_calza"
    ELIMINATION = "elimination"


class ReactionNotice(FrozenModel):
    """The bot reacts to the reveal, if that delays no turn."""

    kind: Literal["reaction"] = "reaction"
    celebration: Celebration


def called_round(view: RevealView) -> CalledRound:
    """Return the bids and the call of the round that ended, without the number of dice, which the reveal shows."""
    seats = tuple(
        seat.model_copy(update={"dice": None, "out": False, "place": None, "away": False, "computer": None})
        for seat in view.seats
    )
    return CalledRound(round=view.round, seats=seats, bids=view.bids, wild_by=view.wild_by)


def call_notice(view: RevealView) -> CallNotice | None:
    """Return the call that ended the round, or None if it ended without one."""
    if view.bid is None or view.caller is None or view.call not in ("dudo", "calza"):
        return None
    call: Literal["dudo", "calza"] = "calza" if view.call == "calza" else "dudo"
    return CallNotice(round=called_round(view), call=call, caller=view.caller, bid=view.bid)


def celebration_of(view: RevealView, *, won: bool) -> Celebration | None:
    """Return the reason of a celebration at the end of a round."""
    if won:
        return Celebration.WIN
    if view.call == "calza" and view.bid is not None and view.count == view.bid.quantity:
        return Celebration.EXACT_CALZA
    return Celebration.ELIMINATION if view.out and view.bid is not None else None


class RulesNotice(FrozenModel):
    """A table's rules in words; `about`: only the meaning of one word of the game."""

    kind: Literal["rules"] = "rules"
    rules: TableRules
    about: str | None = None
    smallest: tuple[int, int] | None = None
    """The smallest bid now, for a player who wants to pass, or to repeat the bid."""
    house_rules: tuple[HouseRules, ...] = ()


class HelpNotice(FrozenModel):
    """How to play, and the commands."""

    kind: Literal["help"] = "help"
    private: bool
    replies_only: bool = False
    """Whether the bot reads only commands and replies to its messages in this group."""
    voice: bool = False
    """Whether voice notes are recognised here."""
    waits_for: str | None = None
    """The player on turn, or the host, for whom a reader without a possible action waits."""
    lobby: str | None = None
    """The code of the table that has not started yet."""


class WelcomeNotice(FrozenModel):
    """The greeting in a private chat; `titles` are the person's live tables."""

    kind: Literal["welcome"] = "welcome"
    name: str
    titles: tuple[str, ...] = ()


class SettingsFolder(StrEnum):
    """A part of the settings with keys of its own."""

    ALL = "all"
    ANIMALS = "animals"
    DICE = "dice"
    LANGUAGE = "language"


class SettingsNotice(FrozenModel):
    """The stored choices of a person and, in a group, of the group."""

    kind: Literal["settings"] = "settings"
    view: PrivateView
    private: bool
    rules: TableRules
    clock: TurnClock
    house_rules: tuple[HouseRules, ...] = ()
    texting: bool = False
    """Whether the installation can link phones."""
    phone: bool = False
    """Whether a phone is linked to the person."""
    speaks: str = "en"
    """The language of these messages to the person, or to the group."""
    chosen: bool = False
    """Whether that language was chosen."""
    face: Face | None = None
    """The person's face, or None in a group."""
    folder: SettingsFolder = SettingsFolder.ALL
    """The part whose choices the message offers."""
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    pictures: bool | None = None
    """Whether pictures show the dice, or None if this installation draws none."""
    name: str = ""
    """The person's name at the table."""
    switches: dict[str, bool] = Field(default_factory=dict)
    """The switches that are offered, by name, and whether each is on."""


class TableChoice(FrozenModel):
    """One of several tables of an ambiguous request."""

    table: int
    step: int
    title: str
    code: str = ""
    wild_by: str | None = None


class WhichTableNotice(FrozenModel):
    """Asks for the table of a request; `word` is the data of the request's button."""

    kind: Literal["which_table"] = "which_table"
    choices: tuple[TableChoice, ...]
    word: str

    @property
    def call(self) -> str | None:
        """Return the call that the player has made, as people type it, or None for another request."""
        call = self.word.removeprefix("bid=")
        return call if call[0].isdigit() or call in ("dudo", "calza") else None


class ConfirmNotice(AboutTable):
    """Asks a player whether they leave the game and lose their dice, or end it for everyone."""

    kind: Literal["confirm"] = "confirm"
    about: Literal["leave", "stop"]
    title: str
    player: int
    name: str
    lobby: bool = False
    """Whether the game has not begun yet."""


class ConfirmationNotice(FrozenModel):
    """A confirmation."""

    kind: Literal["confirmation"] = "confirmation"
    done: Confirmation
    bid: BidView | None = None
    """The bid that was made, or the bid that a question about calza explains."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment, or None if they are not, or the notice has no bid."""
    title: str = ""
    """The subject of the sentence: the table's chat, a person, or a stir."""
    in_group: bool = False
    """Whether the title is a group's; the title of any other table is the name of its host."""
    nameless: bool = False
    """Whether the person is asked for their name."""
    reachable: bool = True
    setting: str = ""
    """The setting that was chosen, by its name in `SETTINGS`."""
    value: bool | str | None = None
    """The value of the setting, or of the lobby's option if that is no rule.

    For languages the one that is spoken from now on, for quiet hours True.
    """
    to_all: bool = False
    """Whether it was chosen for the group."""
    option: str | None = None
    """The option that the host changed; the next fields show the new rules."""
    rules: TableRules | None = None
    clock: TurnClock | None = None
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which give some rules their name."""

    @property
    def explains(self) -> bool:
        """True if it asks for calza once more and explains calza, so that it takes time to read."""
        return self.bid is not None and self.done in (Confirmation.TAP_CALZA_AGAIN, Confirmation.SAY_CALZA_AGAIN)


class RejectionNotice(FrozenModel):
    """Why an intent was rejected, and the smallest thing that would work."""

    kind: Literal["rejection"] = "rejection"
    reason: RejectionReason
    rule: Reason | None = None
    smallest: tuple[int, int] | None = None
    standing: tuple[int, int] | None = None
    on_turn: str | None = None
    number: int | None = None
    shared: tuple[str, str] | None = None
    """The person for whom the phone plays already, and the person who wanted to play with it as well."""
    texts: tuple[int, int] | None = None
    """The number of texts that a game needs, and the number left for today."""
    suggestion: str | None = None
    offers: tuple[str, ...] = ()
    """Calls that the player can choose by number."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment, or None if they are not, or the notice has no bid."""


class IdentifyAdminNotice(FrozenModel):
    """Asks a person who writes as the group or as a channel to tap, which identifies them."""

    kind: Literal["identify_admin"] = "identify_admin"
    table: int | None


class GuestNotice(FrozenModel):
    """Visitors without the link want to join: for the host, who decides, then for the visitor."""

    kind: Literal["guest"] = "guest"
    what: Literal["knock", "admitted", "refused"]
    table: int
    code: str
    player: int
    """The person it is about; if several wait, the first one; 0 if no one waits any more."""
    name: str
    waiting: tuple[tuple[int, str], ...] = ()
    """All visitors who wait, by number and name; release 1.0 stored only the first."""

    @property
    def asking(self) -> tuple[tuple[int, str], ...]:
        """All visitors who wait, the first one first."""
        return self.waiting or (((self.player, self.name),) if self.player else ())


class LinkCodeNotice(FrozenModel):
    """The code that a phone texts to play for the person, with the numbers."""

    kind: Literal["link_code"] = "link_code"
    code: str
    numbers: tuple[str, ...]


class PhoneNotice(FrozenModel):
    """A message about the phone itself. `detail` is its subject, such as a command."""

    kind: Literal["phone"] = "phone"
    word: PhoneMessage
    detail: str = ""
    link: str = ""
    """The code of the link that a question is about."""
    asker: str = ""
    """The person who asked for that link."""
    player: int = 0
    """The player that a question is about."""
    table: int | None = None
    """That player's table."""


class AnswerNotice(FrozenModel):
    """The answer to a request, one sentence without gaps, in the reader's language when it is shown."""

    kind: Literal["answer"] = "answer"
    sentence: str
    """In English, marked for translators by `mark`."""


class OutdatedNotice(FrozenModel):
    """The message is outdated: its choices do not count any more."""

    kind: Literal["outdated"] = "outdated"
    moved: bool = False
    """Whether a newer message contains all of it, so that this one is deleted."""


BaseNotice: TypeAlias = (
    LobbyNotice
    | StartedNotice
    | ClosedNotice
    | TableNotice
    | RevealNotice
    | GameOverNotice
    | KnockedOutNotice
    | HandNotice
    | BidsNotice
    | HeardNotice
    | ReminderNotice
    | AwayNotice
    | PausedNotice
    | HostNotice
    | NextGameNotice
    | NextGameOfferNotice
    | ResumedNotice
    | RestoredNotice
    | RulesNotice
    | HelpNotice
    | WelcomeNotice
    | SettingsNotice
    | WhichTableNotice
    | ConfirmNotice
    | ConfirmationNotice
    | RejectionNotice
    | DiceNotice
    | IdentifyAdminNotice
    | LinkCodeNotice
    | GuestNotice
    | PhoneNotice
    | CallNotice
    | OpenedRevealNotice
    | RoundOverNotice
    | ReactionNotice
    | AnswerNotice
    | OutdatedNotice
)
"""The notices of the base game."""

Notice: TypeAlias = SerializeAsAny[  # a union would first try all types of the base game for a feature's notice
    Annotated[Annotated[BaseNotice, Field(discriminator="kind")] | AnyFeatureNotice, Field(union_mode="left_to_right")]
]


def table_of(notice: Notice) -> int | None:
    """Return the table that a notice is about, or None if it names none."""
    match notice:
        case HandNotice() | DiceNotice():
            return notice.view.table.table
        case LobbyNotice() | StartedNotice() | TableNotice() | RevealNotice() | GameOverNotice():
            return notice.view.table
        case AboutTable():
            return notice.table
        case _:
            return None


Toast: TypeAlias = ConfirmationNotice | RejectionNotice | AnswerNotice | DiceNotice | FeatureToast
"""Notices short enough for the answer to a tap."""


PUBLIC: Final = (
    LobbyNotice,
    StartedNotice,
    ClosedNotice,
    TableNotice,
    CallNotice,
    RevealNotice,
    GameOverNotice,
    PausedNotice,
    ResumedNotice,
    HostNotice,
    PublicNotice,
)
"""The notices for everyone at a table: all readers of its room may see them."""
