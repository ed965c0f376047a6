"""The faults of an evening: each run draws which of them happen, and how often."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any, Final, Literal
from unittest import mock

from sqlmodel import col, select
from starlette.responses import JSONResponse

from telegram_bot.channels.web.sessions import ensure_room
from telegram_bot.delivery import reconcile
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.wants import Want, wants_of
from telegram_bot.storage.models import Chat, GameTable, OutboxEntry, RoundEnd
from telegram_bot.tables.model import Status
from telegram_sandbox import ControlError
from test_support.doors.odd_inputs import an_altered
from test_support.simulation.world import House, Plan

SHARES: Final = (0.01, 0.03, 0.1, 0.3)
"""How often a fault happens in an evening that has it."""
GONE: Final = "Bad Request: message to edit not found"
OF_CALLS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "slow": ({"kind": "stall_before", "seconds": 2.5}, {"kind": "stall_after", "seconds": 2.5}),
    "refused for a while": ({"kind": "refuse", "code": 429, "retry_after": 3},),
    "server error": ({"kind": "refuse", "code": 502},),
    "outcome unknown": ({"kind": "reset_after"}, {"kind": "stall_after", "seconds": 12}),
    "connection reset": ({"kind": "reset_before"},),
    "invalid": ({"kind": "refuse", "code": 400, "description": GONE, "method": "editMessageText"},),
}
"""The faults of calls of the bot to Telegram."""
OF_WORKERS: Final = {"death": (0.0005, 0.002, 0.006), "database busy": (0.001, 0.01)}
"""The share of commits, and of sends, at which a worker dies, or finds the database busy."""
HAPPEN: Final = (
    *("kill", "freeze", "clock", "outage", "migration", "quiet", "chat lost", "restart", "feature off", "delete"),
    *("migration by an error", "restore", "odd update"),
)
"""The events of an evening."""
RARELY: Final = ("broken words", "feature gone")
UNKNOWN: Final = [{"kind": "of_a_feature_that_is_gone"}]
FEATURES: Final = ("coach", "story", "tournament", "predictions", "fair_dice", "shouts", "league")


def draw(plan: Plan, chance: Random) -> None:
    if chance.random() < 0.15:
        return  # an evening without faults
    for name in (*OF_CALLS, "updates late", "updates doubled", "text late", "text doubled"):
        if chance.random() < 0.3:
            plan.faults[name] = chance.choice(SHARES)
    for name, shares in OF_WORKERS.items():
        if chance.random() < 0.3:
            plan.faults[name] = chance.choice(shares)
    for name in HAPPEN:
        if chance.random() < 0.25:
            plan.faults[name] = chance.choice((0.1, 0.3, 0.6))


async def go_wrong(house: House) -> None:
    """Begin the faults of the plan, and let its events happen until cancelled."""
    plan, chance = house.plan, house.chance["faults"]
    for name, kinds in OF_CALLS.items():
        if name in plan.faults:
            for kind in kinds:
                house.sandbox.add_fault(times=None, probability=plan.faults[name] / len(kinds), **kind)
    late = plan.faults.get("updates late", 0.0)
    house.sandbox.change_delivery(delay_seconds=20 * late, repeat=plan.faults.get("updates doubled", 0.0))
    house.network.observe = lambda path: dies_at_a_send(house, path)
    if "odd update" in plan.faults:
        tell_bot = house.world.tell_bot

        def told(kind: str, body: dict[str, Any]) -> None:
            house.updates.append((kind, body))
            tell_bot(kind, body)

        house.watching.enter_context(mock.patch.object(house.world, "tell_bot", told))
    while True:
        await asyncio.sleep(chance.uniform(2, 12))
        for name in (*HAPPEN, *RARELY):
            if house.draws(name):
                house.note(name)
                with suppress(ControlError):
                    await happen(house, chance, name)


def dies_at_a_send(house: House, path: str) -> None:
    """Let a worker die while a message is on its way."""
    if ("/send" in path or "/edit" in path) and house.workers and house.draws("death"):
        house.kill(house.chance["faults"].choice(house.workers), "at a send")


async def end(house: House) -> None:
    """End all faults: from now on everything goes well."""
    house.left_at = house.wall_time()
    house.note("calm")
    house.sandbox.clear_faults()
    house.sandbox.end_outage()
    house.sandbox.change_delivery()
    for worker in house.workers:
        worker.process.thaw()
    for user in house.users:
        if user.person.blocked_bot:
            await house.let_bot_in(user)
    if house.group.bot_status == "left":
        house.sandbox.set_bot_status(house.group, "member")


async def happen(house: House, chance: Random, what: str) -> None:
    """Let an event happen, if it can: a worker may be dead, and a group a supergroup already.

    Some can be told more: `clock=-30`.
    """
    what, _, more = what.partition("=")
    match what:
        case "wait" | "quiet":
            await asyncio.sleep(float(more or chance.choice((60.0, 200.0))))
        case "kill" if house.workers:
            house.kill(chance.choice(house.workers))
        case "freeze" if house.workers:
            worker = chance.choice(house.workers)
            worker.process.freeze()
            await asyncio.sleep(chance.choice((2.0, 15.0, 70.0)))
            worker.process.thaw()
        case "clock":
            house.set_clock(float(more or chance.choice((-3600.0, -600.0, -30.0, 30.0, 600.0, 3600.0))))
        case "outage":
            kinds: tuple[Literal["refuse", "reset", "silent"], ...] = ("refuse", "reset", "silent")
            house.sandbox.begin_outage(chance.choice(kinds), seconds=chance.choice((3.0, 20.0, 90.0)))
        case "migration" if house.group.type == "group":
            house.group = house.sandbox.migrate(house.group)
        case "migration by an error" if house.group.type == "group":
            # The bot hears of the supergroup from a refused call alone, perhaps after it has a table there already.
            with mock.patch.object(house.world, "tell_bot"):
                house.group = house.sandbox.migrate(house.group)
            if more or chance.random() < 0.5:
                await chance.choice(house.users).send("/perudo", house.group)
                await asyncio.sleep(2)
                give_page(house)
        case "chat lost":
            house.sandbox.set_bot_status(house.group, "left")
            await asyncio.sleep(chance.choice((5.0, 60.0)))
            house.sandbox.set_bot_status(house.group, "member")
        case "blocked":
            await next(user for user in house.users if user.name == more).change(blocked_bot=True)
        case "restart" if house.workers:
            await house.restart(chance.choice(house.workers))
        case "feature off":
            await house.restart(*house.workers, without=more or chance.choice(FEATURES))
        case "broken words":
            # The wording of the newest table raises for some seconds; nothing of it may be expected then.
            newest = max((table.id for table in house.games()), default=0)

            def broken(facts: Facts, reader: int) -> Iterator[Want]:
                if facts.table.id == newest:
                    raise ValueError("words that cannot be found")
                return wants_of(facts, reader)

            with mock.patch.object(reconcile, "wants_of", broken):
                await asyncio.sleep(5)
        case "feature gone":
            forget_feature(house)
        case "dice":
            change_dice(house, Random(house.plan.variant), more)
        case "delete":
            mine = [one for one in house.world.messages.values() if one.sender_id == house.world.settings.bot_id]
            if mine:
                gone = chance.choice(mine[-12:])
                house.deleted.add((gone.chat_id, gone.message_id))
                house.sandbox.delete_message(gone)
        case "restore":
            if house.backup is None and chance.random() < 0.5:
                house.back_up()
            else:
                await house.restore(newest=chance.random() < 0.5)
        case "odd update" if house.updates:
            # An update comes again with odd values at some of its places.
            name, body = chance.choice(house.updates)
            odd = an_altered({name: body}, chance)
            house.note(f"odd update {odd!r}")
            if isinstance(found := odd.get(name), dict):
                with suppress(ValueError):  # JSON in UTF-8 cannot contain it, such as half a surrogate
                    JSONResponse(found)
                    house.world.updates.add(name, found, lives=60, queue="odd")


def give_page(house: House) -> None:
    """Let the group's table have a page, if the bot knows the group at its address."""
    app = house.workers[0].app if house.workers else None
    with house.stored().transaction() as session:
        chat = session.exec(select(Chat).where(Chat.address == house.group.id)).first()
        if app is not None and chat is not None:
            ensure_room(app.service.unit_of_work(session, "page"), chat)


def forget_feature(house: House) -> None:
    """Let features have added parts to stored messages of a kind that this version does not know."""
    with house.stored().transaction() as session:
        for row in session.exec(select(GameTable).where(GameTable.live)):
            row.started_parts = [*(row.started_parts or []), *UNKNOWN]
            for end in session.exec(select(RoundEnd).where(RoundEnd.table_id == row.id)):
                end.parts, end.reveal_parts = [*end.parts, *UNKNOWN], [*end.reveal_parts, *UNKNOWN]
        for waiting in session.exec(select(OutboxEntry).where(col(OutboxEntry.notice).is_not(None))):
            stored = deepcopy(waiting.notice or {})
            if "parts" in stored.get("notice", {}):
                stored["notice"]["parts"] += UNKNOWN
                waiting.notice = stored


def change_dice(house: House, chance: Random, reader: str) -> None:
    """Let the dice of everybody but one player become others; two evenings differ only in these."""
    with house.stored().transaction() as session:
        for row in session.exec(select(GameTable).where(GameTable.status == Status.PLAYING)):
            state = deepcopy(row.state)
            game, names = state["game"], [seat["name"] for seat in state["seats"]]
            for seat, hand in enumerate(game["dice"]):
                # A hand that stays the same is not sent again, so times would differ too.
                while names[seat] != reader and hand and game["dice"][seat] == hand:
                    game["dice"][seat] = sorted(chance.randint(1, 6) for _ in hand)
            row.state, house.changed = state, (house.loop.time(), row.id, game["round"])
            row.version += 1
