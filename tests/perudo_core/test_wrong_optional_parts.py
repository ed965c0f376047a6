"""Odds, fair dice and notation are checked where an engine offers them."""

import hmac
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from perudo_conformance import CoreEngine, NotOffered, check_engine
from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._optional_parts import check_fair_dice, check_notation, check_odds
from perudo_core.fair import derived_key, numbers
from tests.perudo_core.test_wrong_answers import our_own, refused

Action = dict[str, Any]


class OddsOff(CoreEngine):
    def odds(self, dice: list[int], unknown_dice: int, quantity: int, face: int, ones_are_wild: bool) -> Action:
        return super().odds(dice, unknown_dice, quantity, face, ones_are_wild and face == 1)


class Odds(CoreEngine):
    """An engine whose chances are changed in some way."""

    def __init__(self, change: Callable[[Action], Any]) -> None:
        self.change = change

    def odds(self, *question: Any) -> Any:
        return self.change(super().odds(*question))


class FairDiceOffByOneBlock(CoreEngine):
    """An engine that counts the blocks of a stream from 1."""

    def fair_hand(self, secret: str, context: str, salt: str, label: str, dice: int) -> list[int]:
        key = derived_key(bytes.fromhex(secret), context, salt)
        blocks = (hmac.digest(key, f"{label} block {block}".encode(), "sha256") for block in count(1))
        faces = numbers((byte for block in blocks for byte in block), 6)
        return [next(faces) + 1 for _ in range(dice)]


class FairDiceOfTheFirstRoundsOnly(CoreEngine):
    """An engine that reads a round's number as one digit."""

    def fair_hand(self, secret: str, context: str, salt: str, label: str, dice: int) -> list[int]:
        wrong = label.replace("round 1", "round ", 1) if label[:8] in {"round 10", "round 11", "round 12"} else label
        return super().fair_hand(secret, context, salt, wrong, dice)


class FairDiceWithoutContest(CoreEngine):
    def fair_contest(self, *question: Any) -> list[list[int]]:
        raise NotOffered(*question)


class NotationWithoutResult(CoreEngine):
    def write_game(self, record: dict[str, Any], dice: bool) -> str:
        line = super().write_game(record, dice)
        return "; ".join(part.partition("! ")[0] for part in line.split("; "))


class ReadsAnotherSeat(CoreEngine):
    def read_game(self, text: str) -> dict[str, Any]:
        record = super().read_game(text)
        record["rounds"][2]["calls"][1][0] += 1
        return record


class ReadsNoOpener(CoreEngine):
    def read_game(self, text: str) -> dict[str, Any]:
        record = super().read_game(text)
        del record["opener"]
        return record


class ReadsMore(CoreEngine):
    def read_game(self, text: str) -> dict[str, Any]:
        record = super().read_game(text)
        return {**record, "rounds": [*record["rounds"], {}]}


FIRST_ODDS = "odds.json: dice [], 0 unknown, 0x1, ones wild"
FIRST_DICE = "fair.json: secret 0001..., salt ''"
LINE = "notation_2.json: records/schema_1_aces.json"


@pytest.mark.parametrize(
    ("engine", "place", "said"),
    [
        (OddsOff(), "odds.json: dice [], 1 unknown, 0x2, ones wild: exact", "wanted 2/3, got 5/6"),
        (
            Odds(lambda odds: float(odds["holds"])),
            FIRST_ODDS,
            "wanted chances by their names, holds among them, got 1.0",
        ),
        (
            Odds(lambda odds: {"holds": odds["holds"]}),
            FIRST_ODDS,
            "wanted chances by their names, exact among them, got {'holds': Fraction(1, 1)}",
        ),
        (Odds(lambda odds: {**odds, "exact": [1, 0]}), f"{FIRST_ODDS}: exact", "wanted 1, got [1, 0]"),
        (Odds(lambda odds: {**odds, "exact": float(odds["exact"])}), f"{FIRST_ODDS}: exact", "wanted 1, got 1.0"),
        (Odds(lambda odds: odds["chance"]), FIRST_ODDS, "wanted chances by their names, got KeyError: 'chance'"),
        (FairDiceOffByOneBlock(), f"{FIRST_DICE}, round 1 seat 0", "wanted [6], got [2]"),
        (FairDiceOfTheFirstRoundsOnly(), "fair_record.json: round 10 seat 0", "wanted [5, 5, 1, 6], got [4, 1, 4, 1]"),
        (
            FairDiceWithoutContest(),
            f"{FIRST_DICE}, contest of 2: 1 dice each",
            "wanted [[3], [5]], got fair_contest is not offered",
        ),
        (
            NotationWithoutResult(),
            f"{LINE}: full line: character 117",
            (
                "wanted '2x1 C 5x4 A 6x1 B 13x1 A calza! 3/13 A-1; [A 1222 B 24344 C ', "
                "got '2x1 C 5x4 A 6x1 B 13x1 A calza; [A 1222 B 24344 C 63346] A 2'"
            ),
        ),
        (ReadsAnotherSeat(), f"{LINE}: record: rounds: item 3: calls: item 2", "wanted [1, '2x6'], got [2, '2x6']"),
        (ReadsNoOpener(), f"{LINE}: record: opener", "wanted 2, got nothing"),
        (ReadsMore(), f"{LINE}: record: rounds: item 16", "wanted nothing, got {}"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_engine_with_wrong_odds_dice_or_lines_is_refused(engine: Any, place: str, said: str) -> None:
    refused(engine, "aces", place, said)


class RulesOnly:
    """An engine that offers the rules alone."""

    def __init__(self) -> None:
        core = CoreEngine()
        self.new_game, self.apply, self.legal_calls, self.facts = (
            core.new_game,
            core.apply,
            core.legal_calls,
            core.facts,
        )


class SaysWhatItDoesNotOffer(CoreEngine):
    def commitment(self, secret: str, context: str) -> str:
        raise NotOffered(secret, context)


@pytest.mark.usefixtures("untraced")
def test_what_an_engine_does_not_offer_is_reported() -> None:
    alone = check_engine(RulesOnly(), presets=["aces"])
    assert alone == our_own()._replace(odds=None, fair_dice=None, notation=None)
    assert str(alone).endswith(", odds: not offered, fair dice: not offered, notation: not offered")
    assert check_engine(SaysWhatItDoesNotOffer(), presets=["aces"]) == our_own()._replace(fair_dice=None)


def test_a_part_that_is_not_offered_is_not_checked() -> None:
    alone = CheckedEngine(RulesOnly())
    assert check_odds(alone) is check_fair_dice(alone) is check_notation(alone, ["aces"]) is None


class FailsAtFairDice:
    def commitment(self, secret: str) -> str:
        raise OSError(secret)

    def write_game(self, *_: object) -> str:
        raise NotOffered


def test_an_optional_part_that_fails_is_offered() -> None:
    engine = CheckedEngine(FailsAtFairDice())
    assert engine.offers("commitment", "secret")
    assert not engine.offers("write_game", {}, True)
    assert not engine.offers("odds")
