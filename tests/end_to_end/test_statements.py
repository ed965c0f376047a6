"""What a tapped bid costs in SQL: the whole road from storing the update to giving the lanes back."""

from operator import le
from pathlib import Path

import pytest

from test_support.game_driver import GameDriver
from test_support.statement_log import LoggedCommit, read_log
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

AT_MOST = (31, 6, 6)
"""Statements, transactions and commits: which results are stored together depends on which call ends first.

Three people see a board each, so a bid is four calls. Their results in one transaction make 20 statements, each further
transaction five more.
"""
BY_THE_CLOCK = frozenset(
    {
        "Outages.find_due",
        "DeliveryWorker._look",
        "InboxStore.claim_abandoned",
        "KeyValueStore.put",
        "Outages.beat.write",
    }
)
"""What runs by the clock whether anybody plays or not: looking for deadlines, lanes and updates left by others."""
BIDS = 7


async def at_rest(world: World) -> None:
    """All is sent, the results are stored, and the lanes given back."""
    await world.settled()
    held = "SELECT name FROM lane WHERE holder IS NOT NULL"
    await world.recorder.until(lambda: not world.rows(held) or None, "the lanes to be given back")


def described(commits: list[LoggedCommit]) -> str:
    """Each statement by name, in its transaction and commit."""
    lines = []
    for commit in commits:
        lines.append("commit")
        for transaction in commit.transactions:
            lines.append(f"  {transaction[0].transaction}")
            lines += [f"    {one.by}: {one.sql[:70]}" for one in transaction]
    return "\n".join(lines)


def counts(commits: list[LoggedCommit]) -> tuple[int, int, int]:
    transactions = [transaction for commit in commits for transaction in commit.transactions]
    return sum(map(len, transactions)), len(transactions), len(commits)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_tapped_bid_costs_at_most_thirty_one_statements(
    open_world: OpenWorld, request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    log = tmp_path / "statements"
    setting = Setting(
        plan={"clock": {"seconds": 0}, "statements": str(log)},
        variables={"PERUDO_QUOTAS__PERSON_TAPS_PER_MINUTE": "600", "PERUDO_LIMITS__PER_BOT_PER_SECOND": "300"},
        database_url=request.getfixturevalue("postgresql_url") if kind == "postgresql" else None,
    )
    bids = []
    async with open_world(setting) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
        for _ in range(BIDS):
            await at_rest(world)
            before = len(log.read_text().splitlines())
            await driver.raise_it()
            await at_rest(world)
            bids.append(read_log(log.read_text().splitlines()[before:], without=BY_THE_CLOCK))
    print(described(bids[-1]))  # noqa: T201 - the statements by name
    for bid in bids:
        assert all(map(le, counts(bid), AT_MOST)), f"{counts(bid)}\n{described(bid)}"
