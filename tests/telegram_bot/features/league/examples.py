from collections.abc import Callable, Iterator

from perudo_core.agents import Character, Level
from telegram_bot.features.league import HIDDEN, IN_GROUP, NEVER_PLAYED
from telegram_bot.features.league import notices as n
from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice
from telegram_bot.statistics.achievements import ACHIEVEMENTS
from telegram_bot.tables.model import ComputerPlayer

WISHES: tuple[Request, ...] = ()


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Statistics, leagues and the parts of a game with achievements, full and empty."""
    yield n.StatisticsNotice(name=name(0), own=True)
    yield n.StatisticsNotice(name=name(0), own=False, games=1, wins=0, bids=9, bluffs=3)
    full = {"games": 118, "wins": 57, "streak": 12, "best_streak": 14, "bids": 4711, "bluffs": 815}
    full |= {"dudos": 1000, "dudos_right": 999, "calzas": 100, "calzas_right": 100, "rating": 1812}
    rivals = tuple(n.Rival(name=name(seat), ahead=99, behind=88) for seat in range(3))
    every = tuple(each.key for each in ACHIEVEMENTS)
    yield n.StatisticsNotice(name=name(1), own=True, hidden=True, rivals=rivals, achievements=every, **full)
    row = {"points": 118, "wins": 57, "games": 99}
    for rating in (None, 1812):
        rows = tuple(n.LeagueRow(rank=rank, name=name(rank - 1), rating=rating, **row) for rank in range(1, 11))
        yield n.LeagueNotice(title=name(0), year=2026, month=9, rows=rows, champion=name(2))
    yield n.LeagueNotice(title=name(0), year=2026, month=1, rows=())
    for each in ACHIEVEMENTS:
        achieved = (n.AchievementView(name=name(0), key=each.key),) * 2
        evening = tuple(n.EveningScore(name=name(seat), wins=9) for seat in range(5))
        yield n.EveningNotice(achievements=achieved, evening=evening)
    kinds = [ComputerPlayer(level=level, character=character) for level in Level for character in Character]
    ratings = tuple(n.ComputerRow(computer=kind, rating=1612, games=1000, wins=250) for kind in kinds)
    yield n.ComputerRatingsNotice(rows=ratings)
    yield from (n.ComputerRatingsNotice(rows=(), unrated=unrated) for unrated in (0, 1, 2))
    for doubts in (1, 12):
        yield n.MemoriesNotice(memories=(n.RivalMemory(rival=name(0), name=name(1), doubts=doubts),) * 2)
    yield from (NEVER_PLAYED, HIDDEN, IN_GROUP)
