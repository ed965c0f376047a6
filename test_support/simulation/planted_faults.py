"""Faults that programs of the heart find: each was in the bot once, or makes one check fail."""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FunctionType
from typing import Any, Final

from telegram_bot.tables.model import OnTimeout
from test_support.simulation.heart import House, Program
from test_support.simulation.heart_acts import (
    Act,
    break_words,
    call,
    change_dice,
    forge,
    forget_feature,
    kill,
    move_chat,
    public_call,
    say,
    set_clock,
    unreachable,
    wait,
)

TWO: Final[tuple[Act, ...]] = (say("Ana", 0), say("Bo", 1), say("Ana", 2))
THREE: Final[tuple[Act, ...]] = (say("Ana", 0), say("Bo", 1), say("Cy", 1), say("Ana", 2))


@dataclass(frozen=True)
class PlantedFault:
    """A fault to plant, and the program that finds it."""

    name: str
    """A sentence that says which fault it is."""
    function: str
    right: str
    wrong: str
    program: Program
    found_by: str
    """The check that finds it."""


@contextmanager
def planted(function: str, right: str, wrong: str) -> Iterator[None]:
    """Let the bot have a fault for the length of a `with`: a function is compiled again with another text.

    `function` is `module:function`, or `module:Class.method`.

    Raises:
        LookupError: the function's source does not contain the text, once.
    """
    module_name, _, path = function.partition(":")
    module = import_module(module_name)
    *owners, name = path.split(".")
    owner: Any = module
    for each in owners:
        owner = getattr(owner, each)
    usual = inspect.getattr_static(owner, name)
    source = textwrap.dedent(inspect.getsource(usual))
    if source.count(right) != 1:
        raise LookupError(f"{function} has {right!r} {source.count(right)} times")
    found: dict[str, Any] = {}
    exec(compile(source.replace(right, wrong), module_name, "exec"), vars(module), found)  # noqa: S102
    faulty = found[name]
    assert isinstance(faulty, FunctionType | classmethod | staticmethod)
    places = [(owner, name)]
    if not owners:  # other modules have imported it by name
        places += [
            (each, word)
            for each in list(sys.modules.values())
            if each is not None and each.__name__.startswith("telegram_bot")
            for word, value in list(vars(each).items())
            if value is usual and each is not module
        ]
    for place, word in places:
        setattr(place, word, faulty)
    try:
        yield
    finally:
        for place, word in places:
            setattr(place, word, usual)


_COMPARED: Final = "tables = or_(KNOWN_AS_LIVE, col(GameTable.id).in_(ended))"

PLANTED: Final = (
    PlantedFault(
        "After a start no reader of a live table is compared",
        "telegram_bot.service.readers:Readers.load",
        _COMPARED,
        "tables = col(GameTable.id).in_(ended)",
        Program(House(), (kill("lobby"), say("Ana", 0), wait(10))),
        "shown_is_wanted",
    ),
    PlantedFault(
        "After a start no reader of a table is compared that has just ended",
        "telegram_bot.service.readers:Readers.load",
        _COMPARED,
        "tables = KNOWN_AS_LIVE",
        Program(House(), (*TWO, kill("closed"), say("Ana", 9), wait(10))),
        "shown_is_wanted",
    ),
    PlantedFault(
        "What a dead process was sending is never sent",
        "telegram_bot.delivery.outbox:settle_left",
        "row.status = NoticeStatus.PENDING",
        "pass",
        Program(House(), (say("Ana", 0), kill("rejection"), say("Ana", 2), wait(10))),
        "nothing_waits",
    ),
    PlantedFault(
        "One table whose words raise holds up every chat",
        "telegram_bot.delivery.reconcile:Reconciler._tried",
        "except SQLAlchemyError:",
        "except Exception:",
        Program(House(), (say("Ana", 0), say("Bo", 0, 1), unreachable(2), say("Cy", 1, 1), break_words(5))),
        "nothing_failed",
    ),
    PlantedFault(
        "The end of a round that a moving group has not seen counts as shown",
        "telegram_bot.service.handlers.chats:_forget_unrevealed_rounds",
        "session.execute(delete",
        "session.connection and (lambda *_: None)(delete",
        Program(House(on_timeout=OnTimeout.LOSE_DIE), (*TWO, move_chat(0, reported=False, known=True))),
        "rounds_are_shown_once",
    ),
    PlantedFault(
        "A group whose new address has a page cannot move",
        "telegram_bot.service.handlers.chats:_merge_into",
        "move_references(uow.session, Chat, twin.id, chat.id)",
        "uow.session.execute(update(GameTable).where(col(GameTable.chat_id) == twin.id).values(chat_id=chat.id))",
        Program(House(), (say("Ana", 0), move_chat(0, reported=False, known=True))),
        "nothing_waits",
    ),
    PlantedFault(
        "Dice that an animation still hides are told",
        "telegram_bot.repositories.repositories:Repositories.unrevealed",
        "return None if deal is None else (deal, due)",
        "return None if deal is None or due <= self.now + 30 else (deal, due)",
        Program(House(), (*THREE, change_dice("Ana"), public_call(), public_call(doubts=True), forge("Ana"))),
        "nothing_early",
    ),
    PlantedFault(
        "A call of the next step is answered to the player who opens, before the dice are shown",
        "telegram_bot.service.dispatcher:_require_allowed",
        "raise RejectedError(RejectionReason.REVEALING)",
        "seat = table.seat_of(context.player_id)\n"
        "    turn = None if table.game is None else table.game.turn\n"
        "    if request.tells_of_reveal or step is None or seat is None or seat != turn:\n"
        "        raise RejectedError(RejectionReason.REVEALING)",
        Program(
            House(seed=4),
            (*TWO, change_dice("Bo"), public_call(), public_call(), public_call(doubts=True), forge("Bo")),
        ),
        "nothing_early",
    ),
    PlantedFault(
        "Boards show the next dice before the group has seen the last ones",
        "telegram_bot.screens.wants:board_wants",
        "hand_slot(player.id), facts.unrevealed",
        "hand_slot(player.id), None",
        Program(House(), (*TWO, call())),
        "the_group_learns_first",
    ),
    PlantedFault(
        "A table cannot be read whose stored parts have an unknown kind",
        "telegram_bot.notices.base:_read_feature_notice",
        "raise ValueError(",
        "raise KeyError(",
        Program(House(), (say("Ana", 0), forget_feature())),
        "shown_is_wanted",
    ),
    PlantedFault(
        "The pace of a process follows the wall clock",
        "telegram_bot.delivery.worker:DeliveryWorker._send",
        "wait(channel.limits, time.monotonic())",
        "wait(channel.limits, self.now())",
        Program(House(limits=True), (say("Ana", 0), set_clock(-3600))),
        "nothing_waits",
    ),
    PlantedFault(
        "A board that another message follows is edited when it asks",
        "telegram_bot.delivery.outbox:_mark_followed",
        "OF_A_GAME, ~col(SentMessage.followed)",
        "OF_A_GAME, col(SentMessage.chat) < 0, ~col(SentMessage.followed)",
        Program(House(turn_seconds=20, on_timeout=OnTimeout.DROP_OUT), TWO),
        "who_is_asked_reads_it_last",
    ),
    PlantedFault(
        "A paused game is never closed",
        "telegram_bot.tables.turn_clock:apply_due",
        "return close(table, CloseReason.IDLE if table.suspension is None else CloseReason.LOST_CHAT)",
        "return TableChange(table.replace(idle_at=moment.now + 600))",
        Program(House(), (say("Ana", 0),)),
        "left_games_end",
    ),
    PlantedFault(
        "A bid is stored as another",
        "telegram_bot.service.unit_of_work:UnitOfWork._append_actions",
        "dump_action(action)",
        'dump_action(action) | ({"quantity": action.quantity + 1} if hasattr(action, "quantity") else {})',
        Program(House(), (*TWO, call())),
        "records_replay",
    ),
    PlantedFault(
        "Notices are not sent",
        "telegram_bot.delivery.outbox:take_next",
        "while left:",
        "while False:",
        Program(House(), (say("Ana", 0),)),
        "nothing_waits",
    ),
    PlantedFault(
        "Computer players play on alone",
        "telegram_bot.tables.play:_ended_if_decided",
        "<= table.going_on",
        "< 0",
        Program(
            House(turn_seconds=20, on_timeout=OnTimeout.DROP_OUT),
            (say("Ana", 0), say("Ana", 8), say("Ana", 8), say("Ana", 2)),
        ),
        "records_replay",
    ),
)
