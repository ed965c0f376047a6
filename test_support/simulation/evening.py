"""An evening from its seed: the people, what goes wrong, and what people do."""

import asyncio
import gc
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import zip_longest
from math import inf
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final
from unittest import mock

from sqlmodel import col, select

from telegram_bot.channels.web import streams
from telegram_bot.delivery import worker
from telegram_bot.delivery.reconcile import COMPARE_AGAIN_SECONDS
from telegram_bot.ingress import deadlines, inbox
from telegram_bot.notices import RevealNotice
from telegram_bot.operations.backup import restore
from telegram_bot.settings import sms
from telegram_bot.storage import schema
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from telegram_sandbox import ControlError
from telegram_sandbox.virtual_time import virtual_time
from test_support.open_database import copy_migrated_database
from test_support.simulation import checks, engines, faults, people
from test_support.simulation.world import TELEVISION, Chance, House, Plan

if TYPE_CHECKING:
    from test_support.postgres import PostgresServer

RELEASES: Final = Path(__file__).parents[2] / "tests/fixtures/releases"
RULEBOOKS: Final = ("classic", "box_2009", "italian_box", "aces", "azteca", "french_guide")
BEYOND_THE_BOOKS: Final = ("calza", "calza_costs_others", "first_out_wins", "reverse_after_call", "reroll_after_bid")
TRIO: Final = ("Ana", "Bo", "Cy")
BEGINNING: Final = (("Bo", ":join"), ("Cy", ":join"), ("Ana", ":start"), ("!", "wait=3"))
"""Three people begin a game, after "/perudo"."""
REST_SECONDS: Final = 120.0
MOST_RESTS: Final = 6
MOST_TRIES: Final = 30
"""So often an act of a script is tried, which is not possible at first."""
DAY_SECONDS: Final = 86400.0
NINE: Final = 9 * 3600.0
PAPER: Final = "📰"
REVENGE: Final = "⚔️"
UNHURRIED_SECONDS: Final = 0.2
"""People who act more often than that fill their own chats with answers, which delay their prompts."""
SOON_SECONDS: Final = 300.0
CHECKED_AGAIN: Final = 5
CHECKED_AGAIN_SECONDS: Final = 7.0
LOOK_SECONDS: Final = 10.0
"""The pause of the bot's looks for work while it rests, which only costs CPU."""


def drawn(seed: int) -> Plan:
    chance = Random(f"{seed} plan")
    names = ("Ana", "Bo", "Cy", "Dee", "Eli", "Fay")
    plan = Plan(seed, people=names[: chance.choice((1, 2, 3, 3, 4, 4, 6))])
    plan.settings["table"] = {
        "rulebook": chance.choice(RULEBOOKS),
        "clock_seconds": chance.choice((30, 30, 45, 120)),
        "on_timeout": chance.choice(("auto", "lose_die", "drop_out")),
        "misses_allowed": chance.choice((1, 2, 3)),
        "reveal_seconds": chance.choice((0, 2, 2, 5)),
    }
    plan.timings |= {"think_least_seconds": chance.choice((0, 1, 3)), "reminder_seconds": chance.choice((0, 10, 30))}
    if chance.random() < 0.4:
        plan.phones = ("Gran", "Ugo")[: chance.choice((1, 2))]
    if chance.random() < 0.4:
        plan.guests = ("Pia", "Quin", "Rex")[: chance.choice((1, 2, 3))]
        plan.guests += (TELEVISION,) * (chance.random() < 0.5)
    plan.group = chance.choice(("supergroup", "supergroup", "group"))
    plan.webhook = chance.random() < 0.4
    two = plan.webhook and chance.random() < 0.6
    plan.pause = chance.choice(((0.05, 1.0), (0.2, 4.0), (1.0, 12.0)))
    faults.draw(plan, chance)
    plan.tournament = len(plan.people) > 2 and chance.random() < 0.1
    if plan.tournament:  # it begins with seven
        plan.people, plan.acts = (*names, "Gus"), 30
    plan.postgresql = chance.random() < 0.15
    plan.workers = 2 if two and plan.postgresql else 1
    if plan.group == "supergroup" and chance.random() < 0.2:
        plan.release = chance.choice((None, "1.0.0", "1.1.0"))
    if chance.random() < 0.3:
        plan.engine_fails = chance.choice((0.0, 0.1, 0.5))
    plan.rule_options = mixed(chance)
    for name in faults.RARELY:
        if plan.faults and chance.random() < 0.2:
            plan.faults[name] = 0.1
    plan.settings["pictures"] = pictures(chance)
    plan.administrator = chance.random() < 0.5
    if chance.random() < 0.3:  # a short game, whose result is seen
        plan.rule_options["starting_dice"] = chance.choice((1, 2))
    return plan


def pictures(chance: Random) -> dict[str, bool]:
    """Return whether ends of rounds are shown with an animation."""
    return {"hands": False} | dict.fromkeys(("reveals", "animations"), chance.random() < 0.5)


def mixed(chance: Random) -> dict[str, int]:
    """Return some options that no rulebook has on, in one evening of four."""
    return {name: chance.random() < 0.5 for name in BEYOND_THE_BOOKS} if chance.random() < 0.25 else {}


def drawn_secret(seed: int) -> Plan:
    """Return an evening in which nobody's act depends on dice, and in which dice change before a round is called.

    The reader of the comparison always asks for the next step, which belongs to a player whom those dice decide.
    """
    chance = Random(f"{seed} secret")
    reader, rounds = chance.choice(TRIO), chance.randrange(6)
    later = [
        (chance.choice(TRIO), chance.choice(("guess ahead", "guess ahead", "/dice", "/status", "/bid 2 3", "/dudo")))
        for _ in range(chance.randint(2, 8))
    ]
    before = [
        ("", "bid") if chance.random() < 0.5 else (chance.choice(TRIO), "/dice") for _ in range(chance.randrange(5))
    ]
    script = (
        *(*BEGINNING, *((("", "bid"), ("", "doubt"), ("!", "wait=12")) * rounds), ("!", f"dice={reader}")),
        *(("", "bid"), *before, ("", "doubt"), (reader, "guess ahead"), *later),
    )
    table = {"rulebook": chance.choice(RULEBOOKS), "clock_seconds": 120, "reveal_seconds": chance.choice((0, 2, 5))}
    plan = Plan(
        seed, {"table": table, "pictures": pictures(chance)}, people=TRIO, script=script, rule_options=mixed(chance)
    )
    return replace(plan, acts=0, pause=(0.1, 0.5), rests=False, administrator=chance.random() < 0.5)


async def play(house: House) -> None:
    """Let people act while things go wrong; then let everything come to rest."""
    chance = house.chance["people"]
    everyone = people.people_of(house)
    turns = checks.Turns(house)
    house.metrics = checks.counted()
    wrong = house.loop.create_task(faults.go_wrong(house))
    first = next(each for each in everyone if isinstance(each, people.TelegramPerson))
    await first.user.send("/tournament" if house.plan.tournament else "/perudo", house.group)
    if house.plan.tournament:
        for person in everyone:
            await asyncio.sleep(1)
            if isinstance(person, people.TelegramPerson) and person is not first:
                await person.press_words("Join")
        await first.press_words("Fill", "Start", after=3)
        house.counts["tournaments"] += 1
    elif house.plan.engine_fails is not None:
        await first.user.send("/start")
        await first.press_words("Players", engines.NAME, engines.NAME, after=3)
    house.failures += [f"nobody did {act}" for act in house.plan.script if not await is_done(house, everyone, *act)]
    for _ in range(house.plan.acts):
        await asyncio.sleep(chance.uniform(*house.plan.pause))
        await people.act(chance.choice(everyone))
    if not house.plan.rests:
        return
    wrong.cancel()
    await asyncio.gather(wrong, return_exceptions=True)
    # With these, a clock may end before the bot looks again, or before a turn could be shown.
    if not {"freeze", "clock", "broken words"} & set(house.plan.faults):
        house.failures += checks.computers_call_in_time(house)
    # A player who goes on in a tournament hears of it before the next table asks them, in the same chat.
    if house.plan.healthy and house.plan.pause[0] >= UNHURRIED_SECONDS and not house.plan.tournament:
        house.failures += turns.late()
    await faults.end(house)
    for page in (reading := [page for page in house.pages if page.reads]):
        page.read()
    with (
        mock.patch.multiple(worker, POLL_SECONDS=LOOK_SECONDS),
        mock.patch.multiple(deadlines, SWEEP_SECONDS=LOOK_SECONDS),
        mock.patch.multiple(inbox, LOOK_SECONDS=LOOK_SECONDS),
        mock.patch.multiple(streams, SWEEP_SECONDS=LOOK_SECONDS),
    ):
        if house.counts["broken words"]:  # a table whose messages could not be made is compared later
            await asyncio.sleep(COMPARE_AGAIN_SECONDS)
        for _ in range(MOST_RESTS):  # games that no one plays any more end by the clock
            await asyncio.sleep(REST_SECONDS)
            if not due_soon(house):
                break
        await asyncio.sleep(REST_SECONDS)
        await check_at_rest(house, turns, reading, first)


async def is_done(house: House, everyone: list[people.Person], who: str, what: str) -> bool:
    """Try an act of the script until somebody has done it; return whether they have. "!": an event happens."""
    if who == "!":
        house.counts[what.partition("=")[0]] += 1
        house.note(what)
        await faults.happen(house, house.chance["faults"], what)
        return True
    for _ in range(MOST_TRIES):
        await asyncio.sleep(house.chance["people"].uniform(*house.plan.pause))
        for person in everyone:
            if who in ("", person.name) and await people.act(person, what):
                return True
    return False


async def check_at_rest(
    house: House, turns: checks.Turns, reading: list[people.Page], first: people.TelegramPerson
) -> None:
    """Look for faults; while there are none, in open pages, after a restart and on the next morning too."""
    house.failures = await faults_at_rest(house)
    if house.plan.healthy:
        house.failures += turns.broken_invitations()
    if house.failures:
        return
    fresh = [page.opened_anew() for page in reading]
    changes = due_soon(house)
    await asyncio.sleep(10)
    house.failures += checks.pages_are_up_to_date(house, fresh)
    if house.failures or changes or due_soon(house):
        return  # the clock of a game runs: its messages change by themselves
    before = checks.screens(house)
    house.note("restart")
    for each in list(house.workers):
        await house.restart(each)
    await asyncio.sleep(60)
    after = checks.screens(house)
    for what, changed in (("adds", after - before), ("removes", before - after)):
        for chat, words in list(changed):
            if chat in house.let_in:  # the result of a game that ended while the bot was blocked
                del changed[chat, words]
        if changed.total() > checks.unknown_ends(house):  # an edit of unknown end is tried again
            house.failures += [f"a restart {what} {words!r} in {chat}" for chat, words in changed]
    await next_morning(house, first)


async def faults_at_rest(house: House) -> list[str]:
    """Return what is wrong, which is so at each of some moments while a game goes on: a turn may have just ended."""
    tries = CHECKED_AGAIN
    while (found := list(checks.at_rest(house))) and tries and due_soon(house):
        tries -= 1
        await asyncio.sleep(CHECKED_AGAIN_SECONDS)
    return found


async def next_morning(house: House, first: people.TelegramPerson) -> None:
    """Let nine come on the next morning: a person guesses last night's hand and answers what the group is told."""
    before = checks.screens(house)
    house.set_clock(DAY_SECONDS + NINE - house.wall_time() % DAY_SECONDS)
    await asyncio.sleep(REST_SECONDS)
    told = [words for chat, words in checks.screens(house) - before if chat == house.group.id]
    with suppress(ControlError):
        await first.guess_last_night()
    if told:
        house.counts["mornings"] += 1
        await first.press_words(REVENGE)
        await asyncio.sleep(REST_SECONDS)
    house.failures += [each for each in checks.log_is_clean(house) if each not in house.failures]
    papers = [words for words in told if words.startswith(PAPER)]
    house.failures += [f"the group is told twice of its evening: {papers!r}"] * (len(papers) > 1)


def due_soon(house: House) -> bool:
    soon = house.wall_time() + SOON_SECONDS
    with house.stored().transaction() as session:
        return session.exec(select(GameTable.id).where(col(GameTable.due_at) < soon)).first() is not None


def early_differences(plan: Plan, folder: Path) -> Iterator[str]:
    """Play an evening twice, with other dice of the others; yield how they differ to a reader before a reveal."""
    both = [seen_early(played(replace(plan, variant=variant), folder / str(variant))) for variant in (1, 2)]
    for one, other in zip_longest(*both):
        if one != other:
            yield f"a difference is seen before the dice are shown: {one} | {other}"


def seen_early(house: House) -> list[str]:
    """Return what the reader saw and was told from the change of the dice until their reveal in the group."""
    assert house.changed is not None, house.retold()
    began, *changed = house.changed
    reader = next(what.partition("=")[2] for _, what in house.plan.script if what.startswith("dice="))
    person, group = next(user.id for user in house.users if user.name == reader), house.group.id
    ends = min(
        (
            sent.began + ANIMATION_SECONDS * told.animated
            for sent in house.sent
            if isinstance(told := sent.envelope.notice, RevealNotice) and [told.view.table, told.view.round] == changed
        ),
        default=inf,
    )
    theirs = re.compile(rf"(?:{person} None|{group} (?:None|{person})) ")
    # An animation's caption has what it hides until it has played.
    reveal = re.compile(rf"{group} .*{checks.COUNTED.pattern}")
    lines = (line.partition(" ") for line in house.trace)
    seen = [(at, what) for at, _, what in lines if began < float(at) < ends and theirs.match(what)]
    return [f"{at} {what}" for at, what in seen if not reveal.match(what)]


def played(plan: Plan, folder: Path, postgresql: "Callable[[], PostgresServer] | None" = None) -> House:
    """Play an evening in a folder, on a server if it needs one; its failures are in the result."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        if plan.postgresql:
            assert postgresql is not None
            server = postgresql()
            programs = {"PATH": f"{server.programs}:{os.environ['PATH']}"}
            stack.enter_context(mock.patch.dict(os.environ, programs))
            url = stack.enter_context(server.fresh(migrated=plan.release is None))
        else:
            url = f"sqlite:///{folder}/perudo.db"
            if plan.release is None:
                copy_migrated_database(folder / "perudo.db")
        if plan.release is not None:
            kind = "postgresql" if plan.postgresql else "sqlite"
            restore(RELEASES / plan.release / f"{kind}.backup", url)
            schema.migrate(url)
            # The key of its telephone numbers has a comma, which separates keys in the settings.
            stack.enter_context(mock.patch.object(sms, "_split", lambda key: [key.get_secret_value()]))
        chance = Chance(plan.seed)
        with virtual_time() as loop, chance.is_the_systems():
            house = House(replace(plan), loop, url, folder, chance)
            loop.run(house.play(play))
    gc.collect()
    return house
