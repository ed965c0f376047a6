"""The achievements: key, emoji and condition of each. The league words them."""
# ruff: noqa: PLR2004 - the numbers below are the achievements themselves

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.statistics.game_facts import SeatFacts


@dataclass(frozen=True, slots=True)
class Career:
    """A player's sums with the game that has just ended, as far as achievements ask for them."""

    games: int = 0
    wins: int = 0
    streak: int = 0
    """Games won in a row."""
    drought: int = 0
    """Games without a win before the game that has just ended."""
    last_places: int = 0
    """Last places in a row."""


@dataclass(frozen=True, slots=True)
class Achievement:
    """One achievement, which a player gets at most once."""

    key: str
    """It is stored: it never changes."""
    emoji: str
    is_earned: Callable[[SeatFacts, Career], bool]
    """Whether a player has earned it in a game."""
    feat: Feat | None = None
    """The highlight of a game that tells the same."""


def _won(game: SeatFacts) -> bool:
    return game.place == 1


def _came_back(game: SeatFacts) -> bool:
    return _won(game) and game.dice_lost >= 2


ACHIEVEMENTS: Final = (
    Achievement("first_win", "🎉", lambda _game, career: career.wins == 1 and career.streak == 1),
    Achievement("unharmed", "🧥", lambda game, _: _won(game) and game.dice_lost == 0 and game.rounds >= 3),
    Achievement(
        "comeback", "🧟", lambda game, _: _won(game) and game.fewest_dice == 1 and game.dice_lost >= 2, Feat.COMEBACK
    ),
    Achievement(
        "photo_finish", "📸", lambda game, _: _won(game) and game.dice_left == 1 and game.dice_lost >= 2, Feat.COMEBACK
    ),
    Achievement("three_in_a_row", "🎩", lambda _game, career: career.streak >= 3),
    Achievement("five_in_a_row", "🚂", lambda _game, career: career.streak >= 5),
    Achievement("rain_at_last", "🌧", lambda game, career: _won(game) and career.drought >= 10),
    Achievement("honest", "😇", lambda game, _: _won(game) and game.bids >= 5 and game.bluffs == 0),
    Achievement("born_liar", "🤥", lambda game, _: _won(game) and game.bids >= 6 and 2 * game.bluffs >= game.bids),
    Achievement(
        "pacifist", "🕊", lambda game, _: _won(game) and game.dudos == 0 and game.calzas == 0 and game.rounds >= 5
    ),
    Achievement("autopilot", "🛫", lambda game, _: _won(game) and game.automatic >= 1),
    Achievement("poker_face", "😐", lambda game, _: game.bluffs >= 5 and game.bluffs_held == game.bluffs),
    Achievement("tall_tale", "🐋", lambda game, _: game.boldest_bluff >= 8, Feat.BLUFF),
    Achievement("pants_on_fire", "🔥", lambda game, _: game.caught_far_off >= 4),
    Achievement("on_the_dot", "📌", lambda game, _: game.exactly_enough >= 2),
    Achievement("word_of_honour", "🤝", lambda game, _: game.bids_doubted >= 4 and game.bids_held == game.bids_doubted),
    Achievement("lie_detector", "🕵", lambda game, _: game.dudos >= 4 and game.dudos_right == game.dudos),
    Achievement("fine_nose", "👃", lambda game, _: game.opening_dudos_right >= 1),
    Achievement("by_a_hair", "💇", lambda game, _: game.tightest_dudos >= 3),
    Achievement("trust_issues", "🙅", lambda game, _: game.dudos - game.dudos_right >= 4),
    Achievement("way_off", "🔭", lambda game, _: game.late_dudos >= 1),
    Achievement("bullseye", "🎯", lambda game, _: game.calzas_right >= 1, Feat.CALZA),
    Achievement("robin_hood", "🏹", lambda game, _: game.calzas_right >= 2),
    Achievement("blind_archer", "🙈", lambda game, _: game.calzas - game.calzas_right >= 3),
    Achievement("lizard", "🦎", lambda game, _: game.dice_regained >= 2),
    Achievement("five_alike", "🖐", lambda game, _: game.rolled_alike >= 5),
    Achievement("bouncer", "🚪", lambda game, _: game.knocked_out >= 3),
    Achievement("snowball", "⛄", lambda game, _: game.losing_run >= 4),
    Achievement("fortress", "🏰", lambda game, _: game.rounds_unharmed >= 8),
    Achievement("auction", "🔨", lambda game, _: game.longest_round >= 12),
    Achievement("marathon", "🏃", lambda game, _: game.rounds >= 25),
    Achievement("early_night", "🛏", lambda game, _: game.place == game.players >= 4 and not game.has_left),
    Achievement("wooden_spoon", "🥄", lambda _game, career: career.last_places >= 3),
    Achievement("regular", "☕", lambda _game, career: career.games >= 10),
    Achievement("furniture", "🛋", lambda _game, career: career.games >= 100),
)
"""In the order in which /stats lists them."""

EMOJI: Final = {each.key: each.emoji for each in ACHIEVEMENTS}
FEATS: Final = {each.key: each.feat for each in ACHIEVEMENTS}


def earned(game: SeatFacts, career: Career) -> list[str]:
    """Return the keys of everything that a player has earned in a game."""
    return [each.key for each in ACHIEVEMENTS if each.is_earned(game, career)]
