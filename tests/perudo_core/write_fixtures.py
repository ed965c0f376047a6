"""Writes the conformance kit's data anew: `python -m tests.perudo_core.write_fixtures`. Frozen: only for new ones.

`records/` are not written here: a record of each schema and book was made once and stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from perudo_core import (
    PRESETS,
    Bid,
    FairDice,
    FairRecord,
    GameText,
    Phase,
    Record,
    Rules,
    State,
    apply,
    legal_actions,
    new_game,
    probability_exact,
    probability_holds,
)
from perudo_core.notation import RoundText
from perudo_core.testing import CoreEngine, Refused, data, facts_of
from perudo_core.testing.checked_engine import CheckedEngine
from perudo_core.testing.games import actions_of
from perudo_core.testing.perft import count_ways

DATA = Path(str(files("perudo_core.testing"))) / "data"
HOUSES: dict[str, dict[str, object]] = {
    "as printed": {},
    "with calza": {"calza": True},
    "beyond": {"calza": True, "plain_raise": "any_higher", "out_of_turn_dudo": True, "ones_may_open": True},
}
THREE = "[A 22256 B 12344 C 22334]"
REFUSED = [
    f"{THREE} D 1x2",
    f"{THREE} A dudo!",
    f"{THREE} A calza!",
    f"{THREE} B 1x2",
    f"{THREE} A 1x7",
    f"{THREE} A 1x0",
    f"{THREE} A 0x2",
    f"{THREE} A 16x2",
    f"{THREE} A 1x1",
    f"{THREE} A 5x2 B 5x2",
    f"{THREE} A 5x2 B 4x6",
    f"{THREE} A 5x4 B 7x5",
    f"{THREE} A 5x4 B 5x3",
    f"{THREE} A 5x4 B 6x3",
    f"{THREE} A 7x4 B 3x1",
    f"{THREE} A 7x4 B 4x1 C 4x1",
    f"{THREE} A 7x4 B 4x1 C 8x5",
    f"{THREE} A 5x2 A dudo!",
    f"{THREE} A 5x2 A calza!",
    f"{THREE} A 5x2 B calza!",
    f"{THREE} A 5x2 C calza!",
    f"{THREE} A 5x2 C dudo!",
    f"{THREE} A 5x2 C forfeit",
    f"{THREE} A 5x2 B dudo! B 1x2",
    f"{THREE}; {THREE}",
    "[A 22256 B 12344]",
    "[A 22256 B 12344 C 2233]",
    "[] A dudo!",
    "[] A leaves A leaves",
    "[] A leaves B leaves C leaves",
]
PALIFICO = [f"A 1x2 B 1x{face}" for face in (1, 3)] + ["A 2x1 B 2x2", "A 1x2 B calza!", "A 1x2 C calza!", "A 1x7"]


REGAINED = (
    "[A 22 B 33 C 44] A 3x2 B dudo; [A 2 B 23 C 44] A 1x2 B 2x2 A calza; [A 22 B 33 C 44] A 3x2 B dudo;"
    "[A 1 B 33 C 44] A 1x3 B dudo; [A 2 B 3 C 44] B 2x3"
)
LEFT = "starting_dice=2; A=A B=B C=C; A opens; [A 22 B 33 C 44] A 3x2 B dudo; [A 2 B 33 C 44] A 1x2"
HOUSE_GAMES = {
    "the palifico player leaves": f"box_2009 {LEFT} A leaves; [B 33 C 44] B 1x3",
    "another leaves the palifico round": f"box_2009 {LEFT} C leaves; [A 2 B 33] A 1x2",
    "another leaves, and two play no palifico": f"aces {LEFT} C leaves; [A 2 B 33] A 1x2",
    "palifico once a game": f"aces calza=true starting_dice=2; A=A B=B C=C; A opens; {REGAINED}",
    "palifico again": f"box_2009 calza=true starting_dice=2; A=A B=B C=C; A opens; {REGAINED}",
    "the palifico player may not change the face himself": (
        "azteca starting_dice=2; A=A B=B C=C; A opens; [A 22 B 33 C 44] A 1x2 B 3x3 C dudo;"
        "[A 22 B 3 C 44] B 1x3 C 2x3 A dudo; [A 22 B 3 C 4] C 1x4 A 2x4 B 2x5 C 3x5 A dudo; [A 22 B 3] A 1x2 B dudo"
    ),
    "a wrong calza makes a palifico round": (
        "box_2009 calza=true starting_dice=2; A=A B=B C=C; A opens; [A 22 B 33 C 44] A 1x2 C calza;"
        "[A 22 B 33 C 4] C 1x4 A 2x4 B dudo; [A 2 B 33 C 4] A 1x2 B calza; [A 2 B 33 C 4] B 1x3"
    ),
    "lose by the difference, one die at least": (
        "box_2009 calza=true lose_by_difference=true; A=A B=B C=C; A opens; [A 22256 B 22344 C 23456] A 6x2 B dudo;"
        "[A 22256 B 3344 C 23456] B 6x4 C dudo; [A 22256 B 4 C 23456] B 1x4 C 5x4 A dudo;"
        "[A 22256 B 4 C 23] C 9x6 A dudo; [A 22256 B 4] A 1x2 B calza"
    ),
    "sudden death": (
        "box_2009 calza=true sudden_death=true starting_dice=3; A=A B=B C=C D=D; A opens;"
        "[A 222 B 333 C 444 D 555] A 4x2 B dudo; [B 333 C 444 D 555] B 1x3 D calza; [B 333 C 444] B 1x3 C forfeit"
    ),
    "no wild ones, no palifico": (
        "box_2009 wild_ones=false palifico=false starting_dice=2; A=A B=B C=C; A opens;"
        "[A 12 B 13 C 44] A 2x1 B 2x3 C dudo; [A 12 B 1 C 44] B 1x1 C 1x4 A dudo; [A 1 B 1 C 44] A 2x1 B dudo"
    ),
    "dudo out of turn": (
        "french_guide out_of_turn_dudo=true starting_dice=2; A=A B=B C=C; A opens;"
        "[A 22 B 33 C 44] A 1x2 C dudo; [A 22 B 33 C 4] C 2x4 B dudo; [A 22 B 33] A 1x2"
    ),
    "nobody drops to one die who began with one": (
        "italian_box starting_dice=1; A=A B=B C=C; A opens; [A 2 B 3 C 4] A 2x2 B dudo; [B 1 C 4] B 1x4 C dudo"
    ),
}

_AGAIN = (
    "calza=true starting_dice=3; A=A B=B C=C; A opens; [A 222 B 333 C 444] A 4x2 B dudo;"
    "[A 22 B 333 C 444] A 3x2 B dudo; [A 2 B 333 C 444] A 1x2 B dudo; {calza};"
    "[A 22 B 34 C 444] A 3x2 B dudo; [A 2 B 34 C 444] A 1x2"
)
_LOCKED = (
    "starting_dice=2; A=A B=B C=C; A opens; [A 22 B 33 C 44] A 3x2 B dudo; [A 2 B 33 C 44] A 1x2 B 2x2 C dudo;"
    "[A 2 B 3 C 44] B 1x3 C 2x3 A dudo"
)
MORE_HOUSE_GAMES = {
    "ones are not wild in a palifico round": (
        "box_2009 calza=true starting_dice=2; A=A B=B C=C; A opens; [A 22 B 33 C 44] A 3x2 B dudo;"
        "[A 1 B 13 C 11] A 1x3 B 2x3 C dudo; [A 2 B 1 C 11] B 1x2 A calza; [A 11 B 1 C 11] A 1x2 B dudo"
    ),
    "palifico again, calza by bystanders": f"italian_box {_AGAIN.format(calza='[A 2 B 34 C 444] B 1x3 A calza')}",
    "palifico again, calza on turn": f"french_guide {_AGAIN.format(calza='[A 2 B 34 C 344] B 1x3 C 2x3 A calza')}",
    "another with one die may not change the face": f"aces {_LOCKED}",
    "another with one die may not change the face either": f"french_guide {_LOCKED}",
}


def cases() -> Iterator[tuple[Rules, str]]:
    house = Rules.preset("italian_box").with_options(calza=True, calza_by="anyone_but_bidder", starting_dice=2)
    yield house, "[] C leaves; [A 22 B 33] A 1x2 B calza!"
    for preset in PRESETS:
        for calza in (True, False):
            for line in REFUSED:
                yield Rules.preset(preset).with_options(calza=calza), line
        rules = Rules.preset(preset).with_options(calza=True, starting_dice=2)
        for line in PALIFICO:
            yield rules, f"[A 22 B 33 C 44] A 3x2 B dudo!; [A 2 B 33 C 44] {line}"
            yield rules, f"[] C leaves; [A 22 B 33] A 3x2 B dudo!; [A 2 B 33] {line}"


def refusals() -> Iterator[dict[str, Any]]:
    for rules, line in cases():
        game = GameText.parse(f"aces; A=A B=B C=C; A opens; {line}")
        rounds: list[dict[str, Any]] = [
            {
                "dice": [list(dict(entry.hands or ()).get(seat, ())) for seat in range(3)] if entry.hands else [],
                "calls": [[action.seat, said(action)] for action in entry.actions],
            }
            for entry in game.rounds
        ]
        if line == "[A 22256 B 12344]":
            rounds[0]["dice"] = rounds[0]["dice"][:2]
        record = {"schema": "perudo-record/2", "seats": ["A", "B", "C"], "opener": 0, "rounds": rounds}
        *before, last = actions_of(Record.from_dict({**record, "rules": rules.to_dict()}))
        engine, state = CoreEngine(), new_game(rules, 3, opener=0)
        try:
            for action in before:
                state = engine.apply(state, action)
        except Refused:
            continue  # this book refuses earlier
        try:
            engine.apply(state, last)
        except Refused as error:
            name = f"{rules.to_dict()['preset']}{', calza' if rules.calza else ''}: {line}"
            yield {"name": name, "reason": error.reason, "rules": rules.to_dict(), "record": record}


def said(action: Any) -> str:
    text = str(RoundText((action,))).split()[1].removesuffix("!")
    return {"leaves": "leave", "concedes": "forfeit"}.get(text, text)


def perfts() -> Iterator[dict[str, Any]]:
    for preset in PRESETS:
        for house, options in HOUSES.items():
            rules = Rules.preset(preset).with_options(starting_dice=2, **options)
            for seats, depth in ((2, 4), (3, 3)):
                name = f"{preset} {house}, {seats} seats"
                ways = count_ways(CheckedEngine(CoreEngine()), rules.to_dict(), seats, depth, name)
                yield {"name": name, "seats": seats, "ways": ways, "rules": rules.to_dict()}


def playthroughs(names: list[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        record = Record.from_dict(data(name))
        yield {"record": name, "rules": record.rules.to_dict(), "steps": steps_of(record)}


def houses(games: dict[str, str]) -> Iterator[dict[str, Any]]:
    for name, line in games.items():
        record = GameText.parse(line).record()
        rules = record.rules.to_dict()
        yield {"name": name, "rules": rules, "record": record.to_dict(), "steps": steps_of(record)}


def steps_of(record: Record) -> list[dict[str, Any]]:
    state, steps = new_game(record.rules, record.seats, opener=record.opener), list[dict[str, Any]]()
    for action in actions_of(record):
        state = CoreEngine().apply(state, action)
        steps.append({"legal": len(legal_actions(state)), "facts": facts_of(state)})
    return steps


def legal_calls(names: list[str]) -> Iterator[dict[str, Any]]:
    games = {name: Record.from_dict(data(name)) for name in names}
    games |= {name: GameText.parse(line).record() for name, line in (HOUSE_GAMES | MORE_HOUSE_GAMES).items()}
    for game, record in games.items():
        state, steps = new_game(record.rules, record.seats, opener=record.opener), list[list[Any]]()
        for action in actions_of(record):
            state = CoreEngine().apply(state, action)
            seats = range(len(record.seats))
            steps.append([[seat, " ".join(map(str, calls))] for seat in seats if (calls := legal_actions(state, seat))])
        yield {"game": game, "steps": steps}


def lines(names: list[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        record = Record.from_dict(data(name))
        yield {"record": name, "full": str(GameText.of(record)), "short": str(GameText.of(record, dice=False))}


def fair() -> Iterator[dict[str, Any]]:
    for number, salt in enumerate(("", "Ana: llama, Bo: 7", "🎲")):
        dice = FairDice(bytes(range(number, number + 32)), table=("", "ABC234", "🎲")[number], salt=salt)
        head = {
            "secret": dice.secret.hex(),
            "context": dice.context,
            "commitment": dice.commitment,
            "salt": salt,
        }
        for many in (1, 2, 5, 10):
            for number_of in (1, 2, 300):
                label = f"round {number_of} seat {number}"
                rolled = CoreEngine().fair_hand(dice.secret.hex(), dice.context, salt, label, many)
                yield {**head, "label": label, "dice": rolled}
        for label, below in (("opener of 2", 2), ("opener of 6", 6), ("opener of 300", 300)):
            number_drawn = CoreEngine().fair_number(dice.secret.hex(), dice.context, salt, label, below)
            yield {**head, "label": label, "below": below, "number": number_drawn}
        for each in (1, 2):
            for seats in (2, 3, 6):
                contest = CoreEngine().fair_contest(dice.secret.hex(), dice.context, salt, seats, each)
                yield {**head, "contest_of": seats, "dice_each": len(contest[0]), "dice": contest}


def fair_record() -> FairRecord:
    rules = Rules.preset("azteca").with_options(calza=True)
    dice = FairDice(bytes(range(32)), rules, "ABC235", "Ana: llama, Bo: 7")
    state: State = new_game(rules, ["Ana", "Bo", "Cy"])
    actions = []
    while not state.is_terminal:
        if state.phase is Phase.BIDDING:
            calls = legal_actions(state)
            bold = [call for call in calls if isinstance(call, Bid)][3:4]
            action: Any = (
                bold[0] if bold and len(state.bids) < 4 else next(call for call in calls if not isinstance(call, Bid))
            )
        else:
            action = dice.roll(state)
        actions.append(action)
        state = apply(state, action).state
    return FairRecord.of(dice, state.seats, actions)


def chances() -> Iterator[dict[str, Any]]:
    for hand in ((), (1,), (2, 2, 5), (1, 1, 3, 4, 6)):
        for unknown in (0, 1, 5, 25):
            for quantity in (0, 1, 3, 7):
                for face, wild in ((1, True), (2, True), (2, False)):
                    holds = probability_holds(hand, unknown, quantity, face, wild)
                    exact = probability_exact(hand, unknown, quantity, face, wild)
                    yield {
                        "dice": list(hand), "unknown_dice": unknown, "quantity": quantity, "face": face,
                        "ones_wild": wild,
                        "holds": list(holds.as_integer_ratio()), "exact": list(exact.as_integer_ratio()),
                    }  # fmt: skip


def write(name: str, kind: str, found: Iterator[dict[str, Any]]) -> None:
    rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in found)
    (DATA / name).write_text(f'{{"schema": "{kind}", "cases": [\n{rows}\n]}}\n', encoding="utf-8")


def main() -> None:
    names = sorted(f"records/{path.name}" for path in (DATA / "records").glob("*.json"))
    write("perft.json", "perudo-perft/1", perfts())
    write("playthroughs.json", "perudo-playthroughs/1", playthroughs(names))
    write("houses.json", "perudo-houses/1", houses(HOUSE_GAMES))
    write("houses_2.json", "perudo-houses/1", houses(MORE_HOUSE_GAMES))
    write("legal_calls.json", "perudo-legal-calls/1", legal_calls(names))
    write("refusals.json", "perudo-refusals/1", refusals())
    write("notation_2.json", "perudo-notation/2", lines(names))
    write("fair.json", "perudo-fair-vectors/2", fair())
    write("odds.json", "perudo-odds/1", chances())
    (DATA / "fair_record.json").write_text(fair_record().to_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
