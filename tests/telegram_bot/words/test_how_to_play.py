"""The four steps in the television's lobby are true under the options of the table."""

import pytest

from perudo_core import Rules
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.rules import how_to_play

LAST = "The last one with dice wins."
WILD = "Ones count as any face."
ONE = "the bidder loses one."


@pytest.mark.parametrize(
    ("options", "untrue", "told"),
    [
        ({}, (), (LAST, WILD, ONE)),
        ({"wild_ones": False}, (WILD,), (LAST, ONE)),
        ({"palifico_every_round": True}, (WILD,), (LAST, ONE)),
        ({"first_out_wins": True}, (LAST, ONE), ("The first player without dice wins.", WILD)),
        ({"sudden_death": True}, (ONE,), ("The last player with dice wins.", "the doubter is out of the game")),
        ({"lose_by_difference": True}, (ONE,), ("as many dice as the bid was off by", WILD)),
    ],
)
def test_no_step_of_how_to_play_contradicts_an_option(
    options: dict[str, bool], untrue: tuple[str, ...], told: tuple[str, ...]
) -> None:
    steps = " ".join(how_to_play(Rules(**options), catalogue("en")))  # type: ignore[arg-type]
    assert not [each for each in untrue if each in steps]
    assert all(each in steps for each in told)
