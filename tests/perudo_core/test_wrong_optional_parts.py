"""Odds, fair dice and notation are checked where an engine offers them."""

import hmac
import re
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from perudo_conformance import CoreEngine, NotOffered, check_engine
from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._optional_parts import check_fair_dice, check_notation, check_odds
from perudo_core.fair import derived_key, numbers
from tests.perudo_core.test_wrong_answers import but, our_own, raises, refused, without

Action = dict[str, Any]


def odds(change: Callable[[Action], Any]) -> CoreEngine:
    """Our engine with its chances changed in some way."""
    return but(odds=lambda own, *question: change(own(*question)))


def blocks_from_one(_own: object, secret: str, context: str, salt: str, label: str, dice: int) -> list[int]:
    """Count the blocks of a stream from 1."""
    key = derived_key(bytes.fromhex(secret), context, salt)
    blocks = (hmac.digest(key, f"{label} block {block}".encode(), "sha256") for block in count(1))
    faces = numbers((byte for block in blocks for byte in block), 6)
    return [next(faces) + 1 for _ in range(dice)]


def one_digit(own: Any, *asked: Any) -> Any:
    """Read a round's number as one digit."""
    *seal, label, dice = asked
    return own(*seal, re.sub(r"^round 1(?=[0-2] )", "round ", label), dice)


def without_results(own: Any, *asked: Any) -> str:
    return "; ".join(part.partition("! ")[0] for part in own(*asked).split("; "))


def another_seat(own: Any, text: str) -> Any:
    record = own(text)
    record["rounds"][2]["calls"][1][0] += 1
    return record


def one_round_more(own: Any, text: str) -> Any:
    record = own(text)
    return {**record, "rounds": [*record["rounds"], {}]}


def no_opener(own: Any, text: str) -> Any:
    return without("opener")(own(text))


FIRST_ODDS = "odds.json: dice [], 0 unknown, 0x1, ones wild"
FIRST_DICE = "fair.json: secret 0001..., salt ''"
LINE = "notation_2.json: records/schema_1_aces.json"
CUT = "2x1 C 5x4 A 6x1 B 13x1 A calza"
ROUNDS = f"{LINE}: record: rounds"


@pytest.mark.parametrize(
    ("engine", "place", "said"),
    [
        (
            but(odds=lambda own, *asked: own(*asked[:4], asked[4] and asked[3] == 1)),
            "odds.json: dice [], 1 unknown, 0x2, ones wild: exact",
            "wanted 2/3, got 5/6",
        ),
        (odds(lambda own: float(own["holds"])), FIRST_ODDS, "wanted chances by their names, holds among them, got 1.0"),
        (
            odds(lambda own: {"holds": own["holds"]}),
            FIRST_ODDS,
            "wanted chances by their names, exact among them, got {'holds': Fraction(1, 1)}",
        ),
        (odds(lambda own: {**own, "exact": [1, 0]}), f"{FIRST_ODDS}: exact", "wanted 1, got [1, 0]"),
        (odds(lambda own: {**own, "exact": float(own["exact"])}), f"{FIRST_ODDS}: exact", "wanted 1, got 1.0"),
        (odds(lambda own: own["chance"]), FIRST_ODDS, "wanted chances by their names, got KeyError: 'chance'"),
        (but(fair_hand=blocks_from_one), f"{FIRST_DICE}, round 1 seat 0", "wanted [6], got [2]"),
        (but(fair_hand=one_digit), "fair_record.json: round 10 seat 0", "wanted [5, 5, 1, 6], got [4, 1, 4, 1]"),
        (
            but(fair_contest=raises(NotOffered())),
            f"{FIRST_DICE}, contest of 2: 1 dice each",
            "wanted [[3], [5]], got fair_contest is not offered",
        ),
        (
            but(write_game=without_results),
            f"{LINE}: full line: character 117",
            f"wanted '{CUT}! 3/13 A-1; [A 1222 B 24344 C ', got '{CUT}; [A 1222 B 24344 C 63346] A 2'",
        ),
        (but(read_game=another_seat), f"{ROUNDS}: item 3: calls: item 2", "wanted [1, '2x6'], got [2, '2x6']"),
        (but(read_game=one_round_more), f"{ROUNDS}: item 16", "wanted nothing, got {}"),
        (but(read_game=no_opener), f"{LINE}: record: opener", "wanted 2, got nothing"),
    ],
)
def test_an_engine_with_wrong_odds_dice_or_lines_is_refused(engine: Any, place: str, said: str) -> None:
    refused(engine, "aces", place, said)


RULES_ONLY = SimpleNamespace(
    **{name: getattr(CoreEngine(), name) for name in ("new_game", "apply", "legal_calls", "facts")}
)


@pytest.mark.usefixtures("untraced")
def test_what_an_engine_does_not_offer_is_reported() -> None:
    alone = check_engine(RULES_ONLY, presets=["aces"])
    assert alone == our_own()._replace(odds=None, fair_dice=None, notation=None)
    assert str(alone).endswith(", odds: not offered, fair dice: not offered, notation: not offered")
    assert check_engine(but(commitment=raises(NotOffered())), presets=["aces"]) == our_own()._replace(fair_dice=None)


def test_a_part_that_is_not_offered_is_not_checked() -> None:
    alone = CheckedEngine(RULES_ONLY)
    assert check_odds(alone) is check_fair_dice(alone) is check_notation(alone, ["aces"]) is None


def test_an_optional_part_that_fails_is_offered() -> None:
    engine = CheckedEngine(SimpleNamespace(commitment=raises(OSError()), write_game=raises(NotOffered())))
    assert engine.offers("commitment", "secret")
    assert not engine.offers("write_game", {}, True)
    assert not engine.offers("odds")
