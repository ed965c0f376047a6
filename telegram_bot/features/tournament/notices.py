"""The notices about a tournament: the group's one message, the answers to taps, and the news of each person."""

from enum import StrEnum
from functools import partial
from html import escape
from typing import Final, Literal, NamedTuple, NotRequired, assert_never

from typing_extensions import TypedDict

from telegram_bot.features.tournament.draw import (
    ENTRANCE_SECONDS,
    FEWEST,
    LATE_TABLE,
    MOST,
    MOST_AT_A_TABLE,
    seats_at_a_table,
)
from telegram_bot.notices import (
    FeatureNotice,
    FeatureToast,
    FileNotice,
    LinksToBot,
    ListNotice,
    PageFormat,
    Picture,
    PublicNotice,
    RevealNotice,
    TableNotice,
)
from telegram_bot.notices.card_types import ActField
from telegram_bot.presentation.cards import Card, card_of, lines_of
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import FrozenModel, TableRules
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import MEDALS
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.lines import BLANK, Format, Line, Medium, plain
from telegram_bot.words.phrases import folded, plain_name, titled, verify_command


class PersonField(TypedDict):
    """A player of the tournament."""

    name: str
    face: str | None


class LineSeatField(PersonField):
    """A seat in the list of a stage's tables."""

    dice: int | None
    out: bool


class StageTableField(TypedDict):
    """A table of the stage."""

    title: str
    seats: list[LineSeatField]
    over: bool


class DrawField(TypedDict):
    """The ceremony of a stage on a television."""

    stage: int
    title: str
    seconds: int
    finalists: list[PersonField]


class NextField(TypedDict):
    """The stage after this one, and the number of its people."""

    title: str
    places: int


class ListedField(TypedDict):
    """The people on the list, and the line that names them."""

    line: str
    people: list[PersonField]


class PanelFields(TypedDict):
    """The tournament next to the table."""

    title: str
    lines: list[str]
    listed: NotRequired[ListedField | None]
    acts: list[ActField]
    players: list[int]
    tables: list[StageTableField]
    draw: NotRequired[DrawField | None]
    next: NotRequired[NextField]
    late: NotRequired[str]


class TelevisedFields(TypedDict):
    """The card of another table, with its name."""

    text: str
    title: str
    shown: Card


class PlacedField(PersonField):
    """A person at a table of a stage, or at the end: with their place, or 0 for a computer player."""

    place: int
    goes_on: bool


class PlayedStageField(TypedDict):
    """A stage that was played, with the people of its tables."""

    title: str
    tables: list[list[PlacedField]]


class FinaleField(TypedDict):
    """The whole tournament."""

    title: str
    winner: PersonField
    stages: list[PlayedStageField]
    places: list[PlacedField]
    bluff: str


class FinaleFields(TypedDict):
    """The tournament that a game has ended."""

    finale: FinaleField


class StageFields(TypedDict):
    """The reader's result of a stage, and its game."""

    game: int | None
    lines: list[str]


class NewsLinesFields(TypedDict):
    """News of the tournament for a person."""

    lines: list[str]


class Phase(StrEnum):
    """The phase of a tournament."""

    OPEN = "open"
    """People join."""
    TABLES = "tables"
    """A stage is played, at several tables."""
    FINAL_WAITS = "final_waits"
    """The finalists wait until the game in the group has ended."""
    FINAL = "final"
    OVER = "over"
    CLOSED = "closed"
    """Closed without a winner."""


class SeatLine(FrozenModel):
    """A player at a table of a stage."""

    name: str
    dice: int = 0
    goes_on: bool = False
    place: int = 0
    """A person's place in the whole tournament; 0: not known, or a computer."""
    face: Face | None = None

    slept: bool = False
    """Whether a person made no call in their last game, so they get no medal."""

    def is_out(self, *, over: bool) -> bool:
        """Return True if the player does not go on; `over`: whether the table has ended."""
        return not self.goes_on if over else not self.dice


class TableLine(FrozenModel):
    """A table of the running stage; its players in order of their dice."""

    number: int
    seats: tuple[SeatLine, ...]
    over: bool = False
    going_on: int = 0
    """The number of players who reach the next stage."""


class TournamentNotice(LinksToBot, ListNotice):
    """The group's message about its tournament, which is edited."""

    kind: Literal["tournament"] = "tournament"
    card_slot = "panel"
    tournament: int
    phase: Phase
    rules: TableRules
    house_rules: tuple[HouseRules, ...] = ()
    names: tuple[str, ...] = ()
    """While people join: all. Later: the people still in, by place once it is known."""
    faces: tuple[Face, ...] = ()
    """While people join: the faces of all."""
    players: tuple[int, ...] = ()
    """The people who take part and are not out."""
    host: str = ""
    """The person who may start it."""
    computers: bool = False
    asking: int = 0
    """The number of people who wait for the host's answer."""
    code: str | None = None
    numbers: tuple[str, ...] = ()
    """Telephone numbers that accept a text with the code."""
    stage: int = 0
    tables: tuple[TableLine, ...] = ()
    late: tuple[str, ...] | None = None
    """The people who came late and wait for a table, or None if it is too late to join."""
    finalists: tuple[SeatLine, ...] = ()
    """The players of the running final, by seat."""
    unfolded: bool = False
    """Whether all keys of the list are below it."""

    @property
    def list_code(self) -> str | None:
        return None if self.phase in (Phase.OVER, Phase.CLOSED) else self.code

    def lines(self, f: Format) -> list[Line]:
        return [line._replace(rank=None) for line in _lines(self, f)]

    def on_page(self, page: PageFormat) -> tuple[Literal["panel"], PanelFields]:
        """Return the sentences, and the ways in and out; nothing of a tournament that is over: see `FinaleNotice`."""
        w = page.w
        if self.phase in (Phase.OVER, Phase.CLOSED):
            return "panel", {"title": "", "lines": [], "acts": [], "players": [], "tables": []}
        ways_in: list[ActField] = [{"act": "enter", "code": self.code, "text": w.say("Join the tournament")}]
        is_open = self.phase is Phase.OPEN or self.late is not None
        title, *lines = (plain([line]) for line in self.lines(Format(w, Medium.ALERT)) if line.text)
        return "panel", {
            "title": f"🏆 {w.say('The grand final')}" if self.phase is Phase.FINAL else title,
            "lines": lines,
            "listed": _listed(self, w),
            "acts": [*(ways_in if is_open else []), {"act": "withdraw", "text": w.say("Leave")}],
            "players": list(self.players),
            "tables": [_stage_table(table, w) for table in self.tables],
            "draw": _ceremony(self, w),
            "next": _next(self, w),
            "late": "" if self.late is None else plain([late_line(self.late, Format(w, Medium.ALERT))]),
        }


class EntrantsNotice(FeatureNotice):
    """The people on a tournament's list, for its host and for admins of the group: let them in, remove them."""

    kind: Literal["tournament_entrants"] = "tournament_entrants"
    tournament: int
    group: int
    """The group's address."""
    title: str
    asking: tuple[tuple[int, str], ...] = ()
    """The people who wait for an answer, by number and name."""
    people: tuple[tuple[int, str], ...] = ()
    """The people who can be removed."""
    removed: tuple[tuple[int, str], ...] = ()
    """The people who were removed last."""
    is_open: bool = False
    """Whether the list can be closed: it runs, and the tables are not drawn yet."""
    closing: bool = False
    """Whether the reader is asked if they want to close the list."""

    def lines(self, f: Format) -> list[Line]:
        """Return the people who ask, or the question whether to close the list."""
        w = f.w
        lines = [Line(titled(self.title), rank=None)]
        if self.closing:
            return [*lines, Line(w.say("Close the list? Then this tournament doesn't take place."), sign="🛑")]
        if self.asking:
            names = ", ".join(f.name(name) for _, name in self.asking)
            lines.append(Line(w.say("Asking to join the tournament: {names}", names=names), sign="✋"))
        else:
            lines.append(Line(w.say("No one is waiting for your answer."), sign="👥"))
        if self.people or self.asking:
            lines.append(Line(w.say("Anyone you remove or refuse can't join this list again."), rank=None))
        return lines


class TelevisedNotice(PublicNotice):
    """The table that the television shows during a stage; pages show the table itself."""

    number: int
    """The table's number within the stage."""

    def lines(self, f: Format) -> list[Line]:
        return [Line(table_title(self.number, f.w))]


class TelevisedRoundNotice(TelevisedNotice):
    """The running round of the table that the television shows during a stage."""

    kind: Literal["televised_round"] = "televised_round"
    card_slot = "televised"
    view: TableView

    def on_page(self, page: PageFormat) -> tuple[Literal["televised"], TelevisedFields]:
        """Return the card of the round, as its own room would show it, and the table's name."""
        shown = TableNotice(view=self.view, shared=False, unreachable=False)
        return "televised", _televised(self.number, card_of(shown, _EVERYBODY, self.view.table, page.w), page.w)


class TelevisedRevealNotice(TelevisedNotice):
    """The end of a round of that table."""

    kind: Literal["televised_reveal"] = "televised_reveal"
    card_slot = "televised_end"
    view: RevealView

    def on_page(self, page: PageFormat) -> tuple[Literal["televised_end"], TelevisedFields]:
        """Return the card of the reveal, as its own room would show it, and the table's name."""
        shown = RevealNotice(view=self.view)
        return "televised_end", _televised(self.number, card_of(shown, _EVERYBODY, self.view.table, page.w), page.w)


class StageResultNotice(FeatureNotice):
    """The result of a stage, told to a person in private."""

    kind: Literal["tournament_stage"] = "tournament_stage"
    card_slot = "stage"
    goes_on: bool
    played: bool = True
    """False: the reader came late, and too few people for another table."""
    table: int | None = None
    """The reader's table of the stage."""
    final_next: bool = False
    """Whether the final follows this stage."""
    stage: int
    title: str

    def lines(self, f: Format) -> list[Line]:
        w = f.w
        if self.goes_on:
            on = (
                w.say("You're in the grand final! It comes by itself when all tables have ended.")
                if self.final_next
                else w.say("You go on! Your next game comes by itself when all tables have ended.")
            )
            return [Line(titled(self.title), rank=None), Line(on, sign="✅")]
        said, sign = self._why_out(w)
        return [Line(titled(self.title), rank=None), Line(f"{said} {_rest(f)}", sign=sign)]

    def on_page(self, page: PageFormat) -> tuple[Literal["stage"], StageFields]:
        """Return the sentences, and the game that they are about; a page needs no other place for the final."""
        w = page.w
        said, sign = self._why_out(w)
        lines = lines_of(self, w)[1:] if self.goes_on else [f"{sign} {said}", w.say("The final opens here by itself.")]
        return "stage", {"game": self.table, "lines": lines}

    def _why_out(self, w: Catalogue) -> tuple[str, str]:
        """Return why the reader does not go on, and its sign."""
        if not self.played:
            return w.say("No one else came late, so there's no table for you this time."), "🏃"
        return w.say("You're out of the tournament after stage {stage}.", stage=str(self.stage)), "☠️"


class TournamentNews(FeatureNotice):
    """News for a person, which pages show as a note."""

    card_slot = "note"

    def on_page(self, page: PageFormat) -> tuple[Literal["note"], NewsLinesFields]:
        return "note", {"lines": lines_of(self, page.w)}


class PlaceNotice(TournamentNews):
    """The reader's place at the end of the tournament."""

    kind: Literal["tournament_place"] = "tournament_place"
    place: int
    """Several people may share it."""
    people: int
    finalist: bool
    slept: bool = False
    """Whether the reader made no call in their last game, so they get no medal."""
    title: str

    def lines(self, f: Format) -> list[Line]:
        """Return the person's place, with a line for the prize."""
        w = f.w
        if self.place == 1 and not self.slept:
            won = w.say(
                "You win the tournament of {people} people! The cup is yours until the next one.",
                people=str(self.people),
            )
            return [Line(titled(self.title), rank=None), Line(f.strong(won), sign="🏆")]
        place = w.say(
            "The tournament is over. Your place: {place} of {people}.", place=str(self.place), people=str(self.people)
        )
        if self.place <= len(MEDALS) and self.slept:
            prize, sign = w.say("No medal this time: you missed all your turns. Next time, play them yourself!"), "💤"
        elif self.place <= len(MEDALS):
            prize, sign = w.say("A medal for you: so close!"), MEDALS[self.place - 1]
        elif self.finalist:
            prize, sign = w.say("You sat in the grand final: tell your grandchildren."), "🎖"
        elif self.place <= self.people / 2:
            prize, sign = w.say("Better than most: the others read you badly."), "👏"
        else:
            prize, sign = w.say("The dice owe you something next time."), "🎲"
        return [Line(titled(self.title), rank=None), Line(place, sign="🏁"), Line(prize, sign=sign)]


class WholeTournament(LinksToBot, PublicNotice):
    """The whole tournament, in a message to be forwarded."""

    tournament: int
    title: str
    winner: str
    people: int
    stages: tuple[tuple[TableLine, ...], ...]
    """From the first stage to the final; the players of each table in the order of their places."""
    places: tuple[SeatLine, ...] = ()
    """All people, the winner first."""
    bluffer: str = ""
    bluff: BluffCard | None = None
    """The least likely bluff of all tables that was not caught."""

    def lines(self, f: Format) -> list[Line]:
        """Return the winner, everyone's place, the best bluff, and the bot's link."""
        won = Line(f.strong(winner_words(self.winner, f)), sign="🏆")
        if f.medium in (Medium.SPEECH, Medium.TEXT):
            return [won]
        signs, names = map(_sign, self.places), (_named(each, f) for each in self.places)
        places = [Line(name, sign=sign) for sign, name in zip(signs, names, strict=True)]
        others = " · ".join(f"{line.sign} {line.text}" for line in places[MOST_AT_A_TABLE:])
        lines = [won, BLANK, *places[:MOST_AT_A_TABLE], *([Line(others)] if others else [])]
        if bluff := bracket_bluff(self, f.w):
            lines += [BLANK, Line(escape(bluff, quote=False), rank=None, sign="🎭")]
        if link := bracket_link(self):
            lines += [BLANK, Line(link, rank=None)]
        return lines

    def picture(self, w: Catalogue) -> Picture:
        labels = (
            plain_name(self.title),
            bracket_winner(self, w),
            bracket_stages(self, w),
            bracket_bluff(self, w),
            bracket_link(self),
            (plain_name(self.winner), plain_name(self.bluffer)),
        )
        return Picture(partial(_draw, self, labels))


class BracketNotice(TournamentNews, WholeTournament):
    """The end of a tournament whose final no one had to play."""

    kind: Literal["tournament_bracket"] = "tournament_bracket"

    def lines(self, f: Format) -> list[Line]:
        return [Line(titled(self.title), rank=None), *WholeTournament.lines(self, f)]


class FinaleNotice(WholeTournament):
    """The end of a tournament, within the end of its final."""

    kind: Literal["tournament_finale"] = "tournament_finale"
    replaces = True
    card_slot = "over"

    def on_page(self, page: PageFormat) -> tuple[Literal[""], FinaleFields]:
        """Return all stages, everyone's place, and the best bluff."""
        w = page.w
        winner = next((each for each in self.places if each.name == self.winner), SeatLine(name=self.winner))
        return "", {
            "finale": {
                "title": winner_words(self.winner, Format(w, Medium.ALERT)),
                "winner": _person(winner),
                "stages": [
                    {"title": title, "tables": [[_placed(seat) for seat in table.seats] for table in tables]}
                    for title, tables in zip(bracket_stages(self, w), self.stages, strict=True)
                ],
                "places": [_placed(each) for each in self.places],
                "bluff": bracket_bluff(self, w),
            }
        }


class TableSeal(FrozenModel):
    """The seal of the dice of a table, published before the first roll."""

    number: int
    code: str
    commitment: str


class SealsNotice(PublicNotice):
    """The seals of the tables that begin, in a message that is never edited."""

    kind: Literal["tournament_seals"] = "tournament_seals"
    stage: int
    seals: tuple[TableSeal, ...]

    def lines(self, f: Format) -> list[Line]:
        """Say that the dice of the tables are fixed, with the seals folded below."""
        w = f.w
        sealed = w.say("All dice of these tables are fixed now, under seal. After the final you can check them.")
        if f.medium is not Medium.CHAT:
            return [Line(sealed, rank=None, sign="🔒")]
        seals = (f"{seal.number} · {seal.code} · <code>{seal.commitment}</code>" for seal in self.seals)
        return [Line(sealed, rank=None, sign="🔒"), Line(folded(w.say("The seals by table"), *seals), rank=None)]


class DiceFileNotice(FileNotice):
    """All games of a tournament in one file, with the proof of their dice: JSON lines."""

    kind: Literal["tournament_dice"] = "tournament_dice"
    games: int
    failed: tuple[str, ...] = ()
    """The codes of the tables whose dice do not follow from their seal."""

    def lines(self, f: Format) -> list[Line]:
        """Return the result of the bot's own check, and how to repeat it."""
        w = f.w
        if self.failed:
            codes = ", ".join(self.failed)
            said = "⚠️ " + w.say(
                "The check failed: the dice of these tables don't fit their seals: {codes}", codes=codes
            )
        else:
            said = "✅ " + w.say(
                "All {number} games: every roll was fixed before the first bid.", number=str(self.games)
            )
        command = verify_command(self.name)
        curious = w.say(
            "For the curious: on a computer, {command} checks every roll. Compare its seals with those in the group.",
            command=command,
        )
        return [Line(said, rank=None), Line(folded(curious), rank=None)]


class HurryNotice(TournamentNews):
    """Other tables wait for the reader's table: its turns are shorter from now on."""

    kind: Literal["tournament_hurry"] = "tournament_hurry"
    seconds: int
    title: str

    def lines(self, f: Format) -> list[Line]:
        """Return how long a turn lasts from now on."""
        w = f.w
        waits = w.say(
            "Other tables wait for yours: from now on a turn lasts {seconds} seconds.", seconds=str(self.seconds)
        )
        return [Line(titled(self.title), rank=None), Line(waits, sign="⏱")]


class TournamentAnswer(StrEnum):
    """The answers to people's requests."""

    JOINED = "joined"
    LATE = "late"
    ALREADY_JOINED = "already_joined"
    LISTED = "listed"
    WAITS = "waits"
    IS_OUT = "is_out"
    NEEDS_CODE = "needs_code"
    NO_SUCH_CODE = "no_such_code"
    OPEN_PRIVATE_CHAT = "open_private_chat"
    PRIVATE_CHAT_IS_OPEN = "private_chat_is_open"
    FULL = "full"
    BEGUN = "begun"
    OVER = "over"
    LEFT = "left"
    WITHDRAWN = "withdrawn"
    PLAYING = "playing"
    NOT_JOINED = "not_joined"
    TOO_FEW = "too_few"
    NOT_HOST = "not_host"
    BUSY = "busy"
    STARTED = "started"
    CHANGED = "changed"
    FILE_ABOVE = "file_above"
    FILE_GONE = "file_gone"
    ASKED = "asked"
    MANY_ASK = "many_ask"
    REMOVED = "removed"
    CLOSED = "closed"
    SHOWN_IN_PRIVATE = "shown_in_private"


class TournamentAnswerNotice(TournamentNews, FeatureToast):
    """Answers the person who asked."""

    kind: Literal["tournament_answer"] = "tournament_answer"
    answer: TournamentAnswer
    number: int = 0
    """The number of people on the list, or the limit."""
    name: str = ""
    """The host."""
    guest: bool = False
    """Whether the reader has pages and no private chat."""
    nameless: bool = False
    """Whether the reader's name is unknown."""

    def lines(self, f: Format) -> list[Line]:
        """Return the answer to a tap; a text asks who takes part, or asks to, for their name."""
        said = _answer(self, f)
        if self.nameless and f.medium is Medium.TEXT and self.answer in _ASK_FOR_NAME:
            said += " " + f.w.say("Reply with your name, e.g. Rita.")
        return [Line(said)]


_ASK_FOR_NAME: Final = (TournamentAnswer.ASKED, TournamentAnswer.JOINED, TournamentAnswer.LATE)


def _rest(f: Format) -> str:
    """Return where a person who is out reads the rest of the tournament: a phone does not show the group."""
    if f.medium is Medium.TEXT:
        return f.w.say("You'll get your place by text when it's over.")
    return f.w.say("The group shows how it goes on.")


_GOES_ON: Final = "✅"
_OUT: Final = "☠️"


class FreeSeat(NamedTuple):
    """The seat of a player who is away."""

    table: int
    player: int
    name: str


class FreeSeatsNotice(FeatureNotice):
    """Private: the seats that a person who came late may take. Pages show such keys at the table that they watch."""

    kind: Literal["tournament_seats"] = "tournament_seats"
    tournament: int
    title: str
    seats: tuple[FreeSeat, ...]

    def lines(self, f: Format) -> list[Line]:
        """Return how a person takes part at once; a text message has no keys."""
        said = f.w.say("Play on for a player who is away? Then you go on in the tournament with their dice.")
        return [Line(titled(self.title), rank=None), Line(said, sign="🪑", rank=None)]


def _lines(notice: TournamentNotice, f: Format) -> list[Line]:
    w, names = f.w, [f.name(name) for name in notice.names]
    title = Line(f.strong(w.say("Tournament")), sign="🏆")
    match notice.phase:
        case Phase.OPEN:
            return [title, *_list(notice, names, f)]
        case Phase.TABLES:
            stage = w.say("Tournament, stage {stage}", stage=str(notice.stage))
            lines = [Line(f.strong(stage), sign="🏆"), BLANK, *(_table(table, f) for table in notice.tables), BLANK]
            lines.append(
                Line(
                    w.say("The best half of each table goes on. Everyone plays in their chat with me.")
                    if f.medium is Medium.CHAT
                    else w.say("The best half of each table goes on.")
                )
            )
            return lines if notice.late is None else [*lines, late_line(notice.late, f)]
        case Phase.FINAL_WAITS:
            finalists = w.say("The finalists: {names}", names=", ".join(names))
            waits = w.say("The grand final begins here when the game in this group has ended.")
            return [title, Line(finalists, sign="🏁"), Line(waits, sign="⏳")]
        case Phase.FINAL:
            finalists = w.say("The grand final, here in the group: {names}", names=", ".join(names))
            return [title, Line(finalists, sign="🏁")]
        case Phase.OVER:
            return [title, Line(w.say("It's over. Everyone's place is further down."), sign="🏁")]
        case Phase.CLOSED:
            return [title, Line(w.say("This tournament was closed. /tournament opens another one."))]
        case _:
            assert_never(notice.phase)


def _sign(seat: SeatLine) -> str:
    """Return a medal, or the number of the place."""
    return MEDALS[seat.place - 1] if seat.place <= len(MEDALS) and not seat.slept else f"{seat.place}."


def _list(notice: TournamentNotice, names: list[str], f: Format) -> list[Line]:
    w = f.w
    book = rules_title(notice.rules, notice.house_rules, w, in_full=False)
    lines = [
        Line(
            w.say("Several tables at once, played in private. The best meet here in the grand final.")
            if f.medium is Medium.CHAT
            else w.say("Several tables at once. The best meet here in the grand final.")
        ),
        Line(_names_line(names), sign="👥"),
        Line(w.say("Rules: {rules}", rules=f.foreign(book)), sign="📖"),
    ]
    if notice.computers:
        lines.append(Line(w.say("Computer players fill the smaller tables."), sign="🤖"))
    if len(names) < FEWEST:
        missing = w.count(
            "{n} more person, and it can start.", "{n} more people, and it can start.", FEWEST - len(names)
        )
        lines.append(Line(missing, sign="⏳"))
    else:
        lines.append(Line(w.say("{name} can start it now.", name=f.name(notice.host)), sign="▶️"))
    if f.medium is not Medium.CHAT:
        return lines
    if notice.asking:
        asked = w.count(
            "{n} person would like to join. {name} decides: tap People.",
            "{n} people would like to join. {name} decides: tap People.",
            notice.asking,
            name=f.name(notice.host),
        )
        lines.append(Line(asked, sign="✋"))
    private = w.say("First time here? Tap Join, and our private chat opens. Press Start there, and you're in.")
    lines.append(Line(private, sign="💬"))
    if notice.numbers and notice.code:
        numbers = ", ".join(notice.numbers)
        text = w.say("Or text TOURNAMENT {code} to {numbers}.", code=notice.code, numbers=numbers)
        lines.append(Line(text, sign="📱"))
    return lines


def _names_line(names: list[str]) -> str:
    return ": ".join(filter(None, (f"{len(names)}/{MOST}", ", ".join(names))))


def late_line(names: tuple[str, ...], f: Format) -> Line:
    """Return how people join who come late; `names`: the people who wait for a table."""
    w = f.w
    if not names:
        return Line(w.say("Late? {least} more people make another table: tap Join.", least=str(LATE_TABLE)), sign="🏃")
    waiting = w.count(
        "{names}: {n} more person makes another table.",
        "{names}: {n} more people make another table.",
        LATE_TABLE - len(names),
        names=", ".join(map(f.name, names)),
    )
    return Line(waiting, sign="🏃")


def table_title(number: int, w: Catalogue) -> str:
    """Return the name of a table of a stage."""
    return w.say("Table {number}", number=str(number))


def _table(table: TableLine, f: Format) -> Line:
    number = f.strong(table_title(table.number, f.w))
    return Line(f"{number} · " + " · ".join(_seat(seat, table, f) for seat in table.seats))


def _seat(seat: SeatLine, table: TableLine, f: Format) -> str:
    mark = _OUT if seat.is_out(over=table.over) else _GOES_ON if table.over else str(seat.dice)
    return f"{f.name(seat.name)} {mark}"


def _named(seat: SeatLine, f: Format) -> str:
    return f.name(seat.name) if seat.face is None else f"{seat.face.sign} {f.name(seat.name)}"


def winner_words(name: str, f: Format) -> str:
    """Return one sentence."""
    return f.w.say("{name} wins the tournament!", name=f.name(name))


def bracket_winner(notice: WholeTournament, w: Catalogue) -> str:
    """Return one sentence in plain text."""
    return w.say("{name} won against {others} people.", name=plain_name(notice.winner), others=str(notice.people - 1))


def bracket_bluff(notice: WholeTournament, w: Catalogue) -> str:
    """Return the best bluff in plain text; empty if there is none."""
    if notice.bluff is None:
        return ""
    bid = bid_figure(notice.bluff.quantity, notice.bluff.face, w.with_dice(DiceStyle.WORDS))
    values = {"name": plain_name(notice.bluffer), "bid": bid}
    return w.say("The night's best bluff: {name} bid {bid} with none of them, and got away with it.", **values)


def bracket_stages(notice: WholeTournament, w: Catalogue) -> tuple[str, ...]:
    """Return the headings of the stages; a stage of one table is the final."""
    return tuple(
        w.say("The grand final") if len(tables) == 1 else w.say("Stage {stage}", stage=str(stage))
        for stage, tables in enumerate(notice.stages, start=1)
    )


def bracket_link(notice: WholeTournament) -> str:
    """Return the bot's link, short enough for a picture."""
    return f"t.me/{notice.bot}" if notice.bot else ""


def _answer(notice: TournamentAnswerNotice, f: Format) -> str:
    w = f.w
    match notice.answer:
        case TournamentAnswer.JOINED if notice.guest:
            return w.say("You're in! Your table opens here by itself.")
        case TournamentAnswer.JOINED if f.medium is Medium.TEXT:
            return w.say("You're in! You'll get your dice by text when it starts.")
        case TournamentAnswer.JOINED:
            return w.say("You're in! Your table will come to you in private.")
        case TournamentAnswer.LATE:
            return w.say("You're in! Your table starts when {least} latecomers are here.", least=str(LATE_TABLE))
        case TournamentAnswer.ALREADY_JOINED:
            return w.say("You're on the list already.")
        case TournamentAnswer.LISTED:
            return w.count(
                "You're on the list, with no one else yet. The host starts it in the group.",
                "You're on the list of {n} people. The host starts it in the group.",
                notice.number,
            )
        case TournamentAnswer.WAITS:
            return w.say("You're in! Your next game comes by itself.")
        case TournamentAnswer.IS_OUT:
            out = w.say("You're out of this tournament.")
            return f"{out} {_rest(f)}" if not notice.guest else out
        case TournamentAnswer.NEEDS_CODE:
            return w.say("Text TOURNAMENT and the code of the list in the group, or TOURNAMENT OFF to leave it.")
        case TournamentAnswer.NO_SUCH_CODE:
            return w.say("I know no tournament with this code. Look at the list in the group again.")
        case TournamentAnswer.OPEN_PRIVATE_CHAT:
            return w.say("First open our private chat and press Start there. Then tap here again.")
        case TournamentAnswer.PRIVATE_CHAT_IS_OPEN:
            return w.say("Our chat is open! Now write /tournament in your group, or tap Join there.")
        case TournamentAnswer.FULL:
            return w.say("The tournament is full: {number} people take part.", number=str(notice.number))
        case TournamentAnswer.BEGUN:
            return w.say("This tournament has begun: nothing can be changed any more. The group shows how it goes on.")
        case TournamentAnswer.OVER:
            return w.say("This tournament is over. /tournament in the group opens another one.")
        case TournamentAnswer.LEFT:
            return w.say("You're off the list.")
        case TournamentAnswer.WITHDRAWN:
            return w.say("You play no further in this tournament.")
        case TournamentAnswer.PLAYING:
            return w.say("Your game is still on. To leave it, write /leave in our private chat, or text LEAVE.")
        case TournamentAnswer.NOT_JOINED:
            return w.say("You're not on the list.")
        case TournamentAnswer.TOO_FEW:
            return w.count(
                "{n} of the {least} people needed for a tournament is here. With fewer, play at one table: /perudo",
                "{n} of the {least} people needed for a tournament are here. With fewer, play at one table: /perudo",
                notice.number,
                least=str(FEWEST),
            )
        case TournamentAnswer.NOT_HOST:
            return w.say("Only {name} can do that.", name=f.name(notice.name))
        case TournamentAnswer.BUSY:
            return w.say("The game in this group hasn't ended yet. Then the final begins by itself.")
        case TournamentAnswer.STARTED:
            return w.say("It begins!")
        case TournamentAnswer.CHANGED:
            return w.say("Done.")
        case TournamentAnswer.FILE_ABOVE:
            return w.say("The file is above already. Scroll up a little!")
        case TournamentAnswer.ASKED:
            return w.say("I've asked the host of the list. You'll hear from me when they let you in.")
        case TournamentAnswer.MANY_ASK:
            return w.say("Many people are asking the host at the moment. Please try again in a few minutes.")
        case TournamentAnswer.REMOVED:
            return w.say("The host decides about this list, and you're not on it. The next tournament has a new one.")
        case TournamentAnswer.CLOSED:
            return w.say("The list was closed: this tournament doesn't take place.")
        case TournamentAnswer.SHOWN_IN_PRIVATE:
            return w.say("I've sent you the list in our private chat.")
        case TournamentAnswer.FILE_GONE:
            return w.say("The games of this tournament aren't stored any more.")
        case _:
            assert_never(notice.answer)


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of pages that no card has."""
    return {"watch_other": w.say("Watch another table")}


_EVERYBODY: Final = -1
"""A lane that everyone may read."""


def _ceremony(notice: TournamentNotice, w: Catalogue) -> DrawField | None:
    """Return the ceremony of this stage on a television: its number, its title, and the finalists."""
    if notice.phase not in (Phase.TABLES, Phase.FINAL):
        return None
    is_final = notice.phase is Phase.FINAL
    return {
        "stage": notice.stage + is_final,
        "title": w.say("The grand final") if is_final else w.say("The draw"),
        "seconds": ENTRANCE_SECONDS,
        "finalists": list(map(_person, notice.finalists)),
    }


def _listed(notice: TournamentNotice, w: Catalogue) -> ListedField | None:
    """Return the people on the list with their faces, while people join."""
    if not notice.faces:
        return None
    names = [Format(w, Medium.ALERT).name(name) for name in notice.names]
    people = [SeatLine(name=name, face=face) for name, face in zip(notice.names, notice.faces, strict=True)]
    return {"line": plain([Line(_names_line(names))]), "people": list(map(_person, people))}


def _next(notice: TournamentNotice, w: Catalogue) -> NextField:
    """Return the stage after this one: its title, and the number of its people."""
    places = sum(table.going_on for table in notice.tables)
    if places <= seats_at_a_table(notice.rules):
        return {"title": w.say("The grand final"), "places": places}
    return {"title": w.say("Tournament, stage {stage}", stage=str(notice.stage + 1)), "places": places}


def _person(seat: SeatLine) -> PersonField:
    return {"name": plain_name(seat.name), "face": None if seat.face is None else seat.face.sign}


def _placed(seat: SeatLine) -> PlacedField:
    return {**_person(seat), "place": seat.place, "goes_on": seat.goes_on}


def _stage_table(table: TableLine, w: Catalogue) -> StageTableField:
    seats: list[LineSeatField] = [
        {**_person(seat), "dice": seat.dice, "out": seat.is_out(over=table.over)} for seat in table.seats
    ]
    return {"title": table_title(table.number, w), "seats": seats, "over": table.over}


def _televised(number: int, shown: Card, w: Catalogue) -> TelevisedFields:
    return {"text": "", "title": table_title(number, w), "shown": shown}


def _draw(notice: WholeTournament, labels: tuple[str, str, tuple[str, ...], str, str, tuple[str, str]]) -> bytes:
    from telegram_bot.features.tournament.bracket_picture import BracketLabels, bracket_picture  # noqa: PLC0415 - Pillow

    return bracket_picture(notice.stages, BracketLabels(*labels))
