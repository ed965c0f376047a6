"""Play hundreds of tables under random failures, then replay every game and compare it with what the players saw.

Run it with `python -m benchmarks.chaos [--quick] [--tables N] [--at-once N] [--seconds N] [--seed N] [--workers N]
[--computers N]` from the project's folder. Real worker processes behind a load balancer, one real PostgreSQL, a Bot API
server that fails on purpose; test_support/chaos/ holds the parts, and a test plays a short one. Prints Markdown; exits
with 1 if anything was found.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path

from test_support.chaos.chaos_run import Plan, Report, run_chaos
from test_support.chaos.evidence import KINDS
from test_support.postgres import running_postgres

HEADINGS = {
    "workers": "Workers",
    "faults": "The database and Telegram",
    "updates": "Updates",
    "people": "People",
}


def told(report: Report) -> str:
    """Return the report as Markdown."""
    evidence = report.evidence
    moves = evidence.moves
    games = evidence.games
    calls = [
        (cause, game.is_computer(action["seat"]))
        for game in games
        for _, cause, action in game.actions
        if action["type"] in ("bid", "dudo")
    ]
    computers = [cause for cause, by_computer in calls if by_computer]
    clocks = sum(
        cause == "deadline" and action["type"] == "concede" for game in games for _, cause, action in game.actions
    )
    found = Counter(finding.kind for finding in report.audit.findings)
    rows = [
        ("tables played to their end", sum(game.status == "finished" for game in games), f"of {len(games)}"),
        ("moves tapped or typed", len(moves), ""),
        ("told that they count", sum(move.accepted for move in moves), ""),
        ("told why not", sum(move.refused for move in moves), "late, doubled, a stranger's"),
        ("never answered", sum(not move.heard for move in moves), "typed ones among them"),
        ("moves in the games", len(calls) - len(computers), f"and {clocks} clocks that ran out"),
        *_of_computers(report, computers),
        ("calls to the Bot API", report.calls, f"{sum(report.errors.values())} refused"),
        ("messages and edits shown", len(evidence.shown), ""),
    ]
    plan = report.plan
    how = f"{plan.workers} workers, {plan.at_once} tables at a time, seed {plan.seed}"
    if plan.computers:
        how += f", {plan.computers} computer players at every table"
    again = f"with {len(evidence.repeated)} sends that were repeated and {evidence.asked_for} messages asked for"
    unsure = f"with {evidence.unsure} sends of unknown outcome"
    lines = [
        f"{how}; faults for {report.chaos_seconds:.0f} s.",
        "",
        "| what was played | | |",
        "| --- | --- | --- |",
        *(f"| {name} | {number:,} | {more} |" for name, number, more in rows),
        "",
        "| what went wrong | times |",
        "| --- | --- |",
        *(
            f"| {heading}: {name} | {times:,} |"
            for key, heading in HEADINGS.items()
            for name, times in sorted(report.did[key].items())
            if times and (key != "people" or name not in ("tapped", "asked"))
        ),
        "",
        "| what was found | |",
        "| --- | --- |",
        *(f"| {kind} | {found[kind]} |" for kind in KINDS),
        f"| messages seen twice | {len(report.audit.twice)}, {again} |",
        f"| bids, ends of rounds or games not seen | {len(report.audit.unseen)}, {unsure} |",
    ]
    return "\n".join([*lines, *(f"\n- {finding}" for finding in report.audit.findings)])


def _of_computers(report: Report, causes: list[str]) -> list[tuple[str, int, str]]:
    """Describe the calls of computer players, and how often the bot called for them because none was found in time."""
    if not report.plan.computers:
        return []
    late, none = causes.count("deadline"), report.evidence.thought_of_nothing
    why = f"{late} of them at the end of their time, {none} as no call was found"
    return [("calls of computer players", len(causes), why)]


async def main(plan: Plan) -> int:
    """Play and print; return 1 if anything was found."""
    with running_postgres() as server, tempfile.TemporaryDirectory() as folder:
        report = await run_chaos(Path(folder), server, plan)
    print(told(report))
    return 1 if report.audit.findings else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look in a minute or two")
    parser.add_argument("--tables", type=int, help="how many are opened at most")
    parser.add_argument("--at-once", type=int, default=40)
    parser.add_argument("--seconds", type=float, help="how long faults are injected at most")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--computers", type=int, choices=range(3), default=0, help="computer players at every table")
    given = parser.parse_args()
    chosen = Plan(
        tables=given.tables or (20 if given.quick else 300),
        at_once=min(given.at_once, 10) if given.quick else given.at_once,
        seconds=given.seconds or (30 if given.quick else 600),
        workers=given.workers,
        seed=given.seed,
        pause=2 if given.quick else 5,
        computers=given.computers,
    )
    sys.exit(asyncio.run(main(chosen)))
