"""The chaos test's auditor objects to a game of which one thing is not true, and to nothing else."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from perudo_core import (
    Bid,
    GameOver,
    Leave,
    Phase,
    Revealed,
    Rules,
    SeatOut,
    apply,
    dump_action,
    dump_state,
    legal_actions,
)
from perudo_core import new_game as begin
from perudo_core.fair import FairDice
from test_support.chaos.auditor import audit
from test_support.chaos.evidence import (
    COMPUTER,
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
                out = [f"☠️ {NAMES[end.seat]} is out" for end in events if isinstance(end, SeatOut)]
                words = "\n".join([f"🎲 Round {number}", doubt, *hands, f"Counted {event.matching}", *out])
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
    return Evidence((game,), tuple(shown), tuple(moves), updates)


def kinds(evidence: Evidence) -> set[str]:
    return {finding.kind for finding in audit(evidence).findings}


def with_shown(index: int, text: str) -> Evidence:
    shown = list(evening().shown)
    shown[index] = replace(shown[index], text=text)
    return evening().replace(shown=tuple(shown))


def another_die(text: str) -> str:
    at = max(text.rfind(die) for die in SIGNS)
    return text[:at] + SIGNS[(SIGNS.index(text[at]) + 1) % 6] + text[at + 1 :]


def where_shown(part: str) -> int:
    return next(index for index, shown in enumerate(evening().shown) if part in shown.text)


def test_a_true_evening_is_not_objected_to() -> None:
    assert audit(evening()).findings == []
    assert len(evening().moves) > 8
    assert len(evening().shown) > 20


def test_what_people_did_is_held_against_the_game() -> None:
    first, *others = evening().moves
    assert first.call is not None
    other_person = next(person for person in PEOPLE if person != first.person)
    higher = (first.call[0] + 1, first.call[1])
    extra = Move("tap lost", PEOPLE[0], GROUP, (1, 2), "You bid 1 × ⚁.")
    cases: dict[str, tuple[list[Move], set[str]]] = {
        "accepted, and in no game": ([first, *others, extra], {LOST}),
        "not answered, in the game or not": (
            [replace(first, heard=None), *others, replace(extra, heard=None)],
            set(),
        ),
        "refused, and counts all the same": ([replace(first, heard="It is Bo's turn."), *others], {INVENTED}),
        "of somebody else": ([replace(first, person=other_person), *others], {INVENTED}),
        "became another one": ([replace(first, call=higher), *others], {INVENTED}),
        "made by nobody": (others, {INVENTED}),
    }
    found = {name: kinds(evening().replace(moves=tuple(moves))) for name, (moves, _) in cases.items()}
    assert found == {name: expected for name, (_, expected) in cases.items()}


def numbered(actions: list[tuple[int, str, dict[str, Any]]]) -> set[str]:
    (game,) = evening().games
    again = tuple((number, cause, action) for number, (_, cause, action) in enumerate(actions))
    return kinds(evening().replace(games=(replace(game, actions=again),)))


def test_actions_that_are_missing_doubled_or_swapped() -> None:
    (game,) = evening().games
    actions = list(game.actions)
    for gone in (0, 3, len(actions) - 1):
        kept = replace(game, actions=tuple(actions[:gone] + actions[gone + 1 :]))
        assert GAP in kinds(evening().replace(games=(kept,))), gone
    types = [action["type"] for _, _, action in actions]
    at = types.index("bid")
    assert {GAP, DOUBLED} <= numbered([*actions[:at], actions[at], *actions[at:]])
    at = next(at for at, kind in enumerate(types) if kind == "bid" and types[at + 1] in ("bid", "dudo"))
    assert GAP in numbered([*actions[:at], actions[at + 1], actions[at], *actions[at + 2 :]])


def test_messages_that_tell_something_else_than_the_game() -> None:
    def somebody_else(text: str) -> str:
        name = next(name for name in NAMES if f"Dudo! {name}" not in text)
        return re.sub(r"Dudo! \w+", f"Dudo! {name}", text)

    def with_first(text: str, change: Callable[[str], str]) -> str:
        """The first bid of the list of bids, changed."""
        line = next(line for line in text.splitlines() if " → " in line)
        first, *others = line.split(" → ")
        return text.replace(line, " → ".join([change(first), *others]))

    def another_bidder(bid: str) -> str:
        name, words = bid.split(maxsplit=1)
        return f"{NAMES[(NAMES.index(name) + 1) % 3]} {words}"

    cases: list[tuple[str, Callable[[str], str], set[str]]] = [
        ("The dice are sealed", lambda _: "The dice are sealed\n" + "0" * 64, {WRONG_DICE}),
        ("Your dice", another_die, {WRONG_DICE}),
        ("🗣 Dudo!", another_die, {WRONG_DICE}),
        ("Counted", lambda text: re.sub(r"Counted \d+", "Counted 29", text), {UNTRUE}),
        ("Counted", lambda text: re.sub(r"(?m)^Ana: .*\n", "", text), {UNTRUE}),
        ("is out", lambda text: text[: text.index("☠️")], {UNTRUE}),
        ("🔸", lambda text: text[: text.index("🔸")] + "🔸 29 × ⚅", {UNTRUE}),
        ("🏆", lambda _: "🏆\n1. Cy\n2. Ana", {UNTRUE}),
        ("🗣 Dudo!", somebody_else, {UNTRUE}),
        (" → ", lambda text: with_first(text, another_bidder), {UNTRUE}),
        (" → ", lambda text: with_first(text, another_die), {UNTRUE}),
        (" → ", lambda text: with_first(text, lambda bid: f"{bid} → {bid}"), {UNTRUE}),
    ]
    shown = [(where_shown(part), change) for part, change, _ in cases]
    found = [kinds(with_shown(index, change(evening().shown[index].text))) for index, change in shown]
    assert found == [expected for *_, expected in cases]
    assert kinds(evening().replace(undone=("a notice",))) == {UNDONE}


def test_a_move_that_counts_twice_is_doubled() -> None:
    first = evening().moves[0].name
    second = evening().updates["2"]
    doubled = evening().updates | {"2": first}
    found = kinds(evening().replace(updates=doubled))
    assert DOUBLED in found
    assert LOST in found, f"{second} is in no game now"


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


def test_a_hand_shown_to_somebody_who_does_not_sit_there() -> None:
    index = where_shown("Your dice")
    shown = list(evening().shown)
    shown[index] = replace(shown[index], person=99, chat=99)
    assert WRONG_DICE in kinds(evening().replace(shown=tuple(shown)))


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


def test_a_message_that_is_there_twice_needs_a_send_to_its_chat_that_was_repeated() -> None:
    hand = evening().shown[where_shown("Your dice")]
    twice = replace(hand, key="another", at=hand.at)
    doubled = evening().replace(shown=(*evening().shown, twice))
    assert kinds(doubled) == {TWICE}
    (game,) = evening().games
    assert kinds(doubled.replace(repeated=((game.table, GROUP),))) == {TWICE}
    assert audit(doubled.replace(repeated=((game.table, hand.chat),))).findings == []
    thrice = doubled.replace(shown=(*doubled.shown, replace(hand, key="yet another", at=hand.at)))
    assert kinds(thrice.replace(repeated=((game.table, hand.chat),))) == {TWICE}


def test_an_end_of_a_round_that_nobody_saw_needs_a_send_of_unknown_fate() -> None:
    index = where_shown("🗣 Dudo!")
    shown = list(evening().shown)
    del shown[index]
    unseen = evening().replace(shown=tuple(shown))
    assert kinds(unseen) == {UNSEEN}
    assert audit(unseen.replace(unsure=1)).findings == []


# Computer players


def with_computers(*seats: int) -> Evidence:
    """The same evening, with computer players on these seats."""
    (game,) = evening().games
    people = tuple(COMPUTER if seat in seats else person for seat, person in enumerate(PEOPLE))
    actions = tuple(
        (number, "computer" if action.get("seat") in seats else cause, action) for number, cause, action in game.actions
    )
    moves = tuple(move for move in evening().moves if PEOPLE.index(move.person) not in seats)
    shown = tuple(shown for shown in evening().shown if shown.person is None or PEOPLE.index(shown.person) not in seats)
    return evening().replace(games=(replace(game, people=people, actions=actions),), moves=moves, shown=shown)


def with_cause(evidence: Evidence, seat: int, cause: str) -> Evidence:
    """The first call of a seat has another cause."""
    (game,) = evidence.games
    at = next(number for number, _, action in game.actions if action["type"] == "bid" and action["seat"] == seat)
    actions = tuple((number, cause if number == at else its, action) for number, its, action in game.actions)
    return evidence.replace(games=(replace(game, actions=actions),))


def test_a_computer_player_is_not_objected_to() -> None:
    evidence = with_computers(2)
    assert sum(cause == "computer" for _, cause, _ in evidence.games[0].actions) > 2
    assert audit(evidence).findings == []
    assert audit(with_cause(evidence, 2, "deadline")).findings == [], "its thought came too late"


@pytest.mark.parametrize(("seat", "cause"), [(0, "computer"), (0, "deadline"), (2, "telegram:1"), (2, "outage")])
def test_a_call_with_a_cause_that_its_player_cannot_have(seat: int, cause: str) -> None:
    assert INVENTED in kinds(with_cause(with_computers(2), seat, cause))


def test_computer_players_do_not_play_on_alone() -> None:
    assert kinds(with_computers(0, 1, 2)) >= {GAP}


def test_a_computer_player_does_not_leave_people() -> None:
    evidence = with_computers(2)
    (game,) = evidence.games
    at = next(number for number, _, action in game.actions if action.get("seat") == 2)
    left = (*game.actions[:at], (at, "computer", dump_action(Leave(2))))
    assert kinds(evidence.replace(games=(replace(game, actions=left),))) >= {GAP}
