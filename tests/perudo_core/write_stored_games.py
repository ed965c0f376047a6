"""Writes games as this version stores them: `python -m tests.perudo_core.write_stored_games 2.0`, once for a version.

The files in `stored_games/` are frozen: what they hold must load for ever. A game is its start and its steps, each with
the action, the events and, where the table comes to something new, the state.
"""

import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import perudo_core as pc
from tests.perudo_core.test_properties import play

FOLDER = Path(__file__).with_name("stored_games")
SEATS = ["Ana", "Bo \U0001f3b2", "Çelik", ""]
WANTED = {"opening", "rolling", "bidding", "over", "palifico", "conceded", "left", "voided", "regained"}


def stored(rules: pc.Rules, seed: int) -> dict[str, Any] | None:
    """The game of this seed, or None if it does not come to all that is wanted."""
    seen = {"opening"}
    start = pc.dump_state(pc.new_game(rules, SEATS))
    steps: list[dict[str, Any]] = []
    for _, action, state, events in play(rules, SEATS, seed, table=True):
        traits = {state.phase.value} | {event["type"].rpartition("_")[2] for event in map(pc.dump_event, events)}
        traits |= {"palifico"} if state.palifico is not None and state.bids else set()
        traits |= {"tied"} if state.phase is pc.Phase.OPENING else set()
        step = {"action": pc.dump_action(action), "events": [pc.dump_event(event) for event in events]}
        steps.append(step | ({"state": pc.dump_state(state)} if traits - seen else {}))
        seen |= traits
    wanted = WANTED | (set() if rules.opener is pc.OpenerMethod.RANDOM else {"tied"})
    return {"start": start, "steps": steps} if wanted <= seen else None


def main(version: str) -> None:
    games = []
    for preset in pc.PRESETS:
        rules = pc.Rules.preset(preset).with_options(starting_dice=3, calza=True)
        games.append(next(found for seed in count() if (found := stored(rules, seed))))
    lines = ",\n".join(
        f'{{"start": {json.dumps(each["start"], ensure_ascii=False)}, "steps": [\n  '
        + ",\n  ".join(json.dumps(step, ensure_ascii=False) for step in each["steps"])
        + "\n]}"
        for each in games
    )
    path = FOLDER / f"{version}.json"
    path.write_text(f'{{"version": "{version}", "games": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
