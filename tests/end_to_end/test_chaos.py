"""Games go on while workers are killed, the database is stopped, updates come twice and Telegram fails."""

from pathlib import Path

import pytest

from test_support.chaos.chaos_run import Plan, run_chaos
from test_support.postgres import running_postgres


@pytest.mark.timeout(900)  # a minute and a half where nothing else runs
async def test_whatever_goes_wrong_no_move_is_lost_or_doubled_and_every_game_ends(tmp_path: Path) -> None:
    """The long one is `python -m benchmarks.chaos`. The server is stopped hard: no other test uses it."""
    with running_postgres() as postgresql:
        report = await run_chaos(tmp_path, postgresql, Plan(tables=10, at_once=5, seconds=25, pause=1.0, computers=1))
    assert not report.audit.findings, "\n".join(map(str, report.audit.findings))
    assert len(report.evidence.games) >= 5
    assert sum(move.accepted for move in report.evidence.moves) > 50
    causes = [cause for game in report.evidence.games for _, cause, _ in game.actions]
    assert causes.count("computer") > 20
    faults, workers, updates = report.did["faults"], report.did["workers"], report.did["updates"]
    assert faults["PostgreSQL stopped hard"]
    assert any(name.startswith("outage") for name in faults)
    assert any(name.startswith("calls to fail") for name in faults)
    assert any(name.startswith("killed") for name in workers)
    assert faults["updates sent again by the server"]
    assert updates["brought to two workers at once"]
