"""Everything that will happen to a bot in Telegram, and which tests show what ours does then.

Each of them plays at the Bot API server of `telegram_sandbox`, with the real bot in a process of its own.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "end_to_end"

SHOWN_BY = {
    "A double tap counts once": (
        "test_taps.py::test_a_double_tap_bids_once_and_says_so",
        "test_taps.py::test_a_double_tap_on_join_and_on_start_counts_once",
    ),
    "A tap on last round's keyboard does nothing": (
        "test_taps.py::test_a_tap_on_last_rounds_keyboard_does_nothing_and_says_so",
        "test_taps.py::test_dudo_meant_for_an_earlier_bid_never_counts_against_a_later_one",
    ),
    "A tap by somebody else is refused": (
        "test_taps.py::test_a_tap_by_somebody_else_is_refused_by_name",
        "test_taps.py::test_a_stranger_cannot_read_anybodys_dice_with_a_forged_tap",
    ),
    "Forged callback data does nothing": ("test_taps.py::test_forged_buttons_are_answered_and_do_nothing",),
    "The table's message is deleted, and its buttons are still tapped": (
        "test_groups_in_trouble.py::test_buttons_of_a_message_that_is_gone_still_work_and_the_table_comes_again",
        "test_private_ways.py::test_a_table_message_that_an_admin_deleted_comes_again",
    ),
    "'Message is not modified' is no trouble": ("test_taps.py::test_nothing_to_change_is_no_trouble",),
    "'Message to edit not found' brings a new one": (
        "test_groups_in_trouble.py::test_buttons_of_a_message_that_is_gone_still_work_and_the_table_comes_again",
        "test_groups_in_trouble.py::test_a_hand_that_its_owner_deleted_comes_again",
    ),
    "'Query is too old': the tap counts all the same": (
        "test_updates_in_trouble.py::test_a_tap_that_waited_too_long_to_be_answered_counts_all_the_same",
        "test_updates_in_trouble.py::test_a_tap_that_telegram_dropped_is_tapped_again",
    ),
    "RetryAfter pauses one chat, outlives a restart and extends the turn": (
        "test_sends_in_trouble.py::test_a_chat_that_must_wait_keeps_no_other_waiting",
        "test_sends_in_trouble.py::test_a_pause_of_a_chat_outlives_a_restart",
        "test_sends_in_trouble.py::test_a_pause_that_telegram_asks_for_costs_nobody_the_turn",
        "test_limits.py::test_no_group_is_ever_told_to_slow_down",
    ),
    "A time-out: what was not sent is sent later, what may have been sent is not repeated": (
        "test_sends_in_trouble.py::test_a_message_that_cannot_have_been_sent_is_sent_later_and_once",
        "test_sends_in_trouble.py::test_a_message_that_may_have_been_sent_is_not_sent_again",
        "test_sends_in_trouble.py::test_a_message_that_was_lost_with_its_answer_costs_nobody_the_game",
    ),
    "A private message is forbidden: another way is found": (
        "test_private_ways.py::test_who_blocks_the_bot_in_mid_game_keeps_playing_at_the_table",
        "test_private_ways.py::test_a_block_that_the_bot_did_not_hear_of_costs_one_refusal_and_no_turn",
        "test_private_ways.py::test_where_nobody_pressed_start_the_tables_keyboard_serves_and_links_to_the_bot",
    ),
    "Kicked from the group: the game waits, its players are free": (
        "test_chats_that_move_or_close.py::test_a_game_waits_while_its_bot_cannot_write_and_goes_on_when_it_can[kicked]",
        "test_chats_that_move_or_close.py::test_who_waits_for_a_bot_that_was_thrown_out_plays_elsewhere_meanwhile",
    ),
    "A group is upgraded: its game follows": (
        "test_chats_that_move_or_close.py::test_a_game_follows_its_group_to_a_new_address",
        "test_chats_that_move_or_close.py::test_a_game_whose_move_the_bot_learns_from_a_refusal_follows_as_well",
    ),
    "A player in two games is asked which": ("test_taps.py::test_who_plays_two_games_is_asked_which_one_is_meant",),
    "A restart in mid-turn costs nothing": (
        "test_clock.py::test_a_restart_in_mid_turn_costs_nobody_anything",
        "test_clock.py::test_a_deadline_outlives_a_restart",
        "test_worker_cluster.py::test_a_game_is_played_over_the_webhook_and_a_restart_in_mid_turn_costs_nothing",
    ),
    "Timer against tap: one wins, the other hears 'too late'": (
        "test_clock.py::test_exactly_one_of_clock_and_tap_counts_and_the_loser_is_told",
    ),
    "Updates come out of order": (
        "test_updates_in_trouble.py::test_a_tap_and_a_message_of_one_player_have_no_order_and_one_of_them_counts",
        "test_updates_in_trouble.py::test_a_game_of_which_every_update_is_late_and_many_come_twice[1]",
    ),
    "An update_id is replayed": (
        "test_updates_in_trouble.py::test_an_update_that_comes_again_changes_nothing_and_shows_nothing",
        "test_chaos.py::test_whatever_goes_wrong_no_move_is_lost_or_doubled_and_every_game_ends",
    ),
    "An outage that is longer than a turn punishes nobody": (
        "test_outages.py::test_the_process_was_away",
        "test_outages.py::test_the_network_was_away[refuse]",
        "test_outages.py::test_the_network_was_away[silent]",
        "test_outages.py::test_the_webhook_could_not_be_reached",
    ),
    "An ephemeral message never arrives": (
        "test_sends_in_trouble.py::test_a_message_for_one_member_that_never_arrives_is_asked_for_again",
        "test_private_ways.py::test_bid_here_opens_a_keyboard_that_only_the_tapper_sees_and_then_a_shared_one",
    ),
    "An anonymous admin is asked for a tap": (
        "test_groups_in_trouble.py::test_an_anonymous_admin_is_asked_for_a_tap_and_then_known",
        "test_groups_in_trouble.py::test_an_anonymous_admin_opens_a_table_by_a_tap_and_sits_at_it_by_name",
    ),
    "A topic is closed: its game waits": (
        "test_chats_that_move_or_close.py::test_a_game_waits_while_its_topic_is_closed_and_the_one_next_door_goes_on",
    ),
    "The right to send is lost: the game waits": (
        "test_chats_that_move_or_close.py::test_a_game_waits_while_its_bot_cannot_write_and_goes_on_when_it_can[restricted]",
        "test_chats_that_move_or_close.py::test_a_game_waits_while_a_group_lets_nobody_but_admins_write",
    ),
    "A player leaves the group or deletes the account: the others play on": (
        "test_comings_and_goings.py::test_who_leaves_the_group_leaves_the_game",
        "test_groups_in_trouble.py::test_who_deletes_the_account_leaves_the_game_and_the_others_play_on",
    ),
    "Edited messages and forwarded commands do nothing; of two bots on one token the later one stops, loudly": (
        "test_updates_in_trouble.py::test_what_is_edited_afterwards_was_said_already",
        "test_updates_in_trouble.py::test_a_command_or_bid_that_is_forwarded_is_nobodys",
        "test_updates_in_trouble.py::test_of_two_bots_with_two_databases_the_one_that_came_later_stops_and_says_so",
    ),
}


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse((FOLDER / file).read_text())
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(function.name for function in functions if function.name.startswith("test_"))


def test_twenty_five_things_will_happen() -> None:
    assert len(SHOWN_BY) == 25


@pytest.mark.parametrize("thing", SHOWN_BY)
def test_each_is_shown_by_tests_that_exist(thing: str) -> None:
    for shown_by in SHOWN_BY[thing]:
        file, _, test = shown_by.partition("::")
        name, _, case = test.partition("[")
        assert name in names_in(file)
        assert case.removesuffix("]") in (FOLDER / file).read_text()
