"""Ghosts: the stored guesses, the requests to guess and to haunt, and what they add to the end of a round."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from sqlalchemy import Column, Integer
from sqlmodel import Field, Session, SQLModel, col, select

from perudo_core import Bid, Revealed
from telegram_bot.features.predictions.notices import (
    AskGhostNotice,
    Ghost,
    GhostsNotice,
    Guess,
    GuessAnswer,
    GuessAnswerNotice,
    Guesser,
    GuessersNotice,
    Prophet,
    ProphetsNotice,
    are_asked_in_chats,
    guess_label,
    has_ghosts,
    truth,
)
from telegram_bot.intents.forms import Act, Button
from telegram_bot.notices import BidsNotice, TableNotice, Toast
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.repositories.room_access import has_screen
from telegram_bot.screens.routes import room_of
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable, Player, RoundEnd
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.faces import face_of
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import TableView, table_view
from telegram_bot.words.catalogue import Catalogue


class Prediction(SQLModel, table=True):
    """A ghost's guess for one round of a game."""

    table_id: int = Field(foreign_key="game_table.id", ondelete="CASCADE", primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True, index=True)
    deal: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    """The round's `Table.deals`."""
    guess: str
    """A `Guess`."""
    knew: bool | None = None
    """Whether it was right, or None until a call ends the round."""
    haunts: int | None = None
    """The seat that the ghost haunts after the round."""


@dataclass(frozen=True, slots=True)
class GuessCall(TableRequest):
    """Guess what the dice will say of the bid that is called at the end of this round."""

    buttons = (Button("guess={guess}"),)
    acts = (Act("guess", "guess"),)

    guess: Guess

    def handle(self, context: TableContext) -> Toast | None:
        """Store a guess for this round; a later one replaces it, until a call ends the round.

        The answer does not reveal a claimed calza: only its caller knows of a claim.

        Raises:
            RejectedError: the guess is for another round, or this table has no guesses now.
        """
        table, seat = context.table, context.table.seat_of(context.player_id)
        answered = GuessAnswer.PLAYING if seat is not None and table.in_play(seat) else GuessAnswer.STORED
        if answered is GuessAnswer.STORED:
            view = table_view(table) if table.status is Status.PLAYING else None
            if view is None or context.intent.step not in _steps_with_a_bid(view):
                raise RejectedError(RejectionReason.STALE)
            if not has_ghosts(view):
                raise RejectedError(RejectionReason.UNKNOWN_OPTION)
            key = table.id, context.player_id, table.deals
            is_first = context.uow.session.get(Prediction, key) is None
            stored = Prediction(table_id=table.id, player_id=context.player_id, deal=table.deals, guess=self.guess)
            context.uow.session.merge(stored)
            if is_first and not context.player.hidden:
                _show_guessers(context, view)
            if context.intent.where is None:
                _mark_guess(context, view)
        notice = GuessAnswerNotice(answer=answered, guess=self.guess)
        return answer(context.uow, context.intent, context.player, notice)


def _mark_guess(context: TableContext, view: TableView) -> None:
    """Mark the guess on the keys of the question that was tapped."""
    outbox = TableOutbox(context.uow, context.row, context.chat)
    context.uow.session.flush()
    player = context.player
    asked = _question(outbox, player, context.table.deals, view)
    say(context.uow, player, asked, about=outbox, slot=_slot(player), key=(), edit_only=True, silent=True)


def _show_guessers(context: TableContext, view: TableView) -> None:
    """Show the television who has guessed in this round, whatever they guessed."""
    uow, table = context.uow, context.table
    if not has_screen(uow.session, context.chat.id, uow.now):
        return
    of_round = select(Prediction.player_id).where(Prediction.table_id == table.id, Prediction.deal == table.deals)
    players = uow.players_by_id(uow.session.exec(of_round)).values()
    guessed = tuple(
        Guesser(player=each.id, name=each.name, face=face_of(each.id, each.face)) for each in players if not each.hidden
    )
    notice = GuessersNotice(round=view.round, guessed=guessed[:SHOWN])
    outbox, at = TableOutbox(uow, context.row, context.chat), room_of(context.chat, uow.channels)
    say(uow, context.chat, notice, about=outbox, at=at, slot="guessers")


def ask_ghosts(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Show the players who are out each bid, if they play in their private chats, and whether their guess was right.

    One message does both, so that the chat does not fill with questions.
    """
    table, before, uow = committed.step.table, committed.before, outbox.uow
    if before is None or not before.game:
        return
    is_over = any(isinstance(each, Revealed) for each in committed.step.game_events)
    if not is_over and not any(isinstance(each, Bid) for each in committed.step.actions):
        return
    if not is_over and table.status is not Status.PLAYING:
        return
    view = table_view(table)
    out = [seat for seat, each in enumerate(view.seats) if each.out and table.seats[seat].is_person]
    if not out or not has_ghosts(view):
        return
    ends = uow.session.exec(select(RoundEnd.view).where(RoundEnd.table_id == table.id)).all()
    left = {seat for end in ends if end["call"] == "leave" and not end["timed_out"] for seat in end["out"]}
    for seat in out:
        player = uow.player_by_id(table.seats[seat].player)
        route = outbox.routes.to(player)
        if seat in left or not (route.has_board and route.is_own_chat):
            continue
        ask = _question(outbox, player, before.deals, None if is_over else view)
        if ask.view is not None or ask.guess is not None:
            say(uow, player, ask, about=outbox, slot=_slot(player), key=(), edit_only=is_over, silent=True)


def _slot(player: Player) -> str:
    return f"ghost:{player.id}"


def _question(outbox: TableOutbox, player: Player, deal: int, view: TableView | None) -> AskGhostNotice:
    """Return the question of a round to a ghost, with the guess so far; without a view, the verdict on the round.

    The verdict stays above the next round's question, which edits the same message.
    """
    made = [each for each in guesses_at(outbox.uow, outbox.table_id) if each.player_id == player.id]
    chosen = next((Guess(each.guess) for each in made if each.deal == deal and each.knew is None), None)
    is_told = view is None or outbox.uow.unrevealed(outbox.row) is None
    last = [each for each in made if each.knew is not None and each.deal >= deal - (view is not None) and is_told]
    step = 0 if view is None else view.step
    ask = AskGhostNotice(table=outbox.table_id, step=step, title=outbox.chat.title, view=view, chosen=chosen)
    if not last:
        return ask
    return ask.model_copy(update={"guess": Guess(last[-1].guess), "knew": bool(last[-1].knew), "streak": _streak(made)})


def ghost_keys(notice: AskGhostNotice, w: Catalogue) -> Keys:
    """Below the question in a private chat, until the guess is judged; the chosen guess is marked."""
    return [] if notice.view is None else [_keys(w, notice.chosen)]


def _steps_with_a_bid(view: TableView) -> range:
    """Return the steps of this round at which there was a bid: a guess counts although a player has raised since."""
    return range(view.step - len(view.bids) - view.rerolls + 1, view.step + 1)


def table_keys(notice: TableNotice, w: Catalogue) -> Keys:
    """Below the message of the round, unless only one person reads it or the game is paused."""
    return [] if notice.view.paused or notice.own_chat or notice.seat is not None else _rows(notice.view, w)


def bids_keys(notice: BidsNotice, w: Catalogue) -> Keys:
    """Below other bids in the same message."""
    return [] if notice.private else _rows(notice.view, w)


def round_acts(notice: TableNotice, w: Catalogue) -> list[Key]:
    """On pages, which show them to readers without dice once there is a bid."""
    return _keys(w) if has_ghosts(notice.view) else []


def _rows(view: TableView, w: Catalogue) -> Keys:
    all_in_play = not view.spectated and not any(seat.out for seat in view.seats)
    asks = has_ghosts(view) and are_asked_in_chats(view.options, all_in_play=all_in_play)
    return [_keys(w)] if asks and view.standing is not None else []


def _keys(w: Catalogue, chosen: Guess | None = None) -> list[Key]:
    return [Key(guess_label(each, w), GuessCall(each), sign="✅" if each is chosen else "👻") for each in Guess]


IN_A_ROW: Final = 3
"""So many right guesses in a row let a ghost haunt a seat."""
SHOWN: Final = 12
"""The maximum number of ghosts on a screen."""
LEAST_GUESSES: Final = 3
"""A ghost with fewer guesses in a game may only be lucky."""
PROPHETS: Final = 3
"""The maximum number of ghosts that the end of a game names."""


def ghosts_of(uow: UnitOfWork, row: GameTable, _: Table) -> GhostsNotice | None:
    """Judge the guesses for the round that has just ended, and return the ghosts, or None without a judged guess."""
    guesses = guesses_at(uow, row.id)
    if not guesses:
        return None
    ends = select(RoundEnd).where(RoundEnd.table_id == row.id).order_by(col(RoundEnd.deal).desc()).limit(1)
    end = uow.session.exec(ends).one()
    view = RevealView.model_validate(end.view)
    right = truth(view)
    made = [each for each in guesses if each.deal == end.deal and right is not None]
    began = set()
    for each in made:
        before = [one for one in guesses if one.player_id == each.player_id and one.knew is not None]
        each.knew = each.guess == right
        each.haunts = _haunted(view, before) if each.knew else None
        if each.haunts is not None and each.haunts != (before[-1].haunts if before else None):
            began.add(each.player_id)
    newest = {each.player_id: each for each in guesses if each.knew is not None}
    if not newest:
        return None
    players = uow.players_by_id(newest)
    ghosts = [
        _ghost(
            view,
            end.deal,
            guess,
            players[guess.player_id],
            streak=_streak(each for each in guesses if each.player_id == guess.player_id),
            begins=guess.player_id in began,
        )
        for guess in sorted(newest.values(), key=lambda guess: -guess.deal)
        if not players[guess.player_id].hidden
    ]
    return GhostsNotice(knew=sum(bool(each.knew) for each in made), guessed=len(made), ghosts=tuple(ghosts[:SHOWN]))


def guesses_at(uow: UnitOfWork, table: int) -> Sequence[Prediction]:
    """Return all guesses at a table, the oldest first."""
    order = col(Prediction.deal), col(Prediction.player_id)
    return uow.session.exec(select(Prediction).where(Prediction.table_id == table).order_by(*order)).all()


def _haunted(view: RevealView, before: Sequence[Prediction]) -> int | None:
    """Return the seat that a ghost haunts after another right guess: the same one, or that of the next opener."""
    seat = before[-1].haunts if before else None
    if seat is not None and not view.seats[seat].out:
        return seat
    recent = before[1 - IN_A_ROW :]
    return view.next_opener if len(recent) == IN_A_ROW - 1 and all(each.knew for each in recent) else None


def _streak(guesses: Iterable[Prediction]) -> int:
    """Return how many of a ghost's guesses in a row were right, up to the last one."""
    knew = [each.knew for each in guesses if each.knew is not None]
    return len(list(takewhile(bool, reversed(knew))))


def _ghost(view: RevealView, deal: int, newest: Prediction, player: Player, *, streak: int, begins: bool) -> Ghost:
    seat = None if newest.haunts is None or view.seats[newest.haunts].out else newest.haunts
    return Ghost(
        player=player.id,
        name=player.name,
        face=face_of(player.id, player.face),
        right=newest.knew if newest.deal == deal else None,
        streak=streak,
        haunts=seat,
        haunted=view.seats[seat].name if begins and seat is not None else "",
    )


def prophets_of(uow: UnitOfWork, row: GameTable, _: Table) -> ProphetsNotice | None:
    """Return the best ghosts of a game, or None after too few guesses, or with hidden ghosts only."""
    judged = [each for each in guesses_at(uow, row.id) if each.knew is not None]
    made = Counter(each.player_id for each in judged)
    right = Counter(each.player_id for each in judged if each.knew)
    players = uow.players_by_id(player for player, number in made.items() if number >= LEAST_GUESSES)
    named = [player for player in players.values() if not player.hidden]
    best = sorted(named, key=lambda player: (-right[player.id], made[player.id], player.id))[:PROPHETS]
    found = tuple(Prophet(name=each.name, right=right[each.id], made=made[each.id]) for each in best)
    return ProphetsNotice(prophets=found) if found else None


def tables_guessed_at(session: Session, player: int) -> set[int]:
    """Return the tables where a person guessed: their notices name ghosts."""
    return set(session.exec(select(Prediction.table_id).where(Prediction.player_id == player)))
