"""The calls to Telegram for a turn."""

from pathlib import Path

from test_support.telegram_cost import measure
from test_support.virtual_world import in_virtual_time


@in_virtual_time
async def test_a_bid_costs_one_call_in_the_group_and_one_for_each_board(tmp_path: Path) -> None:
    costs = await measure(tmp_path, dice=2)
    bids = [calls for what, calls in costs if what == "a bid"]
    assert len(bids) == 5
    assert all(bid.total() <= 6 and bid["group"] <= 1 for bid in bids), "four boards, and the answer to the tap"
    joins = [calls for what, calls in costs if what == "someone joins"]
    assert all(join.total() <= 3 and join["group"] == 1 for join in joins), "the tap, the lobby, the host's menu"
    reveals = [calls for what, calls in costs if what.startswith("dudo")]
    assert reveals
    assert all(reveal["group"] <= 4 for reveal in reveals[:-1]), "the call, the reveal, the new round, old keys"
