"""An operator's programs as computer players: they play, and one that misbehaves costs nothing."""

import asyncio
import json
import logging
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from perudo_core import Bid, FairRecord, Rules, observe, set_up
from perudo_core.agents import Level, new_memory
from perudo_core.agents.engines import Question
from telegram_bot.confinement import landlock_version
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.ingress.engine_process import EngineProcess
from telegram_bot.intents.intents import CallComputed, DeadlineReached
from telegram_bot.service.handlers.lobby_requests import AddComputers, ChangeComputer, Start
from telegram_bot.service.results.game_record import game_record
from telegram_bot.side_process import SideProcessError
from telegram_bot.storage.statistics_models import SeatResult
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import ComputerPlayer, Status
from test_support.documents import ROOT
from tests.telegram_bot.conftest import GroupHarness, rejection_of
from tests.telegram_bot.service.test_computer_turns import a_turn, reach_request

PATIENCE = 30.0
"""In seconds: on a busy machine the process starts late."""
PYTHON = shlex.quote(sys.executable)
EXAMPLES = ROOT / "perudo_core" / "examples"
ODDS = f"{PYTHON} {shlex.quote(str(EXAMPLES / 'odds_engine.py'))}"
QUESTION = Question(
    observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1), new_memory(Rules(), 2), PATIENCE
)
OURS = ("telegram_bot.ingress", "telegram_bot.side_process")
Asks = Callable[..., EngineProcess]


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Asks]:
    """Starts engines: of a command, or of Python code that runs before an answer."""
    engines: list[EngineProcess] = []

    def made(
        command: str = "", *, code: str = "", seconds: float = PATIENCE, memory_megabytes: int = 512
    ) -> EngineProcess:
        if not command:
            (tmp_path / "engine.py").write_text(
                "import json, os, sys, time\n"
                "def said(asked):\n"
                "    if asked['method'] == 'hello':\n"
                "        return {}\n"
                f"    {code}\n"
                "    return 'dudo'\n"
                "for line in sys.stdin:\n"
                "    asked = json.loads(line)\n"
                "    print(json.dumps({'id': asked['id'], 'result': said(asked)}), flush=True)\n"
            )
            command = f"{PYTHON} {shlex.quote(str(tmp_path / 'engine.py'))}"
        engines.append(EngineProcess("odds", command, seconds=seconds, memory_megabytes=memory_megabytes))
        return engines[-1]

    yield made
    for each in engines:
        await each.close()
        assert each.pid is None


@pytest.mark.parametrize("command", [ODDS, f"node {shlex.quote(str(EXAMPLES / 'odds_engine.js'))}"], ids=["py", "js"])
async def test_an_example_answers_in_its_confined_process_and_then_stands_still(command: str, engine: Asks) -> None:
    odds = engine(command)
    assert str(await odds.choose(QUESTION)) == "dudo"
    process = psutil.Process(odds.pid)
    while process.status() != psutil.STATUS_STOPPED:  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(0.01)
    assert str(await odds.choose(QUESTION)) == "dudo"
    assert odds.pid == process.pid, "it is not started again"


def greets(answer: dict[str, Any]) -> str:
    """A program with this answer to the first request."""
    said = shlex.quote(json.dumps({"id": 1} | answer))
    return f"sh -c {shlex.quote(f'read line; echo {said}; read line')}"


MISBEHAVIOUR = {
    "slow": ("time.sleep(600)", "no answer in time"),
    "dies": ("sys.exit(3)", "it ended"),
    "floods": ("print('x' * 2**21, flush=True)", "a line of more than 1048576 bytes"),
    "is no engine": ("print('twelve twos', flush=True)", "a line that is not JSON"),
    "has no calls": ("print(json.dumps({'id': asked['id'], 'unsupported': True}), flush=True)", "no result of choose"),
    "nonsense": ("return 'twelve twos'", "an answer that is no call"),
    "says nothing": ("return None", "no call on its turn"),
    "illegal": ("return '99x2'", "a call that is not legal"),
    "takes memory": ("bytearray(1 << 29)", "it ended"),
    "no program": ("", "it ended"),
    "refuses": ("", "an error"),
    "another protocol": ("", "another protocol than perudo-player/1"),
}
COMMANDS = {
    "no program": "no-such-program",
    "refuses": greets({"error": "another version"}),
    "another protocol": greets({"result": {"protocol": "perudo-player/2"}}),
}


@pytest.mark.parametrize("how", MISBEHAVIOUR)
async def test_why_an_engine_that_misbehaves_gives_no_call_is_told_without_its_words(how: str, engine: Asks) -> None:
    code, why = MISBEHAVIOUR[how]
    asked = engine(COMMANDS.get(how, ""), code=code, seconds=0.7 if how == "slow" else PATIENCE, memory_megabytes=256)
    with pytest.raises(SideProcessError, match=f"^{re.escape(why)}") as caught:
        await asked.choose(QUESTION)
    assert "twelve" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "why"), [("odds", "an answer that is no call"), ("gone", "the settings do not name it")]
)
async def test_the_bot_plays_for_an_engine_without_a_call_and_writes_one_line_in_the_log(
    name: str, why: str, engine: Asks, harness: GroupHarness, caplog: pytest.LogCaptureFixture
) -> None:
    engines = {"odds": engine(code="return 'twelve twos'")}
    await a_turn(harness, "22", "33")
    harness.store(harness.table().with_seat(1, computer=ComputerPlayer(level=Level.REGULAR, engine=name)))
    worker = ComputerRequestWorker(harness.service, lambda _lanes: None, engines=engines)
    with caplog.at_level(logging.INFO):
        worker.begin_call(await reach_request(harness))
        await worker.idle()
    await worker.close()
    assert harness.table().step == 2, "the bot has called"
    assert harness.table().seats[1].misses == 0
    (told,) = [record.getMessage() for record in caplog.records if record.name.startswith(OURS)]
    assert told.startswith(f"the engine {name} found no call: {why}")
    assert "twelve" not in caplog.text


async def test_an_engine_is_told_the_seconds_that_the_start_of_its_process_has_left_it(engine: Asks) -> None:
    """One that thinks for as long as it is told is in time."""
    code = f"call = '6x2' if asked['params']['seconds'] > {PATIENCE} - 0.01 else 'dudo'"
    told = engine(code=f"{code}\n    return {{'call': call, 'reason': 'a long one' * 10**4}}")
    assert str(await told.choose(QUESTION)) == "dudo"


async def test_an_engine_is_not_asked_when_other_tables_have_taken_the_time(engine: Asks) -> None:
    slow = engine(ODDS)
    with pytest.raises(SideProcessError, match="waited too long"):
        await slow.choose(replace(QUESTION, seconds=0.1))
    async with slow._turn:
        with pytest.raises(SideProcessError, match="waited too long"):
            await slow.choose(replace(QUESTION, seconds=0.01))


@pytest.mark.parametrize(
    "leaves",
    ["pass", "os.setsid()", "os.setpgid(0, 0)", "os.fork() and os._exit(0)",
     "os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0)"],
)  # fmt: skip
async def test_an_engine_ends_with_its_children_whatever_they_do(leaves: str, engine: Asks, tmp_path: Path) -> None:
    child = f"try:\n            {leaves}\n        except OSError: pass\n        time.sleep(600)"
    forks = engine(code=f"if not os.fork():\n        {child}")
    descriptors = psutil.Process().num_fds()
    await forks.choose(QUESTION)
    assert len(processes_of(tmp_path)) > 2, "the engine, the process that ends its group, and a child"
    await forks.close()
    await asyncio.to_thread(psutil.wait_procs, processes_of(tmp_path), PATIENCE)
    assert processes_of(tmp_path) == []
    assert psutil.Process().num_fds() == descriptors


async def test_an_engine_has_ended_although_its_child_keeps_the_pipes_open(engine: Asks, tmp_path: Path) -> None:
    leaves = engine(code="if os.fork():\n        os._exit(3)\n    time.sleep(600)")
    with pytest.raises(SideProcessError, match=r"^it ended with status 3$"):
        await leaves.choose(QUESTION)
    await asyncio.to_thread(psutil.wait_procs, processes_of(tmp_path), PATIENCE)
    assert processes_of(tmp_path) == []


BOT: Final = """import asyncio, sys
from perudo_core import Bid, Rules, observe, set_up
from perudo_core.agents import new_memory
from perudo_core.agents.engines import Question
from telegram_bot.ingress.engine_process import EngineProcess
async def main():
    seen = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)
    engine = EngineProcess("odds", sys.argv[1], seconds=250)
    print(await engine.choose(Question(seen, new_memory(Rules(), 2), 250)), flush=True)
    await asyncio.sleep(250)
asyncio.run(main())
"""


@pytest.mark.parametrize("between_questions", [True, False])
async def test_no_engine_and_no_child_outlives_a_bot(*, between_questions: bool, engine: Asks, tmp_path: Path) -> None:
    forks = "if not os.fork():\n        [signal.signal(each, signal.SIG_IGN) for each in (1, 2, 13, 15, 18, 20)]"
    engine(code=f"import signal\n    {forks}\n        time.sleep(600)")
    command = f"{PYTHON} {shlex.quote(str(tmp_path / 'engine.py'))}"
    with subprocess.Popen(  # noqa: ASYNC220, S603 - this test's own words
        [sys.executable, "-c", BOT, command], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"
    ) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "dudo\n"
        left = [one for one in processes_of(tmp_path) if one.pid != bot.pid]
        assert len(left) > 2
        if not between_questions:
            for one in left:
                one.resume()
        bot.kill()
    await asyncio.to_thread(psutil.wait_procs, left, PATIENCE)
    assert processes_of(tmp_path) == []


def processes_of(folder: Path) -> list[psutil.Process]:
    return [one for one in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(one.info["cmdline"] or ())]


async def test_a_late_answer_is_not_taken_for_the_next_one(engine: Asks) -> None:
    slow = engine(code="time.sleep(600 if asked['params'].get('seed') else 0)")
    await slow.choose(QUESTION)
    slow.seconds = 0.3
    before = slow.pid
    with pytest.raises(SideProcessError):
        await slow.choose(replace(QUESTION, seed=1))
    slow.seconds = PATIENCE
    assert str(await slow.choose(QUESTION)) == "dudo"
    assert slow.pid != before


async def test_an_engine_has_no_secret_no_network_and_no_file(engine: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", "123456:secret")
    attacks = (
        "os.environ['PERUDO_TOKEN']",
        "import socket; socket.socket()",
        "os.chmod(sys.argv[0], 0o666)",
        "os.memfd_create('more memory')",
        "import mmap; mmap.mmap(-1, 4096)",
        *(("open('/etc/passwd')", "open(sys.argv[0], 'a')") if landlock_version() else ()),
        *(("open(f'/proc/{os.getppid()}/environ')",) if landlock_version() else ()),
    )
    code = "".join(
        f"try:\n        {attack}\n        return '6x2'\n    except (OSError, KeyError):\n        pass\n    "
        for attack in attacks
    )
    assert str(await engine(code=code).choose(QUESTION)) == "dudo"


async def seat_odds(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, engines=("odds",))
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", AddComputers(1, engine="odds"))


async def test_a_host_seats_an_engine_like_any_computer_player(harness: GroupHarness) -> None:
    await seat_odds(harness)
    seat = harness.table().seats[2]
    assert seat.computer is not None
    assert seat.computer.engine == "odds"
    shown = harness.notices("lobby")[-1]
    assert shown.engines == ("odds",)
    for refused in (AddComputers(1, engine="unknown"), ChangeComputer(seat.player, "level")):
        assert rejection_of((await harness.tap("Ana", refused)).toast) is RejectionReason.NOBODY
    assert harness.table().seats[2] == seat
    assert len(harness.table().seats) == 3


async def test_a_game_with_an_engine_has_no_level_and_its_calls_follow_from_no_seal(harness: GroupHarness) -> None:
    await seat_odds(harness)
    await harness.tap("Ana", Start())
    number = harness.table().id
    while (table := harness.table(number)).status is Status.PLAYING:
        assert table.game is not None
        assert table.game.turn is not None
        if table.is_computer(table.game.turn):
            assert table.running.think_at is not None
            await harness.run_deadlines(0)
            harness.pass_time(max(table.running.think_at - harness.now, 0))
            (request,) = (await harness.service.handle(DeadlineReached(number))).call_requests
            assert request.engine == "odds"
            await harness.service.handle(
                CallComputed(number, table.step, request.seat, request.observation.legal_calls[-1])
            )
        else:
            await harness.call("dudo" if table.game.current_bid else "1x2", table=number)
    harness.show_dice()
    with harness.database.transaction() as session:
        document = game_record(harness.service.unit_of_work(session, "test"), table).document
    assert FairRecord.from_json(document).verify().computer_calls == 0
    assert [row.level for row in harness.rows(SeatResult)] == [None, None, None]
