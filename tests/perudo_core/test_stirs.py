"""A salt that says who stirred what."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import FairDice, FairRecord, Rules, new_game
from perudo_core.__main__ import main
from perudo_core.stirs import Stir, salt_from_stirs, stirs_in_salt

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=32)
STIRS = st.lists(st.builds(Stir, st.none() | st.integers(0, 49), WORDS), max_size=20)


def proof(salt: str) -> FairRecord:
    state = new_game(Rules(), ["Ana", "Bo"], opener=1)
    dice = FairDice(bytes(range(32)), salt)
    return FairRecord.of(dice, Rules(), ["Ana", "Bo"], [dice.roll(state)], opener=1)


def verified(tmp_path: Path, salt: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    path = tmp_path / "game.json"
    path.write_text(proof(salt).to_json(), encoding="utf-8")
    assert main(["verify", str(path)]) == 0
    return capsys.readouterr().out.splitlines()


@given(STIRS)
def test_what_is_written_is_read(stirs: list[Stir]) -> None:
    assert stirs_in_salt(salt_from_stirs("ABC234", stirs)) == tuple(stirs)


@given(STIRS, STIRS)
def test_other_stirs_make_another_salt(one: list[Stir], other: list[Stir]) -> None:
    assert (salt_from_stirs("ABC234", one) == salt_from_stirs("ABC234", other)) is (one == other)


@pytest.mark.parametrize(
    "salt",
    [
        "",
        "Ana: llama, Bo: 7",
        "ABC234 clover",
        "perudo-stirs/1",
        "perudo-stirs/1 A",
        "perudo-stirs/1 A\n",
        "perudo-stirs/1 A\n1 x\nnobody stirred",
        "perudo-stirs/1 A\n0 x",
        "perudo-stirs/1 A\n1x",
        "perudo-stirs/1 A\n1 ",
        "perudo-stirs/2 A\n1 x",
        "perudo-stirs/1 A\n1 x\n",
    ],
)
def test_another_salt_says_nothing_of_stirs(salt: str) -> None:
    assert stirs_in_salt(salt) is None


@pytest.mark.parametrize("what", ["", "two\nlines", "a\n1 forged"])
def test_no_stir_can_pass_for_two(what: str) -> None:
    with pytest.raises(ValueError, match="no line of a salt"):
        salt_from_stirs("ABC234", [Stir(0, what)])


def test_the_command_says_who_stirred_what(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stirs = [Stir(1, "🍀"), Stir(None, "fox"), Stir(0, "llama"), Stir(7, "x")]
    told = verified(tmp_path, salt_from_stirs("ABC234", stirs), capsys)
    assert "Stirred, in this order: Bo 🍀, somebody who left fox, Ana llama, Seat 8 x." in told
    assert "Seat 8 stirred last: only in league with the host could they have chosen among dice." in told


def test_the_command_says_that_nobody_stirred(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert salt_from_stirs("ABC234", []) == "perudo-stirs/1 ABC234\nnobody stirred"
    told = verified(tmp_path, salt_from_stirs("ABC234", []), capsys)
    assert "Nobody stirred: these dice rest on the host's word." in told
    assert not any("stirred" in line for line in verified(tmp_path, "ABC234 clover", capsys)), "it cannot be told"


def test_a_reader_that_knows_no_stirs_reads_the_file() -> None:
    """The document has the keys that it always had, and the salt is a text."""
    data = json.loads(proof(salt_from_stirs("ABC234", [Stir(1, "🍀")])).to_json())
    assert set(data) == {"schema", "commitment", "salt", "secret", "opening", "record"}
    assert data["schema"] == "perudo-fair/1"
    assert data["salt"] == "perudo-stirs/1 ABC234\n2 🍀"
