"""A record with fair dice lets any reader compute every roll again."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import perudo_core as pc
from perudo_core.__main__ import main
from perudo_core.agents import Character, Level, create_agent, new_memory, remember_all
from perudo_core.fair import seal_digits
from perudo_core.stirs import salt_from_stirs

NAMES = ["Ana", "Bo", "Cy", ""]
SALT = "perudo-stirs/3\nllama\n🍀"


def dice_for(rules: pc.Rules, salt: str = SALT) -> pc.FairDice:
    return pc.FairDice(bytes(range(32)), rules, "ABC235", salt)


DICE = dice_for(pc.Rules.preset("azteca"))


def game(dice: pc.FairDice, *, seed: int = 1, leaving: float = 0) -> list[pc.Action]:
    rng, state, actions = random.Random(seed), pc.new_game(dice.rules, NAMES), list[pc.Action]()
    while not state.is_terminal:
        if rng.random() < leaving:
            action: pc.Action = pc.Leave(rng.choice(state.active_seats))
        elif state.phase is pc.Phase.BIDDING:
            action = rng.choice(pc.legal_calls(state)[-8:])
        else:
            action = dice.roll(state)
        actions.append(action)
        state = pc.apply(state, action).state
    return actions


@cache
def proof(preset: str, salt: str = SALT) -> str:
    dice = dice_for(pc.Rules.preset(preset), salt)
    return pc.FairRecord.of(dice, NAMES, game(dice)).to_json()


def example(preset: str = "azteca") -> dict[str, Any]:
    return json.loads(proof(preset))  # type: ignore[no-any-return]


def spoilt(spoil: Callable[[dict[str, Any]], object]) -> pc.FairRecord:
    data = example()
    spoil(data)
    return pc.FairRecord.from_dict(data)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_a_whole_game_is_proved_also_if_players_leave_it(preset: str) -> None:
    dice = dice_for(pc.Rules.preset(preset))
    for seed, leaving in ((1, 0), *((seed, 0.2) for seed in range(6))):
        actions = game(dice, seed=seed, leaving=leaving)
        record = pc.FairRecord.of(dice, NAMES, actions)
        assert pc.FairRecord.from_json(record.to_json()) == record
        rolls = [action for action in actions if isinstance(action, pc.Roll)]
        assert record.verify(dice.commitment) == pc.Verification(len(rolls), computer_calls=0)
        assert len(set(rolls)) > len(rolls) - 3, "no roll comes twice, but hands of one die may happen to be the same"


def test_the_secret_is_kept_until_it_is_revealed_and_a_reader_without_fair_dice_reads_the_record_inside() -> None:
    record = pc.FairRecord.of(DICE, NAMES, game(DICE)[:9], reveal=False)
    assert DICE.secret.hex() not in record.to_json()
    assert pc.FairRecord.from_json(record.to_json()) == record
    with pytest.raises(pc.RecordError, match="the secret is not revealed"):
        record.verify()
    left = pc.FairRecord.of(DICE, 3, [pc.Leave(0), pc.Leave(2)])
    assert left.verify() == pc.Verification(0, computer_calls=0), "everybody leaves before the opener is found"
    data = example()
    inside = pc.Record.from_dict(data["record"])
    assert inside.schema == "perudo-record/1"
    assert pc.replay(inside).final.outcome
    with pytest.raises(pc.RecordError, match="unknown schema 'perudo-fair/3'"):
        pc.Record.from_dict(data)
    assert isinstance(pc.read_record(json.dumps(data)), pc.FairRecord)
    assert pc.read_record(json.dumps(data["record"])) == inside
    for text in ("{", "[]", "{}", "3"):
        with pytest.raises(pc.RecordError):
            pc.read_record(text)


def computers_game() -> pc.FairRecord:
    rules = pc.Rules(starting_dice=2)
    dice = dice_for(rules)
    state, memory, actions, calls = pc.new_game(rules, 3), new_memory(rules, 3), list[pc.Action](), dict[int, str]()
    while not state.is_terminal:
        action: pc.Action
        if state.turn is None:
            action = dice.roll(state)
        else:
            agent = create_agent("strong", "bold") if state.turn else create_agent("regular")
            rng = random.Random(dice.choice_seed(state, state.turn))
            action = agent.choose(pc.observe(state, state.turn), memory, rng)
            calls[len(actions)] = "strong/bold" if state.turn else "regular/plain"
        actions.append(action)
        state, events = pc.apply(state, action)
        memory = remember_all(memory, [event for event in events if pc.audience(event) is pc.EVERYONE])
    return pc.FairRecord.of(dice, 3, actions, computers=calls)


def test_computers_follow_from_the_same_secret_and_one_that_called_something_else_or_was_another_is_found() -> None:
    """A host that may name another agent for each call has that many calls to choose among."""
    record = computers_game()
    assert pc.FairRecord.from_json(record.to_json()) == record
    assert record.verify().computer_calls == len(record.computer_calls)
    assert record.verify(computers=False).computer_calls is None
    assert replace(record, version="0.1.0").verify().computer_calls is None, "another version is not judged"
    number, call, agent = record.computer_calls[0]

    def fault(other: pc.ComputerCall) -> str:
        try:
            replace(record, computer_calls=(other, *record.computer_calls[1:])).verify()
        except pc.RecordError as error:
            return str(error)
        return ""

    assert "wild" in fault(pc.ComputerCall(number, call, "novice/wild"))
    assert "there is no such call" in fault(pc.ComputerCall(number, 99, agent))
    agents = [f"{level}/{character}" for level in Level for character in Character]
    assert any("the secret gives" in fault(pc.ComputerCall(number, call, other)) for other in agents)
    *before, last = record.computer_calls
    for other in {f"{level}/plain" for level in Level} - {last.agent}:
        with pytest.raises(pc.RecordError, match="was played by "):
            replace(record, computer_calls=(*before, last._replace(agent=other))).verify()
    dice = dice_for(pc.Rules())  # leaving is no call of a computer
    drawn = dice.roll(pc.new_game(pc.Rules(), 3))
    rolled = dice.roll(pc.apply(pc.new_game(pc.Rules(), 3), drawn).state)
    with pytest.raises(pc.RecordError, match="no call of a computer player"):
        pc.FairRecord.of(dice, 3, [drawn, rolled, pc.Leave(1)], computers={2: "regular"}).verify()


def swap_a_die(data: dict[str, Any]) -> None:
    """Seat 2's first die, in the second round."""
    hand = data["record"]["rounds"][1]["dice"][1]
    hand[0] = hand[0] % 6 + 1
    del data["record"]["rounds"][2:]


def other_contest(data: dict[str, Any]) -> None:
    hand = next(hand for hand in data["opening"][0]["dice"] if hand)
    hand[0] = hand[0] % 6 + 1


def other_draw(data: dict[str, Any]) -> None:
    data.update(example("box_2009"))
    data["opening"][0]["draw"] = (data["opening"][0]["draw"] + 1) % 4


def other_opener(data: dict[str, Any]) -> None:
    data["record"]["opener"] = (data["record"]["opener"] + 1) % 4
    data["record"]["rounds"] = []


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (swap_a_die, r"^round 2: seat 2 \(Bo\) rolled \d( \d)*, the secret gives \d( \d)*$"),
        (other_contest, r"^for the opener, seat 1 \(Ana\) rolled \d, the secret gives \d$"),
        (other_draw, r"^seat \d.* was drawn to open, the secret draws seat \d"),
        (other_opener, r"^seat \d( \(\w+\))? opens by the dice, seat \d( \(\w+\))? did$"),
        (lambda data: data.update(salt=salt_from_stirs(["fox"])), "the secret gives"),
        (lambda data: data.update(salt="other words"), "the salt does not say what was stirred"),
        # else a person who knows the secret could rename the table, or change its rules, until the dice please
        (lambda data: data.update(table="ABC236"), "the secret, the table and the rules do not fit the commitment$"),
        (lambda data: data["record"]["rules"].update(calza=True), "the rules do not fit the commitment$"),
        (lambda data: data.update(secret="00" * 32), "do not fit the commitment$"),
        (lambda data: data.update(commitment="00" * 32), "do not fit the commitment$"),
        (lambda data: data["opening"].insert(0, {"leave": 3}), "the secret gives"),
        (lambda data: data["opening"].insert(0, {"leave": 9}), "^opening, step 1: seat/unknown$"),
        (lambda data: data["opening"].append({"leave": 3}), "^who left in the opening did not leave in the record$"),
        (lambda data: data["opening"].append({"draw": 3}), "^opening, step 3: roll/not_now$"),
        (lambda data: data["opening"].__setitem__(0, {"draw": 3}), "^opening, step 1: roll/wrong_kind$"),
        (lambda data: data["opening"].__setitem__(0, {"dice": []}), "^opening, step 1: roll/wrong_seats$"),
        (lambda data: data.update(opening=[{"leave": 3}]), "^the opening ends before the opener is found$"),
        (lambda data: data.update(opening=[]), "^the opening ends before the opener is found$"),
        (lambda data: data["record"]["rounds"][0]["calls"].insert(0, [9, "1x2"]), "^round 1, call 1: seat/unknown$"),
    ],
)
def test_what_was_changed_is_found(spoil: Callable[[dict[str, Any]], object], reason: str) -> None:
    with pytest.raises(pc.RecordError, match=reason):
        spoilt(spoil).verify()
    another_name = spoilt(lambda data: data["record"]["rules"].update(preset="at_bos_house"))
    assert another_name.verify(DICE.commitment) == pc.FairRecord.from_dict(example()).verify()
    with pytest.raises(pc.RecordError, match=f"^the commitment is {DICE.commitment}, not 'abc'$"):
        another_name.verify("abc")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "the record must be an object"),
        ({}, "unknown schema None, not perudo-fair/2 or perudo-fair/3"),
        ({"schema": "perudo-fair/3"}, "the record lacks 'table'"),
        ({**example(), "note": 1}, "the record has an unknown key 'note'"),
        ({**example(), "commitment": "AB" * 32}, "commitment must be 64 hex digits"),
        ({**example(), "commitment": None}, "commitment must be a text, not None"),
        ({**example(), "salt": "\ud800"}, "salt is not a whole text"),
        ({**example(), "secret": "xy" * 32}, "secret must be 64 hex digits or null"),
        ({**example(), "computers": {"version": "1"}}, "computers lacks 'calls'"),
        ({**example(), "computers": {"version": "1", "calls": [[1, 2]]}}, r"computers.calls\[0\] must be round, call"),
        ({**example(), "opening": [3]}, r"opening\[0\] must be an object"),
        ({**example(), "opening": [{}]}, r"opening\[0\] lacks 'dice'"),
        ({**example(), "opening": [{"draw": 1, "leave": 1}]}, r"opening\[0\] has an unknown key 'leave'"),
        ({**example(), "opening": [{"dice": [[7]]}]}, r"opening\[0\]\[0\]\[0\] must be a whole number from 1 to 6"),
        ({**example(), "record": example()}, "unknown schema 'perudo-fair/3'"),
        *((text, "not JSON") for text in ("", "NaN", "[" * 200_000, "x" * 10_000_000)),
    ],
)
def test_a_bad_document_or_text_is_refused(data: Any, reason: str) -> None:
    with pytest.raises(pc.RecordError, match=reason):
        pc.FairRecord.from_json(data) if isinstance(data, str) else pc.FairRecord.from_dict(data)


def test_a_record_made_by_hand_is_looked_at() -> None:
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"record": None}, "record must be of type Record, not NoneType"),
        ({"secret": "00" * 32}, "secret must be of type bytes, not str"),
        ({"opening": []}, "opening must be of type "),
        ({"opening": (pc.Roll(()),)}, "opening must be of type "),
    )
    for fields, fault in wrong:
        with pytest.raises(TypeError, match=fault):
            replace(pc.FairRecord.from_dict(example()), **fields)


def run(folder: Path, command: str, data: Any, *more: str) -> int:
    path = folder / "game.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return main([command, str(path), *more])


def test_the_command_proves_a_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "verify", example()) == 0
    rounds = len(example()["record"]["rounds"])
    assert capsys.readouterr().out.splitlines() == [
        f"commitment {DICE.commitment}",
        f"seal {seal_digits(DICE.commitment)}",
        "table 'ABC235'",
        r"salt 'perudo-stirs/3\nllama\n🍀'",
        "Stirred, in this order: llama, 🍀.",
        "Compare them, and the order of the seats, with what you were shown before the game.",
        "Whoever stirred last, joined or left after that could have chosen among dice, if in league with the host.",
        "Secret, table and rules fit the commitment.",
        f"Who opened and {rounds} of {rounds} rolls follow from the secret and the salt.",
        "Compare the commitment with the one that you were shown before the game.",
    ]
    assert run(tmp_path, "verify", example(), "--commitment", DICE.commitment.upper()) == 0
    assert len(capsys.readouterr().out.splitlines()) == 9


def test_the_command_tells_of_computers_and_stirs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = computers_game()
    many, swapped, older = len(record.computer_calls), example(), replace(record, version="0.1.0").to_dict()
    stirred = json.loads(proof("azteca", salt_from_stirs(["🍀", "fox", "llama"])))
    swap_a_die(swapped)
    for data, *sentences in (
        (record.to_dict(), f"{many} of {many} computers' calls follow from them too."),
        (older, "decided by perudo_core 0.1.0; this is another version, so not checked."),
        (stirred, "Stirred, in this order: 🍀, fox, llama.", "Whoever stirred last, joined or left after that could "),
        (json.loads(proof("azteca", salt_from_stirs([]))), "Nobody stirred: these dice rest on the host's word."),
    ):
        assert run(tmp_path, "verify", data) == 0
        told = capsys.readouterr().out
        assert all(sentence in told for sentence in sentences), told
    for data, more, fault in (
        (example()["record"], (), "perudo-record/1 does not say where its dice came from"),
        (swapped, (), "game.json: round 2: seat 2 (Bo) rolled "),
        (example(), ("--commitment", "00"), "not '00'"),
    ):
        assert run(tmp_path, "verify", data, *more) == 1
        assert fault in capsys.readouterr().err


def test_each_game_of_a_file_of_json_lines_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    swapped, path = example(), tmp_path / "games.jsonl"
    swap_a_die(swapped)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in (example(), swapped, example())), encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("Secret, table and rules fit the commitment.") == 2
    assert "games.jsonl, line 2: round 2: seat 2 (Bo) rolled " in shown.err
    path.write_text(f"{json.dumps(example())}\n{json.dumps(example())}", encoding="utf-8")
    assert main(["verify", str(path)]) == 0
    assert main(["replay", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(" wins.")
    assert main(["verify", str(path), "--commitment", DICE.commitment]) == 1
    assert "--commitment is for a file with one game" in capsys.readouterr().err
