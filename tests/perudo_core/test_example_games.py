"""Examples, of pages and docstrings too: a person at a terminal, clients who exchange JSON with a server."""

import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

import perudo_core
from perudo_core import load_observation
from perudo_core.agents.arena._players import ENGINE, agent_of
from tests.perudo_core.builds import PROJECT, ROOT

EXAMPLES = PROJECT / "examples"


def at_the_console(*lines: str, seed: int = 1, preset: str = "box_2009") -> str:
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-W", "error", EXAMPLES / "console_game.py", f"--seed={seed}", f"--preset={preset}"],
        input="\n".join(lines), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_console_shows_your_own_dice_refuses_politely_and_asks_again() -> None:
    out = at_the_console("hello", "{}", '{"type": "roll"}', "leave", "4x7", "1x1", "dudo", " 2X3 ")
    assert re.search(r"Round 1: You to open\.\nYour dice: [1-6]( [1-6]){4}\. Smallest bid: 1x2\.\n", out)
    assert out.count('Say how many and which face, as "5x3" for five threes, or "dudo", or "calza".') == 4
    assert "A die has the faces 1 to 6. The smallest bid is 1x2." in out
    assert "Ones may not open a round. The smallest bid is 1x2." in out
    assert "There is no bid yet." in out
    assert "  You: 2x3\n" in out
    assert out.endswith("Goodbye.\n")


def test_a_console_game_is_played_to_its_end_and_tells_the_others_dice_only_when_all_are_shown() -> None:
    out = at_the_console(*["dudo", "1x2", "dudo!"] * 300, preset="azteca")
    assert out == at_the_console(*["dudo", "1x2", "dudo!"] * 300, preset="azteca"), "a seed repeats a game"
    assert re.search(r"\nThe winner: (Bo|Cy|You)\.\n$", out)
    for line in out.splitlines():
        if re.search(r"\b(Bo|Cy) [1-6]\b", line):
            assert line.startswith("  All dice: ")


class Server(NamedTuple):
    address: str
    keys: list[str]

    def ask(self, key: str = "", call: object = None, body: bytes = b"") -> tuple[int, Any]:
        data = body or (None if call is None else json.dumps(call).encode())
        path = "table" if data is None else "call"
        request = Request(self.address + path, data, {"Authorization": f"Bearer {key}"})  # noqa: S310 - our own address
        try:
            with urlopen(request, timeout=60) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read())
        except HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def tables(self) -> list[Any]:
        """As the spectator and both players see it."""
        return [self.ask(key)[1] for key in ("", *self.keys)]


@contextmanager
def web_game(seed: int) -> Iterator[Server]:
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-W", "error", EXAMPLES / "web_game.py", f"--seed={seed}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        spectators, *seats = (process.stdout.readline().split(": ")[1].strip() for _ in range(3))
        yield Server(spectators.partition("#")[0], [address.partition("#")[2] for address in seats])
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_a_web_game_is_played_to_its_end_and_each_client_sees_its_own_dice_and_makes_its_own_legal_calls() -> None:
    with web_game(2) as server:
        with urlopen(server.address, timeout=60) as answer:  # noqa: S310
            assert answer.headers["Content-Type"] == "text/html"
            assert answer.read() == (EXAMPLES / "web_game.html").read_bytes()
        spectator, *players = before = server.tables()
        assert {event["type"] for event in spectator["events"]} == {"opener_chosen", "round_started"}
        for seat, table in enumerate(players):
            seen = load_observation(table["observation"])
            assert (seen.seat, len(seen.dice)) == (seat, 5)
            rolled = [event for event in table["events"] if event["type"] == "dice_rolled"]
            assert rolled == [{"type": "dice_rolled", "seat": seat, "dice": list(seen.dice)}]
        turn = spectator["observation"]["turn"]
        key, other = server.keys[turn], server.keys[1 - turn]
        bid = {"type": "bid", "quantity": 1, "face": 2}
        refused: list[tuple[str, Any, int, str]] = [
            (key, {"type": "roll", "dice": [[6, 6, 6, 6, 6], [1, 1, 1, 1, 1]]}, 400, "a call is "),
            (key, {"type": "leave", "seat": 1 - turn}, 400, "a call is "),
            (other, bid | {"seat": turn}, 400, "bid.seat must be "),
            (other, bid, 409, "It is another player's turn."),
            (key, "99x2", 409, "There cannot be that many dice. The smallest bid is 1x2."),
            ("", "1x2", 403, "A spectator makes no calls."),
            ("guessed", "1x2", 403, "A spectator makes no calls."),
        ]
        for who, call, status, error in refused:
            found, said = server.ask(who, call)
            assert (found, said["error"][: len(error)]) == (status, error)
        for body in (b"1x2", b"\xff", b"[" * 900, b'"' + b"x" * 2000 + b'"'):
            assert server.ask(key, body=body) == (400, {"error": "The body must be JSON."})
        assert server.tables() == before
        while spectator["observation"]["outcome"] is None:
            assert spectator["observation"]["dice"] == []
            key = server.keys[spectator["observation"]["turn"]]
            seen = server.ask(key)[1]["observation"]
            face, lowest, _ = seen["legal_calls"]["bids"][-1]
            status, said = server.ask(key, "dudo" if seen["legal_calls"]["dudo"] else f"{lowest}x{face}")
            assert (status, said["observation"]["seat"]) == (200, seen["seat"])
            spectator = server.ask()[1]
        kinds = [event["type"] for event in spectator["events"]]
        assert "dice_rolled" not in kinds
        assert kinds.count("revealed") == kinds.count("dudo_called") == kinds.count("dice_lost")
        assert spectator["events"][-1]["outcome"]["winner"] == spectator["observation"]["outcome"]["winner"]


def test_the_learner_beats_a_regular_after_a_few_seconds() -> None:
    """With the example's own numbers, 80 updates, it won 71 % of 4,000 games."""
    curve = _curve("ppo_2x2.py", "12", "200")
    assert [calls for calls, *_ in curve] == ["0", "16,384", "49,152", "98,304", "196,608"]
    assert float(curve[0][2]) < 10, "it has not learned yet"
    assert float(curve[-1][1]) > 50


def test_a_learner_that_meets_only_itself_wins_its_first_games_against_a_regular_in_seconds(tmp_path: Path) -> None:
    """With the example's own numbers, 1500 updates from 1024 games at once, it won 60 % of 4,000 games."""
    curve = _curve("self_play.py", "32", "100", "256", folder=tmp_path)
    assert [calls for calls, *_ in curve] == ["0", "4,096", "8,192", "16,384", "32,768", "65,536", "131,072"]
    assert float(curve[0][2]) < 5, "it has not learned yet"
    assert float(curve[-1][1]) > 1, "another machine rounds otherwise, so it learns other things"
    assert (tmp_path / "self_play.npz").exists()


def _curve(example: str, *numbers: str, folder: Path | None = None) -> list[tuple[str, str, str]]:
    """The calls before each measurement that an example prints, and the ends of its interval."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / example), *numbers]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(  # noqa: S603 - ours
        command, capture_output=True, text=True, timeout=300, check=True, env=one_thread, cwd=folder
    )
    return re.findall(r"(?m)^\| ([\d,]+) \| \d+ \| [\d.]+% \| ([\d.]+)% to ([\d.]+)% \|$", ran.stdout)


def test_the_solver_comes_to_the_value_of_one_die_each() -> None:
    run = subprocess.run(  # noqa: S603 - ours
        [sys.executable, EXAMPLES / "cfr_2x2.py", "1", "60"], check=True, capture_output=True, text=True
    )
    *_, last, exploitability = run.stdout.splitlines()
    assert last == "60: seat 0 wins -0.0556 -0.0556"
    assert 0 < float(exploitability.removeprefix("exploitability ")) < 0.005


TEXTS = {
    page.stem: page.read_text(encoding="utf-8")
    for page in (PROJECT / "README.md", ROOT / "docs" / "engine-protocol.md", *sorted(ROOT.glob("docs/library/*.md")))
}
BLOCKS = {name: re.findall(r"```python\n(.*?)```", text, re.DOTALL) for name, text in TEXTS.items()}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("page", [name for name, blocks in BLOCKS.items() if blocks])
def test_the_examples_run(page: str) -> None:
    names: dict[str, object] = {}
    for block in BLOCKS[page]:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - the project's own text


def test_the_arena_knows_the_players_of_the_pages() -> None:
    commands = re.findall(r"perudo_core\.agents arena (.+?)(?: --|`)", "".join(TEXTS.values()))
    assert commands
    with ExitStack() as running:
        for player in (player for command in commands for player in shlex.split(command)):
            assert player.startswith(ENGINE) or agent_of(player, running)


@pytest.mark.usefixtures("untraced")
def test_the_examples_of_all_modules_run() -> None:
    names = {module.name for module in pkgutil.walk_packages(perudo_core.__path__, "perudo_core.")}
    for name in sorted(name for name in names if not name.endswith("__main__") and ".examples" not in name):
        assert doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed == 0, name
