"""Each check of an evening finds a fault of its kind that is planted in the bot."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from sqlmodel import Session, select

from telegram_bot.channels.web import streams
from telegram_bot.delivery import outbox, reconcile
from telegram_bot.delivery.limits import Limits, SendPace
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.notices import Confirmation, ConfirmationNotice
from telegram_bot.presentation import notice_keys
from telegram_bot.service import service
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.storage.models import Player, SentMessage
from telegram_bot.words import turns
from test_support.simulation.evening import BEGINNING, early_differences, played
from test_support.simulation.planted_faults import planted
from test_support.simulation.world import Plan

ROUND = (
    *(("Bo", ":join"), ("Ana", ":start"), ("", ":bid="), ("", ":bid="), ("", ":dudo"), ("", ":bid=")),
    *(("Ana", "/dice"), ("Bo", "/dice")),
)
QUIET = Plan(5, {"table": {"clock_seconds": 30}}, people=("Ana", "Bo"), script=ROUND, acts=0, pause=(0.5, 3.0))
"""An evening in which nothing goes wrong by itself."""
HASTY = replace(QUIET, script=(*(("Ana", "/rules"), ("Bo", "/rules")) * 5, ("!", "chat lost")), pause=(0.05, 0.3))
WITH_PHONES = replace(
    QUIET,
    seed=6,
    phones=("Gran",),
    people=("Ana",),
    script=(("Gran", "JOIN"), ("Gran", "Gran"), ("Ana", ":start"), ("", ":bid="), ("Gran", "EXAMPLE")),
    pause=(3.0, 4.0),
)
WITH_PAGES = replace(QUIET, guests=("Pia", "Quin"), people=("Ana",), script=(("Pia", "enter"), ("Quin", "enter")))
COMPARED = "or_(known_as_live(now), col(GameTable.id).in_(ended))"
WITH_AN_ENGINE = replace(
    QUIET, seed=6, script=(("Ana", ":start"), ("Ana", ":bid="), ("Ana", ":bid=")), engine_fails=1.0
)
LOBBY = replace(
    QUIET,
    timings={"lobby_idle_seconds": 3600},
    script=(("Ana", "/dudo"), ("!", "wait=8"), ("!", "feature gone")),
    dies_sending=("lobby", "rejection"),
)
ENDED = replace(QUIET, script=(*ROUND[:2], ("Ana", "/stop"), ("Ana", ":close=")), dies_sending=("closed",))
CALLED = (*ROUND[:2], ("", "bid"), ("", "doubt"))
TROUBLED = replace(QUIET, script=(*CALLED, ("!", "broken words"), ("!", "clock=-3600"), ("!", "wait=30")))
SHORT = replace(QUIET, settings={"table": {"reveal_seconds": 5}}, rule_options={"starting_dice": 1}, script=CALLED)
AWAY = replace(QUIET, script=(*CALLED, ("!", "wait=80"), ("!", "clock=-3600"), ("!", "wait=30")))
BLOCKED = replace(
    QUIET, administrator=True, script=(*ROUND[:2], ("!", "wait=5"), ("!", "blocked=Bo"), ("", "bid"), ("!", "wait=5"))
)
"""The dice of a player move from their own chat to the group."""
MOVING = replace(
    QUIET,
    settings={"table": {"clock_seconds": 30, "reveal_seconds": 5}},
    guests=("Pia",),
    group="group",
    script=(*CALLED, ("!", "wait=1"), ("!", "migration by an error=with a page")),
)
LEFT = replace(
    QUIET,
    settings={"table": {"clock_seconds": 30, "on_timeout": "drop_out"}},
    timings={"lobby_idle_seconds": 180, "reminder_seconds": 10},
    script=(("Ana", "menu=players"), ("Ana", ":bot="), ("Ana", ":bot="), ("Ana", ":start")),
)
"""A person plays with two computer players, and leaves."""
SECRET = replace(
    QUIET,
    settings={
        "table": {"clock_seconds": 30, "reveal_seconds": 5},
        "pictures": {"hands": False, "reveals": True, "animations": True},
    },
    pause=(0.1, 0.5),
    rests=False,
)
Fault = Callable[[], AbstractContextManager[object]]
"""Plants a fault for the length of a `with`."""


@contextmanager
def restart_asks_and_texts_everyone_again() -> Iterator[None]:
    run = DeliveryWorker.run

    async def again(worker: DeliveryWorker) -> None:
        def mark(session: Session) -> None:
            for sent in session.exec(select(SentMessage)).all():
                sent.again = True
            uow = worker.service.unit_of_work(session, "planted")
            for player in session.exec(select(Player).where(Player.channel == "sms")).all():
                say(uow, player, ConfirmationNotice(done=Confirmation.NO_NEXT_GAME))

        await worker.database.run(mark)
        await run(worker)

    with mock.patch.object(DeliveryWorker, "run", again):
        yield


def fault(owner: object, name: str, wrong: object) -> Fault:
    return lambda: mock.patch.object(owner, name, wrong)


def text(function: str, right: str, wrong: str) -> Fault:
    return lambda: planted(f"telegram_bot.{function}", right, wrong)


FAULTS: dict[str, tuple[Plan, tuple[str, ...], *tuple[Fault, ...]]] = {
    "slow sends, a wrong log, record and metrics, old keys, rounds twice and early, keys with other bids": (
        replace(QUIET, seed=1),
        (
            *("the player on turn was asked after", "a secret in the log: somebody holds"),
            *("a secret in the log: a step of", "the log does not say that updates"),
            *("are stored, and the metrics say", "is still asked by", "ends of rounds were shown again"),
            *(
                "was invited to call .* and it became",
                "hand tells .* before its group",
                "is not where the actions lead",
            ),
        ),
        fault(SendPace, "wait", lambda *_: 2.0),
        text(
            "service.unit_of_work:UnitOfWork.commit_step",
            "    committed =",
            '    log.info("somebody holds 5️⃣ 5️⃣")\n    log.debug("a step of %s", table.seats[0].name)\n    committed =',
        ),
        fault(service, "log", logging.getLogger("silent")),
        text("service.service:Service.handle", 'else "acted"', 'else "other"'),
        *(fault(outbox, "retire", lambda *_: None), fault(reconcile, "outdated", lambda *_: ())),
        text(
            "channels.telegram.sender:TelegramSender.send",
            "return await self._send(envelope, target)",
            "if isinstance(envelope.notice, n.RevealNotice):\n            await self._send(envelope, None)\n"
            "        return await self._send(envelope, target)",
        ),
        fault(notice_keys, "MakeBid", lambda quantity, face: MakeBid(quantity + 1, face)),
        text("screens.wants:board_wants", "hand_slot(player.id), facts.unrevealed", "hand_slot(player.id), None"),
        text(
            "service.unit_of_work:UnitOfWork._append_actions",
            "dump_action(action)",
            'dump_action(action) | ({"quantity": action.quantity + 1} if hasattr(action, "quantity") else {})',
        ),
    ),
    "the chat of a step is not compared": (
        QUIET,
        ("should show|never shown",),
        text(
            "service.unit_of_work:UnitOfWork.finish",
            "    for table, at in sorted(self._marked.items()):",
            "    for table, at in sorted(self._marked.items()):\n"
            "        if load_table(self.session.get(GameTable, table)).game: continue",
        ),
    ),
    "a bid raises": (
        QUIET,
        ("ERROR: update .* failed",),
        text("service.handlers.game_requests:MakeBid.handle", "context.uow.lifts = self.lifts", "raise ValueError"),
    ),
    "dice count as unseen": (
        QUIET,
        ("were never shown|waits",),
        fault(outbox, "reveal_settled", lambda *_, **__: None),
    ),
    "no limits, and no lobby is closed": (
        HASTY,
        ("too fast for Telegram", "the lobby of table 1 is still open"),
        fault(Limits, "throttle", lambda *_, **__: 0.0),
        text(
            "tables.turn_clock:apply_due",
            "return close(table, CloseReason.IDLE if table.suspension is None else CloseReason.LOST_CHAT)",
            "return TableChange(table.replace(idle_at=moment.now + 600))",
        ),
    ),
    "a lobby that lost its chat for a while stays open": (
        HASTY,
        ("the lobby of table 1 is still open",),
        text(
            "tables.turn_clock:resume",
            "back.replace(idle_at=moment.now + moment.timings.lobby_idle(back.clock))",
            "back",
        ),
    ),
    "after a start no live table is compared, and what a dead process was sending is never sent": (
        LOBBY,
        ("was never shown: lobby", r"notice \d+ \(rejection, .* waits"),
        text("service.dirty_tables:DirtyTables.load", COMPARED, "col(GameTable.id).in_(ended)"),
        text("delivery.outbox:settle_left", "row.status = NoticeStatus.PENDING", "pass"),
    ),
    "notices are not sent, and a table cannot be read whose stored parts have an unknown kind": (
        LOBBY,
        (r"notice \d+ \(welcome, .* waits", "a check raises KeyError"),
        text("delivery.outbox:take_next", "while left:", "while False:"),
        text("notices.base:read_notice", "raise ValueError(", "raise KeyError("),
    ),
    "after a start no table is compared that has just ended": (
        ENDED,
        ("was never shown: closed",),
        text("service.dirty_tables:DirtyTables.load", COMPARED, "known_as_live(now)"),
    ),
    "one table whose words raise holds up every chat, and the pace of a process follows the wall clock": (
        TROUBLED,
        ("ERROR: looking at lanes failed", "waits for {"),
        text("delivery.reconcile:Reconciler._tried", "except SQLAlchemyError:", "except Exception:"),
        text(
            "delivery.worker:DeliveryWorker._send",
            "wait(channel.limits, time.monotonic())",
            "wait(channel.limits, self.now())",
        ),
    ),
    "the end of a round that a moving group has not seen counts as shown": (
        MOVING,
        ("were never shown",),
        text(
            "service.handlers.chats:_forget_unrevealed_rounds",
            "session.execute(delete",
            "session.connection and (lambda *_: None)(delete",
        ),
    ),
    "the last dice are not shown when they are due": (
        SHORT,
        ("were never shown",),
        fault(reconcile, "next_change", lambda _: None),
    ),
    "a player's dice stay in the chat that the bot has lost": (
        BLOCKED,
        (r"waits for {'hand:",),
        text("delivery.reconcile:Reconciler._readers_of", "if is_in_own_chat or", "if True or"),
    ),
    "a game that waits for its players never ends": (
        AWAY,
        (r"table 1 still runs \(playing",),
        text("tables.turn_clock:restart_after_outage", "moment.now + moment.timings.paused_idle_seconds", "None"),
    ),
    "a group whose new address has a page cannot move": (
        replace(MOVING, script=(("!", "wait=2"), MOVING.script[-1])),
        ("ERROR: marking a message as sent failed",),
        text(
            "service.handlers.chats:_merge_into",
            "move_references(uow.session, Chat, twin.id, chat.id)",
            "uow.session.execute(update(GameTable).where(GameTable.chat_id == twin.id).values(chat_id=chat.id))",
        ),
    ),
    "a board that another message follows is edited when it asks, and computer players play on alone": (
        LEFT,
        ("is asked by an edit", "computer players play alone"),
        text(
            "delivery.outbox:_mark_followed",
            "OF_A_GAME, ~col(SentMessage.followed)",
            "OF_A_GAME, col(SentMessage.chat) < 0, ~col(SentMessage.followed)",
        ),
        text("tables.play:_ended_if_decided", "<= table.going_on", "< 0"),
    ),
    "an example that is not legal": (
        replace(WITH_PHONES, seed=2),
        ("was invited to call .* and it became",),
        fault(turns, "offered_bids", lambda *_: [(90, 2)]),
    ),
    "a restart asks and texts everyone again": (
        WITH_PHONES,
        (r"a restart adds .* in -?\d", r"a restart adds .* in \+"),
        restart_asks_and_texts_everyone_again,
    ),
    "the turn of an engine that fails waits": (
        WITH_AN_ENGINE,
        ("waited for too long",),
        text(
            "ingress.computer_requests:ComputerRequestWorker._ask_engine",
            "return await engine.choose(question)",
            "try:\n        return await engine.choose(question)\n"
            "    except SideProcessError:\n        await asyncio.sleep(3600)\n        raise",
        ),
    ),
    "the log quotes an engine": (
        WITH_AN_ENGINE,
        ("a secret in the log: the engine odds",),
        text(
            "ingress.engine_process:EngineProcess.choose",
            'raise FunctionFailedError("an answer that is no call")',
            "raise FunctionFailedError(json.loads(result))",
        ),
    ),
    "an open page misses the end of a game": (
        WITH_PAGES,
        ("the page of .* shows .* and opened anew",),
        fault(streams, "MOST_SECONDS", 10**6),  # a new stream would tell it
        text(
            "channels.web.streams:_news_of",
            "if address is None or",
            'if (notice.card_slot == "over" and not is_first) or address is None or',
        ),
    ),
}
"""By name: an evening, the sentences that find what is planted in it, and the faults."""


@pytest.mark.parametrize("name", FAULTS)
def test_an_evening_finds_what_is_planted(name: str, tmp_path: Path) -> None:
    plan, found, *faults = FAULTS[name]
    with ExitStack() as stack:
        for each in faults:
            stack.enter_context(each())
        house = played(plan, tmp_path)
    missed = [sentence for sentence in found if not any(re.search(sentence, each) for each in house.failures)]
    assert missed == [], house.retold()


@pytest.mark.parametrize("name", {id(plan): name for name, (plan, *_) in FAULTS.items()}.values())
def test_an_evening_without_a_planted_fault_finds_none(name: str, tmp_path: Path) -> None:
    house = played(FAULTS[name][0], tmp_path)
    assert house.failures == [], house.retold()


EARLY: dict[str, tuple[Plan, Fault]] = {
    "dice that an animation still hides are told": (
        replace(
            SECRET,
            seed=2,
            people=("Ana", "Bo", "Cy"),
            script=(*BEGINNING, ("!", "dice=Ana"), *CALLED[2:], ("Ana", "guess ahead"), ("!", "wait=5")),
        ),
        text(
            "repositories.repositories:Repositories.unrevealed",
            "return None if deal is None else (deal, due)",
            "return None if deal is None or due <= self.now + 30 else (deal, due)",
        ),
    ),
    "a call of the next step is answered to the player who opens, before the dice are shown": (
        replace(
            SECRET,
            seed=1,
            script=(
                *(*ROUND[:2], ("!", "wait=3"), ("!", "dice=Bo"), ("", "bid"), *CALLED[2:]),
                *(("Bo", "guess ahead"), ("!", "wait=5")),
            ),
        ),
        text(
            "service.dispatcher:_require_allowed",
            "raise RejectedError(RejectionReason.REVEALING)",
            "seat = table.seat_of(context.player_id)\n"
            "    turn = None if table.game is None else table.game.turn\n"
            "    if request.tells_of_reveal or step is None or seat is None or seat != turn:\n"
            "        raise RejectedError(RejectionReason.REVEALING)",
        ),
    ),
}


@pytest.mark.parametrize("name", EARLY)
def test_a_reader_sees_what_is_planted_before_the_dice_are_shown_and_nothing_without_it(
    name: str, tmp_path: Path
) -> None:
    plan, planted_fault = EARLY[name]
    with planted_fault():
        assert list(early_differences(plan, tmp_path / "planted"))
    assert list(early_differences(plan, tmp_path)) == []
