"""The conformance kit: frozen data, our engine passes, an engine that errs anywhere does not."""

from collections.abc import Collection
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from perudo_conformance import CoreEngine, Report, check_engine, data
from perudo_core import Reason, Record, replay

DATA = Path(str(files("perudo_conformance"))) / "data"
FROZEN = {
    "fair.json": "71ec67825de4efbc",
    "fair_record.json": "e9a42a9cb14fb2a9",
    "houses.json": "b8871c6571f59b22",
    "houses_2.json": "41bdbe02556a8a9b",
    "houses_3.json": "5a7a5e545fe9776f",
    "houses_4.json": "0b1e621be3a5881a",
    "houses_5.json": "6cfc5d7d0bb08ea4",
    "legal_calls.json": "07c10bd307d76781",
    "legal_calls_2.json": "dfefbe7dba1d6ff3",
    "legal_calls_3.json": "1b85f0945cf08118",
    "legal_calls_4.json": "c684cede12e10358",
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
    "refusals_2.json": "5f8a8ec9d4432c60",
}
UNREACHABLE = {Reason.ACTION_UNKNOWN, Reason.BID_MALFORMED, Reason.ROLL_WRONG_KIND, Reason.ROLL_MALFORMED}


def test_what_was_published_is_frozen() -> None:
    """A new schema or a new case is a new file; an old one stays as it was, for ports that hold a copy."""
    files = {path.relative_to(DATA).as_posix(): path.read_bytes() for path in DATA.rglob("*.json")}
    assert {name: sha256(content).hexdigest()[:16] for name, content in files.items()} == FROZEN


@pytest.mark.usefixtures("untraced")
def test_our_own_engine() -> None:
    report = Report(perft=105, steps=STEPS, refusals=len(REFUSALS), odds=384, fair_dice=166, notation=24)
    assert check_engine() == report


PLAYED = ("playthroughs.json", "houses.json", "houses_2.json", "houses_3.json", "houses_4.json", "houses_5.json")
REFUSALS = [case for file in ("refusals.json", "refusals_2.json") for case in data(file)["cases"]]
STEPS = sum(len(case["steps"]) for name in PLAYED for case in data(name)["cases"])


def test_the_legal_calls_are_as_many_as_the_playthroughs_count() -> None:
    counts = {
        case.get("record") if name == "playthroughs.json" else case["name"]: [step["legal"] for step in case["steps"]]
        for name in PLAYED
        for case in data(name)["cases"]
    }
    listed = {
        case["game"]: [sum(len(line.split()) for _, line in step) for step in case["steps"]]
        for file in ("legal_calls.json", "legal_calls_2.json", "legal_calls_3.json", "legal_calls_4.json")
        for case in data(file)["cases"]
    }
    assert listed == counts


def test_calls_are_found_among_those_of_our_engine() -> None:
    calls = CoreEngine().legal_calls(replay(Record.from_dict(data("records/schema_1_aces.json"))).steps[0].state)
    assert isinstance(calls, Collection)
    assert next(iter(calls)) in calls
    assert {"type": "dudo", "seat": 0} not in calls


def test_every_reason_that_a_record_can_meet_is_met_and_there_is_no_other_preset_or_file() -> None:
    met = {case["reason"] for case in REFUSALS}
    assert met == set(Reason) - UNREACHABLE - {Reason.ROLL_FACE_UNKNOWN, Reason.REROLL_NONE_SHOWN}
    with pytest.raises(ValueError, match=r"presets must be of box_2009.*, not 'chess'"):
        check_engine(presets=["chess"])
    with pytest.raises(ValueError, match=r"no data file '../x'; there are fair.json"):
        data("../x")
