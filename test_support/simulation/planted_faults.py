"""Faults that programs of the heart find: each was in the bot once, or makes one check fail."""

from dataclasses import dataclass
from typing import Final

from telegram_bot.tables.model import OnTimeout
from test_support.simulation.heart import (
    Act,
    BreakWords,
    Call,
    ChangeDice,
    Forge,
    ForgetFeature,
    House,
    Kill,
    MoveChat,
    Program,
    PublicCall,
    Say,
    SetClock,
    Unreachable,
    Wait,
)
from test_support.simulation.planting import Mutant

TWO: Final[tuple[Act, ...]] = (Say("Ana", 0), Say("Bo", 1), Say("Ana", 2))
THREE: Final[tuple[Act, ...]] = (Say("Ana", 0), Say("Bo", 1), Say("Cy", 1), Say("Ana", 2))


@dataclass(frozen=True)
class PlantedFault(Mutant):
    """A fault that a program finds."""

    program: Program
    found_by: str
    """The check that finds it."""


_COMPARED: Final = "tables = or_(KNOWN_AS_LIVE, col(GameTable.id).in_(ended))"

PLANTED: Final = (
    PlantedFault(
        "After a start no reader of a live table is compared",
        "telegram_bot.service.readers",
        "Readers.load",
        _COMPARED,
        "tables = col(GameTable.id).in_(ended)",
        Program(House(), (Kill("lobby"), Say("Ana", 0), Wait(10))),
        "shown_is_wanted",
    ),
    PlantedFault(
        "After a start no reader of a table is compared that has just ended",
        "telegram_bot.service.readers",
        "Readers.load",
        _COMPARED,
        "tables = KNOWN_AS_LIVE",
        Program(House(), (*TWO, Kill("closed"), Say("Ana", 9), Wait(10))),
        "shown_is_wanted",
    ),
    PlantedFault(
        "What a dead process was sending is never sent",
        "telegram_bot.delivery.outbox",
        "settle_left",
        "row.status = NoticeStatus.PENDING",
        "pass",
        Program(House(), (Say("Ana", 0), Kill("rejection"), Say("Ana", 2), Wait(10))),
        "nothing_waits",
    ),
    PlantedFault(
        "One table whose words raise holds up every chat",
        "telegram_bot.delivery.reconcile",
        "Reconciler._tried",
        "except SQLAlchemyError:",
        "except Exception:",
        Program(House(), (Say("Ana", 0), Say("Bo", 0, 1), Unreachable(2), Say("Cy", 1, 1), BreakWords(5))),
        "nothing_failed",
    ),
    PlantedFault(
        "The end of a round that a moving group has not seen counts as shown",
        "telegram_bot.service.handlers.chats",
        "_forget_unrevealed_rounds",
        "session.execute(delete",
        "session.connection and (lambda *_: None)(delete",
        Program(House(on_timeout=OnTimeout.LOSE_DIE), (*TWO, MoveChat(0, reported=False, known=True))),
        "rounds_are_shown_once",
    ),
    PlantedFault(
        "A group whose new address has a page cannot move",
        "telegram_bot.service.handlers.chats",
        "_merge_into",
        "move_references(uow.session, Chat, twin.id, chat.id)",
        "uow.session.execute(update(GameTable).where(col(GameTable.chat_id) == twin.id).values(chat_id=chat.id))",
        Program(House(), (Say("Ana", 0), MoveChat(0, reported=False, known=True))),
        "nothing_waits",
    ),
    PlantedFault(
        "Dice that an animation still hides are told",
        "telegram_bot.repositories.repositories",
        "Repositories.unrevealed",
        "return None if deal is None else (deal, due)",
        "return None if deal is None or due <= self.now + 30 else (deal, due)",
        Program(House(), (*THREE, ChangeDice("Ana"), PublicCall(), PublicCall(doubts=True), Forge("Ana"))),
        "nothing_early",
    ),
    PlantedFault(
        "A call of the next step is answered to the player who opens, before the dice are shown",
        "telegram_bot.service.dispatcher",
        "_require_allowed",
        "raise RejectedError(RejectionReason.REVEALING)",
        "seat = table.seat_of(context.player_id)\n"
        "    turn = None if table.game is None else table.game.turn\n"
        "    if request.tells_of_reveal or step is None or seat is None or seat != turn:\n"
        "        raise RejectedError(RejectionReason.REVEALING)",
        Program(
            House(seed=4), (*TWO, ChangeDice("Bo"), PublicCall(), PublicCall(), PublicCall(doubts=True), Forge("Bo"))
        ),
        "nothing_early",
    ),
    PlantedFault(
        "Boards show the next dice before the group has seen the last ones",
        "telegram_bot.screens.wants",
        "board_wants",
        "hand_slot(player.id), facts.unrevealed",
        "hand_slot(player.id), None",
        Program(House(), (*TWO, Call())),
        "the_group_learns_first",
    ),
    PlantedFault(
        "A table cannot be read whose stored parts have an unknown kind",
        "telegram_bot.notices.base",
        "_read_feature_notice",
        "raise ValueError(",
        "raise KeyError(",
        Program(House(), (Say("Ana", 0), ForgetFeature())),
        "shown_is_wanted",
    ),
    PlantedFault(
        "The pace of a process follows the wall clock",
        "telegram_bot.delivery.worker",
        "DeliveryWorker._send",
        "wait(channel.limits, time.monotonic())",
        "wait(channel.limits, self.now())",
        Program(House(limits=True), (Say("Ana", 0), SetClock(-3600))),
        "nothing_waits",
    ),
    PlantedFault(
        "A board that another message follows is edited when it asks",
        "telegram_bot.delivery.outbox",
        "_mark_followed",
        "OF_A_GAME, ~col(SentMessage.followed)",
        "OF_A_GAME, col(SentMessage.chat) < 0, ~col(SentMessage.followed)",
        Program(House(turn_seconds=20, on_timeout=OnTimeout.DROP_OUT), TWO),
        "who_is_asked_reads_it_last",
    ),
    PlantedFault(
        "A paused game is never closed",
        "telegram_bot.tables.turn_clock",
        "apply_due",
        "return close(table, CloseReason.IDLE if table.suspension is None else CloseReason.LOST_CHAT)",
        "return TableChange(table.replace(idle_at=moment.now + 600))",
        Program(House(), (Say("Ana", 0),)),
        "left_games_end",
    ),
)
