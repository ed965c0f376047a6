"""The conformance kit's command line: engines in any language, behind a command that speaks lines of JSON."""

import os
import runpy
import select
import shlex
import sys
from pathlib import Path

import pytest

import perudo_conformance
from perudo_conformance import CommandEngine, CommandError
from perudo_conformance import _json_lines as json_lines
from perudo_conformance.__main__ import main
from perudo_conformance._json_lines_protocol import PROTOCOL_TEXT
from perudo_core import _programs as programs
from perudo_core.agents.engines import LateError
from tests.perudo_core.builds import PROJECT
from tests.perudo_core.test_wrong_engines import Sly, refused

KIT = str(Path(perudo_conformance.__file__).parents[1])
EXAMPLE = PROJECT / "examples" / "json_lines_engine.py"
Printed = pytest.CaptureFixture[str]
PYTHON = shlex.quote(sys.executable)
CONFORMS = "The engine conforms. perft: 21, steps: 107, refusals: 62, odds: 384, fair dice: {fair_dice}, notation: 4\n"
PATIENCE = 60.0
GREETS = """read line; echo '{"id": 1, "result": 0}';"""
"""Said by a shell, which answers at once also on a busy machine."""


def engine(folder: Path, old: str, new: str) -> str:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "wrong engine.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return f"{PYTHON} {shlex.quote(str(path))}"


def one_line(script: str) -> str:
    return f"sh -c {shlex.quote(script)}"


@pytest.mark.usefixtures("untraced")
def test_an_engine_offers_fair_dice_over_json_lines(tmp_path: Path, capfd: Printed) -> None:
    core = f"sys.path.append({KIT!r})\nfrom perudo_conformance import CoreEngine\ncore = CoreEngine()\n"
    methods = "ENGINE = (core.commitment, core.fair_hand, core.fair_number, core.fair_contest, "
    assert main(["--engine", engine(tmp_path, "ENGINE = (", core + methods), "--preset", "aces"]) == 0
    assert capfd.readouterr() == (CONFORMS.format(fair_dice=166), "")


GAME = "playthroughs.json: records/schema_1_aces.json"
REFUSAL = "refusals.json: aces, calza: [A 22256 B 12344 C 22334] D 1x2: step 2, D 1x2"
RETURNS_STATE = "return len(states) - 1"
REFUSES = 'answer = {"refused": error.reason}'


DIES, PRINTS = 'return {}["die"]', f'print("dice"); {RETURNS_STATE}'
ANSWERS = "print(json.dumps({"
OTHER_ID = f'if request["id"] > 2: request["id"], answer = 3.0, {{"result": 0}}\n    {ANSWERS}'
LEGAL = "perudo_core.legal_calls(states[state])]"
NEW, ROLL = f"{GAME}: new game", f"{GAME}: step 1, roll"
OTHER_ANSWER = "no answer with the id 3, but {'id': 3.0, 'result': 0}"
NO_ANSWER = "neither result, refused, unsupported nor error: {'id': 551, 'reason': 7}"


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        (LEGAL, f"{LEGAL}[1:]", f"{ROLL}: legal calls", "wanted 75 calls with C 1x2, got 74 calls without C 1x2"),
        (RETURNS_STATE, "return None", ROLL, "wanted a state, got None"),
        (RETURNS_STATE, DIES, ROLL, "wanted a state, got no answer: the command ended with status 1"),
        (RETURNS_STATE, PRINTS, ROLL, "wanted a state, got a line that is not JSON: dice"),
        ("legal_calls, facts, ", "legal_calls, ", NEW, "wanted facts by their names, got facts is not offered"),
        (REFUSES, 'answer = {"refused": None}', REFUSAL, "wanted refused, seat/unknown, got refused, None"),
        (REFUSES, 'answer = {"error": 7}', REFUSAL, "wanted refused, seat/unknown, got an error: 7"),
        (REFUSES, 'answer = {"reason": 7}', REFUSAL, f"wanted refused, seat/unknown, got {NO_ANSWER}"),
        (ANSWERS, OTHER_ID, NEW, f"wanted facts by their names, got {OTHER_ANSWER}"),
    ],
)
def test_a_wrong_engine_behind_a_command_is_refused(old: str, new: str, place: str, said: str, tmp_path: Path) -> None:
    with CommandEngine(engine(tmp_path, old, new)) as port:
        refused(port, "aces", f"{place}: {said}")


def test_standard_error_passes_and_who_hangs_is_refused(tmp_path: Path, capfd: Printed) -> None:
    assert main(["--engine", engine(tmp_path, RETURNS_STATE, 'return {}["die"]'), "--preset", "aces"]) == 1
    *traceback, difference = capfd.readouterr().err.splitlines()
    assert traceback[-1] == "KeyError: 'die'"
    assert difference.startswith(f"{GAME}: step 1, roll: wanted a state, got no answer")
    assert programs.described(Sly()) == "a Sly that cannot be printed"
    assert programs.described("x" * 999) == f"'{'x' * (programs.LONGEST - 4)}..."
    hangs = one_line(f"{GREETS} read line; sleep 600")
    assert main(["--engine", hangs, "--preset", "aces", "--timeout", "1"]) == 1
    assert capfd.readouterr().err == f"{GAME}: new game: wanted a state, got no answer within 1 s\n"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "cannot start '': not a command"),
        ('python "', "cannot start 'python \"': not a command"),
        ("no-such-engine --json", "cannot start 'no-such-engine --json': No such file or directory"),
        (one_line("exit 7"), "no answer: the command ended with status 7"),
        (one_line("echo hello"), "a line that is not JSON: hello"),
        (one_line("echo [1]"), "no answer with the id 1, but [1]"),
        (one_line(r"printf '\377\t1\n'"), r"a line that is not JSON: \xff\t1"),
    ],
)
def test_what_is_no_engine_cannot_be_run(command: str, reason: str, capfd: Printed) -> None:
    assert main(["--engine", command]) == 2
    assert capfd.readouterr() == ("", f"The engine cannot be run: {reason}\n")


def test_a_command_that_never_answers_cannot_be_run_and_a_timeout_out_of_range_is_refused(capsys: Printed) -> None:
    for timeout, said in (
        ("0.5", "The engine cannot be run: no answer within 0.5 s\n"),
        *((timeout, "timeout must be above 0 and at most 86400, not ") for timeout in ("0", "-1", "nan", "inf")),
    ):
        assert main(["--engine", one_line("read line; sleep 600"), "--timeout", timeout]) == 2
        assert said in capsys.readouterr().err


def test_a_command_that_greets_and_fails_is_ended_with_all_that_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_ANSWER_BYTES", 1000)
    monkeypatch.setattr(programs, "SECONDS_TO_END", 0.2)
    for script, reason, timeout in (
        ("exec 0<&-; exit 4", "no answer: the command ended with status 4", 60),
        ("head -c 100000 /dev/zero | tr '\\0' 1", "a line of more than 1000 bytes", 60),
        ("exec 1>&-; sleep 600", "no answer: the command ended with status -9", 60),
        ("sleep 600 & sleep 600", "no answer within 2 s", 2),  # its child holds the pipe open
    ):
        with (
            CommandEngine(one_line(f"{GREETS} {script}"), timeout=timeout) as port,
            pytest.raises(CommandError, match=f"^{reason}$"),
        ):
            port.facts(0)


def test_an_engine_ends_with_its_children(tmp_path: Path) -> None:
    os.mkfifo(alive := tmp_path / "alive")
    reads = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    with CommandEngine(one_line(f"exec 3>{alive}; {GREETS} sleep 600 & cat")):
        pass
    assert select.select([reads], [], [], PATIENCE)[0], "no process has it open for writing"
    os.close(reads)


def test_a_child_that_left_the_engines_group_and_holds_the_pipe_open_does_not_hold_up_the_kit(tmp_path: Path) -> None:
    os.mkfifo(held := tmp_path / "held")
    child = shlex.quote(f"""echo '{{"id": 1, "result": 0}}'; exec cat {held}""")
    with (
        CommandEngine(one_line(f"read line; setsid sh -c {child} & read line")) as port,
        pytest.raises(LateError, match=r"^no answer within 0\.1 s$"),
    ):
        port.ask("facts", {}, 0.1)
    held.write_text("the child ends")


@pytest.mark.usefixtures("untraced")
def test_this_library_is_checked_where_no_engine_is_named(capsys: Printed) -> None:
    assert main(["--preset", "aces"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == CONFORMS.strip().format(fair_dice=166)
    assert sorted(path.name for path in Path(out[1]).glob("p*.json")) == ["perft.json", "playthroughs.json"]


def test_the_help_has_the_protocol_and_the_module_prints_it(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    assert PROTOCOL_TEXT in capsys.readouterr().out
    monkeypatch.delitem(sys.modules, "perudo_conformance.__main__")
    monkeypatch.setattr(sys, "argv", ["testing", "--protocol"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("perudo_conformance", run_name="__main__")
    assert capsys.readouterr().out == PROTOCOL_TEXT
