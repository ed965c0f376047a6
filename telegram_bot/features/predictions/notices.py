"""The notices about guesses: the answer to a ghost, the ghosts at the end of a round, the best ones of a game."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypedDict

from telegram_bot.notices import FeatureNotice, FeatureToast, PageFormat, PublicNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import FrozenModel
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.lobby_options import LobbyOption
from telegram_bot.words.phrases import plain_name, titled


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


class GhostsFields(TypedDict):
    """The ghosts, within the card of the end of a round."""

    ghosts: GhostsField


ONCE_OUT: Final = "once_out"
"""Once a player is out and surely watches. Pages ask each reader without dice from the start."""
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
    explained={ONCE_OUT: _EXPLAINED, START: _EXPLAINED},
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
        """Return the answer to a guess."""
        return [Line(f.w.say(_ANSWERS[self.answer], guess=guess_label(self.guess, f.w)))]


class Guesser(FrozenModel):
    """A person who has guessed in this game."""

    player: int
    name: str
    face: Face


class GuessersNotice(PublicNotice):
    """For pages alone: who has guessed in this round. It depends on no guess and on no dice."""

    kind: Literal["guessers"] = "guessers"
    slot = "guessers"
    round: int
    guessed: tuple[Guesser, ...]
    """Those whose names others may read."""

    def lines(self, f: Format) -> list[Line]:
        """Return the names."""
        names = " · ".join(f.name(each.name) for each in self.guessed)
        return [Line(f"{f.w.say('Ghosts')}: {names}", rank=None, sign="🗳")]

    def on_page(self, _: PageFormat) -> tuple[Literal["guessers"], GuessersFields]:
        """Return the face of each ghost who has guessed."""
        return "guessers", {"round": self.round, "guessed": [_guesser(each) for each in self.guessed]}


def _guesser(one: Guesser) -> GuesserField:
    return {"player": one.player, "name": plain_name(one.name), "face": one.face.sign}


class AskGhostNotice(FeatureNotice):
    """Private, to a player who is out, once in a round: the first bid can be guessed."""

    kind: Literal["ask_ghost"] = "ask_ghost"
    table: int
    step: int
    title: str

    def lines(self, f: Format) -> list[Line]:
        """Ask for a guess."""
        asked = f.w.say("Is the bid a bluff, exact, or are there more?")
        return [
            Line(titled(self.title), rank=None),
            Line(f.strong(f.w.say("You're a ghost!")), rank=None, sign="👻"),
            Line(asked, rank=None),
        ]


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
    slot = "end"
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
