"""The conformance kit: frozen data, our engine passes, an engine that errs anywhere does not."""

from __future__ import annotations

import runpy
from collections.abc import Collection, Iterable
from fractions import Fraction
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import perudo_core.testing
from perudo_core import (
    FairDice,
    FairRecord,
    GameText,
    Reason,
    Record,
    Rules,
    State,
    Verification,
    new_game,
    probability_exact,
    probability_holds,
    replay,
)
from perudo_core.fair import numbers
from perudo_core.testing import ConformanceError, CoreEngine, Engine, Refused, Report, check_engine, data

DATA = Path(str(files("perudo_core.testing"))) / "data"
FROZEN = {
    "fair.json": "dbdd2d3eb339dd46",
    "fair_record.json": "a30ea6d26af12044",
    "houses.json": "b8871c6571f59b22",
    "notation.json": "fff19e13aa32bc27",
    "notation_2.json": "91dd1d47cd5f86a7",
    "odds.json": "63621b0a83e62ead",
    "perft.json": "42414f89d0c17ee3",
    "playthroughs.json": "f97d10eb77a469b0",
    "records/schema_1_aces.json": "8801095fe8d6f1c2",
    "records/schema_1_azteca.json": "596a816171fc24dd",
    "records/schema_1_box_2009.json": "b7b40b54b2d1e8d0",
    "records/schema_1_french_guide.json": "e8cc52bfd35f3f35",
    "records/schema_1_italian_box.json": "c02713705fe35a31",
    "records/schema_2_box_2009.json": "385bd386c97f0bfe",
    "refusals.json": "e7e2f56225ec6b43",
}
UNREACHABLE = {Reason.ACTION_UNKNOWN, Reason.BID_MALFORMED, Reason.ROLL_WRONG_KIND, Reason.ROLL_MALFORMED}


@pytest.mark.parametrize("name", FROZEN)
def test_what_was_published_is_frozen(name: str) -> None:
    """A new schema or a new case is a new file; an old one stays as it was, for ports that hold a copy."""
    assert sha256((DATA / name).read_bytes()).hexdigest()[:16] == FROZEN[name]


def test_every_file_is_frozen() -> None:
    assert {path.relative_to(DATA).as_posix() for path in DATA.rglob("*.json")} == set(FROZEN)


def test_our_own_engine() -> None:
    assert check_engine() == Report(perft=105, steps=STEPS, refusals=len(data("refusals.json")["cases"]))


STEPS = sum(len(case["steps"]) for name in ("playthroughs.json", "houses.json") for case in data(name)["cases"])


def test_calls_are_found_among_those_of_our_engine() -> None:
    calls = CoreEngine().legal_calls(replay(Record.from_dict(data("records/schema_1_aces.json"))).steps[0].state)
    assert isinstance(calls, Collection)
    assert next(iter(calls)) in calls
    assert {"type": "dudo", "seat": 0} not in calls


def test_one_book_alone() -> None:
    report = check_engine(presets=["aces"])
    assert 0 < report.perft < 105
    assert 0 < report.steps < STEPS


def test_every_reason_that_a_record_can_meet_is_met() -> None:
    met = {case["reason"] for case in data("refusals.json")["cases"]}
    assert met == set(Reason) - UNREACHABLE - {Reason.ROLL_FACE_UNKNOWN}


class Spoilt(CoreEngine):
    """An engine with a fault."""

    def __init__(self, **faults: Any) -> None:
        self.faults = faults

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> State:
        return super().new_game({**rules, **self.faults.get("rules", {})}, seats, opener)

    def apply(self, state: State, action: dict[str, Any]) -> State:
        if self.faults.get("refuses") == action["type"]:
            raise Refused("action/unknown")
        try:
            return super().apply(state, action)
        except Refused as error:
            if self.faults.get("accepts"):
                return state
            raise Refused(self.faults.get("reason", error.reason)) from None

    def legal_calls(self, state: State) -> Iterable[dict[str, Any]]:
        late = state.rules.plain_raise in self.faults.get("late", ())  # of no playthrough
        skipped = self.faults.get("skips", 0) if state.round > 2 else int(late)
        return islice(super().legal_calls(state), skipped, None) if skipped else super().legal_calls(state)

    def facts(self, state: State) -> dict[str, Any]:
        return {**super().facts(state), **self.faults.get("facts", {})}


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (
            Spoilt(rules={"plain_raise": "any_higher"}),
            r"^playthroughs\.json: .*: after step \d+, \w+: legal calls: \d+, not \d+$",
        ),
        (Spoilt(rules={"wild_ones": False}), r"^playthroughs\.json: .*'ones_wild': False"),
        (
            Spoilt(rules={"palifico_once": False}),
            r"^houses\.json: palifico once a game: after step 10, dudo: .*'palifico': 0",
        ),
        (Spoilt(rules={"sudden_death": False}), r"^houses\.json: sudden death: after step 3, dudo: .*\[2, 3, 3, 3\]"),
        (Spoilt(rules={"lose_by_difference": False}), r"^houses\.json: lose by the difference.*\[5, 3, 5\]"),
        (Spoilt(rules={"palifico": True}), r"^houses\.json: no wild ones, no palifico: .*'palifico': 1"),
        (Spoilt(late={"any_higher"}), r"^perft\.json: .*, 2 seats: ways to make \d calls: \d+, not \d+$"),
        (Spoilt(skips=1), r"^playthroughs\.json: records/schema_1_aces\.json: after step \d+, \w+: legal calls: "),
        (Spoilt(facts={"palifico": None}), r"^playthroughs\.json: .*'palifico': None.*, not .*'palifico': "),
        (Spoilt(refuses="concede"), r"^playthroughs\.json: .*: refused, action/unknown$"),
        (Spoilt(reason="no"), r"^refusals\.json: .*: the reason: no, not \w+/\w+$"),
        (Spoilt(accepts=True), r"^refusals\.json: .*: accepted, not \w+/\w+$"),
    ],
)
def test_an_engine_that_errs(engine: Engine[State], words: str) -> None:
    with pytest.raises(ConformanceError, match=words):
        check_engine(engine)


def test_what_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"presets must be of box_2009.*, not 'chess'"):
        check_engine(presets=["chess"])
    with pytest.raises(ValueError, match=r"no data file '../x'; there are fair.json"):
        data("../x")
    with pytest.raises(TypeError, match="name must be of type str, not NoneType"):
        data(None)  # type: ignore[arg-type]


def test_as_a_module(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perudo_core.testing, "check_engine", lambda: check_engine(presets=["aces"]))
    runpy.run_module("perudo_core.testing", run_name="__main__")
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("21 perft counts, ")
    assert Path(out[1]).resolve() == DATA.resolve()


@pytest.mark.parametrize("case", data("notation_2.json")["cases"], ids=lambda case: Path(case["record"]).stem)
def test_the_lines(case: dict[str, str]) -> None:
    record = Record.from_dict(data(case["record"]))
    assert GameText.parse(case["full"]).record() == record
    assert str(GameText.of(record)) == case["full"]
    assert str(GameText.of(record, dice=False)) == case["short"]


@pytest.mark.parametrize("case", data("notation.json")["cases"], ids=lambda case: Path(case["record"]).stem)
def test_the_lines_of_before_say_forfeit_for_concedes(case: dict[str, str]) -> None:
    record = Record.from_dict(data(case["record"]))
    assert GameText.parse(case["full"]).record() == record
    assert GameText.parse(case["short"]) == GameText.of(record, dice=False)
    assert str(GameText.of(record)) == case["full"].replace(" forfeit ", " concedes ")
    assert str(GameText.of(record, dice=False)) == case["short"].replace(" forfeit ", " concedes ")


def test_the_fair_dice() -> None:
    for case in data("fair.json")["cases"]:
        dice = FairDice(bytes.fromhex(case["secret"]), case["salt"])
        assert dice.commitment == case["commitment"]
        if "label" in case and "dice" in case:
            assert list(dice._hand(len(case["dice"]), case["label"])) == case["dice"]
        elif "label" in case:
            assert next(numbers(dice._stream(case["label"]), case["below"])) == case["number"]
        else:
            preset = "azteca" if case["dice_each"] == 1 else "french_guide"
            roll: Any = dice.roll(new_game(Rules.preset(preset), case["contest_of"]))
            assert [list(hand) for hand in roll.dice] == case["dice"]


def test_the_fair_record() -> None:
    record = FairRecord.from_dict(data("fair_record.json"))
    assert record.verify() == Verification(len(record.record.rounds), opener=True)
    assert replay(record.record).final.outcome is not None


def test_the_odds() -> None:
    for case in data("odds.json")["cases"]:
        question = (case["dice"], case["unknown_dice"], case["quantity"], case["face"], case["ones_wild"])
        assert probability_holds(*question) == Fraction(*case["holds"])
        assert probability_exact(*question) == Fraction(*case["exact"])
