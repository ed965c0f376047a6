"""The notices about guesses: the answer to a ghost, the ghosts at the end of a round, the best ones of a game."""

from enum import StrEnum
from typing import Literal

from telegram_bot.features.predictions.guesses import Guess
from telegram_bot.notices import FeatureNotice, FeatureToast
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import FrozenModel


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


class Ghost(FrozenModel):
    """A person who has guessed in this game."""

    name: str
    face: Face
    right: bool | None
    """Whether their guess for this round was right, or None without one."""
    haunts: int | None = None
    """The seat that they haunt from now on."""
    haunted: str = ""
    """The name of the player on that seat, if they begin to haunt it now."""


class GhostsNotice(FeatureNotice):
    """The ghosts of a game at the end of a round."""

    kind: Literal["ghosts"] = "ghosts"
    knew: int
    """The number of right guesses."""
    guessed: int
    ghosts: tuple[Ghost, ...]
    """Those whose names others may read, the newest guess first."""


class Prophet(FrozenModel):
    """A ghost's number of right guesses."""

    name: str
    right: int
    made: int


class ProphetsNotice(FeatureNotice):
    """The best ghosts of a game by their guesses, the best first."""

    kind: Literal["prophets"] = "prophets"
    prophets: tuple[Prophet, ...]
