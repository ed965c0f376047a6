"""Read statistics: a person's, a group's league, the score of an evening, new achievements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, case, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from perudo_core import Bid, Dudo
from perudo_core.agents import Character, Level
from telegram_bot.features.league import notices as n
from telegram_bot.intents.intents import Place
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.achievements import ACHIEVEMENTS
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN, Rating
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.storage.statistics_models import (
    COUNTS,
    Award,
    ComputerStatistics,
    GameResult,
    PlayerKind,
    PlayerStatistics,
    SeatResult,
)
from telegram_bot.tables.faces import face_of
from telegram_bot.tables.model import COMPUTER_MARK, ComputerPlayer, Table

REMEMBERED_GAMES: Final = 5
"""The number of a place's last games that they remember."""
MOST_TOLD: Final = 2


def memories_of(uow: UnitOfWork, row: GameTable, table: Table) -> n.MemoriesNotice | None:
    """Return how often these people doubted these computer players in their last game here, or None if they never did.

    Hidden players are left out. The memory contains public calls only, no dice.
    """
    rivals = {seat.name for seat in table.seats if seat.computer is not None}
    people = {seat.player: seat.name for seat in table.seats if seat.is_person}
    if not rivals or not people:
        return None
    query = (
        select(GameTable)
        .join(GameResult, col(GameResult.table_id) == col(GameTable.id))
        .where(GameResult.chat_id == row.chat_id)
        .order_by(col(GameResult.id).desc())
        .limit(REMEMBERED_GAMES)
    )
    last: dict[tuple[int, str], int] = {}
    for played in uow.session.exec(query):
        before = load_table(played)
        doubts = _doubts(uow.session, before)
        for seat in before.seats:
            for rival in before.seats:
                if (
                    seat.player in people
                    and not seat.changed_hands
                    and rival.computer is not None
                    and rival.name in rivals
                ):
                    last.setdefault((seat.player, rival.name), doubts[seat.player, rival.name])
    hidden = {player.id for player in uow.players_by_id(people).values() if player.hidden}
    memories = [
        n.RivalMemory(rival=rival, name=people[player], doubts=times)
        for (player, rival), times in sorted(last.items(), key=lambda met: -met[1])
        if times and player not in hidden
    ]
    return n.MemoriesNotice(memories=tuple(memories[:MOST_TOLD])) if memories else None


def _doubts(session: Session, table: Table) -> Counter[tuple[int, str]]:
    """Return how often each player doubted a bid of each other in a finished game, without the bot's calls for them."""
    found: Counter[tuple[int, str]] = Counter()
    bidder = None
    for action, automatic in played_game(session, table)[0]:
        if isinstance(action, Bid):
            bidder = action.seat
        elif isinstance(action, Dudo) and bidder is not None and not automatic:
            found[table.seats[action.seat].player, table.seats[bidder].name] += 1
    return found


class Season(NamedTuple):
    """One month."""

    year: int
    month: int

    @property
    def begins(self) -> float:
        """When it begins, in seconds since the epoch."""
        return datetime(self.year, self.month, 1, tzinfo=UTC).timestamp()

    @property
    def before(self) -> Season:
        """The month before."""
        return Season(self.year - 1, 12) if self.month == 1 else Season(self.year, self.month - 1)

    @property
    def after(self) -> Season:
        """The next month."""
        return Season(self.year + self.month // 12, self.month % 12 + 1)


def season_at(now: float) -> Season:
    """Return the season of a time, in seconds since the epoch."""
    date = datetime.fromtimestamp(now, UTC)
    return Season(date.year, date.month)


RIVALS: Final = 3
LEAGUE_ROWS: Final = 10
EVENING_SECONDS: Final = 6 * 3600
"""A game that ended longer before the next one belongs to another evening."""
TOLD_AT_ONCE: Final = 2
"""The maximum number of achievements at the end of a game."""


def statistics_of(session: Session, player: Player, asker: int | None, where: Place | None) -> n.StatisticsNotice:
    """Return a person's statistics, for the person who asks.

    `where`: the group that reads the answer, which must not learn who played in another group. If it is None, the asker
    reads it in private, with their own games only.
    """
    own = player.id == asker
    sums = session.get(PlayerStatistics, player.id)
    if sums is None:
        return n.StatisticsNotice(name=player.name, own=own, hidden=player.hidden)
    had = set(session.exec(select(Award.name).where(Award.player_id == player.id)))
    counts = sums.model_dump(include={"games", "wins", "streak", "best_streak", *COUNTS})
    return n.StatisticsNotice(
        name=player.name,
        own=own,
        hidden=player.hidden,
        rating=_shown(sums),
        rivals=_rivals(session, sums.player_id, asker, where) if own or where is not None else (),
        achievements=tuple(each.key for each in ACHIEVEMENTS if each.key in had),
        **counts,
    )


def _shown(sums: PlayerStatistics | None) -> int | None:
    return None if sums is None or sums.games < GAMES_BEFORE_SHOWN else Rating(sums.mu, sums.sigma).shown


def _rivals(session: Session, player: int, asker: int | None, where: Place | None) -> tuple[n.Rival, ...]:
    """Return the people whom a person has met most often in a group, or anywhere; the asker first."""
    mine, theirs = aliased(SeatResult), aliased(SeatResult)
    ahead = func.sum(case((col(mine.place) < col(theirs.place), 1), else_=0))
    behind = func.sum(case((col(mine.place) > col(theirs.place), 1), else_=0))
    query = (
        select(Player.id, Player.name, ahead, behind)
        .select_from(mine)
        .join(GameResult, col(GameResult.id) == col(mine.result_id))
        .join(theirs, (col(theirs.result_id) == col(mine.result_id)) & (col(theirs.seat) != col(mine.seat)))
        .join(Player, col(Player.id) == col(theirs.player_id))
        .where(col(mine.player_id) == player, col(GameResult.counted), ~col(Player.hidden), ~col(Player.guest))
        .group_by(col(Player.id), col(Player.name))
        .order_by(case((col(Player.id) == asker, 0), else_=1), func.count().desc(), col(Player.id))
        .limit(RIVALS)
    )
    if where is not None:
        query = query.join(Chat, col(Chat.id) == col(GameResult.chat_id)).where(_in_group(where))
    return tuple(n.Rival(name=name, ahead=won, behind=lost) for _, name, won, lost in session.exec(query))


def _in_group(where: Place | Chat) -> ColumnElement[bool]:
    """In this group, all of its topics together."""
    return (col(Chat.channel) == where.channel) & (col(Chat.address) == where.address)


@dataclass(slots=True)
class _Line:
    points: int = 0
    wins: int = 0
    games: int = 0


def league_of(session: Session, chat: Chat, season: Season, asker: int | None) -> tuple[n.LeagueRow, ...]:
    """Return the best of a group's league in one season, and the asker; without hidden players."""
    lines = _lines(session, chat, season)
    players = session.exec(select(Player).where(col(Player.id).in_(lines), ~col(Player.hidden), ~col(Player.guest)))
    people = {player.id: player for player in players}
    ranked = sorted(
        people, key=lambda player: (-lines[player].points, -lines[player].wins, lines[player].games, player)
    )
    sums = session.exec(select(PlayerStatistics).where(col(PlayerStatistics.player_id).in_(ranked)))
    ratings = {row.player_id: _shown(row) for row in sums}
    rows = [
        n.LeagueRow(
            rank=rank,
            name=people[player].name,
            face=face_of(player, people[player].face),
            points=lines[player].points,
            wins=lines[player].wins,
            games=lines[player].games,
            rating=ratings.get(player),
        )
        for rank, player in enumerate(ranked, 1)
        if rank <= LEAGUE_ROWS or player == asker
    ]
    return tuple(rows)


def _lines(session: Session, chat: Chat, season: Season) -> dict[int, _Line]:
    """Return the points of all players in a season of a group, its topics together: one for each player they beat."""
    query = (
        select(SeatResult.result_id, SeatResult.player_id, SeatResult.place)
        .join(GameResult, col(GameResult.id) == col(SeatResult.result_id))
        .join(Chat, col(Chat.id) == col(GameResult.chat_id))
        .where(_in_group(chat), col(GameResult.counted))
        .where(GameResult.ended_at >= season.begins, GameResult.ended_at < season.after.begins)
    )
    rows = session.exec(query).all()
    seats = Counter(result for result, _, _ in rows)
    lines: dict[int, _Line] = {}
    for result, player, place in rows:
        if player is not None:
            line = lines.setdefault(player, _Line())
            line.points += seats[result] - place
            line.wins += place == 1
            line.games += 1
    return lines


def computer_ratings(session: Session) -> n.ComputerRatingsNotice:
    """Return the ratings of computer players by level and character, from all games of the installation."""
    stored = session.exec(select(ComputerStatistics)).all()
    rows = [
        n.ComputerRow(
            computer=ComputerPlayer.model_validate({"level": row.level, "character": row.character}),
            rating=Rating(row.mu, row.sigma).shown,
            games=row.games,
            wins=row.wins,
        )
        for row in stored
        if row.games >= GAMES_BEFORE_SHOWN
    ]
    ranked = sorted(rows, key=lambda row: (-row.rating, row.computer.level, row.computer.character))
    return n.ComputerRatingsNotice(rows=tuple(ranked), unrated=len(stored) - len(rows))


def ladder_of(session: Session, player: int) -> tuple[ComputerPlayer, ...]:
    """Return the kinds of computer players that a person has finished ahead of, the weakest level first."""
    mine, theirs = aliased(SeatResult), aliased(SeatResult)
    query = (
        select(theirs.level, theirs.character)
        .join(mine, col(mine.result_id) == col(theirs.result_id))
        .where(col(mine.player_id) == player, col(theirs.kind) == PlayerKind.COMPUTER)
        .where(col(mine.place) < col(theirs.place), col(theirs.level).is_not(None))
        .distinct()
    )
    beaten = {
        ComputerPlayer.model_validate({"level": level, "character": character})
        for level, character in session.exec(query)
    }
    return tuple(sorted(beaten, key=rung))


def rung(computer: ComputerPlayer) -> tuple[int, int]:
    """Return the place of a kind of computer player on the ladder."""
    return list(Level).index(computer.level), list(Character).index(computer.character)


def evening_of(session: Session, chat: int, now: float) -> tuple[n.EveningScore, ...]:
    """Return the players' wins of the evening in a place, the best first; empty after its first game.

    All computer players together count as one.
    """
    winner = case((col(SeatResult.kind) == PlayerKind.COMPUTER, COMPUTERS), else_=col(Player.id))
    query = (
        select(GameResult.ended_at, Player.name, Player.hidden, winner)
        .join(SeatResult, (col(SeatResult.result_id) == col(GameResult.id)) & (col(SeatResult.place) == 1))
        .join(Player, col(Player.id) == col(SeatResult.player_id), isouter=True)
        .where(GameResult.chat_id == chat, col(GameResult.table_id).is_not(None))
        .order_by(col(GameResult.ended_at).desc(), col(GameResult.id).desc())
        .limit(MOST_GAMES)
    )
    wins: Counter[int] = Counter()
    names: dict[int, str] = {}
    games, later = 0, now
    for ended_at, name, hidden, player in session.exec(query):
        if later - ended_at > EVENING_SECONDS:
            break
        games, later = games + 1, ended_at
        if player is not None and not hidden:
            wins[player] += 1
            names[player] = COMPUTER_MARK.strip() if player == COMPUTERS else name
    if games < MIN_GAMES:
        return ()
    ranked = sorted(wins, key=lambda player: -wins[player])[:SCORES]
    return tuple(n.EveningScore(name=names[player], wins=wins[player]) for player in ranked)


COMPUTERS: Final = 0
"""The number for the wins of computer players; no person has it."""
MIN_GAMES: Final = 2
MOST_GAMES: Final = 50
SCORES: Final = 5


def take_achievements(session: Session, players: list[int], chat: int) -> tuple[n.AchievementView, ...]:
    """Return the next achievements of these players for this chat, which count as announced now.

    Hidden players are not named, and no group learns of achievements in another.
    """
    query = (
        select(Award, Player.name)
        .join(Player, col(Player.id) == col(Award.player_id))
        .join(GameResult, (col(GameResult.id) == col(Award.result_id)) & (col(GameResult.chat_id) == chat))
        .where(col(Award.player_id).in_(players), ~col(Award.told), ~col(Player.hidden))
        .where(col(Award.name).in_([each.key for each in ACHIEVEMENTS]))
        .order_by(col(Award.result_id), col(Award.player_id), col(Award.name))
    )
    rows = session.exec(query).all()
    order = {each.key: number for number, each in enumerate(ACHIEVEMENTS)}
    rows = sorted(rows, key=lambda row: (-row[0].result_id, order[row[0].name]))
    told: list[n.AchievementView] = []
    for award, name in rows[:TOLD_AT_ONCE]:
        award.told = True
        told.append(n.AchievementView(name=name, key=award.name))
    session.flush()
    return tuple(told)


def evening_part(uow: UnitOfWork, row: GameTable, table: Table) -> n.EveningNotice | None:
    """Take new achievements and return them with the score of the evening, or None if there are none.

    A game that does not count earned none: those of games before it wait for a game that counts.
    """
    session, chat = uow.session, row.chat_id
    people = [seat.player for seat in table.seats]
    achievements = take_achievements(session, people, chat) if table.counts_for_league else ()
    evening = evening_of(session, chat, uow.now)
    return n.EveningNotice(achievements=achievements, evening=evening) if achievements or evening else None
