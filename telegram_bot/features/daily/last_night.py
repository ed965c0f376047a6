"""Last night's hand: the next `/daily` of a group asks about a bid of its last evening that was called."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from sqlmodel import col, select

from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import Intent
from telegram_bot.notices import AboutTable, AnswerNotice, FeatureToast, LinksToBot, PublicNotice, Toast
from telegram_bot.presentation.keys import Key, Keys, rows_of
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.results.bluff_cards import shown_seats
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player, RoundEnd
from telegram_bot.tables.model import Status
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import BidView, SeatView
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line

LATEST_SECONDS: Final = 36 * 3600
"""How long after its end an evening is asked about."""
MOST_GAMES: Final = 6
"""The number of games, the newest of the evening, from which the hand is chosen."""
MOST_HANDS: Final = 3
"""The number of hands, those with the boldest bids, of which a day draws one."""
COUNTS_A_ROW: Final = 6
OVER: Final = AnswerNotice(sentence=mark("No one asks about this hand any more."))


class LastNightNotice(AboutTable, LinksToBot, PublicNotice):
    """A bid of the last evening: its group guesses how many dice its bidder had. It contains no dice."""

    kind: Literal["last_night"] = "last_night"
    deal: int
    day: int
    """That of the hand of the day, which everyone can play as well."""
    seats: tuple[SeatView, ...]
    """Those in the round, by the numbers of its bids; hidden and forgotten players have no name and no face."""
    bids: tuple[BidView, ...]
    """The last one is asked about."""
    dice: int
    """The number of the bidder's dice."""
    wild_by: str | None = None

    def lines(self, f: Format) -> list[Line]:
        w, asked = f.w, self.bids[-1]
        names = f.names([seat.name or w.say("someone") for seat in self.seats])
        bids = [f"{names[bid.seat]} {f.bid(bid.quantity, bid.face, self.wild_by)}" for bid in self.bids]
        name = f.strong(names[asked.seat])
        said = w.say("{name} says {bid}.", name=name, bid=f.strong(f.bid(asked.quantity, asked.face, self.wild_by)))
        had = w.count(
            "{name} had {n} die. How many counted for that bid?",
            "{name} had {n} dice. How many counted for that bid?",
            self.dice,
            name=name,
        )
        return [
            Line("<b>" + w.say("Last night's hand") + "</b>", rank=None, sign="🌙"),
            Line(", ".join(bids), rank=None),
            Line(said, rank=None, sign="" if (face := self.seats[asked.seat].face) is None else face.sign),
            Line(had, rank=None, sign="❓"),
        ]


class LastNightAnswerNotice(FeatureToast):
    """The answer to a guess: the dice, which the group saw last night."""

    kind: Literal["last_night_answer"] = "last_night_answer"
    name: str
    dice: tuple[int, ...]
    guess: int
    counted: int
    wild_by: str | None = None

    def lines(self, f: Format) -> list[Line]:
        """Say whether the guess is right, and show the dice."""
        right = self.guess == self.counted
        had = f.w.say("{name} had {dice}.", name=f.name(self.name), dice=f.dice(self.dice, self.wild_by))
        verdict = f.w.say("You knew!") if right else f.w.count("No: {n} counted.", "No: {n} counted.", self.counted)
        return [Line(verdict, sign="✅" if right else "❌"), Line(had)]


@dataclass(frozen=True, slots=True)
class GuessLastNight(PersonRequest):
    """Guess how many dice of the bid its bidder had, in the group that saw them."""

    buttons = (Button("night={game}_{deal}_{count}"),)

    game: int
    deal: int
    count: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Answer with the dice; a bidder who hides meanwhile is asked about no more."""
        chat = None if intent.where is None else uow.find_chat(intent.where)
        row = uow.session.get(GameTable, self.game)
        found = () if row is None or chat is None or row.chat_id != chat.id else _hands(uow, row)
        view = next((view for deal, view in found if deal == self.deal), None)
        if view is None or view.bid is None:
            return answer(uow, intent, player, OVER)
        dice = view.dice[view.bid.seat]
        told = LastNightAnswerNotice(
            name=view.seats[view.bid.seat].name,
            dice=dice,
            guess=self.count,
            counted=sum(map(view.counts, dice)),
            wild_by=view.wild_by,
        )
        return answer(uow, intent, player, told)


def last_night_of(uow: UnitOfWork, chat: Chat, day: int) -> LastNightNotice | None:
    """Return the question about a group's last evening, the same on the whole day, or None without one."""
    query = select(GameTable).where(GameTable.chat_id == chat.id).order_by(col(GameTable.id).desc()).limit(MOST_GAMES)
    games = uow.session.exec(query).all()
    if not games or uow.evening_goes_on(games[0]) or games[0].updated_at < uow.now - LATEST_SECONDS:
        return None
    evening = [row for row in games if row.created_at >= chat.plays_since]
    found = [(row.id, deal, view) for row in evening for deal, view in _hands(uow, row)]
    if not found:
        return None
    found.sort(key=lambda each: _boldness(each[2]), reverse=True)
    table, deal, view = random.Random(f"{chat.id}:{day}").choice(found[:MOST_HANDS])  # noqa: S311 - no secret
    assert view.bid is not None  # noqa: S101 - of a round that was counted
    shown = shown_seats(uow, load_table(uow.session.get_one(GameTable, table)))
    return LastNightNotice(
        table=table,
        deal=deal,
        day=day,
        seats=tuple(
            seat if at in shown or seat.computer else seat.model_copy(update={"name": "", "face": None})
            for at, seat in enumerate(view.seats)
        ),
        bids=view.bids,
        dice=len(view.dice[view.bid.seat]),
        wild_by=view.wild_by,
    )


def _hands(uow: UnitOfWork, row: GameTable) -> Iterator[tuple[int, RevealView]]:
    """Yield the rounds of a finished game that can be asked about: counted, seen, the bid by a person not hidden."""
    if row.status != Status.FINISHED:
        return
    shown = shown_seats(uow, load_table(row))
    ends = select(RoundEnd).where(RoundEnd.table_id == row.id, col(RoundEnd.seen_at).is_not(None))
    for end in uow.session.exec(ends.order_by(col(RoundEnd.deal))):
        view = RevealView.model_validate(end.view)
        if view.call in ("dudo", "calza") and view.bid is not None and view.bid.seat in shown:
            yield end.deal, view


def _boldness(view: RevealView) -> float:
    """Return the bid's number of dice for each die in the round."""
    return 0 if view.bid is None else view.bid.quantity / sum(map(len, view.dice))


def guess_keys(notice: LastNightNotice) -> Keys:
    """Return a key for each number of dice."""
    counts = (Key(str(n), GuessLastNight(notice.table, notice.deal, n)) for n in range(notice.dice + 1))
    return rows_of(counts, COUNTS_A_ROW)
