"""Perudo as a game of OpenSpiel, with all its rules as options: `pip install perudo-core[openspiel]`.

Importing this module registers `python_perudo`:

>>> import pyspiel
>>> import perudo_core.openspiel
>>> game = pyspiel.load_game("python_perudo(preset=aces,players=2,dice=1,options=plain_raise:any_higher)")
>>> state = game.new_initial_state()
>>> state.apply_action(2)  # seat 0 rolls a three: the third of the sorted hands of one die
>>> state.apply_action(4)  # seat 1 rolls a five
>>> [state.action_to_string(action) for action in state.legal_actions()][:4]
['1x2', '1x3', '1x4', '1x5']
>>> state.apply_action(2)
>>> state.information_state_string(1)
'seat=1 phase=bidding dice=5 counts=1,1 opener=0 palifico=- had=- bids=1x3'

Parameters:

- `preset`: the rulebook, `box_2009` by default;
- `options`: options that differ from the preset, such as `calza:true lose_by_difference:true`; the order of claims in
  the literature on Dudo is `plain_raise:any_higher ones_rank:highest ones_may_open:true`, and with one die each its
  value is -7/258;
- `dice`: the starting dice of each seat; 0, the default, is the preset's number;
- `players`: 2 by default;
- `rounds`: the number of rounds after which the game ends; 1 by default, 0 plays until one player is left;
- `opener`: the seat that opens the first round, 0 by default; -1 lets chance draw it.

Tabular CFR visits the whole tree, and five dice each make 252 x 252 deals before the first bid: load the game with
`dice=1`, as above, or use a sampling solver.

Utilities. If the game is played to its end, the winner gets 1 and the others share -1. If it ends after some rounds,
each player gets the dice that they won or lost, minus the mean of the others' results: with two players and one round 1
and -1. Both are zero-sum.

Actions. A call has its number of `perudo_core.ActionEncoding`. If other players than the one on turn may say dudo or
calza, each of them is asked after each bid, the nearest to the bidder's left first and the player to call last. A
player who is asked out of turn may also pass, with the number `ActionEncoding.size`. Players do not concede or leave.

Chance. A node deals one seat its sorted hand: action k is the hand `hand_outcomes(count)[k]`. The opener is drawn
evenly, because every way to find an opener is fair.

Information. The players have perfect recall: they know all dice counts and the ended rounds, which were public.
`information_state_string` contains both; `observation_string` lacks the ended rounds and the bids before the last.
"""

from __future__ import annotations

from perudo_core._errors import missing_extra

try:
    import pyspiel as _pyspiel
except ModuleNotFoundError as error:
    raise missing_extra(error, "perudo_core.openspiel", "openspiel") from None

from perudo_core._public_names import publish
from perudo_core.openspiel._game import GAME_TYPE, PerudoGame, PerudoState
from perudo_core.openspiel._observer import PerudoObserver

__all__ = ["PerudoGame", "PerudoObserver", "PerudoState"]

publish(globals())

_pyspiel.register_game(GAME_TYPE, PerudoGame)
