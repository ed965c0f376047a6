"""What the coach advises contradicts no figure that it shows."""

import random

from perudo_core import Bid, Rules, apply, legal_actions, observe, set_up
from perudo_core.agents import new_memory
from telegram_bot.ingress.computations import advise
from telegram_bot.tables.advice import Advice

CLASSIC = Rules.preset("box_2009").with_options(calza=True)


def test_no_figure_contradicts_the_recommendation() -> None:
    """Of any hands and bids: what is shown of the others is no lower risk."""
    rng = random.Random(5)
    for seed in range(12):
        hands = tuple(tuple(rng.choices(range(1, 7), k=rng.randint(1, 5))) for _ in range(rng.randint(2, 4)))
        state = set_up(CLASSIC, hands, [], opener=0)
        for _ in range(seed % 4):
            raises = [call for call in legal_actions(state, state.turn) if isinstance(call, Bid)]
            state = apply(state, rng.choice(raises[:9])).state
        assert state.turn is not None
        advice = Advice.model_validate_json(advise(observe(state, state.turn), new_memory(CLASSIC, len(hands)), seed))
        assert advice.best.risk is not None
        assert all(advice.best.risk <= (other.risk or 0) for other in advice.others), (hands, state.bids)
