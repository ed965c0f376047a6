"""A tournament whose workers are killed in each phase, compared with what was stored and shown."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from test_support.audit import leaks
from test_support.chaos.auditor import CALLS, CLOCK_CAUSE, SEAL, Audit, audit, call_of, replay_game
from test_support.chaos.evidence import (
    LOST,
    TWICE,
    UNDONE,
    WRONG_DICE,
    Evidence,
    Finding,
    Shown,
    Stored,
    stored_games,
)
from test_support.chaos.tournament_run import Guest, TournamentRun
from test_support.postgres import PostgresServer
from test_support.worker_cluster import TwoWorkers
from test_support.world import Setting, opened

TELEGRAM_LIMIT: Final = 20
"""How many messages Telegram accepts in a group in a minute."""
SENDS: Final = re.compile("send(Message|Photo|Animation)|editMessage(Text|Media|Caption|ReplyMarkup)")
SEALS: Final = "🔒 All dice of these tables are fixed now"
ABOUT_THE_NIGHT: Final = re.compile(f"^🏆 .*[Tt]ournament|^{SEALS}")
PLACE: Final = re.compile(r"Your place: \d+ of \d+|You win the tournament")
RESULT: Final = re.compile("You go on!|You're out of the tournament after stage")
TOLD_AGAIN: Final = re.compile(r"\btournament_(?:stage|place) \d+ was under way")
"""How the log tells that a result is sent again."""
RULEBOOK: Final = 'preset = "box_2009"\nstarting_dice = {dice}\n'


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The size of a tournament."""

    people: int
    """How many play in Telegram."""
    phones: int = 3
    guests: int = 2
    dice: int = 5
    """The dice of each player at the beginning of a game."""
    kills: int = 2
    """How often a worker is killed in each phase, and once more between two."""
    limits: bool = True
    """Whether the server has Telegram's limits, and the bot keeps them."""


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """The result of a tournament."""

    plan: TournamentPlan
    audit: Audit
    findings: list[Finding]
    """The audit's, and those of the tournament."""
    kills: Counter[str]
    games: int
    calls: Counter[str]
    """The calls in the games: by each channel, by computer players, by the clock."""
    seconds: float
    busiest: dict[str, int]
    """The messages and edits in the group's busiest minute: while tables are played in private, and in the final."""
    waits: list[float]
    """How many seconds each table of a stage waited for the next stage."""
    texts: int
    """The most texts that a phone got."""
    between: list[float]
    """Seconds between the end of the last table of a stage and the first dice of the next."""


async def run_tournament(folder: Path, postgresql: PostgresServer, plan: TournamentPlan) -> TournamentReport:
    """Play at two workers, and audit."""
    rulebook = folder / "rules.toml"
    rulebook.write_text(RULEBOOK.format(dice=plan.dice), encoding="utf-8")
    with postgresql.fresh() as url:
        setting = Setting(
            people=tuple(f"P{number:02}" for number in range(1, plan.people + 1)),
            database_url=url,
            flood_limits=plan.limits,
            variables={"PERUDO_TABLE__RULEBOOK": str(rulebook), "PERUDO_QUOTAS__TABLES_PER_HOST": "0"},
            with_phone=plan.phones > 0,
            with_pages=plan.guests > 0,
        )
        async with opened(folder, setting, TwoWorkers) as world:
            assert isinstance(world, TwoWorkers)
            phones = {phone.name: phone.id for phone in world.texts.phones.values()}
            for number in range(len(phones), plan.phones):
                phone = await world.act("POST", "/phones", name=f"Gran{number + 1}")
                phones[phone["name"]] = phone["id"]
            guests = {name: Guest(world.pages, name) for name in map("Guest{}".format, range(1, plan.guests + 1))}
            run = TournamentRun(world, list(world.people.values()), phones, guests)
            await run.play(kills=plan.kills)
            return await _report(plan, run)


async def _report(plan: TournamentPlan, run: TournamentRun) -> TournamentReport:
    world = run.world
    evidence = _evidence(run)
    seen = audit(evidence)
    found = [*seen.findings, *_news(run), *(Finding(WRONG_DICE, leak) for leak in leaks(world))]
    found += [
        Finding(LOST, f"table {game.table}, action {number}: time was up, and everyone plays")
        for game in evidence.games
        for number, cause, action in game.actions
        if cause == CLOCK_CAUSE and action["type"] in CALLS and not game.is_computer(action["seat"])
    ]
    published = [seal for text in world.recorder.versions if SEALS in text.text for seal in SEAL.findall(text.text)]
    if strange := set(published) - {replay_game(game).seal for game in evidence.games}:
        found.append(Finding(WRONG_DICE, f"the group was shown the seals {strange}, which are of no table"))
    starts, ends = _times(run)
    order = sorted(starts)
    calls: Counter[str] = Counter()
    for game in evidence.games:
        for _, cause, action in game.actions:
            if action["type"] in CALLS:
                calls["computer" if game.is_computer(action["seat"]) else cause.partition(":")[0]] += 1
    sent = [
        call["time"]
        for call in world.recorder.calls
        if call["ok"]
        and SENDS.fullmatch(call["method"])
        and int(call["params"].get("chat_id") or 0) == world.group.id
        and call["time"] >= run.begun
    ]
    final = starts[order[-1]]
    if plan.limits and _busiest(sent) > TELEGRAM_LIMIT:
        found.append(Finding(TWICE, f"{_busiest(sent)} messages in the group in a minute"))
    status = await world.stop_bot()
    if status:
        found.append(Finding(UNDONE, f"a worker ended with {status}"))
    following = dict(pairwise(order))
    return TournamentReport(
        plan,
        seen,
        found,
        run.kills,
        len(evidence.games),
        calls,
        seconds=max(end for all_ends in ends.values() for end in all_ends) - run.begun,
        busiest={
            "tables": _busiest([at for at in sent if at < final]),
            "final": _busiest([at for at in sent if at >= final]),
        },
        texts=max(Counter(text.phone for text in world.texts.texts if text.from_bot).values(), default=0),
        waits=[starts[later] - end for stage, later in following.items() for end in ends[stage]],
        between=[starts[later] - max(ends[stage]) for stage, later in following.items()],
    )


def _busiest(times: list[float]) -> int:
    return max((sum(at <= other < at + 60 for other in times) for at in times), default=0)


def _evidence(run: TournamentRun) -> Evidence:
    world = run.world
    games = tuple(game for game in stored_games(world) if game.actions)  # the lobby that let the guests in has none
    chats = {game.table: game.chat for game in games}
    shown = []
    for message in world.recorder.versions:
        if message.sender == world.recorder.bot and not ABOUT_THE_NIGHT.search(message.text):
            person = message.to or (message.chat if message.chat > 0 else None)
            new = message.first == message.changed
            shown.append(Shown(message.changed, message.chat, person, message.key, message.text, new))
    waiting = "SELECT cause, error FROM inbox WHERE error IS NOT NULL OR done_at IS NULL"
    undone = [f"{cause} was set aside: {error}" for cause, error in world.rows(waiting)]
    failed = world.rows("SELECT id, error FROM outbox WHERE status = 'failed'")
    undone += [f"notice {number} was not accepted: {error}" for number, error in failed]
    undone += [f"request against the schema: {call}" for call in world.recorder.calls if not call["schema_ok"]]
    (unsure,) = world.rows("SELECT count(*) FROM outbox WHERE status = 'unknown'")[0]
    return Evidence(
        games,
        tuple(shown),
        moves=tuple(replace(move, chat=chats[table]) for table, move in run.calls),
        updates=world.balancer.moves | dict(_other_causes(run, games)),
        deleted=frozenset(key for _, key in world.recorder.deleted),
        repeated=tuple(world.repeated_sends()),
        unsure=unsure,
        undone=tuple(undone),
    )


def _other_causes(run: TournamentRun, games: Iterable[Stored]) -> Iterator[tuple[str, str]]:
    """Yield the cause of each call by page or by text, and the name of the move.

    A text has no name that a phone could know: each call belongs to the phone's first text with this call.
    """
    world = run.world
    sessions = world.rows("SELECT web_session.id, name FROM web_session JOIN player ON player.id = player_id")
    for session, name in sessions:
        if name in run.guests:
            yield from ((f"web:{session}:a{act}", f"{name}/a{act}") for act in range(1, run.guests[name].acts + 1))
    texts = [(table, move) for table, move in run.calls if move.name.partition("/")[0] in run.phones]
    for game in games:
        for _, cause, action in game.actions:
            if cause.startswith("sms:") and action["type"] in CALLS:
                player, call = game.people[action["seat"]], call_of(action)
                fitting = (one for one in texts if (one[0], one[1].person, one[1].call) == (game.table, player, call))
                if (text := next(fitting, None)) is not None:
                    yield cause, text[1].name
                    texts.remove(text)


def _news(run: TournamentRun) -> Iterator[Finding]:
    """Yield each person who takes part has one place and heard of it once, and of each stage once.

    A result may be told twice for each worker that died while it sent one.
    """
    world = run.world
    played: Counter[str] = Counter()
    query = "SELECT player.name, place FROM tournament_entrant JOIN player ON player.id = player_id"
    places = dict(world.rows(query))
    for name, place in places.items():
        if place is None:
            yield Finding(LOST, f"{name} has no place")
    if len(places) != len(run.people) + len(run.phones) + len(run.guests):
        yield Finding(LOST, f"only {sorted(places)} take part")
    final = max((entry for entry in world.rows("SELECT stage, table_id FROM tournament_table")), default=(0, 0))[1]
    tables = dict(world.rows("SELECT table_id, stage FROM tournament_table"))
    for game in stored_games(world):
        if game.table in tables and game.table != final:
            played.update(seat["name"] for seat in game.state["seats"])
    excused = len(TOLD_AGAIN.findall(world.log.read_text()))
    for name, texts in _read(run):
        for what, pattern, expected in (("place", PLACE, 1), ("result of a stage", RESULT, played[name])):
            times = sum(pattern.search(text) is not None for text in texts)
            if expected < times <= expected + excused:
                excused -= times - expected
            elif times != expected:
                kind = TWICE if times > expected else LOST
                yield Finding(kind, f"{name} was told a {what} {times} times instead of {expected}")


def _read(run: TournamentRun) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each player, and the private messages that they read."""
    world = run.world
    for person in run.people:
        yield person.name, [message.text for message in person.screen()]
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for text in world.texts.texts:
        if text.from_bot:
            texts[text.phone].append(text.body)
    for name, phone in run.phones.items():
        yield name, texts[phone]
    for name, guest in run.guests.items():
        yield name, [str(card) for card in guest.cards if card["card"] in ("note", "stage")]


def _times(run: TournamentRun) -> tuple[dict[int, float], dict[int, list[float]]]:
    """By stage: the time of the first dice, and the end of each table."""
    query = (
        "SELECT stage, min(at), max(at) FROM tournament_table JOIN game_action USING (table_id)"
        " GROUP BY stage, tournament_table.table_id"
    )
    starts: dict[int, float] = {}
    ends: defaultdict[int, list[float]] = defaultdict(list)
    for stage, first, last in run.world.rows(query):
        starts[stage] = min(first, starts.get(stage, first))
        ends[stage].append(last)
    return starts, ends
