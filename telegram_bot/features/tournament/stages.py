"""The course of a tournament: the draw of each stage, the end of each of its tables, the final."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypedDict

from sqlmodel import col, select, update

from perudo_core import Leave, RoundStarted, Rules
from telegram_bot.features.tournament.board import (
    GATHERED_SECONDS,
    entrants_of,
    faces_of,
    host_of,
    people_of,
    show,
    sleepers,
    stage_tables,
    table_to_watch,
    televise,
    televise_again,
    televise_end,
    televise_step,
    without_table,
)
from telegram_bot.features.tournament.draw import (
    ENTRANCE_SECONDS,
    LATE_TABLE,
    draw_tables,
    going_on,
    ranking,
    seats_at_a_table,
)
from telegram_bot.features.tournament.notices import (
    BracketNotice,
    FinaleNotice,
    FreeSeat,
    FreeSeatsNotice,
    HurryNotice,
    Phase,
    PlaceNotice,
    SealsNotice,
    SeatLine,
    StageResultNotice,
    TableLine,
    TableSeal,
    TournamentAnswer,
    TournamentAnswerNotice,
)
from telegram_bot.features.tournament.tables import Entrant, StageTable, Standing, Tournament, subject_of
from telegram_bot.intents.channel_traits import NO_CHAT
from telegram_bot.intents.intents import Person, Place
from telegram_bot.repositories.membership import players_who_left
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import let_member_in
from telegram_bot.screens.routes import own_address
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.table_context import seat_for
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.service.results.game_results import played_game, record_places
from telegram_bot.service.round_ends import LOOKS_AGAIN_SECONDS
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.storage.web_models import WebSession
from telegram_bot.tables import computer_players, lobby_rules
from telegram_bot.tables.events import ClockRanOut, PlainEvent, TableChange
from telegram_bot.tables.model import CloseReason, Status, Table, TurnClock
from telegram_bot.tables.play import start_clock
from telegram_bot.tables.sealed_dice import commitment_of
from telegram_bot.tables.sleepers import takeable

FEWEST_AT_A_TABLE: Final = 2
ROOMS: Final = 2**52
"""Rooms of tournaments have smaller addresses than minus this, and no other room has."""
ROOMS_OF_A_TOURNAMENT: Final = 10_000
SLOWEST_SECONDS: Final = 60
"""The longest turn: people at other tables wait for this one."""
IDLE_LOBBY_SECONDS: Final = 60
"""After so long without a change, a lobby of the group where several people sit gives way to the final."""
DICE_SEEN: Final = "tournament"
"""The timer of a table of a tournament whose last dice are being shown."""
HURRIED_SECONDS: Final = 30
"""The longest turn once more than half of the tables of a stage have ended."""


def load_tournament(uow: UnitOfWork, number: int) -> Tournament | None:
    """Return the tournament. People who left the group take part no longer."""
    query = select(Tournament).where(Tournament.id == number)
    tournament = uow.session.exec(query.execution_options(populate_existing=True)).one_or_none()
    if tournament is not None and tournament.live:
        for player in players_who_left(uow, uow.session.get_one(Chat, tournament.chat_id)):
            withdraw(uow, tournament, player)
    return tournament


def withdraw(uow: UnitOfWork, tournament: Tournament, player: int) -> None:
    """Remove a person from the list, or from the stages to come; if they are the host, another person becomes it."""
    host, entrant = host_of(uow, tournament), uow.session.get(Entrant, (tournament.id, player))
    if host is not None and host.id == player:
        tournament.host_id, tournament.host_at = None, uow.now
    if entrant is not None and entrant.table_id is not None:
        entrant.out = True
    elif entrant is not None and entrant.standing != Standing.REMOVED:  # a removed person stays removed
        uow.session.delete(entrant)
    uow.session.flush()


def tell(uow: UnitOfWork, player: int, said: TournamentAnswer) -> None:
    """Tell a person about their place on the list."""
    person = uow.player_by_id(player)
    at = own_address(uow, person)
    guest = uow.traits(at.channel).reads_rooms
    say(uow, person, TournamentAnswerNotice(answer=said, guest=guest), at=at)


def end_questions(uow: UnitOfWork, tournament: Tournament, said: TournamentAnswer) -> None:
    """Tell the people who wait for the host's answer that there will be none."""
    for each in entrants_of(uow, tournament, Standing.ASKS):
        uow.session.delete(each)
        tell(uow, each.player_id, said)
    uow.session.flush()


def draw_stage(uow: UnitOfWork, tournament: Tournament) -> None:
    """Draw the people who are left into tables, and begin all games; or the final, if one table is enough."""
    tournament.stage += 1
    tournament.changed_at = uow.now
    left = [each for each in entrants_of(uow, tournament) if not each.out]
    seats = seats_at_a_table(Rules.from_dict(tournament.rules))
    if len(left) <= seats:
        tournament.phase = Phase.FINAL_WAITS
        begin_final(uow, tournament)
        return
    tournament.phase = Phase.TABLES
    tables = draw_tables(left, uow.rng, most_at_a_table=seats)
    most = len(tables[0]) if tournament.computers else 0
    seals = [
        _begin_in_private(uow, tournament, people, number, max(0, most - len(people)))
        for number, people in enumerate(tables, start=1)
    ]
    _publish_seals(uow, tournament, seals)


def _begin_in_private(
    uow: UnitOfWork, tournament: Tournament, people: Sequence[Entrant], number: int, computers: int = 0
) -> TableSeal | None:
    """Begin a game in a room of its own, to which the pages of its people move; without pages, in no chat at all."""
    group = uow.session.get_one(Chat, tournament.chat_id)
    title = f"🏆 {group.title} {number}"
    rooms = uow.channels.pages
    if rooms is not None:
        place = uow.ensure_chat(
            Place(rooms, -(ROOMS + ROOMS_OF_A_TOURNAMENT * tournament.id + 100 * tournament.stage + number), 0, title)
        )
    else:
        place = uow.ensure_chat(Place(NO_CHAT.name, tournament.id, 100 * tournament.stage + number, title))
    _move_pages(uow, tournament, place, people)
    return _begin_game(uow, tournament, place, people, number, computers=computers, on=going_on(len(people)))


def _move_pages(uow: UnitOfWork, tournament: Tournament, place: Chat, people: Iterable[Entrant]) -> None:
    """Let pages show this place: all of guests, whom no other message leads there, and those of this tournament."""
    people, rooms = list(people), [tournament.chat_id, *_rooms_of_tables(uow, tournament)]
    players = col(Player.id).in_([each.player_id for each in people])
    guests = select(Player.id).where(players, Player.channel == uow.channels.rooms)
    pages = col(WebSession.player_id).in_(guests) | col(WebSession.chat_id).in_(rooms)
    theirs = update(WebSession).where(pages, col(WebSession.player_id).in_(select(Player.id).where(players)))
    uow.session.execute(theirs.where(col(WebSession.shown_chat_id).in_(rooms)).values(shown_chat_id=place.id))
    uow.session.execute(theirs.values(chat_id=place.id))


def _rooms_of_tables(uow: UnitOfWork, tournament: Tournament) -> Sequence[int]:
    rooms = select(GameTable.chat_id).join(StageTable, col(StageTable.table_id) == col(GameTable.id))
    return uow.session.exec(rooms.where(StageTable.tournament_id == tournament.id)).all()


def watch(uow: UnitOfWork, tournament: Tournament, player: Player) -> bool:
    """Let a person's pages of this tournament show a table whose game runs; False if there is none."""
    row = table_to_watch(uow, tournament)
    if row is None:
        return False
    let_member_in(uow.session, row.chat_id, player.id, uow.now)
    shown = col(WebSession.chat_id).in_(_rooms_of_tables(uow, tournament))
    uow.session.execute(
        update(WebSession).where(col(WebSession.player_id) == player.id, shown).values(chat_id=row.chat_id)
    )
    return True


def seat_late(uow: UnitOfWork, tournament: Tournament, fewest: int = LATE_TABLE) -> None:
    """Begin another game of the first stage as soon as so many people have come late."""
    late = without_table(uow, tournament)
    if len(late) >= fewest:
        tables = uow.session.exec(select(StageTable).where(StageTable.tournament_id == tournament.id)).all()
        _publish_seals(uow, tournament, [_begin_in_private(uow, tournament, late, len(tables) + 1)])


def offer_seats(uow: UnitOfWork, tournament: Tournament) -> None:
    """Offer the people who came late and have had no table the seats of players who are away."""
    tables = [(entry, table) for entry, table in stage_tables(uow, tournament, tournament.stage) if not entry.over]
    free = tuple(
        FreeSeat(entry.table_id, table.seats[seat].player, table.seats[seat].name)
        for entry, table in tables
        if table.status is Status.PLAYING
        for seat in takeable(table)
    )
    title = uow.session.get_one(Chat, tournament.chat_id).title
    for each in entrants_of(uow, tournament) if free else ():
        if each.table_id is None:
            player, slot = uow.player_by_id(each.player_id), f"seats:{each.player_id}"
            offer = FreeSeatsNotice(tournament=tournament.id, title=title, seats=free)
            key = tuple(seat.player for seat in free)  # other seats are offered in a new message
            say(uow, player, offer, at=own_address(uow, player), about=subject_of(tournament.id), slot=slot, key=key)


def _follow_seats(uow: UnitOfWork, tournament: Tournament, before: Table, table: Table) -> None:
    """Let a late person who has taken a seat take part in place of its owner, until the owner has it again.

    A person who has, or had, another table only helps the owner.
    """
    for then, now in zip(before.seats, table.seats, strict=True):
        if then.player == now.player:
            continue
        people = (uow.session.get(Entrant, (tournament.id, each)) for each in {*people_of(then), *people_of(now)})
        here = {each.player_id: each for each in people if each is not None and each.table_id in (None, table.id)}
        plays = next((here[player] for player in people_of(now) if player in here), None)
        for each in here.values():
            each.table_id, each.out = table.id, each is not plays
        uow.session.flush()
        if plays is not None:
            _move_pages(uow, tournament, uow.chat_of(uow.session.get_one(GameTable, table.id)), [plays])
        show(uow, tournament, gathered=GATHERED_SECONDS)


def begin_final(uow: UnitOfWork, tournament: Tournament) -> bool:
    """Begin the final in the group, or end the tournament if fewer than two people are left.

    An idle or empty lobby of the group gives way. False: the final waits, because another game runs in the group, or
    because the bot cannot write there.
    """
    finalists = [each for each in entrants_of(uow, tournament) if not each.out]
    group = uow.session.get_one(Chat, tournament.chat_id)
    if len(finalists) <= 1:
        tournament.phase = Phase.OVER if finalists else Phase.CLOSED
        tournament.live = False
        if finalists:
            for reader, notice, at in place_notices(uow, tournament):
                say(uow, reader, notice, at=at)
            say(uow, group, BracketNotice(**whole_tournament(uow, tournament)))
        return True
    running = select(GameTable.id).where(GameTable.chat_id == group.id, col(GameTable.live))
    table = uow.session.exec(running).first()
    if group.lost_at is not None:
        return False
    if table is not None:
        _close_if_idle(uow, table)  # then the final begins as after any game
        return tournament.phase == Phase.FINAL
    tournament.phase = Phase.FINAL
    _move_pages(uow, tournament, group, entrants_of(uow, tournament))
    _publish_seals(uow, tournament, [_begin_game(uow, tournament, group, finalists, 1)])
    return True


def _close_if_idle(uow: UnitOfWork, number: int) -> None:
    """Close a lobby that has not changed for a while, or where only one person sits."""
    row = uow.table_by_id(number)
    if row is None or row.status != Status.LOBBY:
        return
    before = load_table(row)
    people = sum(seat.computer is None for seat in before.seats)
    if people > 1 and uow.now - row.updated_at < IDLE_LOBBY_SECONDS:
        return
    uow.commit_step(row, before, lobby_rules.close(before, CloseReason.STOPPED))


def _begin_game(
    uow: UnitOfWork,
    tournament: Tournament,
    place: Chat,
    people: Sequence[Entrant],
    number: int,
    *,
    computers: int = 0,
    on: int = 0,
) -> TableSeal | None:
    """Begin a game, and return the seal of its dice, or None if this installation seals none."""
    row, new = uow.new_table(place)
    players = uow.players_by_id(each.player_id for each in people)
    faces = faces_of(uow, tournament)
    seats = (seat_for(uow, players[each.player_id]) for each in people)
    first, *others = (seat.model_copy(update={"face": faces[seat.player]}) for seat in seats)
    seconds = min(uow.config.clock.seconds or SLOWEST_SECONDS, SLOWEST_SECONDS)
    moment = uow.moment
    rules = Rules.from_dict(tournament.rules)
    table = lobby_rules.open_lobby(new, first, rules, TurnClock(seconds=seconds), moment=moment).table
    for seat in others:
        table = lobby_rules.join(table, seat, moment=moment).table
    if computers:
        table = computer_players.add(table, table.host, computers, moment=moment).table
    table = table.replace(going_on=on, unrated=True, sealed=table.secret is not None)
    table = table.replace(again=False)  # the tournament goes on, or ends, elsewhere
    started = lobby_rules.start(table, table.host, moment=moment)
    started = started.then(start_clock(started.table, now=moment.now + ENTRANCE_SECONDS, timings=moment.timings))
    stage, dice = tournament.stage, list(started.table.begun_game.dice_counts)
    uow.session.add(StageTable(table_id=row.id, tournament_id=tournament.id, stage=stage, number=number, dice=dice))
    for each in people:
        each.table_id = row.id
    uow.commit_step(row, None, started)
    commitment = commitment_of(started.table)
    return None if commitment is None else TableSeal(number=number, code=new.code, commitment=commitment)


def _publish_seals(uow: UnitOfWork, tournament: Tournament, seals: Iterable[TableSeal | None]) -> None:
    """Publish the seals of a stage's tables in the group, in a message of its own that is never edited.

    The tournament's message is edited, and readers could not see whether an edit replaced a seal.
    """
    published = tuple(seal for seal in seals if seal is not None)
    if published:
        group = uow.session.get_one(Chat, tournament.chat_id)
        notice = SealsNotice(stage=tournament.stage, seals=published)
        say(uow, group, notice, silent=True)


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Go on with a table's tournament after each round and each game, once the dice were shown: see `dice_seen`.

    Pages that read the group's room see each step of one table.
    """
    uow, row, step = outbox.uow, committed.row, committed.step
    if any(isinstance(event, ClockRanOut) for event in step.events):
        _offer_seats_of(uow, row.id)
    over = step.table.status in (Status.FINISHED, Status.CLOSED)
    if PlainEvent.RESULT_SHOWN in step.events:
        dice_seen(uow, step.table)
        return
    if committed.before is None:
        televise_again(uow, outbox.chat)
        return
    if not (over or any(isinstance(event, RoundStarted) for event in step.game_events)):
        if step.table.going_on:
            televise_step(uow, row, step.table)
        return
    entry = uow.session.get(StageTable, row.id)
    if entry is not None:
        tournament = load_tournament(uow, entry.tournament_id)
        if tournament is None or entry.over or not tournament.live:
            return
        _follow_seats(uow, tournament, committed.before, step.table)
        televise_end(outbox, committed, tournament, entry)
        if step.actions and isinstance(step.actions[0], Leave):
            withdraw(uow, tournament, step.table.seats[step.actions[0].seat].player)
    elif not over or _waiting_final(uow, row.chat_id) is None:
        return
    shown_at = None if step.table.status is Status.FINISHED else dice_seen(uow, step.table)
    if shown_at is not None:
        uow.set_timer(row, DICE_SEEN, shown_at)


def _offer_seats_of(uow: UnitOfWork, table: int) -> None:
    entry = uow.session.get(StageTable, table)
    tournament = None if entry is None else load_tournament(uow, entry.tournament_id)
    if tournament is not None and tournament.phase == Phase.TABLES:
        offer_seats(uow, tournament)


def finale_of(uow: UnitOfWork, row: GameTable, table: Table) -> FinaleNotice | None:
    """Return the end of the tournament whose final has just ended at the table, or None for any other table."""
    entry = uow.session.get(StageTable, row.id)
    tournament = None if entry is None else load_tournament(uow, entry.tournament_id)
    if tournament is None or not tournament.live or tournament.phase != Phase.FINAL:
        return None
    (*_, (last, _)), _ = played_game(uow.session, table)
    if isinstance(last, Leave):
        withdraw(uow, tournament, table.seats[last.seat].player)
    return FinaleNotice(**whole_tournament(uow, tournament))


def dice_seen(uow: UnitOfWork, table: Table) -> float | None:
    """Go on with the tournament of a table whose last round is over; return a later time if its dice are unrevealed.

    The group's message shows the round. If the game is over, its players read their result; when the last
    table of a stage has ended, the next stage begins, and a final that waits begins when the group's game has ended.
    """
    row = uow.session.get_one(GameTable, table.id)
    chat = uow.chat_of(row)
    if (unrevealed := uow.unrevealed(row)) is not None:
        return max(unrevealed[1], uow.now + LOOKS_AGAIN_SECONDS)
    over = table.status in (Status.FINISHED, Status.CLOSED)
    entry = uow.session.get(StageTable, row.id)
    if entry is None:
        if over:
            _begin_waiting_final(uow, row.chat_id)
        return None
    tournament = load_tournament(uow, entry.tournament_id)
    if tournament is None or entry.over or not tournament.live:
        return None
    entry.dice = list(table.begun_game.dice_counts)
    outbox = TableOutbox(uow, row, chat)
    if over:
        _end_table(outbox, tournament, entry, table)
    else:
        _hurry(outbox, tournament, load_table(row))
    stage_over = (tournament.phase, tournament.stage) != (Phase.TABLES, entry.stage)
    if over or tournament.phase == Phase.TABLES:
        show(uow, tournament, gathered=0 if stage_over else GATHERED_SECONDS)
    televise(uow, tournament)
    return None


def _hurry(outbox: TableOutbox, tournament: Tournament, table: Table) -> None:
    """Shorten the turns of a table for which most other tables of the stage wait, and tell its players."""
    uow = outbox.uow
    if tournament.phase != Phase.TABLES or table.clock.seconds <= HURRIED_SECONDS:
        return
    stage = (StageTable.tournament_id == tournament.id, StageTable.stage == tournament.stage)
    over = list(uow.session.exec(select(StageTable.over).where(*stage)))
    if sum(over) <= len(over) / 2:
        return
    quick = table.replace(clock=table.clock.model_copy(update={"seconds": HURRIED_SECONDS}))
    uow.commit_step(outbox.row, table, TableChange(quick))
    for seat in table.begun_game.active_seats:
        if not table.is_computer(seat) and not table.seats[seat].away:
            player = uow.player_by_id(table.seats[seat].player)
            notice = HurryNotice(seconds=HURRIED_SECONDS, title=outbox.chat.title)
            say(uow, player, notice, at=own_address(uow, player), until=uow.now + HURRIED_SECONDS)


def _waiting_final(uow: UnitOfWork, chat: int) -> int | None:
    waits = (Tournament.chat_id == chat, col(Tournament.live), Tournament.phase == Phase.FINAL_WAITS)
    return uow.session.exec(select(Tournament.id).where(*waits)).first()


def _begin_waiting_final(uow: UnitOfWork, chat: int) -> None:
    number = _waiting_final(uow, chat)
    tournament = None if number is None else load_tournament(uow, number)
    if tournament is not None and tournament.phase == Phase.FINAL_WAITS and begin_final(uow, tournament):
        show(uow, tournament)


def _end_table(outbox: TableOutbox, tournament: Tournament, entry: StageTable, table: Table) -> None:
    uow = outbox.uow
    entry.over = True
    tournament.changed_at = uow.now
    if tournament.phase == Phase.FINAL:
        tournament.phase = Phase.OVER if table.status is Status.FINISHED else Phase.CLOSED
        tournament.live = False
        if tournament.phase == Phase.OVER:
            for reader, notice, at in place_notices(uow, tournament):
                say(uow, reader, notice, about=outbox, at=at)
        return
    found = {each.player_id: each for each in entrants_of(uow, tournament) if not each.out}
    people = [people_of(table.seats[seat]) for seat in ranking(table.begun_game)]
    here = {player: each for player, each in found.items() if each.table_id == table.id}
    ranked = [next(here[each] for each in seat if each in here) for seat in people if not here.keys().isdisjoint(seat)]
    seat_late(uow, tournament, FEWEST_AT_A_TABLE)  # from now on no one can come
    end_questions(uow, tournament, TournamentAnswer.BEGUN)
    late = without_table(uow, tournament)
    for entrant in [*ranked[table.going_on :], *late]:
        entrant.out = True
    uow.session.flush()
    stage = (StageTable.tournament_id == tournament.id, StageTable.stage == tournament.stage)
    ended = uow.session.exec(select(StageTable.table_id).where(*stage, ~col(StageTable.over))).first() is None
    group = uow.session.get_one(Chat, tournament.chat_id)
    places = sum(each.going_on for _, each in stage_tables(uow, tournament, tournament.stage))
    for entrant in [*ranked, *late]:
        told = StageResultNotice(
            goes_on=not entrant.out,
            played=entrant.table_id is not None,
            table=entrant.table_id,
            final_next=places <= seats_at_a_table(Rules.from_dict(tournament.rules)),
            stage=tournament.stage,
            title=group.title,
        )
        player = uow.player_by_id(entrant.player_id)
        say(uow, player, told, about=outbox, at=own_address(uow, player))
    if ended:
        draw_stage(uow, tournament)
    else:
        offer_seats(uow, tournament)


class Whole(TypedDict):
    """The fields of a notice about the whole tournament."""

    tournament: int
    title: str
    winner: str
    people: int
    stages: tuple[tuple[TableLine, ...], ...]
    places: tuple[SeatLine, ...]
    bluffer: str
    bluff: BluffCard | None


def whole_tournament(uow: UnitOfWork, tournament: Tournament) -> Whole:
    """Return all stages and everyone's place."""
    people = placed(uow, tournament)
    places = {each.player_id: each.place or 0 for each in people}
    winner = people[0].player_id
    stages: dict[int, list[tuple[StageTable, Table]]] = {}
    for entry, table in stage_tables(uow, tournament):
        stages.setdefault(entry.stage, []).append((entry, table))
    drawn = []
    for stage, tables in stages.items():
        following = {seat.player for _, table in stages.get(stage + 1, ()) for seat in table.seats} or {winner}
        drawn.append(tuple(_line(entry, table, following, places) for entry, table in tables))
    seats = {seat.player: seat for tables in stages.values() for _, table in tables for seat in table.seats}
    players, slept = uow.players_by_id(places), sleepers(uow, tournament)
    bluffs = [
        (card, table.seats[card.seat].name)
        for tables in stages.values()
        for _, table in tables
        if (card := highlight_of(uow, table, [Feat.BLUFF])) is not None
    ]
    bluff, bluffer = min(bluffs, key=lambda each: each[0].chance, default=(None, ""))
    return {
        "tournament": tournament.id,
        "title": uow.session.get_one(Chat, tournament.chat_id).title,
        "winner": players[winner].name,
        "people": len(people),
        "stages": tuple(drawn),
        "places": tuple(
            SeatLine(
                name=players[player].name,
                face=seats[player].face if player in seats else None,
                place=place,
                slept=player in slept,
            )
            for player, place in places.items()
        ),
        "bluffer": bluffer,
        "bluff": bluff,
    }


def _line(entry: StageTable, table: Table, following: set[int], places: dict[int, int]) -> TableLine:
    seats = [table.seats[seat] for seat in ranking(table.begun_game)]
    lines = [
        SeatLine(
            name=seat.name,
            face=seat.face,
            goes_on=not following.isdisjoint(people_of(seat)),
            place=places.get(seat.player, 0),
        )
        for seat in seats
    ]
    return TableLine(number=entry.number, seats=tuple(lines), over=True)


def placed(uow: UnitOfWork, tournament: Tournament) -> list[Entrant]:
    """Return all people in the order of their places, which are stored the first time.

    Finalists come first; then the last stage of a person decides, and in a stage the place at the table. People who are
    equal by both share a place. The winner is the first of them who did not sleep
    through their last game.
    """
    people = entrants_of(uow, tournament)
    if any(each.place is None for each in people):
        reached = _reached(uow, tournament)
        order = {each.player_id: (each.out, *reached.get(each.player_id, (0, 0))) for each in people}
        slept = sleepers(uow, tournament)
        winner = min(people, key=lambda each: (each.player_id in slept, order[each.player_id]))
        order[winner.player_id], winner.out = (False, -tournament.stage, -1), False
        for each in people:
            each.place = 1 + sum(other < order[each.player_id] for other in order.values())
        uow.session.flush()
    return sorted(people, key=lambda each: each.place or 0)


def _reached(uow: UnitOfWork, tournament: Tournament) -> dict[int, tuple[int, int]]:
    """Return the last stage of each player, as a number below zero, and their rank there."""
    last = {each.player_id: each.table_id for each in entrants_of(uow, tournament)}
    return {
        player: (-entry.stage, rank)
        for entry, table in stage_tables(uow, tournament)
        for rank, seat in enumerate(ranking(table.begun_game))
        for player in people_of(table.seats[seat])
        if last.get(player) == table.id
    }


def place_notices(uow: UnitOfWork, tournament: Tournament) -> Iterator[tuple[Player, PlaceNotice, Person | None]]:
    """Count the place of each person, and yield the notice that tells it, and where they read it."""
    group, slept, reached = (
        uow.session.get_one(Chat, tournament.chat_id),
        sleepers(uow, tournament),
        _reached(uow, tournament),
    )
    people = placed(uow, tournament)
    for each in people:
        in_final = not each.out or reached.get(each.player_id, (0, 0))[0] == -tournament.stage
        notice = PlaceNotice(
            place=each.place or 0,
            people=len(people),
            finalist=in_final,
            slept=each.player_id in slept,
            title=group.title,
        )
        player = uow.player_by_id(each.player_id)
        yield player, notice, own_address(uow, player)
    places = {each.player_id: each.place for each in people if each.place is not None}
    tables = [table.id for _, table in stage_tables(uow, tournament)]
    record_places(uow.session, group.id, uow.now, places, tables)
