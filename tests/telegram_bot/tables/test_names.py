"""Two people whose names look alike are told apart, whatever the alphabet."""

import pytest

from telegram_bot.tables.names import told_apart


@pytest.mark.parametrize(
    "name",
    [
        "Ana", "ana", "A\u200bna", "Ana\u2060", "\u0410n\u0430", "\uff21na", "A\u0301na", "\U0001d400na", "An\u0251",
        "Ana ", "Ana\u2800", "\u115fAna", "Ana\u3164", "Ana 👑", "Ana 👍🏽", "Ana\U000e0fff",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_one_gets_a_number(name: str) -> None:
    assert told_apart(name, ["Bo", "Ana"]) == f"{name} 2"
    assert told_apart(name, ["Ana", "Ana 2"]) == f"{name} 3"


@pytest.mark.parametrize(
    ("name", "other"),
    [("Ana", "Anna"), ("Анна", "Ana"), ("Bo", "Bo 2"), ("🤖 Ana", "Ana"), ("李", "王"), ("🌸", "🌻"), ("🌸", "Ana")],
)
def test_another_name_stays_as_it_is(name: str, other: str) -> None:
    assert told_apart(name, [other]) == name


def test_capital_i_and_small_l_look_alike() -> None:
    assert told_apart("Ilsa", ["llsa"]) == "Ilsa 2"
