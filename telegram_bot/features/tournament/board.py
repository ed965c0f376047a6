"""The group's one message about its tournament, which is edited, and what a television shows of its tables."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, select

from perudo_core import Bid, Calza, Concede, Dudo, Rules
from telegram_bot.features.tournament.draw import ranking
from telegram_bot.features.tournament.notices import (
    Phase,
    SeatLine,
    TableLine,
    TelevisedRevealNotice,
    TelevisedRoundNotice,
    TournamentNotice,
)
from telegram_bot.features.tournament.tables import Entrant, StageTable, Standing, Tournament, subject_of
from telegram_bot.intents.intents import Intent
from telegram_bot.notices import PublicNotice
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import JoinList
from telegram_bot.screens.routes import room_of
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.outbox_dedupe import waiting_until
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.tables.faces import Face, face_of, free_face
from telegram_bot.tables.model import Seat, Status, Table
from telegram_bot.tables.result_views import reveal_view
from telegram_bot.tables.views import table_view

SLOT: Final = "tournament"
GATHERED_SECONDS: Final = 12.0
"""How long the ends of rounds at all tables are gathered into one edit: at most five edits in a minute of a stage."""


def entrants_of(uow: UnitOfWork, tournament: Tournament, standing: Standing = Standing.IN) -> list[Entrant]:
    """Return the people of a standing, in the order in which they joined or asked."""
    query = select(Entrant).where(Entrant.tournament_id == tournament.id, Entrant.standing == standing)
    return list(uow.session.exec(query.order_by(col(Entrant.number))))


def join_lists(session: Session, rooms: Collection[int] | str) -> list[JoinList]:
    """Return the lists of running tournaments, by their groups or by one code."""
    which = Tournament.code == rooms if isinstance(rooms, str) else col(Tournament.chat_id).in_(rooms)
    running = session.exec(select(Tournament).where(col(Tournament.live), which))
    return [JoinList(each.chat_id, each.code, _host_number(session, each)) for each in running]


def lists_naming(session: Session, player: int) -> set[int]:
    """Return the tournaments whose notices may name a person, as `Notification.table` has them, and their tables."""
    tournaments = _of_person(session, player, col(Tournament.id))
    tables = select(StageTable.table_id).where(col(StageTable.tournament_id).in_(tournaments))
    return {*map(subject_of, tournaments), *session.exec(tables)}


def chats_naming(session: Session, player: int) -> set[int]:
    """Return the chats of these tournaments."""
    return _of_person(session, player, col(Tournament.chat_id))


def _of_person(session: Session, player: int, which: Mapped[int]) -> set[int]:
    entered = select(Entrant.tournament_id).where(Entrant.player_id == player)
    theirs = col(Tournament.id).in_(entered) | (col(Tournament.host_id) == player)
    return set(session.exec(select(which).where(theirs)))


def faces_of(uow: UnitOfWork, tournament: Tournament) -> dict[int, Face]:
    """Return a face for each person on the list: the one they have chosen, if they can have it, or a free one.

    The bracket shows faces without names, so no two people have the same one while there are enough.
    """
    listed = [each.player_id for each in entrants_of(uow, tournament)]
    players, faces = uow.players_by_id(listed), dict[int, Face]()
    for player in sorted((players[number] for number in listed), key=lambda each: each.face is None):
        faces[player.id] = free_face(face_of(player.id, player.face), faces.values())
    return faces


def host_of(uow: UnitOfWork, tournament: Tournament) -> Player | None:
    """Return the person who opened the tournament; after they left, the first person of the group on the list.

    If only people from outside the group are on the list, it is the first of them.
    """
    number = _host_number(uow.session, tournament)
    return None if number is None else uow.player_by_id(number)


def _host_number(session: Session, tournament: Tournament) -> int | None:
    if tournament.host_id is not None:
        return tournament.host_id
    of_group = select(Chat.channel).where(Chat.id == tournament.chat_id).scalar_subquery()
    query = select(Entrant.player_id).join(Player, col(Player.id) == col(Entrant.player_id))
    query = query.where(Entrant.tournament_id == tournament.id, Entrant.standing == Standing.IN)
    return session.exec(query.order_by(col(Player.channel) != of_group, col(Entrant.number)).limit(1)).first()


def is_in_group(uow: UnitOfWork, intent: Intent, tournament: Tournament) -> bool:
    """Return True if the person asks in the tournament's group.

    Buttons can be forged: a number names any tournament.
    """
    group, where = uow.session.get_one(Chat, tournament.chat_id), intent.where
    return where is not None and (where.channel, where.address) == (group.channel, group.address)


def stage_tables(uow: UnitOfWork, tournament: Tournament, stage: int | None = None) -> list[tuple[StageTable, Table]]:
    """Return the tables of a stage, or of all stages, in the order of the draws."""
    query = (
        select(StageTable, GameTable)
        .join(GameTable, col(GameTable.id) == col(StageTable.table_id))
        .where(StageTable.tournament_id == tournament.id)
        .order_by(col(StageTable.stage), col(StageTable.number))
    )
    chosen = query if stage is None else query.where(StageTable.stage == stage)
    return [(entry, load_table(row)) for entry, row in uow.session.exec(chosen)]


def may_come_late(uow: UnitOfWork, tournament: Tournament) -> bool:
    """Return True during the first stage until its first table has ended."""
    ended = select(StageTable.table_id).where(StageTable.tournament_id == tournament.id, col(StageTable.over))
    first = (tournament.phase, tournament.stage) == (Phase.TABLES, 1)
    return first and uow.session.exec(ended.limit(1)).first() is None


def without_table(uow: UnitOfWork, tournament: Tournament) -> list[Entrant]:
    """Return the people who came late and wait for a table."""
    return [each for each in entrants_of(uow, tournament) if each.table_id is None and not each.out]


def people_of(seat: Seat) -> tuple[int, ...]:
    """Return the person on a seat, and then its owner, if another person has it."""
    return (seat.player,) if seat.owner is None else (seat.player, seat.owner.player)


def sleepers(uow: UnitOfWork, tournament: Tournament) -> set[int]:
    """Return the people for whom the bot played every turn of their last game."""
    found = set()
    last = {each.player_id: each.table_id for each in entrants_of(uow, tournament)}
    for _, table in stage_tables(uow, tournament):
        played, _ = played_game(uow.session, table)
        calls = [(action.seat, by_bot) for action, by_bot in played if isinstance(action, Bid | Dudo | Calza | Concede)]
        missed = {seat for seat, by_bot in calls if by_bot} - {seat for seat, by_bot in calls if not by_bot}
        players = {table.seats[seat].player for seat in missed}
        found |= {player for player in players if last.get(player) == table.id}
    return found


def show(uow: UnitOfWork, tournament: Tournament, *, gathered: float = 0, unfolded: bool = False) -> None:
    """Edit the group's message, together with the changes of the next `gathered` seconds; `unfolded`: with all keys."""
    chat = uow.session.get_one(Chat, tournament.chat_id)
    waiting = waiting_until(uow.session, chat.lane, subject_of(tournament.id), SLOT)
    on_pages = chat.channel == uow.channels.rooms
    at = uow.now + (0 if on_pages else gathered)
    at = at if waiting is None else min(at, waiting)
    notice = _notice(uow, tournament).model_copy(update={"unfolded": unfolded})
    about = subject_of(tournament.id)
    say(uow, chat, notice, about=about, slot=SLOT, key=(), not_before=at)  # an edit makes no sound
    if not on_pages:
        show_on_pages(uow, tournament)


def show_on_pages(
    uow: UnitOfWork, tournament: Tournament, notice: PublicNotice | None = None, *, not_before: float = 0
) -> None:
    """Show a notice on the pages that read the group's room; without one, the group's message.

    Pages have no limit of messages, so nothing is gathered. The room keeps the order of its notices.
    """
    if uow.channels.pages is not None:
        chat = uow.session.get_one(Chat, tournament.chat_id)
        at, shown = room_of(chat, uow.channels), notice or _notice(uow, tournament)
        say(uow, chat, shown, about=subject_of(tournament.id), at=at, not_before=not_before)


def show_at_bottom(uow: UnitOfWork, tournament: Tournament) -> None:
    """Show the message again at the end of the chat."""
    withdraw(uow, uow.session.get_one(Chat, tournament.chat_id), SLOT, about=subject_of(tournament.id))
    show(uow, tournament)


def _notice(uow: UnitOfWork, tournament: Tournament) -> TournamentNotice:
    people = entrants_of(uow, tournament)
    listed = people if tournament.phase == Phase.OPEN else [each for each in people if not each.out]
    faces = faces_of(uow, tournament) if tournament.phase == Phase.OPEN else {}
    going_on = {each.player_id for each in people if not each.out}
    host = host_of(uow, tournament)
    return TournamentNotice(
        tournament=tournament.id,
        phase=Phase(tournament.phase),
        rules=Rules.from_dict(tournament.rules),
        house_rules=uow.config.house_rules,
        names=_names(uow, listed),
        faces=tuple(faces[each.player_id] for each in listed if each.player_id in faces),
        players=tuple(sorted(going_on)),
        host="" if host is None else host.name,
        computers=tournament.computers,
        asking=len(entrants_of(uow, tournament, Standing.ASKS)),
        code=tournament.code,
        numbers=uow.config.numbers,
        stage=tournament.stage,
        tables=_lines(uow, tournament, going_on) if tournament.phase == Phase.TABLES else (),
        late=_names(uow, without_table(uow, tournament)) if may_come_late(uow, tournament) else None,
        finalists=_finalists(uow, tournament) if tournament.phase == Phase.FINAL else (),
    )


def _names(uow: UnitOfWork, entrants: Sequence[Entrant]) -> tuple[str, ...]:
    players = uow.players_by_id(each.player_id for each in entrants)
    return tuple(players[each.player_id].name for each in entrants)


def _finalists(uow: UnitOfWork, tournament: Tournament) -> tuple[SeatLine, ...]:
    tables = stage_tables(uow, tournament, tournament.stage)
    return tuple(SeatLine(name=seat.name, face=seat.face) for _, table in tables for seat in table.seats)


def _lines(uow: UnitOfWork, tournament: Tournament, going_on: set[int]) -> tuple[TableLine, ...]:
    lines = []
    for entry, table in stage_tables(uow, tournament, tournament.stage):
        game = table.begun_game
        dice = entry.dice
        good = -1 if game.rules.first_out_wins else 1
        order = ranking(game) if entry.over else sorted(range(len(dice)), key=lambda seat: -good * dice[seat])
        seats = (
            SeatLine(
                name=table.seats[seat].name,
                face=table.seats[seat].face,
                dice=0 if entry.over else dice[seat],
                goes_on=entry.over and not going_on.isdisjoint(people_of(table.seats[seat])),
            )
            for seat in order
        )
        lines.append(TableLine(number=entry.number, seats=tuple(seats), over=entry.over, going_on=table.going_on))
    return tuple(lines)


# The television


def televise_again(uow: UnitOfWork, chat: Chat) -> None:
    """Show the chat's running tournament again, because a room loses its cards when a new table begins there."""
    running = select(Tournament).where(Tournament.chat_id == chat.id, col(Tournament.live))
    tournament = uow.session.exec(running).first()
    if tournament is not None:
        show_on_pages(uow, tournament)
        televise(uow, tournament, again=True)


def televise(uow: UnitOfWork, tournament: Tournament, *, again: bool = False) -> None:
    """Choose a table and show it, unless the chosen one is in the middle of a round; `again`: show it then as well."""
    tables = _playing(uow, tournament) if tournament.phase == Phase.TABLES else {}
    if tables and (again or tournament.televised not in tables):
        if tournament.televised not in tables:
            rows = {number: uow.session.get_one(GameTable, number) for number in tables}
            shown = [number for number, row in rows.items() if uow.unrevealed(row) is None]
            tournament.televised = min(shown, key=lambda number: (_dice_left(tables[number][1]), number), default=None)
        if tournament.televised is not None:
            _show_round(uow, tournament, *tables[tournament.televised])


def table_to_watch(uow: UnitOfWork, tournament: Tournament) -> GameTable | None:
    """Return the table that the television shows, or else the one with the fewest dice, or None if no game runs."""
    tables = _playing(uow, tournament) if tournament.phase == Phase.TABLES else {}
    if not tables:
        return None
    fewest = min(tables, key=lambda number: (_dice_left(tables[number][1]), number))
    return uow.session.get_one(GameTable, tournament.televised if tournament.televised in tables else fewest)


def televise_step(uow: UnitOfWork, row: GameTable, table: Table) -> None:
    """Show a bid at the chosen table."""
    entry = uow.session.get(StageTable, row.id)
    tournament = None if entry is None else uow.session.get(Tournament, entry.tournament_id)
    if entry is not None and tournament is not None and (tournament.televised, tournament.live) == (row.id, True):
        _show_round(uow, tournament, entry.number, table)


def televise_end(outbox: TableOutbox, committed: CommittedStep, tournament: Tournament, entry: StageTable) -> None:
    """Show the dice of the chosen table when its players see them; then another table may be chosen."""
    if tournament.televised != entry.table_id or committed.before is None:
        return
    reveal = reveal_view(committed.before, committed.step.table, committed.step.game_events)
    if reveal is not None:
        notice = TelevisedRevealNotice(number=entry.number, view=reveal)
        at = outbox.uow.now if outbox.delay is None else outbox.delay.at
        show_on_pages(outbox.uow, tournament, notice, not_before=at)
    tournament.televised = None


def _show_round(uow: UnitOfWork, tournament: Tournament, number: int, table: Table) -> None:
    view = table_view(table).model_copy(update={"code": ""})
    show_on_pages(uow, tournament, TelevisedRoundNotice(number=number, view=view))


def _playing(uow: UnitOfWork, tournament: Tournament) -> dict[int, tuple[int, Table]]:
    """Return the tables of the stage whose games run, with their numbers within the stage."""
    return {
        table.id: (entry.number, table)
        for entry, table in stage_tables(uow, tournament, tournament.stage)
        if table.status is Status.PLAYING
    }


def _dice_left(table: Table) -> int:
    """Return the number of dice at a table; the group's message tells it, by any rules."""
    return sum(table.begun_game.dice_counts)
