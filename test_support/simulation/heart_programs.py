"""The evenings that chance draws: each with its own probabilities of what goes wrong."""

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from telegram_bot.tables.model import OnTimeout
from test_support.simulation import heart as h
from test_support.simulation.heart_messenger import Faults

RULEBOOKS: Final = ("box_2009", "azteca", "aces", "french_guide", "italian_box")
WORDS: Final = ("2x3", "dudo", "calza", "5 sixes", "hello", "3x1", "two fives")
BEGINNING: Final[tuple[h.Act, ...]] = (h.Say("Ana", 0), h.Say("Bo", 1), h.Say("Cy", 1), h.Say("Ana", 2), h.Wait(1))
"""Three people begin a game in the first group."""

_person, _everybody = st.sampled_from(h.PEOPLE), st.sampled_from(h.EVERYBODY)
_group, _flag = st.sampled_from((0, 0, 0, 1)), st.booleans()
_rarely = st.sampled_from((False, False, True))
_call = st.builds(h.Call, st.integers(0, 8), _rarely, _rarely)
_people: Final = (
    *[_call] * 8,
    st.builds(h.Tap, _everybody, st.sampled_from((0, 0, 0, 1, 2, 5)), st.integers(0, 20), _flag),
    st.builds(h.Tap, _everybody, st.just(0), st.integers(0, 20)),
    st.builds(h.Say, _everybody, st.integers(0, 10), _group),
    st.builds(h.Type, _everybody, st.sampled_from(WORDS), st.sampled_from((0, None))),
    st.builds(h.Text, st.sampled_from(h.PHONES), _group),
    st.builds(h.Prefer, _person, st.integers(0, 7)),
    st.builds(h.Wait, st.sampled_from((1, 5, 20, 70))),
)
_messenger: Final = (
    st.builds(h.Private, _person, _flag),
    st.builds(h.LoseChat, _group, _flag, _flag),
    st.builds(h.MoveChat, _group, _flag, _flag),
    st.builds(h.Delete, _person, st.integers(0, 3)),
    st.builds(h.Unreachable, st.sampled_from((2, 20))),
    st.builds(h.SetClock, st.sampled_from((-3600, -20, 30, 3600))),
    st.builds(h.BreakWords, st.sampled_from((2, 5))),
    st.just(h.ForgetFeature()),
)
_deaths: Final = (*[st.just(h.Kill())] * 2, st.builds(h.Freeze, st.sampled_from((3, 12))))


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


def _houses(faults: st.SearchStrategy[Faults]) -> st.SearchStrategy[h.House]:
    return st.builds(
        h.House,
        seed=st.integers(0, 10_000),
        rules=st.sampled_from(RULEBOOKS),
        turn_seconds=st.sampled_from((20, 60)),
        on_timeout=st.sampled_from(tuple(OnTimeout)),
        faults=faults,
        limits=_rarely,
        animations=_flag,
        ephemeral=_flag,
    )


def _program(house: h.House, acts: Sequence[h.Act]) -> h.Program:
    return h.Program(house, (*BEGINNING, *acts))


def programs(kind: str) -> st.SearchStrategy[h.Program]:
    """Return the evenings of one kind: `calm`, `faults` or `deaths`."""
    acts = {"calm": _people, "faults": (*_people, *_messenger)}.get(kind, (*_people, *_messenger, *_deaths))
    faults = st.just(Faults()) if kind == "calm" else _faults(deaths=kind == "deaths")
    return st.builds(_program, _houses(faults), st.lists(st.one_of(*acts), min_size=12, max_size=30))


def secret_programs() -> st.SearchStrategy[h.Program]:
    """Return evenings in which nobody's act depends on dice, and in which dice change before a round is called.

    The reader of the comparison always asks for the next step, which belongs to a player whom those dice decide.
    """
    asks = st.builds(h.Forge, st.sampled_from(h.PEOPLE), st.integers(0, 2))
    says = st.builds(h.Say, st.sampled_from(h.PEOPLE), st.sampled_from((5, 6)))
    types = st.builds(h.Type, st.sampled_from(h.PEOPLE), st.sampled_from(WORDS), st.sampled_from((0, None)))
    bids = st.lists(st.one_of(st.just(h.PublicCall()), says, st.builds(h.Wait, st.just(1))), max_size=4)
    after = st.lists(st.one_of(asks, asks, says, types, st.just(h.Wait(0.2))), min_size=2, max_size=8)

    def program(house: h.House, begins: int, before: Sequence[h.Act], later: Sequence[h.Act], reader: str) -> h.Program:
        rounds = (h.PublicCall(), h.PublicCall(doubts=True), h.Wait(12)) * begins
        return h.Program(
            house,
            (
                *(*BEGINNING, h.Wait(2), *rounds, h.ChangeDice(reader), h.PublicCall(), *before),
                *(h.PublicCall(doubts=True), h.Forge(reader, 1), *later),
            ),
        )

    houses = _houses(st.just(Faults()))
    return st.builds(program, houses, st.integers(0, 5), bids, after, st.sampled_from(("Ana", "Bo", "Cy")))
