"""The optional parts of an engine besides the rules: odds, fair dice, notation."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any, Final

from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._data_files import data
from perudo_conformance._differences import ConformanceError, expect_equal
from perudo_core._programs import described
from perudo_core._rules import Rules
from perudo_core.fair import FairDice

__all__ = ["check_fair_dice", "check_notation", "check_odds"]

LINES_WRITTEN: Final = "notation_2.json"
LINES_READ: Final = (LINES_WRITTEN, "notation.json")
MAX_DIGITS: Final = 1_000
"""The most digits of a numerator or a denominator that is given as a text."""


def check_odds(engine: CheckedEngine) -> int | None:
    """Check all chances of `odds.json`; return their number, or None if the engine offers no odds."""
    questions = data("odds.json")["cases"]
    if not engine.offers("odds", *_question(questions[0])):
        return None
    for case in questions:
        wild = "wild" if case["ones_wild"] else "plain"
        bid = f"{case['quantity']}x{case['face']}"
        place = f"odds.json: dice {case['dice']}, {case['unknown_dice']} unknown, {bid}, ones {wild}"
        answer = engine.ask(place, "chances by their names", "odds", *_question(case))
        for name in ("holds", "exact"):
            if not isinstance(answer, dict) or name not in answer:
                raise ConformanceError(place, f"chances by their names, {name} among them", described(answer))
            wanted, got = Fraction(*case[name]), _fraction(answer[name])
            if got != wanted:
                shown = described(answer[name]) if got is None else str(got)
                raise ConformanceError(f"{place}: {name}", str(wanted), shown)
    return 2 * len(questions)


def check_fair_dice(engine: CheckedEngine) -> int | None:
    """Check `fair.json` and `fair_record.json`; return the number of answers, or None without fair dice."""
    vectors = data("fair.json")["cases"]
    if not engine.offers("commitment", vectors[0]["secret"], vectors[0]["context"]):
        return None
    return sum(_check_fair_vector(engine, case) for case in vectors) + _check_fair_record(engine)


def check_notation(engine: CheckedEngine, presets: Collection[str]) -> int | None:
    """Check the lines of notation; return the number of answers, or None if the engine offers no notation."""
    written, read = _lines(LINES_WRITTEN), [(file, *line) for file in LINES_READ for line in _lines(file)]
    if not engine.offers("write_game", written[0][1], True):
        return None
    answers = 0
    for case, record in written:
        if record["rules"]["preset"] in presets:
            for form, dice in (("full", True), ("short", False)):
                place = f"{LINES_WRITTEN}: {case['record']}: {form} line"
                expect_equal(place, case[form], engine.ask(place, "a line", "write_game", record, dice))
                answers += 1
    for file, case, record in read:
        if record["rules"]["preset"] in presets:
            place = f"{file}: {case['record']}: record"
            expect_equal(place, record, engine.ask(place, "a record", "read_game", case["full"]))
            answers += 1
    return answers


def _lines(file: str) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """Return the cases of a file of notation, each with its record."""
    return [(case, data(case["record"])) for case in data(file)["cases"]]


def _question(case: dict[str, Any]) -> tuple[Any, ...]:
    return case["dice"], case["unknown_dice"], case["quantity"], case["face"], case["ones_wild"]


def _fraction(chance: Any) -> Fraction | None:
    """Return a chance as a fraction, or None for another value."""
    if isinstance(chance, Fraction):
        return chance
    if not isinstance(chance, list) or len(chance) != 2:  # noqa: PLR2004 - numerator and denominator
        return None
    numerator, denominator = map(_whole, chance)
    return Fraction(numerator, denominator) if numerator is not None and denominator else None


def _whole(part: Any) -> int | None:
    if isinstance(part, str) and part.isdecimal() and part.isascii() and len(part) <= MAX_DIGITS:
        return int(part)
    return part if type(part) is int else None


def _check_fair_vector(engine: CheckedEngine, case: dict[str, Any]) -> int:
    secret, context, salt = case["secret"], case["context"], case["salt"]
    what = case.get("label", f"contest of {case.get('contest_of')}")
    place = f"fair.json: secret {secret[:4]}..., salt {described(salt)}, {what}"
    _expect(engine, f"{place}: commitment", case["commitment"], "commitment", secret, context)
    if "contest_of" in case:
        question = (secret, context, salt, case["contest_of"], case["dice_each"])
        _expect(engine, f"{place}: {case['dice_each']} dice each", case["dice"], "fair_contest", *question)
    elif "below" in case:
        _expect(engine, place, case["number"], "fair_number", secret, context, salt, case["label"], case["below"])
    else:
        _expect(engine, place, case["dice"], "fair_hand", secret, context, salt, case["label"], len(case["dice"]))
    return 2


def _check_fair_record(engine: CheckedEngine) -> int:
    """Compute the dice of a whole game again, from the draw of the opener on."""
    game = data("fair_record.json")
    secret, salt = game["secret"], game["salt"]
    rules = Rules.from_dict(game["record"]["rules"])
    context = FairDice(bytes.fromhex(secret), rules, game["table"], schema=game["schema"]).context
    _expect(engine, "fair_record.json: commitment", game["commitment"], "commitment", secret, context)
    [contest] = game["opening"]
    question = (secret, context, salt, len(contest["dice"]), len(contest["dice"][0]))
    _expect(engine, "fair_record.json: opening", contest["dice"], "fair_contest", *question)
    hands = [
        (f"round {number} seat {seat}", hand)
        for number, entry in enumerate(game["record"]["rounds"], 1)
        for seat, hand in enumerate(entry["dice"])
        if hand
    ]
    for label, hand in hands:
        _expect(engine, f"fair_record.json: {label}", hand, "fair_hand", secret, context, salt, label, len(hand))
    return 2 + len(hands)


def _expect(engine: CheckedEngine, place: str, wanted: Any, method: str, *arguments: Any) -> None:
    expect_equal(place, wanted, engine.ask(place, described(wanted), method, *arguments))
