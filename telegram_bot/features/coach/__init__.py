"""The coach: the player whose turn it is asks for one call with its reason, in private, if the host allows hints.

After a round, each player reads which of their decisions was the costliest.
"""

import logging
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import JsonValue, TypeAdapter, ValidationError
from sqlalchemy import func
from sqlmodel import col, select

from perudo_core import EVERYONE, Bid, Calza, Dudo, Observation, PerudoError, Roll, apply, audience, new_game, observe
from perudo_core.agents import Memory, new_memory, remember_all
from telegram_bot.feature import Feature
from telegram_bot.features.coach.advice import advise, judge
from telegram_bot.features.coach.notices import Advice, CoachNotice, JudgedDecision, RoundReviewNotice
from telegram_bot.ingress.computer_calls import load_rules
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.slots import answer_slot
from telegram_bot.notices import AnswerNotice, BidsNotice, HandNotice, TableNotice, Toast
from telegram_bot.presentation.features import Extension, PagePart
from telegram_bot.presentation.keys import Key, Keys, Style
from telegram_bot.repositories.repositories import actions_of, load_table
from telegram_bot.screens.routes import Way, own_page
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.computer_requests import SEED_FACTOR, Computation, public_memory
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.requests import typed_request
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.storage.models import DirectMessages, GameTable, Player, RoundEnd
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label
from telegram_bot.words.languages import mark
from telegram_bot.words.lobby_options import LobbyOption

HINTS_ALLOWED: Final = LobbyOption(
    "hints",
    sign="💡",
    title=mark("Hints allowed"),
    values={
        "off": mark("No hints: this game counts."),
        "on": mark("Hints are allowed. This game doesn't count for the league."),
    },
    explained={"on": mark("Hints are allowed, so this game doesn't count for the league.")},
    unrated=("on",),
)


def are_allowed(table: Table | TableView) -> bool:
    """Return True if the player whose turn it is may ask for a hint: the host allows hints, or one person practises."""
    return table.practice or HINTS_ALLOWED.value_in(table.options) == "on"


IN_PRIVATE: Final = AnswerNotice(sentence=mark("💡 The hint is in our private chat."))
NO_ADVICE: Final = AnswerNotice(sentence=mark("No idea this time. Trust your gut!"))


@dataclass(frozen=True, slots=True)
class AskCoach(TableRequest):
    """Ask for the coach's call on my turn."""

    takes_seconds = True
    buttons = (Button("hint"),)
    acts = (Act("coach"),)

    advice: Advice | None = None
    """The advice from an enricher, or None if there is none."""

    def handle(self, context: TableContext) -> Toast | None:
        """Tell the player whose turn it is the coach's call in their private chat.

        Raises:
            RejectedError: the table has no coach or has moved on, it is another player's turn, or the bot cannot
                write to the player in private.
        """
        table, player, uow, advice = context.table, context.player, context.uow, self.advice
        context.seat()
        if table.status is Status.PLAYING and not are_allowed(table):
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        if table.status is Status.PLAYING and context.intent.step not in (None, table.step):
            raise RejectedError(RejectionReason.STALE)
        context.require_turn()
        if context.intent.where is not None and player.direct != DirectMessages.OPEN:
            raise RejectedError(RejectionReason.IN_PRIVATE)
        if advice is None:
            return answer(uow, context.intent, player, NO_ADVICE)
        notice = CoachNotice(table=table.id, step=table.step, advice=advice, wild_by=table.wild_by)
        at = own_page(uow, player) if uow.traits(context.intent.source).reads_rooms else None
        slot = answer_slot(player.id) if at is None else None
        say(uow, player, notice, at=at, silent=True, about=table.id, slot=slot)
        # Each hint is a message of its own: only the newest has the button, which goes with the turn.
        withdraw(uow, player, answer_slot(player.id), about=table.id, keeps_words=True)
        return IN_PRIVATE if context.intent.where is not None else None


log = logging.getLogger(__name__)


class Question(NamedTuple):
    """A decision for the coach. It contains no `State`: no other player's dice leave the transaction."""

    observation: Observation
    memory: Memory
    seed: int
    """The seed of the advice's random choices, which follows from public facts."""


def advice_question(uow: UnitOfWork, table: Table, player: int, step: int | None) -> Question | None:
    """Return a player's present decision, or None if the table has no coach, or they have none to make."""
    seat = table.seat_of(player)
    game = table.game
    if seat is None or game is None or table.status is not Status.PLAYING or not are_allowed(table):
        return None
    if game.turn != seat or step not in (None, table.step):
        return None
    memory = public_memory(uow.session, table)
    return Question(observe(game, seat), memory, table.id * SEED_FACTOR + table.step)


class CoachAdvice:
    """Looks up the coach's advice, for `AskCoach`."""

    name: Final = "coach_advice"
    intent_type: Final = AskCoach
    seconds: Final = 10.0

    def __init__(self, service: Service, coach: SideProcess[[Observation, Memory, int]] | None = None) -> None:
        self.service = service
        self.coach = coach or SideProcess(advise, seconds=8, prepare=load_rules, niceness=0)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the advice, or None if the person has nothing to decide, or the table has no coach."""
        question = await self.service.run(_question, intent)
        if question is None:
            return None
        try:
            return Advice.model_validate_json(await self.coach.ask(*question)).model_dump(mode="json")
        except (SideProcessError, ValidationError) as error:
            log.warning("the coach says nothing: %s", type(error).__name__, extra={"table": intent.table})
            return None

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the intent with the advice, if there is any."""
        try:
            advice = None if fact is None else Advice.model_validate(fact)
        except ValidationError:  # found by another version
            advice = None
        return replace(intent, request=AskCoach(advice))


def _question(uow: UnitOfWork, intent: Intent) -> Question | None:
    row = None if intent.table is None else uow.table_by_id(intent.table)
    player = uow.find_player(intent.who.channel, intent.who.address)
    return None if row is None or player is None else advice_question(uow, load_table(row), player.id, intent.step)


REVIEW: Final = "review"
"""The timer of a round that must be judged; while it is judged, of the time at which that begins again."""
LEASE_SECONDS: Final = 30
"""After so long a round is judged again: the process may have died meanwhile."""
LEAST_LOST: Final = 5
"""In tenths of a die: a smaller loss is not reported."""
SECONDS_OF_USE: Final = 60
"""The maximum delay of the review: the next round is running."""
_JUDGED: Final = TypeAdapter(tuple[JudgedDecision, ...])


@dataclass(frozen=True, slots=True)
class ReviewedRound:
    """The round that is judged."""

    table: int
    number: int
    wild_by: str | None
    """The rulebook by which ones were wild in the round, or None if they were not."""
    leased_until: float


def begin_review(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Have the round judged that dudo or calza has ended, unless the game is over."""
    table = committed.step.table
    goes_on = table.status is Status.PLAYING and not table.begun_game.is_terminal
    ended = any(isinstance(action, Dudo | Calza) for action in committed.step.actions)
    if are_allowed(table) and goes_on and ended:
        outbox.uow.set_timer(committed.row, REVIEW, outbox.uow.now)


def have_judged(uow: UnitOfWork, table: Table) -> float | None:
    """Have the last round judged, once in a while; a round without listeners is not."""
    leased_until = uow.now + LEASE_SECONDS
    row = uow.session.get_one(GameTable, table.id)
    found = _last_round(TableOutbox(uow, row, uow.chat_of(row)), table, leased_until)
    if found is None:
        return None
    reviewed, decisions = found
    key = (REVIEW, reviewed.table, reviewed.number)
    uow.computations.append(Computation(key, judge, (decisions,), partial(tell_review, reviewed)))
    return leased_until


def tell_review(reviewed: ReviewedRound, uow: UnitOfWork, found: bytes | None) -> bool:
    """Tell each player their costliest decision; False if that was done, or another round is over by now.

    Players whose mistake cost less than half a die get no message. `found`: the judgements, or None if they are not
    available.
    """
    row = uow.table_by_id(reviewed.table)
    if row is None or not row.live or row.status != Status.PLAYING:
        return False
    table = load_table(row)
    if table.timers.get(REVIEW) != reviewed.leased_until:
        return False
    uow.set_timer(row, REVIEW, None)
    judged, outbox = _read(found), TableOutbox(uow, row, uow.chat_of(row))
    for seat in sorted({each.seat for each in judged}):
        player = _listener(outbox, table, seat)
        worst = max((each for each in judged if each.seat == seat), key=lambda each: each.lost)
        if player is not None and worst.lost >= LEAST_LOST:
            notice = RoundReviewNotice(round=reviewed.number, worst=worst, wild_by=reviewed.wild_by)
            _tell(outbox, player, notice)
    return True


def _read(found: bytes | None) -> tuple[JudgedDecision, ...]:
    try:
        return () if found is None else _JUDGED.validate_json(found)
    except ValidationError:
        log.warning("the judgement of a round cannot be read")
        return ()


def _tell(outbox: TableOutbox, player: Player, notice: RoundReviewNotice) -> None:
    # The animation of the round's end begins late if drawing and sending take time.
    last = select(func.max(col(RoundEnd.dice_at))).where(col(RoundEnd.table_id) == outbox.row.id)
    counted_at = outbox.uow.session.exec(last).one() + ANIMATION_SECONDS
    expires_at = max(outbox.uow.now, counted_at) + SECONDS_OF_USE
    own_chat = outbox.routes.by(Way.DIRECT, player)
    uow = outbox.uow
    say(uow, player, notice, about=outbox, at=own_chat, silent=True, until=expires_at, not_before=counted_at)


def _listener(outbox: TableOutbox, table: Table, seat: int) -> Player | None:
    """Return the reader of a review, or None if that is a computer player, or absent, or pays for messages."""
    sitting = table.seats[seat]
    if sitting.computer is not None or sitting.away or sitting.misses:  # the bot has called for them
        return None
    player = outbox.uow.player_by_id(sitting.player)
    traits = outbox.uow.traits(player.channel)
    reached = player.direct == DirectMessages.OPEN or player.id in outbox.routes.page_readers or traits.reads_rooms
    return player if reached and traits.buttons and not traits.paid else None


def _last_round(
    outbox: TableOutbox, table: Table, leased_until: float
) -> tuple[ReviewedRound, list[tuple[Any, ...]]] | None:
    """Return the last round that ended by dudo or calza, and the arguments of `judge`, or None without a reader."""
    last = select(RoundEnd).where(RoundEnd.table_id == table.id).order_by(col(RoundEnd.deal).desc()).limit(1)
    end = outbox.uow.session.exec(last).one()
    played = [seat["player"] for seat in end.view["seats"]]  # another player may have the seat since
    told = {
        seat
        for seat, sitting in enumerate(table.seats)
        if sitting.player == played[seat] and _listener(outbox, table, seat) is not None
    }
    if table.game is None or table.status is not Status.PLAYING or not told:
        return None
    actions = [action for action, _, _ in actions_of(outbox.uow.session, table.id)]
    ends = [number for number, action in enumerate(actions) if isinstance(action, Dudo | Calza)]
    state, memory = new_game(table.rules, list(table.game.seats)), new_memory(table.rules, len(table.seats))
    before = state
    decisions: list[tuple[Any, ...]] = []
    try:
        for number, action in enumerate(actions[: max(ends, default=-1) + 1]):
            if isinstance(action, Roll):
                decisions = []
            elif isinstance(action, Bid | Dudo | Calza) and action.seat in told:
                decisions.append((observe(state, action.seat), memory, action, table.id * SEED_FACTOR + number))
            before = state
            state, events = apply(state, action)
            memory = remember_all(memory, [event for event in events if audience(event) is EVERYONE])
    except PerudoError:
        log.warning("the stored actions of a game are not its own: the round is not reviewed")
        return None
    if not decisions:
        return None
    wild_by = table.rules.book if before.ones_are_wild else None
    return ReviewedRound(table.id, before.round, wild_by, leased_until), decisions


def hint_keys(notice: CoachNotice, w: Catalogue) -> Keys:
    """Below a hint: the advised call."""
    call = notice.advice.best.call
    label = call_label(call, w, notice.wild_by)
    return [[Key(label, typed_request(call), style=Style.PRIMARY)]]


def hand_keys(notice: HandNotice, w: Catalogue) -> Keys:
    """Below the private buttons of the player whose turn it is."""
    return _rows(notice.view.table, w) if notice.view.on_turn else []


def bids_keys(notice: BidsNotice, w: Catalogue) -> Keys:
    """Below other bids in the same private message."""
    return _rows(notice.view, w) if notice.private else []


def round_acts(notice: TableNotice, w: Catalogue) -> list[Key]:
    """Below the buttons of the player whose turn it is on pages."""
    return [Key(w.say("Hint"), AskCoach())] if are_allowed(notice.view) else []


def _rows(view: TableView, w: Catalogue) -> Keys:
    asks = Key(w.say("What would you do?"), AskCoach(), sign="💡")
    return [[asks]] if are_allowed(view) else []


_HINT: Final = Extension(CoachNotice, keys=hint_keys)
_HAND: Final = Extension(HandNotice, keys=hand_keys)
_BIDS: Final = Extension(BidsNotice, keys=bids_keys)
_ROUND: Final = Extension(TableNotice, acts=round_acts)

FEATURE: Final = Feature(
    "coach",
    place=40,
    requests=(AskCoach,),
    extensions=(_HINT, _HAND, _BIDS, _ROUND),
    page=PagePart(Path(__file__).with_name("static")),
    look_ups=(CoachAdvice,),
    lobby_options=(HINTS_ALLOWED,),
    announce=begin_review,
    timers={REVIEW: have_judged},
)
