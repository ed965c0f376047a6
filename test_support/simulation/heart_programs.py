"""The evenings of the heart that chance draws, of each kind: the same ones for the same source of chance."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from telegram_bot.tables.model import OnTimeout
from test_support.simulation import heart_acts as a
from test_support.simulation import heart_checks
from test_support.simulation.heart import CALM, Evening, House, Program
from test_support.simulation.heart_messenger import Faults

RULEBOOKS: Final = ("box_2009", "azteca", "aces", "french_guide", "italian_box")
SECRET: Final = "secret"
SHARE: Final = {"calm": 2, "faults": 5, "deaths": 6, SECRET: 3}
"""How many evenings of each kind `make test` plays: programs find the planted faults."""
WORDS: Final = ("2x3", "dudo", "calza", "5 sixes", "hello", "3x1", "two fives")
BEGINNING: Final[tuple[a.Act, ...]] = (a.say("Ana", 0), a.say("Bo", 1), a.say("Cy", 1), a.say("Ana", 2), a.wait(1))
"""Three people begin a game in the first group."""

_person, _everybody = st.sampled_from(a.PEOPLE), st.sampled_from(a.EVERYBODY)
_group, _flag = st.sampled_from((0, 0, 0, 1)), st.booleans()
_rarely = st.sampled_from((False, False, True))
_call = st.builds(a.call, st.integers(0, 8), _rarely, _rarely)
_people: Final = (
    *[_call] * 8,
    st.builds(a.tap, _everybody, st.sampled_from((0, 0, 0, 1, 2, 5)), st.integers(0, 20), _flag),
    st.builds(a.tap, _everybody, st.just(0), st.integers(0, 20)),
    st.builds(a.say, _everybody, st.integers(0, 10), _group),
    st.builds(a.type_words, _everybody, st.sampled_from(WORDS), st.sampled_from((0, None))),
    st.builds(a.text_code, st.sampled_from(a.PHONES), _group),
    st.builds(a.prefer, _person, st.integers(0, 7)),
    st.builds(a.wait, st.sampled_from((1, 5, 20, 70))),
)
_messenger: Final = (
    st.builds(a.block, _person, _flag),
    st.builds(a.lose_chat, _group, _flag, _flag),
    st.builds(a.move_chat, _group, _flag, _flag),
    st.builds(a.delete, _person, st.integers(0, 3)),
    st.builds(a.unreachable, st.sampled_from((2, 20))),
    st.builds(a.set_clock, st.sampled_from((-3600, -20, 30, 3600))),
    st.builds(a.break_words, st.sampled_from((2, 5))),
    st.just(a.forget_feature()),
)
_deaths: Final = (*[st.just(a.kill())] * 2, st.builds(a.freeze, st.sampled_from((3, 12))))


def _faults(*, deaths: bool) -> st.SearchStrategy[Faults]:
    return st.builds(
        Faults,
        slow_down=st.sampled_from((0, 0, 0.02, 0.1)),
        not_sent=st.sampled_from((0, 0, 0.05, 0.2)),
        unknown=st.sampled_from((0, 0, 0.02, 0.1)),
        invalid=st.sampled_from((0, 0, 0.02)),
        dies_in_send=st.sampled_from((0.01, 0.03, 0.08)) if deaths else st.just(0),
        dies_at_commit=st.sampled_from((0, 0, 0.003)) if deaths else st.just(0),
        slowest=st.sampled_from((0.1, 0.3, 2)),
    )


def _houses(faults: st.SearchStrategy[Faults]) -> st.SearchStrategy[House]:
    return st.builds(
        House,
        seed=st.integers(0, 10_000),
        rules=st.sampled_from(RULEBOOKS),
        turn_seconds=st.sampled_from((20, 60)),
        on_timeout=st.sampled_from(tuple(OnTimeout)),
        faults=faults,
        limits=_rarely,
        animations=_flag,
        ephemeral=_flag,
    )


def _program(house: House, acts: Sequence[a.Act]) -> Program:
    return Program(house, (*BEGINNING, *acts))


def programs(kind: str) -> st.SearchStrategy[Program]:
    if kind == SECRET:
        return secret_programs()
    acts = {"calm": _people, "faults": (*_people, *_messenger)}.get(kind, (*_people, *_messenger, *_deaths))
    faults = st.just(CALM) if kind == "calm" else _faults(deaths=kind == "deaths")
    return st.builds(_program, _houses(faults), st.lists(st.one_of(*acts), min_size=12, max_size=30))


def secret_programs() -> st.SearchStrategy[Program]:
    """Return evenings in which nobody's act depends on dice, and in which dice change before a round is called.

    The reader of the comparison always asks for the next step, which belongs to a player whom those dice decide.
    """
    asks = st.builds(a.forge, st.sampled_from(a.PEOPLE), st.integers(0, 2))
    says = st.builds(a.say, st.sampled_from(a.PEOPLE), st.sampled_from((5, 6)))
    types = st.builds(a.type_words, st.sampled_from(a.PEOPLE), st.sampled_from(WORDS), st.sampled_from((0, None)))
    bids = st.lists(st.one_of(st.just(a.public_call()), says, st.builds(a.wait, st.just(1))), max_size=4)
    after = st.lists(st.one_of(asks, asks, says, types, st.just(a.wait(0.2))), min_size=2, max_size=8)

    def program(house: House, begins: int, before: Sequence[a.Act], later: Sequence[a.Act], reader: str) -> Program:
        rounds = (a.public_call(), a.public_call(doubts=True), a.wait(12)) * begins
        return Program(
            house,
            (
                *(*BEGINNING, a.wait(2), *rounds, a.change_dice(reader), a.public_call(), *before),
                *(a.public_call(doubts=True), a.forge(reader, 1), *later),
            ),
        )

    houses = _houses(st.just(CALM))
    return st.builds(program, houses, st.integers(0, 5), bids, after, st.sampled_from(("Ana", "Bo", "Cy")))


@dataclass
class Played:
    """The evenings that were played until one failed."""

    evenings: int = 0
    acts: int = 0
    kills: int = 0
    failed: Program | None = None
    number: int = 0
    """The number of the first evening that failed, of those that were drawn."""
    faults: list[str] = field(default_factory=list)
    """The faults of the evening that failed."""


def evenings(
    kind: str,
    source: int,
    empty: Path,
    *,
    first: int = 1,
    most: int = 10,
    end: float = inf,
    shrinks: float = 0,
) -> Played:
    """Play evenings of one kind until one fails.

    `first`: those before it are drawn, but not played. `end`: no evening begins later, by `perf_counter`. `shrinks`: so
    many seconds a shorter evening that fails is looked for.
    """
    played, drawn, known = Played(), 0, dict[Program, list[str]]()

    @seed(source)
    @settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=[Phase.generate, *([Phase.shrink] if shrinks else [])],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(programs(kind))
    def each(program: Program) -> None:
        nonlocal drawn, end
        drawn += played.failed is None
        if program not in known:
            if drawn < first or perf_counter() > end:
                return
            variants: list[Evening] = []
            try:
                found, variants = heart_checks.played(program, empty)
            except Exception as error:  # noqa: BLE001 - an evening that ends early has failed, and a hunt goes on
                found = [f"ended early: {error!r}"]
            played.evenings += 1
            for evening in variants:
                played.acts += len(program.acts)
                played.kills += evening.kills
            if not found:
                return
            if not known:
                played.number, end = drawn, perf_counter() + shrinks
            known[program] = found
        played.failed, played.faults = program, known[program]  # Hypothesis plays its shortest one last
        raise AssertionError(known[program][0])

    with suppress(AssertionError):
        each()
    return played
