"""Ratings of players by the places of their games: Weng and Lin's method for many players, as openskill computes it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from openskill.models import PlackettLuce

_MODEL: Final = PlackettLuce()
_START_SHOWN: Final = 1500
_SPREAD_SHOWN: Final = 24
"""The number of points shown for one of openskill's."""
GAMES_BEFORE_SHOWN: Final = 10
"""With fewer games a rating depends more on luck than on skill, and is not shown."""


class Rating(NamedTuple):
    """The estimate of a player's skill: its mean and standard deviation."""

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma

    @property
    def shown(self) -> int:
        """Return the shown rating: 1500 at first, cautious after few games."""
        rating = _MODEL.rating(mu=self.mu, sigma=self.sigma)
        return round(rating.ordinal(alpha=_SPREAD_SHOWN, target=_START_SHOWN))


def mean_rating(ratings: Sequence[Rating]) -> Rating:
    """Return one rating for several seats that play alike."""
    count = len(ratings)
    return Rating(sum(each.mu for each in ratings) / count, sum(each.sigma for each in ratings) / count)


def rate(ratings: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
    """Return the players' ratings after a game in which they took these places."""
    teams = [[_MODEL.rating(mu=each.mu, sigma=each.sigma)] for each in ratings]
    rated = _MODEL.rate(teams, ranks=[float(place) for place in places])
    return [Rating(team[0].mu, team[0].sigma) for team in rated]
