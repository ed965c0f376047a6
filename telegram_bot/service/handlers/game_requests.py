"""Handle players' actions at a table: calls (tapped, typed or spoken), returning."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy import or_
from sqlmodel import col, select

from perudo_core import Bid, Call, Calza, Dudo, NotationError, Reason, dump_action, parse_call, why_illegal
from telegram_bot import notices as n
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent, NoteOutcome, SpokenWord
from telegram_bot.intents.request import (
    Arguments,
    AtAnyStep,
    Command,
    Fits,
    HelpLines,
    Scope,
    TellsNothing,
    Who,
    texted,
)
from telegram_bot.intents.slots import OF_A_ROUND, OVER_SLOT, SLIP_SLOT, deal_slot
from telegram_bot.observability import metrics
from telegram_bot.screens.pictures_of_dice import timings_in
from telegram_bot.screens.switches import NOTES_UNANSWERED, SWITCHES, by_ear
from telegram_bot.screens.tips import count_as_told
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.replies import answer, rejection_notice
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox, table_for_one
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, GameAction, Player, SentMessage
from telegram_bot.tables import play
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange, no_running_game
from telegram_bot.tables.handovers import owned_by
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.play import STALE_AFTER_SECONDS
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import bid_view, calza_stakes
from telegram_bot.words.languages import mark


def make_call(
    context: TableContext, action: Call, *, asked: bool = False, spoken: bool = False, bare: bool = False
) -> n.Toast | None:
    """Bid, or say dudo or calza.

    `asked`: the player has confirmed it; `spoken`: by voice note; `bare`: as in `MakeBid`.
    """
    seat = context.seat()
    table = context.table
    _refuse_late(context)
    if not isinstance(action, Bid) and _answers_an_earlier_round(context):
        raise RejectedError(RejectionReason.STALE)
    if context.intent.round is not None and table.game is not None and context.intent.round != table.game.round:
        raise RejectedError(RejectionReason.STALE)
    if not asked and not isinstance(action, Bid) and (question := _ask_again(context, action, seat)) is not None:
        return answer(context.uow, context.intent, context.player, question)
    if not asked and (again := _second_delivery(context, action)) is not None:
        return _offer(context, action, again)
    try:
        step = play.make_call(
            table,
            action,
            step=context.intent.step,
            moment=replace(context.uow.moment, timings=timings_in(context.chat, context.uow.config)),
        )
    except RejectedError as rejected:
        return _refused(context, action, rejected, bare=bare)
    if spoken and isinstance(action, Bid):
        step = replace(step, table=play.note_spoken_bid(table, step.table, context.player_id))
    if isinstance(action, Calza):
        count_as_told(context.player, Tip.CALZA)
    if step.table.this_step.claims:
        done = n.ConfirmationNotice(done=n.Confirmation.CLAIMED)
    elif isinstance(action, Bid):
        done = n.ConfirmationNotice(done=n.Confirmation.BID, bid=bid_view(action), wild_by=table.wild_by)
    else:
        is_dudo = isinstance(action, Dudo)
        done = n.ConfirmationNotice(done=n.Confirmation.DUDO if is_dudo else n.Confirmation.CALZA)
    context.save(step)
    _confirm(context, table, done)
    return done


def _confirm(context: TableContext, before: Table, done: n.ConfirmationNotice) -> None:
    """Confirm a call that was typed in a private chat, where the table's message is not visible."""
    if (
        context.intent.answered_by != "toast"
        and context.intent.where is None
        and (not context.answers_cost_money() or _is_first_bid(context, before, done.done))
        and (done.done is n.Confirmation.CLAIMED or not _reads_board(context))
    ):
        say(context.uow, context.player, done, at=context.intent)


def _is_first_bid(context: TableContext, before: Table, done: n.Confirmation) -> bool:
    """Return True if it is the player's first bid of the game. Further bids are not confirmed: each text costs."""
    game, seat = before.game, context.seat()
    is_new = game is not None and game.round == 1 and all(bid.seat != seat for bid in game.bids)
    reads = context.intent.answered_by == "message" and context.player.direct != DirectMessages.REFUSED
    return done is n.Confirmation.BID and is_new and reads


def _reads_board(context: TableContext) -> bool:
    """Return True if the player's board shows their call, and they read it."""
    outbox = TableOutbox(context.uow, context.row, context.chat)
    return outbox.routes.to(context.player).has_board and not by_ear(context.player, context.uow.config)


@dataclass(frozen=True, slots=True)
class MakeBid(TellsNothing, TableRequest):
    """Bid a quantity of a face."""

    fits = Fits.TURN
    buttons = (Button("bid={quantity}x{face}"),)
    acts = (Act("bid", "quantity", "face", "lifts"),)
    commands = (
        Command(
            name="bid",
            scope=Scope.CHATS,
            who=Who.PLAYER,
            arguments=Arguments.PARSED,
            example="5 4",
            help=HelpLines(help_page=mark("bid five fours")),
        ),
    )

    quantity: Annotated[int, Field(ge=1, le=999)]
    face: Annotated[int, Field(ge=1, le=6)]
    bare: bool = field(default=False, compare=False)
    """Whether it does not show which is the number and which the face, as in "4 5"."""
    lifts: Annotated[int, Field(ge=0, le=50)] | None = field(default=None, compare=False)
    """How often the player has lifted the cup in this round, if they bid on a page."""

    def handle(self, context: TableContext) -> n.Toast | None:
        context.uow.lifts = self.lifts
        return make_call(context, Bid(context.seat(), self.quantity, self.face), bare=self.bare)


@dataclass(frozen=True, slots=True)
class CallDudo(TellsNothing, TableRequest):
    """Doubt the standing bid."""

    fits = Fits.TURN
    buttons = (Button("dudo"),)
    acts = (Act("dudo"),)
    commands = (
        Command(
            name="dudo",
            scope=Scope.CHATS,
            who=Who.PLAYER,
        ),
    )

    def handle(self, context: TableContext) -> n.Toast | None:
        return make_call(context, Dudo(context.seat()))


@dataclass(frozen=True, slots=True)
class CallCalza(TellsNothing, TableRequest):
    """Say that the standing bid is exact."""

    fits = Fits.TURN
    buttons = (Button("calza"),)
    acts = (Act("calza"),)
    commands = (
        Command(
            name="calza",
            scope=Scope.CHATS,
            who=Who.PLAYER,
        ),
    )

    def handle(self, context: TableContext) -> n.Toast | None:
        return make_call(context, Calza(context.seat()))


def _refused(context: TableContext, action: Call, rejected: RejectedError, *, bare: bool) -> n.Toast | None:
    """Tell the player why a call does not count, or ask about the call that was probably meant."""
    turned = _swapped_bid(context, action, rejected) if bare else None
    if turned is not None:
        return _offer(context, turned, replace(rejected, suggestion=str(turned)))
    if rejected.reason is not RejectionReason.ILLEGAL or context.intent.answered_by != "message":
        raise rejected
    if context.intent.where is not None:
        _answer_slip(context, rejected)
        return None
    may_tap = context.uow.traits(context.intent.who.channel).buttons
    second = context.hand_notice(context.seat()) if may_tap else table_for_one(context.table, context.seat())
    help_player(context, rejection_notice(rejected), second, about=str(rejected.rule))
    return None


def _answer_slip(context: TableContext, rejected: RejectedError) -> None:
    """Tell a group why a typed call does not count, until the game goes on."""
    withdraw(context.uow, context.chat, SLIP_SLOT, about=context.table.id)
    notice = rejection_notice(rejected)
    say(context.uow, context.player, notice, at=context.intent, about=context.table.id, slot=SLIP_SLOT)


def _answers_words_in_private(intent: Intent) -> bool:
    return intent.where is None and intent.answered_by == "message"


def help_player(context: TableContext, first: n.Notice, second: n.Notice, *, about: str = play.HELP) -> None:
    """Tell a player in private what they can say now. An explanation that did not help is not repeated in a row.

    `first` and `second` alternate; `about` is the subject of `first`. A player who asks again on their turn is offered
    calls by number.
    """
    seat = context.seat()
    table, times = play.count_help(context.table, context.player_id, about)
    notice, may_tap = first if times % 2 else second, context.uow.traits(context.intent.who.channel).buttons
    if times > 1 and table.in_play(seat) and table.game is not None and table.game.turn == seat:
        # Players with buttons are first offered calls by number; players by text first read the meaning of the two
        # calls.
        if may_tap == (times % 2 == 0):
            calls = play.likely_calls(context.hand_notice(seat).view)
            table = play.remember_heard(table, context.player_id, *calls, now=context.uow.now)
            notice = n.RejectionNotice(
                reason=RejectionReason.ILLEGAL, rule=Reason.BID_MALFORMED, offers=calls, wild_by=table.wild_by
            )
        elif not may_tap:
            notice = context.hand_notice(seat).model_copy(update={"help": "again"})
    context.save(TableChange(table))
    context.say_in_private(notice)


def _refuse_late(context: TableContext) -> None:
    """Reject words that were sent before the turn began."""
    table, said = context.table, context.intent.said_at
    if said is not None and table.status is Status.PLAYING and said < table.turn_since - STALE_AFTER_SECONDS:
        raise RejectedError(RejectionReason.STALE)


def _ask_again(context: TableContext, action: Dudo | Calza, seat: int) -> n.ConfirmationNotice | None:
    """Ask a player to repeat a call if a slip costs a die, and store the question.

    Taps are repeated on buttons that all share, and by players who want a second tap. Calza out of turn is always
    repeated, a player's first calza also on their turn, both in a private chat also if typed; until the first one
    counts, the question explains calza. Return None if the call counts, or if the rules will explain why it does not.
    """
    intent, table, player, game = context.intent, context.table, context.player, context.table.game
    by_tap, in_private = intent.answered_by == "toast", intent.where is None
    if game is None or (by_tap and intent.step != table.step):
        return None
    shared = intent.tapped is not None and intent.tapped.receiver is None and not in_private
    out_of_turn = isinstance(action, Calza) and game.turn != seat
    first_calza = isinstance(action, Calza) and Tip.CALZA not in player.tips_told
    asks = (by_tap and (shared or player.asks_twice)) or ((out_of_turn or first_calza) and (by_tap or in_private))
    if not asks or why_illegal(game, action) is not None:
        return None
    if not by_tap:
        done = n.Confirmation.SAY_CALZA_AGAIN
        if play.heard_calls(table, player.id, now=context.uow.now) == (str(action),):
            return None
        context.table = play.remember_heard(table, player.id, str(action), now=context.uow.now)
    else:
        done = n.Confirmation.TAP_DUDO_AGAIN if isinstance(action, Dudo) else n.Confirmation.TAP_CALZA_AGAIN
        repeated = play.confirm_call(table, player.id, done, now=context.uow.now)
        if repeated is None:
            return None
        context.table = repeated.table
    bid = bid_view(game.bids[-1]) if first_calza and player.tips else None
    return n.ConfirmationNotice(done=done, bid=bid, wild_by=table.wild_by, **calza_stakes(table.rules))


DELIVERED_AGAIN_SECONDS: Final = 600
"""How long after a text a network may deliver it once more."""


def _second_delivery(context: TableContext, action: Call) -> RejectedError | None:
    """Return a question for the round if words without a time may be an earlier round's, delivered once more."""
    table = context.table
    if table.game is None or not context.intent.may_come_again or context.intent.round is not None:
        return None
    lately = select(GameAction.action).where(
        GameAction.table_id == table.id, GameAction.at >= context.uow.now - DELIVERED_AGAIN_SECONDS
    )
    if dump_action(action) not in context.uow.session.exec(lately).all() or why_illegal(table.game, action) is not None:
        return None
    word = str(action) if isinstance(action, Bid) else str(action).upper()
    return RejectedError(RejectionReason.CALLED_BEFORE, suggestion=f"R{table.game.round} {word}")


def offer_call(context: TableContext, word: str) -> n.Toast | None:
    """Ask whether a call was meant. Illegal calls are never offered.

    Raises:
        RejectedError: the call is illegal, or no call is legal.
    """
    said = parse_call(word, context.seat())
    play.check_call(context.table, said, step=None)
    return _offer(context, said, RejectedError(RejectionReason.ILLEGAL, rule=Reason.BID_MALFORMED, suggestion=word))


def _offer(context: TableContext, said: Call, question: RejectedError) -> n.Toast | None:
    """Ask the question; if only the player reads it, their yes plays the call."""
    notice = rejection_notice(question)
    if context.intent.where is None:
        context.table = play.remember_heard(context.table, context.player_id, str(said), now=context.uow.now)
    if _answers_words_in_private(context.intent):
        help_player(context, notice, notice, about=str(said))
        return None
    return answer(context.uow, context.intent, context.player, notice)


@dataclass(frozen=True, slots=True)
class SayCalls(TellsNothing, TableRequest):
    """Say one of these calls, the likeliest first; `sure`: it is the first one.

    `note` is the number of the voice note in the chat, or 0 if that is unknown.
    """

    fits = Fits.TURN

    guesses: tuple[SpokenWord, ...]
    sure: bool
    note: int = 0

    def handle(self, context: TableContext) -> n.Toast | None:
        """Ask which of the calls was said; play a bid without a tap if the group allows it and the recogniser is sure.

        Legality is judged again: the table may have moved on since the recognition.
        """
        seat = context.seat()
        if context.table.game is None:
            raise no_running_game(context.table)
        _refuse_late(context)
        if not self.guesses:
            raise _heard_nothing(context, seat)
        calls = [parse_call(word, seat) for word in self.guesses]
        legal = _legal(context, calls)
        first = legal[0]
        if self.note and _is_answered(context):
            context.table = play.remember_note(context.table, context.player_id, self.note)
        if self.sure and context.chat.trusts_voice and first == calls[0] and isinstance(first, Bid):
            return make_call(context, first, asked=True, spoken=True)
        private = context.intent.where is None
        confirms_by_voice = private and by_ear(context.player, context.uow.config)
        if confirms_by_voice:
            context.table = play.remember_heard(context.table, context.player_id, str(first), now=context.uow.now)
        sure = self.sure and first == calls[0]
        explains = isinstance(first, Calza) and context.player.tips and Tip.CALZA not in context.player.tips_told
        bid = bid_view(context.table.begun_game.bids[-1]) if explains else None
        told = {"sure": sure, "explained": bid, **calza_stakes(context.table.rules)}
        question = _heard_notice(context, *map(str, legal)).model_copy(update=told)
        say(context.uow, context.player, question, at=context.intent, about=context.table.id)
        return None


def _is_answered(context: TableContext) -> bool:
    """Return True if the end of the round may answer a voice note: it is in the table's chat, and its owner lets it."""
    where, chat = context.intent.where, context.chat
    is_here = where is not None and (where.channel, where.address) == (chat.channel, chat.address)
    return is_here and not SWITCHES[NOTES_UNANSWERED].is_on(context.player)


def _heard_notice(context: TableContext, *calls: str) -> n.HeardNotice:
    return n.HeardNotice(
        table=context.table.id,
        step=context.table.step,
        player=context.player_id,
        name=context.player.name,
        private=context.intent.where is None,
        guesses=calls,
        wild_by=context.table.wild_by,
    )


def _heard_nothing(context: TableContext, seat: int) -> RejectedError:
    """Return why no call was recognised, as far as the table knows."""
    table, game_now = context.table, context.table.game
    if not table.in_play(seat) or game_now is None:
        return RejectedError(RejectionReason.OUT)
    if game_now.turn is not None and game_now.turn != seat:
        return RejectedError(RejectionReason.ILLEGAL, on_turn=table.seats[game_now.turn].name)
    return RejectedError(RejectionReason.NOTE_UNHEARD)


def _legal(context: TableContext, calls: list[Call]) -> list[Call]:
    """Return the legal ones of these calls. Raises: RejectedError: none, with the reason for the best of them."""
    legal: list[Call] = []
    why = RejectedError(RejectionReason.OUT)
    for said in reversed(calls):
        try:
            play.check_call(context.table, said, step=context.intent.step)
        except RejectedError as rejected:
            why = rejected
        else:
            legal.insert(0, said)
    if not legal:
        raise why
    return legal


@dataclass(frozen=True, slots=True)
class ConfirmCall(TellsNothing, TableRequest):
    """Confirm a call that the bot has recognised and read aloud, or has offered."""

    fits = Fits.TURN

    spoken: bool = False
    """Whether by voice note."""
    choice: int = 1
    """The number of the chosen call among the offered ones."""

    def handle(self, context: TableContext) -> n.Toast | None:
        """Play the player's last recognised or offered call, which they confirm."""
        seat = context.seat()
        calls = play.heard_calls(context.table, context.player_id, now=context.uow.now)
        if self.choice > len(calls) or context.intent.where is not None:
            raise _heard_nothing(context, seat)
        return make_call(context, parse_call(calls[self.choice - 1], seat), asked=True, spoken=self.spoken)


@dataclass(frozen=True, slots=True)
class AnswerNote(TellsNothing, TableRequest):
    """Name the call of a voice note among the guesses, or None if it was none of them."""

    buttons = (Button("said={call}_{rank}_{asked}"), Button("said=no_{asked}", call=None))

    asked: int
    """The player (by the players' own id) for whom the button was made."""
    call: Annotated[SpokenWord, Field(pattern=r"^(\d{1,3}x[1-6]|dudo|calza)$")] | None
    rank: Annotated[int, Field(ge=1, le=3)] = 0
    """The rank of the call among the guesses, from 1 on."""

    def handle(self, context: TableContext) -> n.Toast | None:
        """Play the call that the player chose. The question shows it, or loses its buttons."""
        context.require_asked(self.asked)
        seat = context.seat()
        try:
            said = None if self.call is None else parse_call(self.call, seat)
        except (NotationError, ValueError):
            raise RejectedError(RejectionReason.UNKNOWN_OPTION) from None
        if said is None:
            metrics.VOICE_CONFIRMED.labels("none").inc()
            forgotten = n.ConfirmationNotice(done=n.Confirmation.NOTE_FORGOTTEN)
            context.close_question(forgotten)
            return forgotten
        if context.intent.step != context.table.step:
            context.close_question(n.OutdatedNotice())
        shown = _heard_notice(context, str(said)).model_copy(update={"answered": True})
        toast = make_call(context, said, asked=True, spoken=True)
        metrics.VOICE_CONFIRMED.labels(str(self.rank)).inc()
        context.close_question(shown)
        return toast


@dataclass(frozen=True, slots=True)
class ReturnToSeat(AtAnyStep, TableRequest):
    """Take the seat back from the bot."""

    fits = Fits.GAME
    buttons = (Button("back"),)
    acts = (Act("back"),)
    commands = (texted("back", "take your seat back, after a turn that you missed", who=Who.PLAYER),)

    def handle(self, context: TableContext) -> n.Toast | None:
        """Confirm that the player's seat is theirs again; the arrival of the intent has handed it back.

        If another player has it, it is theirs from the next deal on.
        """
        if owned_by(context.table, context.player_id) is not None:
            return context.take_seat()
        if (why := play.why_gone(context.table, context.seat())) is not None:
            raise RejectedError(why)
        if context.answers_cost_money() and not context.returned.events:
            context.send_hand(context.seat())  # taking the seat back sends the dice
        return n.ConfirmationNotice(done=n.Confirmation.BACK)


def _swapped_bid(context: TableContext, action: Call, rejected: RejectedError) -> Bid | None:
    """Return the bid 5x4 for "4 5", if only that one is legal."""
    game = context.table.game
    if not isinstance(action, Bid) or rejected.reason is not RejectionReason.ILLEGAL or game is None:
        return None
    turned = Bid(action.seat, action.face, action.quantity)
    return turned if why_illegal(game, turned) is None else None


def _answers_an_earlier_round(context: TableContext) -> bool:
    """Return True if words in the group reply to the message of a finished round: "liar!" is no call there.

    A bid always counts: the new round's message may not have arrived yet.
    """
    if context.intent.where is None or context.intent.replied_to is None:
        return False
    query = select(SentMessage.table_id, SentMessage.slot).where(
        SentMessage.chat == context.chat.address,
        SentMessage.message == context.intent.replied_to.message,
        col(SentMessage.receiver).is_(None),
        or_(OF_A_ROUND, col(SentMessage.slot) == OVER_SLOT),
    )
    now = (context.row.id, deal_slot(context.table.deals))
    return any((table, slot) != now for table, slot in context.uow.session.exec(query))


_WHY_UNHEARD: Final = {
    NoteOutcome.TOO_LONG: RejectionReason.NOTE_TOO_LONG,
    NoteOutcome.TOO_MANY: RejectionReason.TOO_FAST,
    NoteOutcome.WITHOUT_SOUND: RejectionReason.NOTE_WITHOUT_SOUND,
    NoteOutcome.NOT_HEARD_HERE: RejectionReason.NOTE_NOT_HEARD_HERE,
}


@dataclass(frozen=True, slots=True)
class FailedNote(TellsNothing, PersonRequest):
    """Report that no call was recognised in a voice note; the answer gives the reason."""

    why: NoteOutcome

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Tell a player why no call was recognised in their note; once, that no notes are recognised here.

        Raises:
            RejectedError: with the reason, unless the player knows it.
        """
        if self.why is NoteOutcome.NOT_HEARD_HERE:
            reader = player if intent.where is None else uow.ensure_chat(intent.where)
            if reader.told_of_voice:
                return
            reader.told_of_voice = True
        raise RejectedError(_WHY_UNHEARD.get(self.why, RejectionReason.NOTE_TROUBLE))


@dataclass(frozen=True, slots=True)
class OtherRecording(TellsNothing, PersonRequest):
    """Report a round video or a music file, which is not recognised."""

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Tell a player that only voice notes are recognised, or that none are recognised here.

        Raises:
            RejectedError: with the reason, unless the player knows it.
        """
        if not uow.config.hears_voice:
            FailedNote(NoteOutcome.NOT_HEARD_HERE).handle(uow, intent, player)
            return
        raise RejectedError(RejectionReason.NOTE_OTHER_KIND)
