"""Notices: what people are told. The outbox stores them; they become sentences when they are sent."""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AliasChoices, Field, PlainValidator, SerializeAsAny

from perudo_core import Reason
from telegram_bot.registry import Registry
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.statistics.story import GameStory
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.advice import Advice, JudgedDecision
from telegram_bot.tables.events import CloseReason, RejectionReason
from telegram_bot.tables.fair_dice import StirView
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import ComputerPlayer, FrozenModel, PredictionsFrom, TableRules, TurnClock
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.views import BidView, HandView, LobbyView, PredictedCall, SeatView, TableView


class Confirmation(StrEnum):
    """A success that the person is told of."""

    JOINED = "joined"
    LEFT = "left"
    SEALED = "sealed"
    STIRRED = "stirred"
    BID = "bid"
    DUDO = "dudo"
    CALZA = "calza"
    CLAIMED = "claimed"
    BACK = "back"
    STARTED = "started"
    BIDS_SHOWN_TO_ALL = "shared_keyboard"
    DICE_SENT = "dice_sent"
    RECORD_ABOVE = "record_above"
    STORY_TOLD = "story_told"
    STORY_ABOVE = "story_above"
    STORY_UNKNOWN = "story_unknown"
    STORY_TOO_LONG = "story_too_long"
    STORY_LATER = "story_later"
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
    HINT_SENT = "hint_sent"
    NO_ADVICE = "no_advice"
    PREDICTED = "predicted"
    PLAYS_ON = "plays_on"
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
    """The answer to HELP: who sends these texts, and how to stop them."""
    STOPPED = "stopped"
    RESUMED = "resumed"
    TOO_OLD = "too_old"
    """A text that took days to arrive."""
    LIMIT = "limit"
    """The day's texts are used up."""
    TALK_LIMIT = "talk_limit"
    """The day's texts are used up, except those that are kept for the game."""
    ASK_START = "ask_start"
    """Whether the phone wants texts again."""
    ASK_UNLINK = "ask_unlink"
    """Whether the phone shall not play for somebody any more."""
    ASK_LINK = "ask_link"
    """Whether the phone shall play for the asker; `detail`: for whom it plays until then, if for anybody."""
    ASK_NAME = "ask_name"
    """Whether the owner shall be called `detail` from now on."""
    WRONG_CODE = "wrong_code"
    """The code is not that of the last question."""
    NEEDS_CODE = "needs_code"
    UNKNOWN_CODE = "unknown_code"
    """No table has the code `detail`, with which an unknown number wants to join."""
    MEANT = "meant"
    """The text is almost a command: what to text instead."""
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


class LobbyNotice(FrozenModel):
    """The lobby's message."""

    kind: Literal["lobby"] = "lobby"
    view: LobbyView
    menu: str | None = Field(default=None, validation_alias=AliasChoices("menu", "page"))  # 1.0 wrote "page"
    """The menu that its message shows, in the channel's own word; None: the main menu."""
    to_host: bool = False
    """Whether its only reader is the host."""
    asks_name: bool = False
    """Whether its only reader is to be asked for their name."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers to which a text with the table's code brings a seat."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which can be chosen, and which give some rules their name."""
    usual_clock: TurnClock | None = None
    """The turn clock of a quick table where it has none of its own."""
    mentions: tuple[Mention, ...] = ()
    """People who wanted to be told of the next game, and whom no private message reaches."""


class RivalMemory(FrozenModel):
    """How often somebody doubted a computer player in the last game that they finished together."""

    rival: str
    name: str
    doubts: int


class StartedNotice(FrozenModel):
    """The lobby's message once the game has begun."""

    kind: Literal["started"] = "started"
    view: LobbyView
    house_rules: tuple[HouseRules, ...] = ()
    memories: tuple[RivalMemory, ...] = ()


class SealNotice(FrozenModel):
    """The seal of a table's dice, in a message that is never edited, with the signs that can be stirred in."""

    kind: Literal["seal"] = "seal"
    table: int
    commitment: str


class ClosedNotice(FrozenModel):
    """The message of a table that was closed without a winner."""

    kind: Literal["closed"] = "closed"
    why: CloseReason
    names: tuple[str, ...] = ()
    by: str = ""
    """The name of the person who closed it, if somebody did."""


class TableNotice(FrozenModel):
    """The message of the running round.

    `shared`: the player on turn is not asked in private, so the table's message asks them.
    `unreachable`: some player has no private route at all, and needs to be told how to open one.
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
    """Whether the player on turn chose to see dice and bids in the text field, and needs no shared bid buttons."""


class RevealNotice(FrozenModel):
    """The message of a round once it is over."""

    kind: Literal["reveal"] = "reveal"
    view: RevealView
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    shared: bool = False
    """Whether the round's message offered bids to somebody."""
    animated: bool = False
    """Whether an animation shows the dice, so that the words below it hide them at first. No call goes before it."""


class AchievementView(FrozenModel):
    """An achievement that the end of a game tells."""

    name: str
    key: str


class EveningScore(FrozenModel):
    """How many games of the evening somebody has won."""

    name: str
    wins: int


class ProphetView(FrozenModel):
    """How many of their predictions somebody who watched had right."""

    name: str
    right: int
    made: int


class GameOverNotice(FrozenModel):
    """The winner, the places, and a way to play again."""

    kind: Literal["game_over"] = "game_over"
    view: GameOverView
    previous: RevealView | None = None
    """How the last round ended, for readers who have not been told."""
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader, by its number at the table."""
    title: str = ""
    """The table's chat, for a reader who is elsewhere."""
    achievements: tuple[AchievementView, ...] = ()
    """What players have achieved, as far as it is told now."""
    evening: tuple[EveningScore, ...] = ()
    """Who has won how many of the evening's games here, the best first; empty after the first game."""
    dice_checked: bool = False
    """Whether every roll was computed again and follows from the seal and from what was stirred in."""
    prophets: tuple[ProphetView, ...] = ()
    """Who of those who watched predicted the calls best, the best first."""


class KnockedOutNotice(FrozenModel):
    """Told in private, below the dice: the reader is out, and which place is theirs."""

    kind: Literal["knocked_out"] = "knocked_out"
    place: int
    players: int
    title: str
    practice: int | None = None
    """The practice table at which computer players are left; None: the game is another."""


class HandNotice(FrozenModel):
    """One player's dice, and what they can bid when it is their turn.

    In a private chat it is the player's board, which is edited as the round goes on.
    """

    kind: Literal["hand"] = "hand"
    view: HandView
    player: int
    title: str
    deal: int
    previous: RevealView | None = None
    help: Literal["unheard", "asked", "again"] | None = None
    """Why the notice explains what to say: words were not understood, or they asked, or neither helped."""
    board: bool = False
    """Whether the message is edited as the round goes on, so that it tells how the round stands."""
    called: Literal["dudo", "calza"] | None = None
    """The call that has ended the round; None: it goes on."""
    caller: int | None = None
    """The seat whose call it was."""
    stirs: tuple[StirView, ...] | None = None
    """What was stirred into the dice, with the first dice of a game for a player who does not see the table's chat."""


ANY_FACE: Final = 0
"""Asks for the choice between the faces, in place of one face's bids."""


class BidsNotice(FrozenModel):
    """The bids on a face, the choice of a face, or the most likely bids, in a message that shows others."""

    kind: Literal["bids"] = "bids"
    view: TableView
    seat: int
    face: int | None
    private: bool
    """Whether only the player sees the message."""


class HeardNotice(FrozenModel):
    """Asks whoever sent a voice note which of these calls they said; once answered, tells which it was."""

    kind: Literal["heard"] = "heard"
    table: int
    step: int
    player: int
    name: str
    private: bool
    """Whether nobody but the player reads it."""
    guesses: tuple[str, ...]
    """Calls as `perudo_core` writes them, the likeliest first."""
    sure: bool = False
    """Whether the recogniser is sure of the first."""
    answered: bool = False
    """Whether the player has said that the only guess is right."""
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""


class ReminderNotice(FrozenModel):
    """The player on turn has little time left."""

    kind: Literal["reminder"] = "reminder"
    name: str
    address: int
    clock_ends: float
    direct: bool


class AwayNotice(FrozenModel):
    """Told in private: the bot plays for the player until they return."""

    kind: Literal["away"] = "away"
    table: int
    title: str


class PausedNotice(FrozenModel):
    """Everybody is away; the game waits."""

    kind: Literal["paused"] = "paused"
    table: int


class ResumedNotice(FrozenModel):
    """The bot can write here again."""

    kind: Literal["resumed"] = "resumed"


class RestoredNotice(FrozenModel):
    """The database was put back from a backup: the table is as it was at that time."""

    kind: Literal["restored"] = "restored"
    at: float


class HostNotice(FrozenModel):
    """Somebody else is now the host of the running game."""

    kind: Literal["host"] = "host"
    name: str


class NextGameOfferNotice(FrozenModel):
    """Offers whoever watches a game to be told when the next one opens."""

    kind: Literal["next_game_offer"] = "next_game_offer"


class NextGameNotice(FrozenModel):
    """Tells in private that a lobby has opened in a group."""

    kind: Literal["next_game"] = "next_game"
    title: str
    code: str


class DiceNotice(FrozenModel):
    """The dice of one player, short enough for an alert."""

    kind: Literal["dice"] = "dice"
    view: HandView


class StoryNotice(FrozenModel):
    """The story of a finished game: the course of the dice, what stands out, luck against skill."""

    kind: Literal["story"] = "story"
    table: int
    story: GameStory
    names: tuple[str, ...]
    """By seat; "" for a player who is not named."""
    theme: Literal["dark", "light"] = "dark"
    """Of the picture."""


class LinksToBot(FrozenModel):
    """A notice with a link to the bot."""

    bot: str = ""
    """The bot's own name; a channel knows it when it sends."""


class BluffCardNotice(LinksToBot):
    """The moment of a finished game that is worth telling, in a message to be forwarded."""

    kind: Literal["bluff_card"] = "bluff_card"
    card: BluffCard
    name: str


class RecordNotice(FrozenModel):
    """A finished game as a file, with the proof of its dice."""

    kind: Literal["record"] = "record"
    document: str
    name: str
    rolls: int | None = None
    """The number of rolls that were computed again and follow from the secret; None: nothing was computed."""
    failed: bool = False
    """Whether the dice do not follow from the secret."""
    stirs: tuple[StirView, ...] | None = None
    """Who stirred what into the dice, in order; None: nothing was sealed."""


class CoachNotice(FrozenModel):
    """What the coach would do at one step of a table, told to the player on turn in private."""

    kind: Literal["coach"] = "coach"
    table: int
    step: int
    advice: Advice
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""


class RoundReviewNotice(FrozenModel):
    """A player's dearest decision in a round that is over, told in private."""

    kind: Literal["round_review"] = "round_review"
    round: int
    worst: JudgedDecision
    wild_by: str | None = None
    """The rulebook by which ones were wild in the round; None: they were not."""


class CalledRound(FrozenModel):
    """A round that somebody has ended with dudo or calza: what was said, and nothing of the dice."""

    round: int
    seats: tuple[SeatView, ...]
    bids: tuple[BidView, ...]
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""


class CallNotice(FrozenModel):
    """Somebody has said dudo or calza. The dice follow in the same message."""

    kind: Literal["call"] = "call"
    round: CalledRound
    call: Literal["dudo", "calza"]
    caller: int
    bid: BidView
    shared: bool = False
    """Whether the round's message offered bids to somebody."""


class RoundOverNotice(FrozenModel):
    """The round's old message, once the reveal stands in a new one: the bids stay, nothing can be chosen."""

    kind: Literal["round_over"] = "round_over"
    round: CalledRound
    shared: bool = False
    """Whether the message offered bids to somebody."""


class Celebration(StrEnum):
    """What is celebrated, the greatest first."""

    WIN = "win"
    EXACT_CALZA = "exact_calza"
    ELIMINATION = "elimination"


class ReactionNotice(FrozenModel):
    """The bot reacts to the reveal, where that costs no turn anything."""

    kind: Literal["reaction"] = "reaction"
    celebration: Celebration


def called_round(view: RevealView) -> CalledRound:
    """What was said in the round that ended, without the number of dice, which the reveal tells."""
    seats = tuple(
        SeatView(player=seat.player, name=seat.name, by_text=seat.by_text, guest=seat.guest) for seat in view.seats
    )
    return CalledRound(round=view.round, seats=seats, bids=view.bids, wild_by=view.wild_by)


def call_notice(view: RevealView) -> CallNotice | None:
    """The call that ended the round; None if it ended without one."""
    if view.bid is None or view.caller is None or view.call not in ("dudo", "calza"):
        return None
    call: Literal["dudo", "calza"] = "calza" if view.call == "calza" else "dudo"
    return CallNotice(round=called_round(view), call=call, caller=view.caller, bid=view.bid)


def celebration_of(view: RevealView, *, won: bool) -> Celebration | None:
    """What the end of a round gives reason to celebrate."""
    if won:
        return Celebration.WIN
    if view.call == "calza" and view.bid is not None and view.count == view.bid.quantity:
        return Celebration.EXACT_CALZA
    return Celebration.ELIMINATION if view.out and view.bid is not None else None


class Rival(FrozenModel):
    """Somebody whom a player has often met, and who of both ended how often before the other."""

    name: str
    ahead: int
    behind: int


class StatisticsNotice(FrozenModel):
    """How one person plays."""

    kind: Literal["statistics"] = "statistics"
    name: str
    own: bool
    """Whether they asked themselves."""
    hidden: bool = False
    games: int = 0
    wins: int = 0
    streak: int = 0
    best_streak: int = 0
    bids: int = 0
    bluffs: int = 0
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0
    rating: int | None = None
    """None: after too few games to tell."""
    rivals: tuple[Rival, ...] = ()
    achievements: tuple[str, ...] = ()


class ComputerRow(FrozenModel):
    """How the computer players of one level and character do."""

    computer: ComputerPlayer
    rating: int
    games: int
    wins: int


class ComputerRatingsNotice(FrozenModel):
    """The ratings of computer players, the best first."""

    kind: Literal["computer_ratings"] = "computer_ratings"
    rows: tuple[ComputerRow, ...]
    unrated: int = 0
    """How many kinds have played too few games for a rating."""
    beaten: tuple[ComputerPlayer, ...] | None = None
    """Whom the reader has finished ahead of, the weakest first; None: others read it too."""


class LeagueRow(FrozenModel):
    """One player of a league."""

    rank: int
    name: str
    points: int
    wins: int
    games: int
    rating: int | None


class LeagueNotice(FrozenModel):
    """A group's league in one month."""

    kind: Literal["league"] = "league"
    title: str
    year: int
    month: int
    rows: tuple[LeagueRow, ...]
    champion: str | None = None
    """Who led at the end of the month before."""


class RulesNotice(FrozenModel):
    """A table's rules in words; `about`: only what one word of the game means here."""

    kind: Literal["rules"] = "rules"
    rules: TableRules
    about: str | None = None
    smallest: tuple[int, int] | None = None
    """The smallest bid now, for a player who would do what nobody may: pass, or bid the same again."""
    house_rules: tuple[HouseRules, ...] = ()


class HelpNotice(FrozenModel):
    """How to play, and the commands."""

    kind: Literal["help"] = "help"
    private: bool
    replies_only: bool = False
    """Whether the group's bot reads commands and replies to its own messages, and nothing else."""
    voice: bool = False
    """Whether voice notes are heard here."""
    waits_for: str | None = None
    """Who is on turn, or starts the game, before somebody who has nothing to tap can do anything."""
    lobby: str | None = None
    """The code of the table that has not started yet."""


class WelcomeNotice(FrozenModel):
    """The greeting in a private chat; `titles` are the person's live tables."""

    kind: Literal["welcome"] = "welcome"
    name: str
    titles: tuple[str, ...] = ()


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
    """Whether somebody chose that language."""
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    pictures: bool | None = None
    """Whether dice come as pictures; None: this installation draws none."""
    animations: bool | None = None
    """Whether the end of a round comes as an animation; None: there is none here."""
    trusts_voice: bool | None = None
    """Whether a bid by voice note that was heard surely needs no tap in the group; None: nothing is heard here."""
    asks_twice: bool = False
    tips: bool = True
    """Whether the person's dudo and calza count only at the second tap."""
    aloud: bool | None = None
    """Whether messages are read aloud; None: this installation has no voice."""


class TableChoice(FrozenModel):
    """One of several tables that a word may concern."""

    table: int
    step: int
    title: str
    code: str = ""


class WhichTableNotice(FrozenModel):
    """Asks which of several tables a request concerns; `word` is the data of the request's button."""

    kind: Literal["which_table"] = "which_table"
    choices: tuple[TableChoice, ...]
    word: str


class ConfirmNotice(FrozenModel):
    """Asks a player whether they leave the game and lose their dice, or end it for everybody."""

    kind: Literal["confirm"] = "confirm"
    about: Literal["leave", "stop"]
    table: int
    title: str
    player: int
    name: str
    lobby: bool = False
    """Whether the game has not begun yet."""


class ConfirmationNotice(FrozenModel):
    """What was done."""

    kind: Literal["confirmation"] = "confirmation"
    done: Confirmation
    bid: BidView | None = None
    """The bid that was made, or the one of which a question about calza explains what it says."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment; None: they are not, or no bid is told."""
    title: str = ""
    """What the sentence is about: the table's chat, a person, or what was stirred into the dice."""
    nameless: bool = False
    """Whether the person is to be asked for their name."""
    seal: str = ""
    """The seal of the table's dice in digits; empty: it is not published."""
    reachable: bool = True
    setting: str = ""
    """The setting that was chosen, by its name in `SETTINGS`."""
    value: bool | str | None = None
    """The setting's value; of languages the one that is spoken from now on, of quiet hours True."""
    to_all: bool = False
    """Whether it was chosen for the group."""
    option: str | None = None
    """The option that the host changed; the next fields tell how the table plays from now on."""
    rules: TableRules | None = None
    clock: TurnClock | None = None
    predictions: PredictionsFrom | None = None
    hints: bool = False
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which give some rules their name."""
    predicted: PredictedCall | None = None

    @property
    def explains(self) -> bool:
        """Whether it asks for calza once more and explains calza, so that it takes time to read."""
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
    """Whom the phone plays for already, and who wanted to play with it as well."""
    texts: tuple[int, int] | None = None
    """How many texts a game needs, and how many are left for today."""
    suggestion: str | None = None
    offers: tuple[str, ...] = ()
    """Calls that the player can choose by their numbers."""
    wild_by: str | None = None
    """The rulebook by which ones are wild at the moment; None: they are not, or no bid is told."""


class IdentifyAdminNotice(FrozenModel):
    """Asks somebody who writes as the group or as a channel to tap, so that the bot knows who it is."""

    kind: Literal["identify_admin"] = "identify_admin"
    table: int | None


class GuestNotice(FrozenModel):
    """People without the link want to join: told to the host, who decides, and then to the guest."""

    kind: Literal["guest"] = "guest"
    what: Literal["knock", "admitted", "refused"]
    table: int
    code: str
    player: int
    """The person it is about; of several who wait the first, 0 if nobody waits any more."""
    name: str
    waiting: tuple[tuple[int, str], ...] = ()
    """All who wait, by number and name; release 1.0 has stored only the first."""

    @property
    def asking(self) -> tuple[tuple[int, str], ...]:
        """All who wait, the first first."""
        return self.waiting or (((self.player, self.name),) if self.player else ())


class LinkCodeNotice(FrozenModel):
    """What to text to which numbers, so that a phone plays for the person."""

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
    """Who asked for that link."""


class OutdatedNotice(FrozenModel):
    """The message is out of date: nothing can be chosen there any more."""

    kind: Literal["outdated"] = "outdated"
    moved: bool = False
    """Whether a newer message tells all of it, so that this one is not kept."""


ReadAloud: TypeAlias = (
    HandNotice
    | RevealNotice
    | GameOverNotice
    | KnockedOutNotice
    | ReminderNotice
    | ClosedNotice
    | TableNotice
    | DiceNotice
    | ConfirmationNotice
    | RejectionNotice
    | HeardNotice
)
"""The notices that can be said as well."""


class SpokenNotice(FrozenModel):
    """Says aloud what another message tells in words."""

    kind: Literal["spoken"] = "spoken"
    told: Annotated[ReadAloud, Field(discriminator="kind")]


class FeatureNotice(FrozenModel):
    """A notice of a feature; each type gives `kind` its own value as the default."""

    kind: str


class FeatureToast(FeatureNotice):
    """A notice of a feature that is short enough to answer a tap with."""


FEATURE_NOTICES: Final = Registry[str, type[FeatureNotice]]("the notices of features")
"""The types of the features' notices, by kind."""


def _read_feature_notice(value: Any) -> FeatureNotice:
    if isinstance(value, FeatureNotice):
        return value
    kind = str(value.get("kind")) if isinstance(value, dict) else ""
    if kind not in FEATURE_NOTICES:
        raise ValueError("no feature has notices of this kind")
    return FEATURE_NOTICES[kind].model_validate(value)


BaseNotice: TypeAlias = (
    LobbyNotice
    | StartedNotice
    | SealNotice
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
    | CoachNotice
    | RoundReviewNotice
    | SettingsNotice
    | WhichTableNotice
    | ConfirmNotice
    | ConfirmationNotice
    | RejectionNotice
    | DiceNotice
    | IdentifyAdminNotice
    | LinkCodeNotice
    | GuestNotice
    | RecordNotice
    | StoryNotice
    | BluffCardNotice
    | PhoneNotice
    | CallNotice
    | RoundOverNotice
    | ReactionNotice
    | SpokenNotice
    | StatisticsNotice
    | LeagueNotice
    | ComputerRatingsNotice
    | OutdatedNotice
)
"""The notices of the base game."""

Notice: TypeAlias = Annotated[
    Annotated[BaseNotice, Field(discriminator="kind")]
    | Annotated[SerializeAsAny[FeatureNotice], PlainValidator(_read_feature_notice)],
    Field(union_mode="left_to_right"),
]

Toast: TypeAlias = ConfirmationNotice | RejectionNotice | DiceNotice | FeatureToast
"""Notices short enough to answer a tap with."""


PUBLIC: Final = (
    LobbyNotice,
    StartedNotice,
    SealNotice,
    ClosedNotice,
    TableNotice,
    CallNotice,
    RevealNotice,
    GameOverNotice,
    PausedNotice,
    ResumedNotice,
    HostNotice,
    StoryNotice,
)
"""The notices that tell everybody at a table how it stands: they may be shown to whoever reads its room."""
