"""A game of Perudo in the terminal: you against two computer players.

It shows the loop of a game (`apply`), a player's knowledge (`observe`, `visible_events`), a typed call (`load_call`), a
refusal in plain English (`explain`), and the odds that a computer's calls follow from (`probability_holds`).

    python console_game.py --seed 7 --preset aces
"""

from __future__ import annotations

import argparse
import random

from perudo_core import (
    PRESETS,
    Action,
    Bid,
    BidMade,
    CalzaCalled,
    DiceLost,
    DieRegained,
    Dudo,
    DudoCalled,
    Event,
    GameOver,
    Observation,
    Revealed,
    RoundStarted,
    Rules,
    SeatOut,
    StateError,
    apply,
    bid_probability,
    explain,
    load_call,
    new_game,
    observe,
    sample_roll,
    smallest_raise,
    visible_events,
    why_illegal,
)

YOU = 0
NAMES = ["You", "Bo", "Cy"]


def computer_call(view: Observation) -> Action:
    """Doubt the last bid if that is more probably right than the best of the next bids; otherwise make that bid."""

    def chance(bid: Bid) -> float:
        return float(bid_probability(view, bid))

    best = max((call for call in view.legal_calls[:24] if isinstance(call, Bid)), key=chance, default=None)
    if best is None or (view.current_bid is not None and 1 - chance(view.current_bid) > chance(best)):
        return next(call for call in view.legal_calls if isinstance(call, Dudo))
    return best


def tell(event: Event) -> str | None:
    """Return the event as a line, or None for an event that needs no line."""
    line = None
    match event:
        case RoundStarted(number, opener, palifico):
            line = f"\nRound {number}: {NAMES[opener]} to open{'' if palifico is None else ' a palifico round'}."
        case BidMade(bid):
            line = f"  {NAMES[bid.seat]}: {bid}"
        case DudoCalled(seat, _) | CalzaCalled(seat, _):
            line = f"  {NAMES[seat]}: {'dudo' if isinstance(event, DudoCalled) else 'calza'}!"
        case Revealed(dice, bid, matching):
            hands = ", ".join(f"{NAMES[seat]} {' '.join(map(str, hand))}" for seat, hand in enumerate(dice) if hand)
            line = f"  All dice: {hands}. {matching} count for {bid}."
        case DiceLost(seat, amount) | DieRegained(seat, amount):
            line = f"  {NAMES[seat]}: {amount} {'lost' if isinstance(event, DiceLost) else 'regained'}."
        case SeatOut(seat, place):
            line = f"  {NAMES[seat]}: out of the game, place {place}."
        case GameOver(outcome):
            line = f"\nThe winner: {NAMES[outcome.winner]}."
    return line


def main() -> None:
    """Play one game; the end of the input ends it early."""
    parser = argparse.ArgumentParser(description="You against two computer players.")
    parser.add_argument("--seed", type=int, help="the same dice for the same calls")
    parser.add_argument("--preset", choices=PRESETS, default="box_2009", help="which rulebook")
    options = parser.parse_args()
    rng = random.SystemRandom() if options.seed is None else random.Random(options.seed)
    state = new_game(Rules.preset(options.preset), NAMES)
    action: Action
    while not state.is_terminal:
        if state.is_chance:
            action = sample_roll(state, rng)
        elif state.turn == YOU:
            print(f"Your dice: {' '.join(map(str, state.dice[YOU]))}. Smallest bid: {smallest_raise(state) or 'none'}.")
            try:
                action = load_call(input("Your call (5x3, dudo, calza): ").strip(" !").lower(), YOU)
            except StateError:
                print('Say how many and which face, as "5x3" for five threes, or "dudo", or "calza".')
                continue
            except (EOFError, KeyboardInterrupt):
                print("\nGoodbye.")
                return
            if reason := why_illegal(state, action):
                print(explain(reason, state))
                continue
        else:
            action = computer_call(observe(state, state.turn))
        state, events = apply(state, action)
        for event in visible_events(events, YOU):
            if line := tell(event):
                print(line)


if __name__ == "__main__":
    main()
