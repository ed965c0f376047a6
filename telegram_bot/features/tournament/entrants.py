"""The people on a tournament's list: they join, or ask its host."""

from typing import Final

from sqlmodel import func, select

from telegram_bot.features.tournament.board import GATHERED_SECONDS, entrants_of, host_of, show
from telegram_bot.features.tournament.notices import EntrantsNotice, Phase, TournamentAnswer
from telegram_bot.features.tournament.stages import end_questions, tell
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.service.envelope import SendMode
from telegram_bot.service.posting import Urgency
from telegram_bot.service.presentation import notify
from telegram_bot.service.room_access import LEAST_WAIT_SECONDS, MOST_ASKING
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, Player

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
        show_entrants(uow, tournament, host, SendMode.EDIT_EXISTING if asking else SendMode.NEWEST)
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


def show_entrants(
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
    slot = f"entrants:{reader.id}"
    notify(uow, reader, notice, mode=mode, table=-tournament.id, slot=slot, urgency=Urgency.IDLE, again=True)
