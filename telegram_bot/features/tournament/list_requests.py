"""The requests of a tournament's host, or of an admin of the group, about the people on the list."""

from dataclasses import dataclass

from telegram_bot.features.tournament.board import entrants_of, host_of, may_come_late, show
from telegram_bot.features.tournament.draw import MOST
from telegram_bot.features.tournament.entrants import add, close, show_entrants
from telegram_bot.features.tournament.notices import Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.requests import OpenTournament
from telegram_bot.features.tournament.stages import lock, seat_late, tell
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.notices import Toast
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.envelope import SendMode
from telegram_bot.service.forms import Button
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.intents import ForAdmins, Intent, Place
from telegram_bot.service.requests import write_link
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, Player
from telegram_bot.tables.events import RejectedError, RejectionReason


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
        show_entrants(uow, tournament, player, SendMode.EDIT if intent.where is None else SendMode.NEWEST)
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
            show_entrants(uow, tournament, player, SendMode.EDIT, closing=True)
            return None
        close(uow, tournament)
        return _changed(uow, intent, player, tournament)


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


def _changed(
    uow: UnitOfWork, intent: Intent, player: Player, tournament: Tournament, *, full: bool = False
) -> Toast | None:
    """Show the list after a change by its host or an admin, to both, and in the group."""
    host = host_of(uow, tournament)
    tournament.changed_at = uow.now
    if host is not None and host.id == player.id:
        tournament.host_at = uow.now
    for reader in {each.id: each for each in (host, player) if each is not None}.values():
        show_entrants(uow, tournament, reader, SendMode.EDIT_EXISTING)
    show(uow, tournament)
    return _answer(uow, intent, player, TournamentAnswer.FULL if full else TournamentAnswer.CHANGED)


def _answer(uow: UnitOfWork, intent: Intent, player: Player, said: TournamentAnswer) -> Toast | None:
    return answer(uow, intent, player, TournamentAnswerNotice(answer=said, number=MOST))
