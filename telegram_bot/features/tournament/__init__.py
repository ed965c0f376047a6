"""A tournament of a group: several tables at once in private, stage by stage, and a grand final in the group."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlmodel import col

from telegram_bot.feature import Feature
from telegram_bot.features.tournament.board import (
    chats_naming,
    entrants_of,
    host_of,
    is_in_group,
    join_lists,
    lists_naming,
    may_come_late,
    show,
    stage_tables,
)
from telegram_bot.features.tournament.draw import MOST
from telegram_bot.features.tournament.notices import (
    BracketNotice,
    DiceFileNotice,
    EntrantsNotice,
    FinaleNotice,
    FreeSeatsNotice,
    Phase,
    TournamentAnswer,
    TournamentAnswerNotice,
    TournamentNotice,
    page_words,
)
from telegram_bot.features.tournament.requests import (
    ChangeTournamentRules,
    FillTournament,
    JoinTournament,
    LeaveTournament,
    OpenTournament,
    SeeAllKeys,
    StartTournament,
    TakeFreeSeat,
    WatchTable,
    add,
    close,
    show_again,
    show_entrants,
)
from telegram_bot.features.tournament.stages import (
    DICE_SEEN,
    dice_seen,
    finale_of,
    follow,
    load_tournament,
    offer_seats,
    seat_late,
    tell,
)
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament, prune, subject_of
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import ForAdmins, Intent, Place
from telegram_bot.notices import GameOverNotice, Toast
from telegram_bot.presentation.features import Extension, PagePart
from telegram_bot.presentation.keys import Key, Keys, Style
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.naming import NamingNotices
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.requests import write_link
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, LaneName, OutboxEntry, Player
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name

SLOT: Final = "tournament_dice"
SENT_AGAIN_SECONDS: Final = 600
"""For so long the file is not sent to the same chat again."""


@dataclass(frozen=True, slots=True)
class CheckTournamentDice(PersonRequest):
    """Send the file with all games of a tournament that has ended, and the proof of their dice."""

    buttons = (Button("proof={tournament}"),)

    tournament: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Send the file, a game's record in each line, in the group or to a person who took part."""
        tournament = uow.session.get(Tournament, self.tournament)
        is_told = (
            tournament is not None and tournament.phase == Phase.OVER and _may_see(uow, intent, player, tournament)
        )
        played = stage_tables(uow, tournament) if is_told and tournament is not None else []
        if tournament is None or not played:
            return answer(uow, intent, player, TournamentAnswerNotice(answer=TournamentAnswer.FILE_GONE))
        where = intent.where or intent.who
        lately = col(OutboxEntry.created_at) > uow.now - SENT_AGAIN_SECONDS
        here = col(OutboxEntry.lane) == LaneName(where.channel, where.address)
        if is_sent(uow.session, subject_of(tournament.id), SLOT, here, lately):
            return answer(uow, intent, player, TournamentAnswerNotice(answer=TournamentAnswer.FILE_ABOVE))
        records = {table.code: game_record(uow, table) for _, table in played}
        file = DiceFileNotice(
            document="".join(json.dumps(json.loads(record.document)) + "\n" for record in records.values()),
            name=f"perudo-tournament-{tournament.code}.jsonl",
            games=len(records),
            failed=tuple(code for code, record in records.items() if record.failed),
        )
        say(uow, player, file, at=intent, about=subject_of(tournament.id), slot=SLOT)
        return None


def _may_see(uow: UnitOfWork, intent: Intent, player: Player, tournament: Tournament) -> bool:
    """Return True in the tournament's group, and in the private chat of a person who took part."""
    if intent.where is None:
        entrant = uow.session.get(Entrant, (tournament.id, player.id))
        return entrant is not None and entrant.standing == Standing.IN
    return is_in_group(uow, intent, tournament)


@dataclass(frozen=True, slots=True)
class ListRequest(PersonRequest, ForAdmins):
    """A request of the host, or of an admin of the group, about the people on the list.

    `group`: the address of the group, if the button is in a private chat.
    """

    tournament: int
    group: int | None = None

    def group_in(self, where: Place | None) -> int | None:
        """Return the address of the group, in the group or in a private chat."""
        return self.group if where is None else where.address


@dataclass(frozen=True, slots=True)
class SeeEntrants(ListRequest):
    """Show the people on the list in the private chat, with buttons that let people in and remove them."""

    buttons = (Button("entrants={tournament}"), Button("entrants={tournament}_{group}"))

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show the people on the list in the private chat."""
        tournament = _managed(uow, intent, player, self)
        if tournament is None:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        if player.direct != DirectMessages.OPEN:
            opens = TournamentAnswerNotice(
                answer=TournamentAnswer.OPEN_PRIVATE_CHAT, start=write_link(OpenTournament())
            )
            return answer(uow, intent, player, opens)
        show_entrants(uow, tournament, player)
        said = TournamentAnswer.CHANGED if intent.where is None else TournamentAnswer.SHOWN_IN_PRIVATE
        return _answer(uow, intent, player, said)


@dataclass(frozen=True, slots=True)
class LetIn(ListRequest):
    """Put a person on the list who asked or was removed; 0: all who ask."""

    buttons = (Button("let_in={tournament}_{player}_{group}"),)

    player: int = 0

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Put a person on the list, or all who ask."""
        tournament = _managed(uow, intent, player, self)
        if tournament is None:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        late = may_come_late(uow, tournament)
        if tournament.phase != Phase.OPEN and not late:
            return _answer(uow, intent, player, TournamentAnswer.BEGUN)
        asking = entrants_of(uow, tournament, Standing.ASKS)
        removed = entrants_of(uow, tournament, Standing.REMOVED)
        chosen = [each for each in [*asking, *removed] if each.player_id == self.player] if self.player else asking
        free = MOST - len(entrants_of(uow, tournament))
        for each in chosen[:free]:
            add(uow, tournament, each.player_id)
            tell(uow, each.player_id, TournamentAnswer.LATE if late else TournamentAnswer.JOINED)
        if late:
            seat_late(uow, tournament)
            offer_seats(uow, tournament)
        return _changed(uow, intent, player, tournament, full=len(chosen) > free)


@dataclass(frozen=True, slots=True)
class RemoveEntrant(ListRequest):
    """Remove a person from the list, or refuse them, for good."""

    buttons = (Button("remove={tournament}_{player}_{group}"),)

    player: int = 0

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Remove a person who plays at no table yet, or refuse a person who asks."""
        tournament = _managed(uow, intent, player, self)
        if tournament is None:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        entrant, host = uow.session.get(Entrant, (tournament.id, self.player)), host_of(uow, tournament)
        is_host = host is not None and host.id == self.player
        if entrant is not None and entrant.table_id is None and entrant.standing != Standing.REMOVED and not is_host:
            entrant.standing, entrant.asked_at = Standing.REMOVED, uow.now
            uow.session.flush()
            tell(uow, self.player, TournamentAnswer.REMOVED)
        return _changed(uow, intent, player, tournament)


@dataclass(frozen=True, slots=True)
class CloseList(ListRequest):
    """Close the list before the draw, after a confirmation: the tournament does not take place."""

    buttons = (
        Button("ask_close={tournament}_{group}", confirmed=False),
        Button("close_list={tournament}_{group}", confirmed=True),
    )

    confirmed: bool = False

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Close the list before the draw; first ask whether the person is sure."""
        tournament = _managed(uow, intent, player, self)
        if tournament is None:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        if tournament.phase != Phase.OPEN:
            return _answer(uow, intent, player, TournamentAnswer.BEGUN)
        if not self.confirmed:
            show_entrants(uow, tournament, player, closing=True)
            return None
        close(uow, tournament)
        return _changed(uow, intent, player, tournament)


def _managed(uow: UnitOfWork, intent: Intent, player: Player, request: ListRequest) -> Tournament | None:
    """Return the running tournament that the host, or an admin of its group, has named, or None without one.

    Raises:
        RejectedError: the person is neither, or it is unknown whether they are an admin.
    """
    tournament = load_tournament(uow, request.tournament)
    if tournament is None or not tournament.live:
        return None
    host, group = host_of(uow, tournament), uow.session.get_one(Chat, tournament.chat_id)
    if host is not None and host.id == player.id:
        return tournament
    is_of_group = (player.channel, request.group_in(intent.where)) == (group.channel, group.address)
    if is_of_group and request.is_admin is None:
        raise RejectedError(RejectionReason.CANNOT_TELL)
    if not is_of_group or not request.is_admin:
        raise RejectedError(RejectionReason.NOT_ALLOWED)
    return tournament


def _changed(
    uow: UnitOfWork, intent: Intent, player: Player, tournament: Tournament, *, full: bool = False
) -> Toast | None:
    """Show the list after a change by its host or an admin, to both, and in the group."""
    host = host_of(uow, tournament)
    tournament.changed_at = uow.now
    if host is not None and host.id == player.id:
        tournament.host_at = uow.now
    for reader in {each.id: each for each in (host, player) if each is not None}.values():
        show_entrants(uow, tournament, reader, edit_only=True)
    show(uow, tournament)
    return _answer(uow, intent, player, TournamentAnswer.FULL if full else TournamentAnswer.CHANGED)


def _answer(uow: UnitOfWork, intent: Intent, player: Player, said: TournamentAnswer) -> Toast | None:
    return answer(uow, intent, player, TournamentAnswerNotice(answer=said, number=MOST))


def tournament_keys(notice: TournamentNotice, w: Catalogue) -> Keys:
    """Return the way in, the start and *More*, or all keys after a tap on it; later the way out, and the final's start.

    While people ask the host, *People* is in the place of *More*.
    """
    number = notice.tournament
    leave = Key(w.say("Leave"), LeaveTournament(number), sign="🚪")
    join = Key(w.say("Join"), JoinTournament(number), sign="🪑", style=Style.SUCCESS)
    people = Key(w.say("People"), SeeEntrants(number), sign="👥")
    match notice.phase:
        case Phase.OPEN:
            start = Key(w.say("Start"), StartTournament(number), sign="▶️", style=Style.SUCCESS)
            if not notice.unfolded:
                return [[join], [start, people if notice.asking else Key(w.say("More"), SeeAllKeys(number))]]
            fill = w.say("No computers") if notice.computers else w.context_say("lobby", "Fill")
            rules = Key(w.say("Other rules"), ChangeTournamentRules(number), sign="📖")
            return [[join], [start, people], [rules, Key(fill, FillTournament(number), sign="🤖")], [leave]]
        case Phase.TABLES if notice.late is not None:
            return [[join, leave], [people]]
        case Phase.TABLES:
            return [[leave]]
        case Phase.FINAL_WAITS:
            return [[Key(w.say("Start the final"), StartTournament(number), sign="▶️", style=Style.SUCCESS), leave]]
        case _:
            return []


def free_seats_keys(notice: FreeSeatsNotice, w: Catalogue) -> Keys:
    """Return a key for each seat."""
    return [
        [
            Key(
                w.say("Play on for {name}", name=plain_name(seat.name)),
                TakeFreeSeat(notice.tournament, seat.table, seat.player),
                sign="🙋",
                style=Style.SUCCESS,
            )
        ]
        for seat in notice.seats
    ]


def entrants_keys(notice: EntrantsNotice, w: Catalogue) -> Keys:
    """Return an answer to each person who asks, the removal of each person on the list, and its end."""
    number, group = notice.tournament, notice.group
    if notice.closing:
        closes = Key(w.say("Close the list"), CloseList(number, group, confirmed=True), sign="🛑", style=Style.DANGER)
        return [[closes, Key(w.say("Back"), SeeEntrants(number, group), sign="↩️")]]
    everyone = Key(w.say("Let all in"), LetIn(number, group), sign="🚪", style=Style.SUCCESS)
    rows = [[everyone]] if len(notice.asking) > 1 else []
    for player, name in notice.asking:
        comes_in = Key(plain_name(name), LetIn(number, group, player), sign="🚪", style=Style.SUCCESS)
        rows.append([comes_in, Key(w.say("Refuse"), RemoveEntrant(number, group, player), sign="✖️")])
    for player, name in notice.people:
        removed = w.say("Remove {name}", name=plain_name(name))
        rows.append([Key(removed, RemoveEntrant(number, group, player), sign="✖️")])
    for player, name in notice.removed:
        again = w.say("Let {name} in again", name=plain_name(name))
        rows.append([Key(again, LetIn(number, group, player), sign="↩️")])
    if notice.is_open:
        rows.append([Key(w.say("Close the list"), CloseList(number, group), sign="🛑", style=Style.DANGER)])
    return rows


def bracket_keys(notice: BracketNotice, w: Catalogue) -> Keys:
    """Return the file with the proof of all dice."""
    return [[_check(notice.tournament, w)]]


def game_over_keys(notice: GameOverNotice, w: Catalogue) -> Keys:
    """Return the same at the end of a final."""
    return [[_check(part.tournament, w)] for part in notice.parts if isinstance(part, FinaleNotice)]


def _check(tournament: int, w: Catalogue) -> Key:
    return Key(w.say("Check all dice"), CheckTournamentDice(tournament), sign="🎲")


_TOURNAMENT: Final = Extension(TournamentNotice, keys=tournament_keys)
_BRACKET: Final = Extension(BracketNotice, keys=bracket_keys)
_GAME_OVER: Final = Extension(GameOverNotice, keys=game_over_keys, part=finale_of)
_FREE_SEATS: Final = Extension(FreeSeatsNotice, keys=free_seats_keys)
_ENTRANTS: Final = Extension(EntrantsNotice, keys=entrants_keys)

FEATURE: Final = Feature(
    "tournament",
    place=80,
    requests=(
        OpenTournament,
        JoinTournament,
        TakeFreeSeat,
        LeaveTournament,
        ChangeTournamentRules,
        FillTournament,
        StartTournament,
        WatchTable,
        SeeAllKeys,
        SeeEntrants,
        LetIn,
        RemoveEntrant,
        CloseList,
        CheckTournamentDice,
    ),
    extensions=(
        _TOURNAMENT,
        _BRACKET,
        _GAME_OVER,
        _FREE_SEATS,
        _ENTRANTS,
    ),
    page=PagePart(Path(__file__).with_name("static"), page_words),
    rows={Entrant: "a place in {} tournament(s)"},
    naming=NamingNotices(lists_naming, chats_naming, show_again),
    announce=follow,
    lists=join_lists,
    timers={DICE_SEEN: dice_seen},
    prune=prune,
)
