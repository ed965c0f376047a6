"""A page's knowledge of its room, in Node, with a clock of its own."""

import json
import subprocess
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from telegram_bot.channels.web.static_files import STATIC

BEGIN = """
globalThis.matchMedia = () => ({ matches: false });
globalThis.document = { hidden: false };
let now = 1e12;
let last = 0;
const timers = new Map();
Date.now = () => now;
globalThis.setTimeout = (act, ms) => timers.set((last += 1), [now + ms, act]) && last;
globalThis.clearTimeout = (timer) => timers.delete(timer);
function pass(seconds) {
  const end = now + 1000 * seconds;
  for (;;) {
    const [next] = [...timers].filter(([, [due]]) => due <= end).sort(([, [one]], [, [other]]) => one - other);
    if (!next) break;
    const [timer, [due, act]] = next;
    timers.delete(timer);
    now = due;
    act();
  }
  now = end;
}
const { Room } = await import("./room.mjs");
const news = [];
const room = new Room(() => {}, (card, when) => news.push(`${card.card} ${when}`));
const ago = (seconds) => now / 1000 - seconds;
const seats = [1, 2, 3].map((player) => ({ player, name: `P${player}`, dice: 5, out: false }));
const mine = { dice: [1, 2, 3, 4, 5], raises: [[2, 3]] };
const hand = (more) => ({ card: "hand", slot: "hand", lane: "private", ...mine, ...more });
const open = { seats, bids: [], turn: 1, raises: [], dudo: [], calza: [] };
const round = (more) => ({ card: "round", slot: "table", lane: "public", at: ago(0), ...open, ...more });
const dice = [[1, 2, 3, 4, 5], [3, 3, 2, 2, 2], [6, 6, 6, 5, 4]];
const over = { call: "dudo", bid: { quantity: 4, face: 3 }, ones_wild: true, dice, seats, out: [], changes: [] };
const reveal = (more) => ({ card: "reveal", slot: "end", lane: "public", ...over, ...more });
room.hello({ now: now / 1000, player: 1 });
"""


@pytest.fixture
def seen(tmp_path: Path) -> Any:
    copyfile(STATIC / "room.js", tmp_path / "room.mjs")

    def run(steps: str, shown: str) -> Any:
        (tmp_path / "test.mjs").write_text(f"{BEGIN}{steps}\nconsole.log(JSON.stringify({shown}));", encoding="utf-8")
        command = ["node", "test.mjs"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)  # noqa: S603 - ours
        return json.loads(ran.stdout)

    return run


def test_a_hand_of_a_later_table_elsewhere_takes_nothing_from_the_room_of_a_player_at_two_tables(seen: Any) -> None:
    steps = """
    room.take(round({ table: 5, round: 3, step: 10 }));
    room.take(hand({ table: 5, round: 3, step: 10 }));
    room.take(hand({ table: 6, round: 1, step: 2, dice: [6, 6, 6, 6, 6] }));
    room.ready();
    """
    over = "room.take({ card: 'over', slot: 'over', lane: 'private', table: 6, text: 'Bo has won!' });"
    for news in ("", over):
        assert seen(steps + news, "[room.table, room.phase, room.hand.dice]") == [5, "round", [1, 2, 3, 4, 5]]
    begun = "room.take(round({ table: 6, round: 1, step: 2 }));"
    assert seen(steps + begun, "[room.table, room.hand.dice]") == [6, [6, 6, 6, 6, 6]], "the room's next table"


def test_a_phone_that_wakes_on_its_own_turn_is_not_shown_the_last_reveal_again(seen: Any) -> None:
    steps = """
    room.take(round({ table: 5, round: 3, step: 10, at: ago(100) }));
    room.ready();
    for (const card of [
      reveal({ table: 5, round: 3, at: ago(90) }),
      round({ table: 5, round: 4, bids: [{}, {}], turn: 0, step: 14, dudo: [0], at: ago(20) }),
      hand({ table: 5, round: 4, step: 14, on_turn: true, may_dudo: true, at: ago(20) }),
    ]) room.take(card);
    """
    assert seen(steps, "[room.show, room.mine.turn, news.includes('reveal shown')]") == [None, True, False]


def test_a_player_who_slept_is_shown_the_rest_of_a_reveal_and_none_whose_time_is_over(seen: Any) -> None:
    steps = """
    const shown = [7, 90].map((seconds, i) => {
      room.hello({ now: now / 1000, player: 2 });
      room.take(round({ table: 5 + i, round: 3, step: 10 }));
      room.ready();
      room.take(reveal({ table: 5 + i, round: 3, at: ago(seconds) }));
      room.take(round({ table: 5 + i, round: 4, turn: 0, step: 14 }));
      const begins = room.show !== null;
      pass(4);
      return [begins, room.show, room.round.round];
    });
    """
    assert seen(steps, "shown") == [[True, None, 4], [False, None, 4]]


def test_a_player_on_turn_sees_a_reveal_of_now_to_its_end_before_their_keys(seen: Any) -> None:
    steps = """
    room.take(round({ table: 5, round: 3, step: 10 }));
    room.ready();
    for (const card of [
      reveal({ table: 5, round: 3, at: ago(0) }),
      round({ table: 5, round: 4, turn: 0, step: 14 }),
      hand({ table: 5, round: 4, step: 14, on_turn: true }),
    ]) room.take(card);
    const before = room.mine.turn;
    pass(20);
    """
    told = ["reveal called", "reveal die", "reveal drum", "reveal shown", "round now", "hand now"]
    assert seen(steps, "[before, room.mine.turn, [...new Set(news)].slice(-6)]") == [False, True, told]


def test_a_key_asks_for_a_second_tap_only_as_long_as_the_server_remembers_the_first_one(seen: Any) -> None:
    steps = """
    const call = (step) => round({ table: 5, round: 3, step, turn: 1, calza: [0] });
    room.take(call(10));
    room.ready();
    room.armed = { act: "calza", step: 10 };
    const first = room.mine.again;
    room.take(call(11));
    """
    assert seen(steps, "[first, room.mine.calza, room.mine.again]") == ["calza", True, False], (
        "another player has bid since: the calza would be about another bid"
    )


def test_a_page_knows_what_its_player_is_in_the_round_and_whose_turn_it_is(seen: Any) -> None:
    steps = """
    const told = [];
    const me = (more) => [{ ...seats[0], ...more }, ...seats.slice(1)];
    const [out, others] = [me({ out: true, away: true }), seats.slice(1)];
    for (const [now, turn] of [[me({}), 1], [me({ away: true }), 0], [out, 2], [others, null]]) {
      room.put(round({ table: 5, round: 3, step: 10, seats: now, turn }));
      told.push([room.role, room.onTurn?.name ?? null, room.mine.turn]);
    }
    """
    assert seen(steps, "told") == [
        ["playing", "P2", False],
        ["away", "P1", True],
        ["you_are_out", "P3", False],
        ["watching", None, False],
    ]


@pytest.mark.parametrize(("player", "hand"), [(1, [1, 2, 3, 4, 5]), (2, None), (4, None)])
def test_a_reveal_has_a_tray_of_dice_for_those_who_still_play(seen: Any, player: int, hand: list[int] | None) -> None:
    steps = f"""
    room.hello({{ now: now / 1000, player: {player} }});
    room.take(round({{ table: 5, round: 3, step: 10 }}));
    room.ready();
    room.take(reveal({{ table: 5, round: 3, at: ago(0), dice: [dice[0], [], dice[2]] }}));
    """
    assert seen(steps, "[room.show !== null, room.revealedHand]") == [True, hand]


def test_a_page_trusts_the_greeting_that_was_on_its_way_for_the_shortest_time(seen: Any) -> None:
    steps = """
    const seconds = (...delays) => delays.map((delay) => {
      room.hello({ now: now / 1000 + 100 - delay, player: 1 });
      return room.secondsTo(now / 1000 + 110).toFixed(1);
    });
    """
    told = [["10.9", "10.2", "10.2"], ["10.2", "70.0"]]
    assert seen(steps, "[seconds(0.9, 0.2, 1.5), seconds(0.2, 60)]") == told, "at last, its own clock was set"
