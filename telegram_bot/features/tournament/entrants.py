"""The people on a tournament's list: they join, or ask its host; the host and admins of the group remove them."""

from typing import Final

from sqlmodel import func, select

from telegram_bot.features.tournament.board import GATHERED_SECONDS, entrants_of, host_of, may_come_late, show
from telegram_bot.features.tournament.notices import EntrantsNotice, Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.requests import (
    CloseList,
    LetIn,
    ListRequest,
    OpenTournament,
    RemoveEntrant,
    SeeEntrants,
)
from telegram_bot.features.tournament.stages import MOST, end_questions, lock, seat_late, tell
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.envelope import SendMode
from telegram_bot.service.forms import Button
from telegram_bot.service.handlers.request import PersonRequest
from telegram_bot.service.intents import Intent
from telegram_bot.service.notices import Toast
from telegram_bot.service.posting import Post
from telegram_bot.service.presentation import envelope_to
from telegram_bot.service.requests import write_link
from telegram_bot.service.room_access import LEAST_WAIT_SECONDS, MOST_ASKING
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, Player
from telegram_bot.tables.events import RejectedError, RejectionReason

SHOWN_REMOVED: Final = 10
"""How many removed people the host can let in again."""


def add(uow: UnitOfWork, tournament: Tournament, player: int, standing: Standing = Standing.IN) -> None:
    """Put a person at the end of the list, or of the people who ask."""
    last = select(func.max(Entrant.number)).where(Entrant.tournament_id == tournament.id)
    number = (uow.session.exec(last).one() or 0) + 1
    entrant = uow.session.get(Entrant, (tournament.id, player))
    if entrant is None:
        entrant = Entrant(tournament_id=tournament.id, player_id=player, number=number)
        uow.session.add(entrant)
    entrant.number, entrant.standing, entrant.asked_at = number, standing, uow.now
    uow.session.flush()


def ask(uow: UnitOfWork, tournament: Tournament, player: Player) -> TournamentAnswer:
    """Ask the host about a person; one private message lists all people who ask."""
    asking = entrants_of(uow, tournament, Standing.ASKS)
    if len(asking) >= MOST_ASKING:
        if uow.now < asking[0].asked_at + LEAST_WAIT_SECONDS:
            return TournamentAnswer.MANY_ASK
        uow.session.delete(asking[0])
    add(uow, tournament, player.id, Standing.ASKS)
    host = host_of(uow, tournament)
    if host is not None:
        _show_entrants(uow, tournament, host, SendMode.EDIT_EXISTING if asking else SendMode.NEWEST)
    show(uow, tournament, gathered=GATHERED_SECONDS)
    return TournamentAnswer.ASKED


def close(uow: UnitOfWork, tournament: Tournament) -> None:
    """Close a list: the tournament does not take place. Other channels than the group's do not show the list."""
    tournament.phase, tournament.live = Phase.CLOSED, False
    channel = uow.session.get_one(Chat, tournament.chat_id).channel
    for each in entrants_of(uow, tournament):
        if uow.player_by_id(each.player_id).channel != channel:
            tell(uow, each.player_id, TournamentAnswer.CLOSED)
    end_questions(uow, tournament, TournamentAnswer.CLOSED)
    show(uow, tournament)


def see(uow: UnitOfWork, intent: Intent, player: Player, request: SeeEntrants) -> Toast | None:
    """Show the people on the list in the private chat."""
    tournament = _managed(uow, intent, player, request)
    if tournament is None:
        return _answer(uow, intent, player, TournamentAnswer.OVER)
    if player.direct != DirectMessages.OPEN:
        opens = TournamentAnswerNotice(answer=TournamentAnswer.OPEN_PRIVATE_CHAT, start=write_link(OpenTournament()))
        return answer(uow, intent, player, opens)
    _show_entrants(uow, tournament, player, SendMode.EDIT if intent.where is None else SendMode.NEWEST)
    said = TournamentAnswer.CHANGED if intent.where is None else TournamentAnswer.SHOWN_IN_PRIVATE
    return _answer(uow, intent, player, said)


SEE_ENTRANTS: Final = PersonRequest(
    SeeEntrants, see, buttons=(Button("entrants={tournament}"), Button("entrants={tournament}_{group}"))
)


def let_in(uow: UnitOfWork, intent: Intent, player: Player, request: LetIn) -> Toast | None:
    """Put a person on the list, or all who ask."""
    tournament = _managed(uow, intent, player, request)
    if tournament is None:
        return _answer(uow, intent, player, TournamentAnswer.OVER)
    late = may_come_late(uow, tournament)
    if tournament.phase != Phase.OPEN and not late:
        return _answer(uow, intent, player, TournamentAnswer.BEGUN)
    asking = entrants_of(uow, tournament, Standing.ASKS)
    removed = entrants_of(uow, tournament, Standing.REMOVED)
    chosen = [each for each in [*asking, *removed] if each.player_id == request.player] if request.player else asking
    free = MOST - len(entrants_of(uow, tournament))
    for each in chosen[:free]:
        add(uow, tournament, each.player_id)
        tell(uow, each.player_id, TournamentAnswer.LATE if late else TournamentAnswer.JOINED)
    if late:
        seat_late(uow, tournament)
    return _changed(uow, intent, player, tournament, full=len(chosen) > free)


LET_IN: Final = PersonRequest(LetIn, let_in, buttons=(Button("let_in={tournament}_{player}_{group}"),))


def remove(uow: UnitOfWork, intent: Intent, player: Player, request: RemoveEntrant) -> Toast | None:
    """Remove a person who plays at no table yet, or refuse a person who asks."""
    tournament = _managed(uow, intent, player, request)
    if tournament is None:
        return _answer(uow, intent, player, TournamentAnswer.OVER)
    entrant, host = uow.session.get(Entrant, (tournament.id, request.player)), host_of(uow, tournament)
    is_host = host is not None and host.id == request.player
    if entrant is not None and entrant.table_id is None and entrant.standing != Standing.REMOVED and not is_host:
        entrant.standing, entrant.asked_at = Standing.REMOVED, uow.now
        uow.session.flush()
        tell(uow, request.player, TournamentAnswer.REMOVED)
    return _changed(uow, intent, player, tournament)


REMOVE_ENTRANT: Final = PersonRequest(RemoveEntrant, remove, buttons=(Button("remove={tournament}_{player}_{group}"),))


def close_list(uow: UnitOfWork, intent: Intent, player: Player, request: CloseList) -> Toast | None:
    """Close the list before the draw; first ask whether the person is sure."""
    tournament = _managed(uow, intent, player, request)
    if tournament is None:
        return _answer(uow, intent, player, TournamentAnswer.OVER)
    if tournament.phase != Phase.OPEN:
        return _answer(uow, intent, player, TournamentAnswer.BEGUN)
    if not request.confirmed:
        _show_entrants(uow, tournament, player, SendMode.EDIT, closing=True)
        return None
    close(uow, tournament)
    return _changed(uow, intent, player, tournament)


CLOSE_LIST: Final = PersonRequest(
    CloseList,
    close_list,
    buttons=(
        Button("ask_close={tournament}_{group}", confirmed=False),
        Button("close_list={tournament}_{group}", confirmed=True),
    ),
)


def _managed(uow: UnitOfWork, intent: Intent, player: Player, request: ListRequest) -> Tournament | None:
    """Return the running tournament that the host, or an admin of its group, has named, locked, or None without one.

    Raises:
        RejectedError: the person is neither, or it is unknown whether they are an admin.
    """
    tournament = lock(uow, request.tournament)
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


def _show_entrants(
    uow: UnitOfWork, tournament: Tournament, reader: Player, mode: SendMode, *, closing: bool = False
) -> None:
    """Show a person the people on the list, in a private chat with buttons if they have opened one."""
    if reader.direct != DirectMessages.OPEN or not uow.traits(reader.channel).buttons:
        return
    group, host = uow.session.get_one(Chat, tournament.chat_id), host_of(uow, tournament)
    listed = {each: entrants_of(uow, tournament, each) for each in Standing}
    players = uow.players_by_id(each.player_id for people in listed.values() for each in people)
    names = {
        standing: [(each.player_id, players[each.player_id].name) for each in people if each.table_id is None]
        for standing, people in listed.items()
    }
    runs = tournament.live
    notice = EntrantsNotice(
        tournament=tournament.id,
        group=group.address,
        title=group.title,
        asking=tuple(names[Standing.ASKS]),
        people=tuple(each for each in names[Standing.IN] if host is None or each[0] != host.id) if runs else (),
        removed=tuple(names[Standing.REMOVED][-SHOWN_REMOVED:]) if runs else (),
        is_open=runs and tournament.phase == Phase.OPEN,
        closing=closing,
    )
    envelope = envelope_to(uow, reader, notice, mode=mode)
    uow.enqueue(Post(envelope, table=-tournament.id, slot=f"entrants:{reader.id}"))


def _changed(
    uow: UnitOfWork, intent: Intent, player: Player, tournament: Tournament, *, full: bool = False
) -> Toast | None:
    """Show the list after a change by its host or an admin, to both, and in the group."""
    host = host_of(uow, tournament)
    tournament.changed_at = uow.now
    if host is not None and host.id == player.id:
        tournament.host_at = uow.now
    for reader in {each.id: each for each in (host, player) if each is not None}.values():
        _show_entrants(uow, tournament, reader, SendMode.EDIT_EXISTING)
    show(uow, tournament)
    return _answer(uow, intent, player, TournamentAnswer.FULL if full else TournamentAnswer.CHANGED)


def _answer(uow: UnitOfWork, intent: Intent, player: Player, said: TournamentAnswer) -> Toast | None:
    return answer(uow, intent, player, TournamentAnswerNotice(answer=said, number=MOST))
