import errno
import io
import json
import os
import runpy
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest

from perudo_conformance.__main__ import main as conformance
from perudo_core.__main__ import main
from perudo_core.agents.__main__ import main as agents

FILES = Path(str(files("perudo_conformance"))) / "data" / "records"
Printed = pytest.CaptureFixture[str]
RULES = {"preset": "box_2009", "calza": True, "starting_dice": 2}
GAME = {
    "schema": "perudo-record/2",
    "rules": RULES,
    "seats": ["Ana", "Bo\x1b[31m", ""],
    "opener": 0,
    "rounds": [
        {"dice": [[2, 2], [3, 3], [4, 4]], "calls": [[0, "2x2"], [1, "dudo"]]},
        {"dice": [[2, 2], [3], [4, 4]], "calls": [[1, "1x3"], [0, "calza"]]},
        {"dice": [[2, 2], [3], [4, 4]], "calls": [[0, "9x3"]]},
    ],
}
TOLD = """\
The 2009 box by Fry & Fernandini. Everyone begins with 2 dice. Calza may be said.
Players: Ana, Bo\\x1b[31m, Seat 3
Round 1: Ana opens.
  Ana rolls 2 2.
  Bo\\x1b[31m rolls 3 3.
  Seat 3 rolls 4 4.
  Ana bids 2x2.
  Bo\\x1b[31m says dudo to 2x2 by Ana.
  The dice: Ana 2 2, Bo\\x1b[31m 3 3, Seat 3 4 4. 2 of 2x2: exactly what was bid.
  Bo\\x1b[31m loses 1 die.
Round 2: Bo\\x1b[31m opens a palifico round.
  Ana rolls 2 2.
  Bo\\x1b[31m rolls 3.
  Seat 3 rolls 4 4.
  Bo\\x1b[31m bids 1x3.
  Ana says calza to 1x3 by Bo\\x1b[31m.
  The dice: Ana 2 2, Bo\\x1b[31m 3, Seat 3 4 4. 1 of 1x3: exactly what was bid.
  Ana already holds all their dice.
Round 3: Ana opens.
  Ana rolls 2 2.
  Bo\\x1b[31m rolls 3.
  Seat 3 rolls 4 4.
"""


def written(folder: Path, content: object) -> str:
    path = folder / "game.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


def test_a_game_is_told_to_its_end_or_fault_also_after_a_byte_order_mark_and_from_standard_input(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = "round 3, call 1: bid/above_maximum"
    path = written(tmp_path, GAME)
    assert main(["replay", path]) == 1
    assert capsys.readouterr() == (TOLD, f"{path}: {fault}\n")
    for name, error in (("game.json", fault), ("game.jsonl", f"line 1: {fault}")):
        (tmp_path / name).write_text(f"\ufeff{json.dumps(GAME)}\n", encoding="utf-8")
        assert main(["replay", str(tmp_path / name)]) == 1
        out, err = capsys.readouterr()
        assert TOLD in out
        assert err.endswith(f"{error}\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(GAME).encode())))
    assert main(["replay", "-"]) == 1
    assert capsys.readouterr() == (TOLD, f"-: {fault}\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert main(["verify", "-"]) == 1
    assert capsys.readouterr().err.startswith("-: ")
    for file in sorted(FILES.glob("*.json")):
        assert main(["replay", str(file)]) == 0
        out, err = capsys.readouterr()
        assert out.splitlines()[-1].endswith(" wins.")
        assert all(told in out for told in (" is out, in place ", "the bid holds", "the bid does not hold")), file
        assert not err


def test_a_bad_file_is_an_error_in_one_line(tmp_path: Path, capsys: Printed) -> None:
    contents: list[tuple[object, str]] = [
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not UTF-8, from byte 0 on"),
        (b"[" * 10_000_000, "not JSON: nested too deeply"),
        (b" " * (16 * 1024 * 1024 + 1), "too large for a game record"),
        ({**GAME, "seats": ["Ana"]}, "1 seats, where these rules seat 2 to 6"),
    ]
    for content, reason in contents:
        assert main(["replay", written(tmp_path, content)]) == 1
        out, err = capsys.readouterr()
        assert reason in err
        assert err.count("\n") == 1
        assert len(out) < 100


def test_it_tells_its_version_and_how_it_is_called_and_runs_as_a_module(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"perudo_core {version('perudo-core')}\n"
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "usage: python -m perudo_core" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["perudo_core", "replay", written(tmp_path, {**GAME, "rounds": []})])
    monkeypatch.delitem(sys.modules, "perudo_core.__main__")
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("perudo_core", run_name="__main__")


class FullDisk(io.FileIO):
    def write(self, _text: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_terminal_that_cannot_write_a_name_a_full_disk_nowhere_to_print_to_and_a_reader_that_has_enough(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, path = tmp_path / "out.txt", written(tmp_path, {**GAME, "seats": ["Ána", "Bo", "Δ"], "rounds": []})
    with output.open("w", encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["replay", path]) == 0
    assert output.read_text(encoding="ascii").endswith("Players: \\xc1na, Bo, \\u0394\n")
    with FullDisk(output, "w") as disk:
        monkeypatch.setattr(sys, "stdout", disk)
        assert main(["replay", path]) == 1
    assert capsys.readouterr().err == "cannot print: No space left on device\n"
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["replay", path]) == 0
    assert not capsys.readouterr().err
    commands: list[tuple[Callable[[list[str]], int], list[str]]] = [
        (main, ["replay", str(FILES / "schema_1_aces.json")]),
        (agents, ["arena", "novice", "novice", "--games", "1"]),
        (conformance, ["--protocol"]),
    ]
    for command, arguments in commands:
        reader, writer = os.pipe()  # `| head` closes it in this way
        os.close(reader)
        with open(writer, "w", encoding="utf-8") as pipe:  # noqa: PTH123 - a pipe has no path
            monkeypatch.setattr(sys, "stdout", pipe)
            assert command(arguments) == 1, arguments
        assert "Error" not in capsys.readouterr().err


@pytest.mark.parametrize("command", ["verify", "replay", "analyse"])
def test_a_file_without_a_game_or_unreadable_proves_nothing(tmp_path: Path, capsys: Printed, command: str) -> None:
    path = tmp_path / "games.jsonl"
    for content in ("", " \n\t\n"):
        path.write_text(content)
        assert main([command, str(path)]) == 1
        assert capsys.readouterr().err == f"{path}: no game record\n"
    for name in ("missing.json", ".", "nul\0.json"):
        assert main([command, f"{tmp_path}/{name}"]) == 1
        assert "cannot be read: " in capsys.readouterr().err
