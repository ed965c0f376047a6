"""A finished game explained: the worth of each decision, and the share of luck in each result.

>>> from random import Random
>>> from perudo_core import Rules, apply, new_game, observe, record_of, sample_roll
>>> from perudo_core.agents import create_agent, new_memory, remember_all
>>> rng, state, actions = Random(1), new_game(Rules.preset("aces"), ["Ana", "Bo"], opener=0), []
>>> memory = new_memory(state.rules, 2)
>>> while not state.is_terminal:
...     actions.append(sample_roll(state, rng) if state.is_chance else
...                    create_agent("novice").choose(observe(state, state.turn), memory, rng))
...     state, events = apply(state, actions[-1])
...     memory = remember_all(memory, events)
>>> ana, bo = analyse(record_of(state.rules, state.seats, actions, opener=0), worlds=40).players
>>> round(ana.luck + bo.luck, 6), round(ana.result - ana.expected - ana.skill - ana.luck, 6)
(0.0, 0.0)

**Unit.** The unit is the die: a player's own die is worth 1, a die of each of n other players 1/n. So the results of
all players in a round add up to 0. A thousandth of a die is a milli-die.

**A decision** is weighed by the player's knowledge: their own dice, the number of the others' dice, the calls so far.
The worth of a call is the number of dice that it wins on average over imagined worlds (`weigh`). Two players are judged
by the heads-up tables if these contain the situation, which is never so where calza may be said. *Equity lost* is the
worth of the best call minus the worth of the chosen call.

**Skill and luck.** A player's result in a round is the sum of three parts:

- *expected*: the worth of the round before the roll, from the counts of dice and the opener;
- *skill*: minus the equity lost by the player's own errors, plus an equal share of the equity that each other lost;
- *luck*: the rest. Chance is in the roll, and in guesses that turn out right or wrong. `deal` is the part of the luck
  in the player's own roll, as only that player knew it before the first call.

**Limits.** The others are imagined as simple players, or heads-up as almost unbeatable players; against people a call
may be worth more or less. A worth is an average over some hundreds of worlds, with an error of some hundredths of a
die; a loss that is smaller than its own standard error counts as no loss. A good bluff is not an error, so its gain
counts as luck, and so does every error that the analysis does not find. The cost of an error is divided among the
others in equal shares, without regard to the player it helped. The analysis of a round ends with the round: a die is
worth the same whenever it is lost, sudden death counts as one die, and the worth of a round to a player who leaves is
not counted. Silence is not judged if any player could have said dudo or calza.
"""

from perudo_core._public_names import publish
from perudo_core.analysis._descriptions import analysis_lines
from perudo_core.analysis._games import analyse
from perudo_core.analysis._highlighting import Highlights, highlights
from perudo_core.analysis._results import Decision, GameAnalysis, PlayerAnalysis, RoundAnalysis
from perudo_core.analysis._weighing import WORLDS, Method, WeighedCall, Weighing, weigh

__all__ = [
    "WORLDS", "Decision", "GameAnalysis", "Highlights", "Method", "PlayerAnalysis", "RoundAnalysis", "WeighedCall",
    "Weighing", "analyse", "analysis_lines", "highlights", "weigh",
]  # fmt: skip

publish(globals())
