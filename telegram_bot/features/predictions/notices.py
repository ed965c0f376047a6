"""The notices about guesses: the answer to a ghost, the ghosts at the end of a round, the best ones of a game."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal

from typing_extensions import TypedDict

from telegram_bot.notices import (
    FeatureNotice,
    FeatureToast,
    KnockedOutNotice,
    LobbyNotice,
    PageFormat,
    PublicNotice,
    StartedNotice,
)
from telegram_bot.presentation.cards import lines_of
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import EXTRA_DIE, TWIST_BY, TWISTS, twist_of
from telegram_bot.tables.model import FrozenModel
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import standing_line
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.lobby_options import LobbyOption
from telegram_bot.words.phrases import plain_name, titled
from telegram_bot.words.rules import twist_explained, twist_label, twist_phrase


class GuesserField(TypedDict):
    """A ghost."""

    player: int
    name: str
    face: str


class GhostField(GuesserField):
    """A ghost; `right`: whether its guess was, or None if it made none for this round."""

    right: bool | None
    streak: int
    haunts: int | None


class GuessersFields(TypedDict):
    """The ghosts who have guessed in a round, whatever they guessed."""

    round: int
    guessed: list[GuesserField]


class GhostsField(TypedDict):
    """All ghosts of a game."""

    lines: list[str]
    faces: list[GhostField]


class TwistField(TypedDict):
    """A twist to choose."""

    twist: str
    text: str


class TwistFields(TypedDict):
    """The twists that a ghost may choose from after a game; none once one is chosen."""

    game: int
    lines: list[str]
    twists: list[TwistField]


class GhostsFields(TypedDict):
    """The ghosts, within the card of the end of a round."""

    ghosts: GhostsField


ONCE_OUT: Final = "once_out"
"""Once a player is out or a person came too late: they surely watch. Pages ask each reader without dice at once."""
START: Final = "start"
OFF: Final = "off"

_EXPLAINED: Final = mark(
    "Whoever is out or only watches is a ghost and guesses in secret what is under the cups. After the dice I say how"
    " many ghosts knew."
)
SINCE: Final = LobbyOption(
    "predictions",
    sign="👻",
    title=mark("Ghosts"),
    values={ONCE_OUT: mark("Once someone is out"), START: mark("From the start"), OFF: mark("No ghosts")},
    explained={ONCE_OUT: _EXPLAINED, START: _EXPLAINED, OFF: mark("No ghosts")},
    has_key=True,
)


def are_asked_in_chats(options: Mapping[str, str], *, all_in_play: bool) -> bool:
    """Return True if the message of the round asks for guesses now, by the options of the table."""
    since = SINCE.value_in(options)
    return since == START or (since == ONCE_OUT and not all_in_play)


class Guess(StrEnum):
    """A guess about the bid that is called at the end of a round."""

    BLUFF = "bluff"
    EXACT = "exact"
    MORE = "more"


def has_ghosts(view: TableView) -> bool:
    """Return True if people without dice may guess in this game; a practice game has no spectators."""
    is_practice = not view.code
    return not is_practice and SINCE.value_in(view.options) != OFF


def truth(view: RevealView) -> Guess | None:
    """Return the right guess, or None if no call ended the round."""
    if view.bid is None or view.count is None or view.call not in ("dudo", "calza"):
        return None
    off = view.count - view.bid.quantity
    return Guess.EXACT if off == 0 else Guess.MORE if off > 0 else Guess.BLUFF


class GuessAnswer(StrEnum):
    """The answers to a guess."""

    STORED = "stored"
    PLAYING = "playing"
    """Players with dice guess nothing."""


class GuessAnswerNotice(FeatureToast):
    """Answers a guess."""

    kind: Literal["prediction_answer"] = "prediction_answer"
    answer: GuessAnswer
    guess: Guess

    def lines(self, f: Format) -> list[Line]:
        return [Line(f.w.say(_ANSWERS[self.answer], guess=guess_label(self.guess, f.w)))]


class Guesser(FrozenModel):
    """A person who has guessed in this game."""

    player: int
    name: str
    face: Face


class GuessersNotice(PublicNotice):
    """For pages alone: who has guessed in this round. It depends on no guess and on no dice."""

    kind: Literal["guessers"] = "guessers"
    card_slot = "guessers"
    round: int
    guessed: tuple[Guesser, ...]
    """Those whose names others may read."""

    def lines(self, f: Format) -> list[Line]:
        names = " · ".join(f.name(each.name) for each in self.guessed)
        return [Line(f"{f.w.say('Ghosts')}: {names}", rank=None, sign="🗳")]

    def on_page(self, _: PageFormat) -> tuple[Literal["guessers"], GuessersFields]:
        """Return the face of each ghost who has guessed."""
        return "guessers", {"round": self.round, "guessed": [_guesser(each) for each in self.guessed]}


def _guesser(one: Guesser) -> GuesserField:
    return {"player": one.player, "name": plain_name(one.name), "face": one.face.sign}


class AskGhostNotice(FeatureNotice):
    """Private, to a player who is out: whether the last guess was right, and the bid that stands can be guessed."""

    kind: Literal["ask_ghost"] = "ask_ghost"
    table: int
    step: int
    title: str
    view: TableView | None = None
    """The round; none once it has ended."""
    chosen: Guess | None = None
    """The reader's guess in this round."""
    guess: Guess | None = None
    """The guess in the last round that has ended."""
    knew: bool = False
    """Whether it was right."""
    streak: int = 0
    """How many of the reader's guesses in a row were right, up to that one."""

    def lines(self, f: Format) -> list[Line]:
        """Judge the last guess, then name the bid and ask for a guess."""
        said = [] if self.guess is None else [self._judgement(self.guess, f.w)]
        if self.view is not None and self.view.standing is not None:
            said.append(standing_line(self.view, self.view.standing, f.w))
        if self.view is not None:
            said.append(f.w.say("Is the bid a bluff, exact, or are there more?"))
        return [Line(titled(self.title), rank=None), *(Line(each, rank=None, sign="👻") for each in said)]

    def _judgement(self, guess: Guess, w: Catalogue) -> str:
        label = guess_label(guess, w)
        if not self.knew:
            return w.say("{guess}: not this time.", guess=label)
        knew = w.say("{guess}: you knew!", guess=label)
        return " ".join((knew, w.say(_WORTH[min(self.streak, len(_WORTH) - 1)])))


def out_lines(notice: KnockedOutNotice, f: Format) -> list[Line]:
    """Return what a player who is out may do now."""
    if notice.practice is not None or SINCE.value_in(notice.options) == OFF:
        return []
    w = f.w
    return [
        Line(w.say("You're a ghost now: at the next bid, guess here what lies under the cups."), rank=None, sign="👻"),
        Line(w.say(_WORTH[0]), rank=None),
    ]


_WORTH: Final = (
    mark("Three right guesses in a row, and you haunt a player."),
    mark("One right guess! Two more in a row, and you haunt a player."),
    mark("Two right guesses in a row! One more, and you haunt a player."),
    mark("You haunt as long as you guess right."),
)
"""The worth of the next right guesses, after so many in a row."""


class Ghost(Guesser):
    """A person who has guessed in this game, at the end of a round."""

    right: bool | None
    """Whether their guess for this round was right, or None without one."""
    streak: int = 0
    """How many of their guesses in a row were right, up to the last one."""
    haunts: int | None = None
    """The seat that they haunt from now on."""
    haunted: str = ""
    """The name of the player on that seat, if they begin to haunt it now."""


class GhostsNotice(FeatureNotice):
    """The ghosts of a game at the end of a round."""

    kind: Literal["ghosts"] = "ghosts"
    card_slot = "end"
    knew: int
    """The number of right guesses."""
    guessed: int
    ghosts: tuple[Ghost, ...]
    """Those whose names others may read, the newest guess first."""

    def lines(self, f: Format) -> list[Line]:
        """Return how many ghosts knew, and who begins to haunt a seat, at the end of a round in chats."""
        begun = [each for each in self.ghosts if each.haunted][:HAUNTINGS]
        haunting = (
            f.w.say("Three right in a row: {ghost} haunts {name}!", ghost=f.name(each.name), name=f.name(each.haunted))
            for each in begun
        )
        return [Line(each, rank=None, sign="👻") for each in (*_knew(self, f.w), *haunting)]

    def on_page(self, page: PageFormat) -> tuple[Literal[""], GhostsFields]:
        """Return the sentences, and the face of each ghost."""
        faces: list[GhostField] = [
            {**_guesser(each), "right": each.right, "streak": each.streak, "haunts": each.haunts}
            for each in self.ghosts
        ]
        return "", {"ghosts": {"lines": lines_of(self, page.w), "faces": faces}}


class Prophet(FrozenModel):
    """A ghost's number of right guesses."""

    name: str
    right: int
    made: int


class ProphetsNotice(FeatureNotice):
    """The best ghosts of a game by their guesses, the best first."""

    kind: Literal["prophets"] = "prophets"
    prophets: tuple[Prophet, ...]

    def lines(self, f: Format) -> list[Line]:
        """Return the best ghosts, at the end of the game."""
        named = " · ".join(
            f.w.say("{name} {right} of {made}", name=f.name(each.name), right=str(each.right), made=str(each.made))
            for each in self.prophets
        )
        return [Line(f.w.say("Prophets: {names}", names=named), rank=None, sign="👻")]


def twist_line(notice: LobbyNotice | StartedNotice, f: Format) -> Line | None:
    """Return the twist of the next game with the name of its ghost and the face of one who sits there, or None."""
    view = notice.view
    twist = twist_of(view.rules, view.options)
    if twist is None:
        return None
    seat = next((seat for seat in view.seats if str(seat.player) == view.options.get(TWIST_BY)), None)
    sign = seat.face.sign if seat is not None and seat.face else "👻"
    ghost = notice.ghost if seat is None else seat.name
    phrase = twist_phrase(twist, f.w)
    if twist == EXTRA_DIE:
        phrase = f.w.say("{name} starts with one more die", name=f.name(view.seats[0].name))

    def said(how: str) -> str:
        if not ghost:
            return f.w.say("A ghost's twist: {twist}", twist=how)
        return f.w.say("{name}'s twist: {twist}", name=f.name(ghost), twist=how)

    return Line(said(phrase), 1, sign, short=Line(said(twist_label(twist, f.w)), sign=sign))


def twist_lines(notice: LobbyNotice | StartedNotice, f: Format) -> list[Line]:
    """Return the twist, in the lobby's message; a page has it on its key."""
    found = None if f.medium is Medium.ALERT else twist_line(notice, f)
    return [] if found is None else [found]


class TwistOfferNotice(FeatureNotice):
    """Private, to the best ghost of a game: the twists of the next game to choose from, or the chosen one."""

    kind: Literal["twist_offer"] = "twist_offer"
    card_slot = "twist"
    table: int
    title: str
    right: int = 0
    """The number of right guesses."""
    twists: tuple[str, ...]
    is_chosen: bool = False

    def lines(self, f: Format) -> list[Line]:
        """Return the number of right guesses and what each twist changes, or the chosen twist."""
        w, known = f.w, [twist for twist in self.twists if twist in TWISTS]
        lines = [Line(titled(self.title), rank=None)]
        if self.is_chosen:
            chosen = ", ".join(twist_phrase(twist, w) for twist in known)
            return [*lines, Line(w.say("Your twist for the next game here: {twist}", twist=chosen), sign="👻")]
        best = f.strong(w.say("You were the best ghost: {n} right guesses!", n=str(self.right)))
        asked = w.say("Choose a twist for the next game here.")
        return [
            *lines,
            Line(best, rank=None, sign="👻"),
            Line(asked),
            *(Line(twist_explained(twist, w), rank=None, sign="•") for twist in known),
        ]

    def on_page(self, page: PageFormat) -> tuple[Literal["twist"], TwistFields]:
        """Return its sentences without the title, which the page has, and the twists."""
        twists: list[TwistField] = [{"twist": each, "text": twist_label(each, page.w)} for each in self.open_twists]
        return "twist", {"game": self.table, "lines": lines_of(self, page.w)[1:], "twists": twists}

    @property
    def open_twists(self) -> Sequence[str]:
        """Return the twists that can still be chosen."""
        return () if self.is_chosen else [twist for twist in self.twists if twist in TWISTS]


HAUNTINGS: Final = 3
"""The maximum number of ghosts of whom one message says that they begin to haunt a seat."""
_ANSWERS: Final = {
    GuessAnswer.STORED: mark("👻 Your guess: {guess}. Only you know. You can change it until the round ends."),
    GuessAnswer.PLAYING: mark("👻 Only ghosts guess: people who are out or watch. You have dice: play!"),
}


def guess_label(guess: Guess, w: Catalogue) -> str:
    """Return a guess, as on a button."""
    return {
        Guess.BLUFF: w.context_say("guess", "Bluff"),
        Guess.EXACT: w.context_say("guess", "Exact"),
        Guess.MORE: w.context_say("guess", "More"),
    }[guess]


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of pages."""
    return {
        "ghost": w.say("You're a ghost!"),
        "ghost_asks": w.say("Is the bid a bluff, exact, or are there more?"),
        "ghost_waits": w.say("You can guess as soon as there's a bid."),
        "ghost_twist": w.say("The best ghost chooses a twist for the next game."),
        **{f"ghost_row_{n}": w.say(worth) for n, worth in enumerate(_WORTH)},
        "no_twist": w.say("Without the twist"),
    }


def _knew(notice: GhostsNotice, w: Catalogue) -> list[str]:
    match notice.guessed:
        case 0:
            return []
        case 1:
            return [w.say("The ghost knew!") if notice.knew else w.say("The ghost was wrong.")]
        case all_of_them:
            return [
                w.count("{n} of {all} ghosts knew.", "{n} of {all} ghosts knew.", notice.knew, all=str(all_of_them))
            ]
