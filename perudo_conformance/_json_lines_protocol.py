"""The JSON lines protocol, in words."""

from typing import Final

__all__ = ["PROTOCOL", "PROTOCOL_TEXT"]

PROTOCOL: Final = "perudo-engine/2"

PROTOCOL_TEXT: Final = """\
The JSON lines protocol perudo-engine/2

The kit starts the engine's command and writes requests to its standard input, one JSON object on each line. For each
request the engine writes one line to its standard output, and flushes it. Then the kit sends the next request. Lines
are UTF-8 (the requests ASCII) and end with a newline. Standard error is the engine's own. The engine ends when its
standard input ends.

  request   {"id": 7, "method": "apply", "params": {"state": 6, "action": {"type": "dudo", "seat": 1}}}
  answer    {"id": 7, "result": 8}
  refusal   {"id": 7, "refused": "call/not_your_turn"}      an illegal action, with the reason's code
  unknown   {"id": 7, "unsupported": true}                  a method that the engine does not have
  failure   {"id": 7, "error": "what went wrong"}           anything else

A state is any JSON value but null: the state itself, or a number or a text by which the engine finds it again. Asked
about an earlier state of the same game, the engine must answer as before. After new_game the kit does not ask about
states of earlier games.

Methods that every engine needs:

  new_game     {"rules": {"preset": "aces", "min_seats": 2, ...}, "seats": 3, "opener": 0}    a state
               rules hold every option; opener is the seat, from 0, that opens the first round
  apply        {"state": ..., "action": ...}    a state, or a refusal; an action is one of
               {"type": "roll", "dice": [[1, 2], [3, 3], []]}    a hand for each seat, [] for a seat that is out
               {"type": "bid", "seat": 0, "quantity": 5, "face": 2}
               {"type": "dudo", "seat": 1}    and likewise "calza", "concede" and "leave"
               {"type": "reroll", "seat": 0, "shown": [2, 2], "rolled": [1, 4, 5]}    by the option reroll_after_bid
  legal_calls  {"state": ...}    the legal bids, dudos and calzas of all seats as a list of actions, in any order
  facts        {"state": ...}    {"phase": "bidding", "round": 1, "turn": 0, "opener": 0, "palifico": null,
               "dice_counts": [5, 5, 5], "ones_wild": true, "max_quantity": 15, "placements": null}
               phase: rolling, bidding or over; round: how many have been rolled; turn: null while nobody is on turn;
               placements: each seat's place when the game is over

Methods that an engine may answer as unsupported:

  hello        {"protocol": "perudo-engine/2"}    the first request; the result may be anything,
               but a "protocol" in it must be this one
  odds         {"dice": [2, 2, 5], "unknown_dice": 2, "quantity": 3, "face": 2, "ones_are_wild": true}
               {"holds": [5, 9], "exact": ["4", "9"]}    fractions; numbers of many digits as texts
  commitment   {"secret": "<hex>", "context": "..."}    a text
  fair_hand    {"secret": "<hex>", "context": "...", "salt": "...", "label": "round 1 seat 0", "dice": 5}
               a list of faces
  fair_number  {"secret": "<hex>", "context": "...", "salt": "...", "label": "opener of 6", "below": 6}    a number
  fair_contest {"secret": "<hex>", "context": "...", "salt": "...", "contenders": 3, "dice_each": 1}    a list of hands
  write_game   {"record": {...}, "dice": true}    the record's line, with the dice or without
  choose       {"observation": {...}}    a call of the observation's seat, as "5x3", "dudo" or an action; the kit does
               not ask it, `python -m perudo_core.agents arena` does, by docs/engine-protocol.md, with more parameters.
               The observation is a perudo-observation/3
  read_game    {"text": "aces; A=Ana B=Bo; A opens; ..."}    the line's record, with every option of the rules

Fair dice need all of their four methods, notation needs both of its two.
"""
