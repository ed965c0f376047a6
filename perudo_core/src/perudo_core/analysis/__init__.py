"""A finished game explained: what each decision was worth, and how much of a result was luck.

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

**Unit.** Everything is counted in dice: a player's own die is worth 1, the die of each of n other players 1/n. So what
all players win in a round adds up to 0. A thousandth of a die is a milli-die.

**A decision** is weighed by what the player could know: their own dice, the number of the others', what was said. The
worth of a call is what it wins on average over imagined worlds (`weigh`); two players are judged by the head-up tables
where those know the situation. *Equity lost* is the worth of the best call less that of the chosen one.

**Skill and luck.** What a round brings a player is the sum of three parts:

- *expected*: what the round was worth before the dice were rolled, by the counts of dice and by who opened;
- *skill*: minus what the player's own errors gave away, plus an equal share of what each other player's gave away;
- *luck*: all the rest. It is what chance changed: the roll, and that a guess turned out right or wrong. `deal` says how
  much of it the player's own roll was, known to that player alone and before anything was said.

**Limits.** The others are imagined as simple players, or head-up as players who can hardly be won against; against
people a call may be worth more or less. A worth is an average over some hundreds of worlds, with an error of some
hundredths of a die; a loss that is smaller than its own standard error counts as none. A good bluff is no error, so
what it wins counts as luck, as does whatever the analysis does not recognise as an error. An error is divided among
the others in equal shares, whoever it helped. A round looks no further than its own end: a die is worth the same
whenever it is lost, sudden death counts as one die, and what a round is worth to somebody who leaves is not counted. To
remain silent where anybody might have said dudo or calza is not judged.
"""

from perudo_core.analysis._descriptions import analysis_lines
from perudo_core.analysis._games import analyse
from perudo_core.analysis._highlighting import Highlights, highlights
from perudo_core.analysis._results import Decision, GameAnalysis, PlayerAnalysis, RoundAnalysis
from perudo_core.analysis._weighing import WORLDS, Method, WeighedCall, Weighing, weigh

__all__ = [
    "WORLDS",
    "Decision",
    "GameAnalysis",
    "Highlights",
    "Method",
    "PlayerAnalysis",
    "RoundAnalysis",
    "WeighedCall",
    "Weighing",
    "analyse",
    "analysis_lines",
    "highlights",
    "weigh",
]
