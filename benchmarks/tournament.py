"""Play a tournament at two workers on PostgreSQL, kill them in each phase, and audit what was stored and shown.

Run it with `python -m benchmarks.tournament [--people N] [--phones N] [--guests N] [--dice N] [--kills N]
[--no-limits]` from the project's folder. People tap their buttons in Telegram, phones text, guests act on their page,
and computer players fill the tables. Prints Markdown; exits with 1 if anything was found.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from statistics import median

from test_support.chaos.tournament_report import TournamentPlan, TournamentReport, run_tournament
from test_support.postgres import running_postgres


def told(report: TournamentReport) -> str:
    """Return the report as Markdown."""
    plan = report.plan
    rows = {
        "entrants": f"{plan.people} in Telegram, {plan.phones} phones, {plan.guests} guests",
        "games, each replayed": report.games,
        "calls, each judged again": ", ".join(f"{count} {who}" for who, count in report.calls.most_common()),
        "workers killed": ", ".join(f"{times} {phase}" for phase, times in report.kills.items()),
        "from Start to the last place": f"{report.seconds:.0f} s",
        "messages and edits in the group's busiest minute, while tables are played": report.busiest["tables"],
        "the same in the grand final": report.busiest["final"],
        "seconds from the end of a stage's last table to the next dice": " and ".join(
            f"{wait:.1f}" for wait in report.between
        ),
        "seconds that a table waits for the next stage": f"{median(report.waits):.0f}, at most {max(report.waits):.0f}",
        "texts to the phone that got most": report.texts,
        "messages seen twice after a kill": len(report.audit.twice),
        "findings": len(report.findings),
    }
    lines = ["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows.items())]
    return "\n".join([*lines, *(f"\n- {finding}" for finding in report.findings)])


async def main(plan: TournamentPlan) -> int:
    """Play and print; return 1 if anything was found."""
    with running_postgres() as server, tempfile.TemporaryDirectory() as folder:
        report = await run_tournament(Path(folder), server, plan)
    print(told(report))
    return 1 if report.findings else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=19, help="how many play in Telegram")
    parser.add_argument("--phones", type=int, default=3)
    parser.add_argument("--guests", type=int, default=2)
    parser.add_argument("--dice", type=int, default=5, help="of each player at the beginning of a game")
    parser.add_argument("--kills", type=int, default=2, help="in each phase")
    parser.add_argument("--no-limits", action="store_true", help="neither the server nor the bot limits messages")
    given = parser.parse_args()
    chosen = TournamentPlan(
        given.people, given.phones, given.guests, given.dice, given.kills, limits=not given.no_limits
    )
    sys.exit(asyncio.run(main(chosen)))
