"""Each check of an evening finds a fault of its kind that is planted in the bot."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, select

from perudo_core import Call, Observation, PerudoError
from perudo_core.agents.engines import Answer, read_answer
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.web import streams
from telegram_bot.delivery import outbox
from telegram_bot.delivery.limits import Limits, SendPace
from telegram_bot.delivery.sender import SendResult
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.notices import Confirmation, ConfirmationNotice, RevealNotice
from telegram_bot.observability import metrics
from telegram_bot.presentation import notice_keys
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.wants import Want, page_wants
from telegram_bot.service import service
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.computer_requests import CallRequest
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.readers import Settled
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.side_process import SideProcessError
from telegram_bot.storage.models import GameTable, LaneName, Player, SentMessage
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import Status, Table
from telegram_bot.words import turns
from test_support.simulation.evening import played
from test_support.simulation.world import Plan

ROUND = (
    *(("Bo", ":join"), ("Ana", ":start"), ("", ":bid="), ("", ":bid="), ("", ":dudo"), ("", ":bid=")),
    *(("Ana", "/dice"), ("Bo", "/dice")),
)
QUIET = Plan(5, {"table": {"clock_seconds": 30}}, people=("Ana", "Bo"), script=ROUND, acts=0, pause=(0.5, 3.0))
"""An evening in which nothing goes wrong by itself."""
HASTY = replace(QUIET, script=(("Ana", "/rules"), ("Bo", "/rules")) * 5, pause=(0.05, 0.3))
WITH_PHONES = replace(
    QUIET,
    seed=6,
    phones=("Gran",),
    people=("Ana",),
    script=(("Gran", "JOIN"), ("Gran", "Gran"), ("Ana", ":start"), ("", ":bid="), ("Gran", "EXAMPLE")),
    pause=(3.0, 4.0),
)
WITH_PAGES = replace(QUIET, guests=("Pia", "Quin"), people=("Ana",), script=(("Pia", "enter"), ("Quin", "enter")))
WITH_AN_ENGINE = replace(
    QUIET, seed=6, script=(("Ana", ":start"), ("Ana", ":bid="), ("Ana", ":bid=")), engine_fails=1.0
)
Patch = Callable[[pytest.MonkeyPatch], None]


def replaced(owner: object, name: str, wrong: object) -> Patch:
    return lambda patch: patch.setattr(owner, name, wrong)


def a_step_does_not_mark_the_chat(patch: pytest.MonkeyPatch) -> None:
    finish = UnitOfWork.finish

    def forgetful(uow: UnitOfWork) -> frozenset[LaneName]:
        lanes = finish(uow)
        for table in uow.session.exec(select(GameTable.id).where(GameTable.status == Status.PLAYING)):
            for reader in uow.readers.of(table=table, player=TABLES_CHAT):
                uow.readers.settle([Settled(table, TABLES_CHAT, reader.marks)])
        return lanes

    patch.setattr(UnitOfWork, "finish", forgetful)


def a_bid_raises(patch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("planted")

    patch.setattr(MakeBid, "handle", broken)


def a_restart_asks_and_texts_everyone_again(patch: pytest.MonkeyPatch) -> None:
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

    patch.setattr(DeliveryWorker, "run", again)


def the_log_has_dice_and_a_name(patch: pytest.MonkeyPatch) -> None:
    commit_step = UnitOfWork.commit_step

    def told(uow: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
        commit_step(uow, row, before, step)
        log = logging.getLogger("telegram_bot.planted")
        log.info("somebody holds 5️⃣ 5️⃣")
        log.debug("a step of %s", step.table.seats[0].name)

    patch.setattr(UnitOfWork, "commit_step", told)


def the_end_of_a_round_is_sent_twice(patch: pytest.MonkeyPatch) -> None:
    send = TelegramSender.send

    async def twice(sender: TelegramSender, envelope: Envelope, target: MessageRef | None) -> SendResult:
        if isinstance(envelope.notice, RevealNotice):
            await send(sender, envelope, None)
        return await send(sender, envelope, target)

    patch.setattr(TelegramSender, "send", twice)


def an_open_page_misses_the_end_of_a_game(patch: pytest.MonkeyPatch) -> None:
    def some(facts: Facts, reader: int | None, *, is_first: bool) -> Iterator[Want]:
        wants = page_wants(facts, reader, is_first=is_first)
        return (want for want in wants if is_first or want.notice.card_slot != "over")

    patch.setattr(streams, "page_wants", some)
    patch.setattr(streams, "MOST_SECONDS", 10**6)  # a new stream would tell it


def updates_are_counted_by_another_name(patch: pytest.MonkeyPatch) -> None:
    labels = metrics.UPDATES.labels
    patch.setattr(metrics.UPDATES, "labels", lambda source, result: labels(source, result.replace("acted", "other")))


def boards_keep_their_keys(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(outbox, "retire", lambda *_: None)
    patch.setattr("telegram_bot.delivery.reconcile.outdated", lambda *_: ())


def the_turn_of_an_engine_that_fails_waits(patch: pytest.MonkeyPatch) -> None:
    ask_engine = ComputerRequestWorker._ask_engine

    async def waits(worker: ComputerRequestWorker, request: CallRequest) -> Call | None:
        try:
            return await ask_engine(worker, request)
        except SideProcessError:
            await asyncio.sleep(3600)
            raise

    patch.setattr(ComputerRequestWorker, "_ask_engine", waits)


def the_log_quotes_an_engine(patch: pytest.MonkeyPatch) -> None:
    def quoted(result: Any, seen: Observation) -> Answer:
        try:
            return read_answer(result, seen)
        except PerudoError:
            raise SideProcessError(result) from None

    patch.setattr("telegram_bot.ingress.engine_process.read_answer", quoted)


@pytest.mark.parametrize(
    ("plan", "faults", "found"),
    [
        pytest.param(
            QUIET,
            (
                replaced(SendPace, "wait", lambda *_: 2.0),
                the_log_has_dice_and_a_name,
                replaced(service, "log", logging.getLogger("silent")),
                updates_are_counted_by_another_name,
                boards_keep_their_keys,
                the_end_of_a_round_is_sent_twice,
                replaced(notice_keys, "MakeBid", lambda quantity, face: MakeBid(quantity + 1, face)),
            ),
            (
                *("the player on turn was asked after", "a secret in the log: somebody holds"),
                *("a secret in the log: a step of", "the log does not say that updates"),
                *("are stored, and the metrics say", "is still asked by", "ends of rounds were shown again"),
                "was invited to call .* and it became",
            ),
            id="slow sends, a log and metrics that are wrong, old keys, double ends, keys with other bids",
        ),
        (QUIET, (a_step_does_not_mark_the_chat,), ("should show|never shown",)),
        (QUIET, (a_bid_raises,), ("ERROR: update .* failed",)),
        (QUIET, (replaced(outbox, "reveal_settled", lambda *_, **__: None),), ("were never shown|waits",)),
        (HASTY, (replaced(Limits, "throttle", lambda *_, **__: 0.0),), ("too fast for Telegram",)),
        (
            WITH_PHONES,
            (replaced(turns, "offered_bids", lambda *_: [(90, 2)]),),
            ("was invited to call .* and it became",),
        ),
        (
            WITH_PHONES,
            (a_restart_asks_and_texts_everyone_again,),
            (r"a restart adds .* in -?\d", r"a restart adds .* in \+"),
        ),
        (WITH_AN_ENGINE, (the_turn_of_an_engine_that_fails_waits,), ("waited for too long",)),
        (WITH_AN_ENGINE, (the_log_quotes_an_engine,), ("a secret in the log: the engine odds",)),
        (WITH_PAGES, (an_open_page_misses_the_end_of_a_game,), ("the page of .* shows .* and opened anew",)),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) and isinstance(each[0], str) else "",
)
def test_an_evening_finds_each_planted_fault(
    plan: Plan, faults: tuple[Patch, ...], found: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for plant in faults:
        plant(monkeypatch)
    house = played(plan, tmp_path)
    missed = [sentence for sentence in found if not any(re.search(sentence, each) for each in house.failures)]
    assert missed == [], house.retold()


@pytest.mark.parametrize(
    "plan",
    [QUIET, HASTY, WITH_PHONES, WITH_PAGES, WITH_AN_ENGINE],
    ids=["chats", "hasty", "phones", "pages", "engine"],
)
def test_an_evening_without_a_planted_fault_finds_none(plan: Plan, tmp_path: Path) -> None:
    house = played(plan, tmp_path)
    assert house.failures == [], house.retold()
