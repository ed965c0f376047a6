"""A computer player of your own: one function, a program for the arena and for the bot.

    python -m perudo_core.agents arena "engine:python perudo_core/examples/odds_engine.py" regular --games 200

docs/engine-protocol.md describes the lines that `serve` reads and writes.
"""

from __future__ import annotations

from perudo_core import Bid, Dudo, Observation, bid_odds
from perudo_core.agents.engines import Answer, Question, serve


def holds(seen: Observation, bid: Bid) -> float:
    """Return the chance that a bid holds, by the player's own dice."""
    return float(bid_odds(seen, bid).holds)


def choose(question: Question) -> Answer:
    """Doubt an improbable bid; else make the bid that most probably holds, the lowest of them."""
    seen = question.observation
    now = 1.0 if seen.current_bid is None else holds(seen, seen.current_bid)
    chances = [(holds(seen, call), call) for call in seen.legal_calls if isinstance(call, Bid)]
    if now < float(question.options["doubt_below"]) or not chances:
        return Answer(Dudo(seen.own_seat), f"a chance of {now:.0%}")
    return Answer(max(chances, key=lambda each: each[0])[1])


if __name__ == "__main__":
    serve(choose, name="Odds", options={"doubt_below": 0.35})
