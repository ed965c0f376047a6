"""The library's JSON Schemas and TypeScript's types come from its table of fields, and fit what it writes."""

import json
import random
from pathlib import Path
from typing import Any

import perudo_core as pc
from test_support.child_processes import run
from test_support.json_schemas import FOLDER, TYPESCRIPT, written

CLIENT = """
import type { Call, GameEvent, Observation } from "./perudo-core";

export function calls(seen: Observation): Call[] {
  const { bids, dudo, calza } = seen.legal_calls;
  const least = bids.map(([face, lowest]): Call => ({ type: "bid", quantity: lowest, face }));
  return [...least, ...(dudo ? [{ type: "dudo" } as const] : []), ...(calza ? [{ type: "calza" } as const] : [])];
}

export function told(event: GameEvent, names: string[]): string {
  switch (event.type) {
    case "bid_made":
      return `${names[event.bid.seat]}: ${event.bid.quantity}x${event.bid.face}`;
    case "game_over":
      return `${names[event.outcome.winner]} wins`;
    default:
      return event.type;
  }
}

// @ts-expect-error - a bid has a face
export const half: Call = { type: "bid", quantity: 2 };
// @ts-expect-error - nobody rolls over the network
export const roll: Call = { type: "roll", dice: [[6]] };
// @ts-expect-error - a seat may be null for a bystander
export const seat = (seen: Observation): number => seen.seat;
// @ts-expect-error - an option has its own words
export const lost = (seen: Observation): boolean => seen.rules.lost_dice === "lost";
"""


def test_the_files_are_those_of_the_table() -> None:
    held = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()}
    assert held == written(), "run python -m test_support.json_schemas"


def test_typescript_compiles_a_client_and_what_a_game_writes(tmp_path: Path) -> None:
    assert TYPESCRIPT.is_file(), "run .ci/node-parts first (make test does)"
    (tmp_path / "perudo-core.d.ts").write_text(written()["perudo-core.d.ts"], encoding="utf-8")
    (tmp_path / "client.ts").write_text(CLIENT, encoding="utf-8")
    values = {name: json.dumps(each, indent=1) for name, each in a_game().items()}
    texts = [f"export const all{name}: {name}[] = {value};\n" for name, value in values.items()]
    imported = f'import type {{ {", ".join(values)} }} from "./perudo-core";\n'
    (tmp_path / "game.ts").write_text(imported + "".join(texts), encoding="utf-8")
    options = ("--strict", "--noEmit", "--target", "es2022")
    ran = run("node", TYPESCRIPT, *options, "client.ts", "game.ts", cwd=tmp_path, timeout=200)
    assert ran.returncode == 0, ran.stdout


def a_game() -> dict[str, list[Any]]:
    """All JSON values of a game in which chance chooses."""
    rng = random.Random(4)
    recorder = pc.Recorder(pc.new_game(pc.Rules(calza=True, starting_dice=2), ["Ana", "Bo", "Cy"]))
    found: dict[str, list[Any]] = {name: [] for name in ("Action", "GameEvent", "Observation", "State")}
    while not (state := recorder.state).is_terminal:
        action = pc.sample_roll(state, rng) if state.is_chance else rng.choice(pc.legal_calls(state))
        found["Action"].append(pc.dump_action(action))
        found["GameEvent"] += map(pc.dump_event, recorder.apply(action))
        found["State"].append(pc.dump_state(recorder.state))
        found["Observation"] += [pc.dump_observation(pc.observe(recorder.state, seat)) for seat in (None, 0, 1)]
    return found | {"GameRecord": [recorder.record().to_dict()], "Rules": [recorder.state.rules.to_dict()]}
