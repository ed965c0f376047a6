"""What a turn costs in calls to Telegram."""

from __future__ import annotations

from pathlib import Path

from test_support.telegram_cost import measure, table


async def test_a_bid_costs_at_most_three_calls_and_one_in_the_group(tmp_path: Path) -> None:
    costs = await measure(tmp_path)
    bids = [cost for cost in costs if cost.what == "a bid"]
    assert len(bids) == 5
    assert all(bid.total <= 3 and bid.group <= 1 for bid in bids)
    joins = [cost for cost in costs if cost.what == "somebody joins"]
    assert all(join.total <= 2 and join.group == 1 for join in joins)
    reveals = [cost for cost in costs if cost.what.startswith("dudo")]
    assert reveals
    assert all(reveal.group <= 2 for reveal in reveals), "the reveal and the new round"
    assert "| a bid | 3 | 1 |" in table(costs)
