"""The chaos test's auditor objects to a game of which one thing is not true, and to nothing else."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from perudo_core import Bid, GameOver, Phase, Revealed, Rules, apply, dump_action, dump_state, legal_actions
from perudo_core import new_game as begin
from perudo_core.fair import FairDice
from test_support.chaos.auditor import audit
from test_support.chaos.evidence import (
    DOUBLED,
    GAP,
    INVENTED,
    LOST,
    ORDER,
    TWICE,
    UNDONE,
    UNSEEN,
    UNTRUE,
    WRONG_DICE,
    Evidence,
    Move,
    Shown,
    Stored,
)
from test_support.shown_dice import SIGNS, sign

NAMES = ("Ana", "Bo", "Cy")
PEOPLE = (11, 12, 13)
GROUP = -5
SECRET = bytes(range(32))


def shown_dice(dice: tuple[int, ...]) -> str:
    return " ".join(sign(die) for die in sorted(dice))


@cache
def evening() -> Evidence:  # noqa: C901, PLR0915 - one game from its beginning to its end
    """A whole game, as it was played, told and kept."""
    rng = random.Random(5)
    rules = Rules.preset("box_2009").with_options(starting_dice=2)
    fair = FairDice(SECRET, rules, "CODE", "perudo-stirs/3\nllama")
    state = begin(rules, NAMES)
    actions: list[tuple[int, str, dict[str, Any]]] = []
    moves: list[Move] = []
    updates: dict[str, str] = {}
    shown: list[Shown] = []

    def show(text: str, *, person: int | None = None, key: str, fresh: bool) -> None:
        shown.append(Shown(len(shown), person or GROUP, person, f"{person or GROUP}:{key}", text, fresh))

    def show_table() -> None:
        bid = state.current_bid
        lines = [f"🎲 Round {state.round}", f"👉 {NAMES[state.turn or 0]}"]
        if len(state.bids) > 1:
            earlier = (f"{NAMES[told.seat]} {told.quantity} × {sign(told.face)}" for told in state.bids[:-1])
            lines.append(" → ".join(earlier))
        if bid is not None:
            lines.append(f"🔸 {bid.quantity} × {sign(bid.face)} says {NAMES[bid.seat]}")
        show("\n".join(lines), key=f"round {state.round}", fresh=bid is None)

    show(f"The dice are sealed\n{fair.commitment}", key="lobby", fresh=True)
    cause = "telegram:0"
    while not state.is_terminal:
        if state.phase is not Phase.BIDDING:
            action: Any = fair.roll(state)
        else:
            action = rng.choice(legal_actions(state)[:3]) if rng.random() > 0.3 else legal_actions(state)[-1]
            cause = f"telegram:{len(moves) + 1}"
            call = (action.quantity, action.face) if isinstance(action, Bid) else None
            heard = "Dudo! Cups up!" if call is None else f"You bid {call[0]} × {sign(call[1])}."
            updates[str(len(moves) + 1)] = f"tap {len(moves)}"
            moves.append(Move(f"tap {len(moves)}", PEOPLE[action.seat], GROUP, call, heard))
        actions.append((len(actions), cause, dump_action(action)))
        number, before = state.round, state
        state, events = (done := apply(state, action)).state, done.events
        for event in events:
            if isinstance(event, Revealed):
                hands = [f"{NAMES[seat]}: {shown_dice(hand)}" for seat, hand in enumerate(event.dice) if hand]
                doubt = f"🗣 Dudo! {NAMES[action.seat]} doubts it."
                words = "\n".join([f"🎲 Round {number}", doubt, *hands, f"Counted {event.count}"])
                show(words, key=f"round {number}", fresh=False)
            if isinstance(event, GameOver):
                order = sorted(range(3), key=lambda seat: event.outcome.placements[seat])
                show("🏆\n" + "\n".join(f"{place + 1}. {NAMES[seat]}" for place, seat in enumerate(order)), key="over",
                     fresh=True)  # fmt: skip
        if state.phase is Phase.BIDDING:
            show_table()
            if before.phase is Phase.ROLLING:
                for seat in state.active_seats:
                    text = f"🎲 Table 1 · round {state.round}\nYour dice: {shown_dice(state.dice[seat])}"
                    show(text, person=PEOPLE[seat], key=f"hand {state.round}", fresh=True)
    seats = [{"name": name, "player": player} for player, name in enumerate(NAMES)]
    kept = {
        "seats": seats,
        "rules": rules.to_dict(),
        "game": dump_state(state),
        "secret": SECRET.hex(),
        "code": "CODE",
        "stirs": [{"player": 1, "name": NAMES[1], "what": "llama"}],
    }
    game = Stored(1, GROUP, "Table 1", "finished", False, None, kept, PEOPLE, tuple(actions))
    return Evidence((game,), tuple(moves), updates, tuple(shown))


def kinds(evidence: Evidence) -> set[str]:
    return {finding.kind for finding in audit(evidence).findings}


def with_actions(actions: tuple[tuple[int, str, dict[str, Any]], ...]) -> Evidence:
    (game,) = evening().games
    return evening().replace(games=(replace(game, actions=actions),))


def with_shown(index: int, text: str) -> Evidence:
    shown = list(evening().shown)
    shown[index] = replace(shown[index], text=text)
    return evening().replace(shown=tuple(shown))


def where_shown(part: str, skip: int = 0) -> int:
    return [index for index, shown in enumerate(evening().shown) if part in shown.text][skip]


def another_die(text: str) -> str:
    at = max(text.rfind(die) for die in SIGNS)
    return text[:at] + SIGNS[(SIGNS.index(text[at]) + 1) % 6] + text[at + 1 :]


def test_a_true_evening_is_not_objected_to() -> None:
    assert audit(evening()).findings == []
    assert len(evening().moves) > 8
    assert len(evening().shown) > 20


def test_a_move_that_was_accepted_and_is_in_no_game_is_lost() -> None:
    extra = Move("tap lost", PEOPLE[0], GROUP, (1, 2), "You bid 1 × ⚁.")
    assert kinds(evening().replace(moves=(*evening().moves, extra))) == {LOST}


def test_a_move_that_nobody_answered_may_be_in_the_game_or_not() -> None:
    extra = Move("tap lost", PEOPLE[0], GROUP, (1, 2), None)
    first = replace(evening().moves[0], heard=None)
    assert audit(evening().replace(moves=(first, *evening().moves[1:], extra))).findings == []


def test_a_move_that_counts_twice_is_doubled() -> None:
    first = evening().moves[0].name
    second = evening().updates["2"]
    doubled = evening().updates | {"2": first}
    found = kinds(evening().replace(updates=doubled))
    assert DOUBLED in found
    assert LOST in found, f"{second} is in no game now"


def test_a_move_that_was_refused_and_counts_all_the_same() -> None:
    first = replace(evening().moves[0], heard="It is Bo's turn.")
    assert kinds(evening().replace(moves=(first, *evening().moves[1:]))) == {INVENTED}


def test_a_move_of_somebody_else() -> None:
    first = evening().moves[0]
    other = replace(first, person=next(person for person in PEOPLE if person != first.person))
    assert kinds(evening().replace(moves=(other, *evening().moves[1:]))) == {INVENTED}


def test_a_move_that_became_another_one() -> None:
    first = evening().moves[0]
    assert first.call is not None
    other = replace(first, call=(first.call[0] + 1, first.call[1]))
    assert kinds(evening().replace(moves=(other, *evening().moves[1:]))) == {INVENTED}


def test_a_move_that_nobody_made() -> None:
    assert kinds(evening().replace(moves=evening().moves[1:])) == {INVENTED}


@pytest.mark.parametrize("gone", [0, 3, -1])
def test_an_action_that_is_missing(gone: int) -> None:
    actions = list(evening().games[0].actions)
    del actions[gone]
    assert GAP in kinds(with_actions(tuple(actions)))


def test_an_action_that_is_there_twice() -> None:
    actions = list(evening().games[0].actions)
    at = next(number for number, _, action in actions if action["type"] == "bid")
    actions.insert(at, actions[at])
    numbered = tuple((number, cause, action) for number, (_, cause, action) in enumerate(actions))
    assert {GAP, DOUBLED} <= kinds(with_actions(numbered))


def test_two_actions_in_the_wrong_order() -> None:
    actions = list(evening().games[0].actions)
    at = next(
        number
        for number, _, action in actions
        if action["type"] == "bid" and actions[number + 1][2]["type"] in ("bid", "dudo")
    )
    actions[at], actions[at + 1] = actions[at + 1], actions[at]
    numbered = tuple((number, cause, action) for number, (_, cause, action) in enumerate(actions))
    assert GAP in kinds(with_actions(numbered))


@pytest.mark.parametrize("due_at", [None, 1.0])
def test_a_game_that_stands_still(due_at: float | None) -> None:
    (game,) = evening().games
    still = replace(game, status="playing", live=True, due_at=due_at)
    found = audit(evening().replace(games=(still,))).findings
    assert [finding.kind for finding in found] == [GAP]
    assert ("without a deadline" in found[0].words) is (due_at is None)


def test_a_die_in_the_record_that_does_not_follow_from_the_seal() -> None:
    (game,) = evening().games
    other = replace(game, state=game.state | {"secret": bytes(32).hex()})
    assert WRONG_DICE in kinds(evening().replace(games=(other,)))


def test_a_seal_that_is_not_the_one_that_was_shown() -> None:
    index = where_shown("The dice are sealed")
    assert kinds(with_shown(index, "The dice are sealed\n" + "0" * 64)) == {WRONG_DICE}


def test_a_hand_that_was_shown_otherwise() -> None:
    index = where_shown("Your dice")
    assert kinds(with_shown(index, another_die(evening().shown[index].text))) == {WRONG_DICE}


def test_a_reveal_that_was_shown_otherwise() -> None:
    index = where_shown("🗣 Dudo!")
    assert kinds(with_shown(index, another_die(evening().shown[index].text))) == {WRONG_DICE}


def test_a_count_that_was_shown_otherwise() -> None:
    index = where_shown("Counted")
    text = evening().shown[index].text
    assert kinds(with_shown(index, text[: text.index("Counted")] + "Counted 29")) == {UNTRUE}


def test_a_hand_shown_to_somebody_who_does_not_sit_there() -> None:
    index = where_shown("Your dice")
    shown = list(evening().shown)
    shown[index] = replace(shown[index], person=99, chat=99)
    assert WRONG_DICE in kinds(evening().replace(shown=tuple(shown)))


def test_a_bid_that_was_shown_and_not_made() -> None:
    index = where_shown("🔸")
    text = evening().shown[index].text
    assert kinds(with_shown(index, text[: text.index("🔸")] + "🔸 29 × ⚅")) == {UNTRUE}


def test_places_that_are_not_those_of_the_game() -> None:
    assert UNTRUE in kinds(with_shown(where_shown("🏆"), "🏆\n1. Cy\n2. Ana"))


@pytest.mark.parametrize("part", ["🗣 Dudo!", "👉", "🏆"])
def test_two_messages_in_the_wrong_order(part: str) -> None:
    shown = list(evening().shown)
    index = where_shown(part)
    at = max(
        other for other, each in enumerate(shown[:index]) if (each.chat == GROUP and "Round" in each.text) or not other
    )
    shown[index], shown[at] = replace(shown[index], at=shown[at].at), replace(shown[at], at=shown[index].at)
    if part == "👉":
        last = where_shown("🏆")
        shown[index] = replace(shown[index], at=shown[last].at + 1)
    assert ORDER in kinds(evening().replace(shown=tuple(shown)))


def test_a_message_that_is_there_twice_needs_somebody_who_died() -> None:
    hand = evening().shown[where_shown("Your dice")]
    twice = replace(hand, key="another", at=hand.at)
    doubled = evening().replace(shown=(*evening().shown, twice))
    assert kinds(doubled) == {TWICE}
    assert audit(doubled.replace(sent_again=1)).findings == []


def test_an_end_of_a_round_that_nobody_saw_needs_a_send_of_unknown_fate() -> None:
    index = where_shown("🗣 Dudo!")
    shown = list(evening().shown)
    del shown[index]
    unseen = evening().replace(shown=tuple(shown))
    assert kinds(unseen) == {UNSEEN}
    assert audit(unseen.replace(unsure=1)).findings == []


def test_what_is_left_undone() -> None:
    assert kinds(evening().replace(undone=("a notice",))) == {UNDONE}


@pytest.mark.parametrize("change", ["who", "what", "twice"])
def test_bids_that_are_listed_otherwise_than_they_were_made(change: str) -> None:
    index = next(at for at, shown in enumerate(evening().shown) if " → " in shown.text)
    text = evening().shown[index].text
    line = next(line for line in text.splitlines() if " → " in line)
    first, *others = line.split(" → ")
    name = NAMES[(NAMES.index(first.split()[0]) + 1) % 3]
    other = {"who": f"{name} {first.split(maxsplit=1)[1]}", "what": another_die(first), "twice": f"{first} → {first}"}
    assert kinds(with_shown(index, text.replace(line, " → ".join([other[change], *others])))) == {UNTRUE}


def test_a_doubt_of_somebody_else() -> None:
    index = where_shown("🗣 Dudo!")
    text = evening().shown[index].text
    name = next(name for name in NAMES if f"Dudo! {name}" not in text)
    assert UNTRUE in kinds(with_shown(index, re.sub(r"Dudo! \w+", f"Dudo! {name}", text)))
