"""The game and state classes for OpenSpiel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pyspiel

from perudo_core._chance_outcomes import hand_outcomes
from perudo_core._errors import RulesError
from perudo_core._rules import DEFAULT_PRESET, MAX_SEATS, Rules
from perudo_core.openspiel._observer import PerudoObserver
from perudo_core.openspiel._position import NOBODY, Position, Settings

__all__ = ["GAME_TYPE", "PerudoGame", "PerudoState"]

DEFAULTS: Final[dict[str, Any]] = {
    "preset": DEFAULT_PRESET,
    "options": "",
    "dice": 0,
    "players": 2,
    "rounds": 1,
    "opener": 0,
}

GAME_TYPE: Final = pyspiel.GameType(
    short_name="python_perudo",
    long_name="Perudo (Dudo, liar's dice)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    min_num_players=2,
    max_num_players=MAX_SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=DEFAULTS,
)


class PerudoGame(pyspiel.Game):  # type: ignore[misc]
    """One or more rounds of Perudo; see `perudo_core.openspiel` for the parameters.

    Raises `RulesError` for parameters that contradict each other or are out of range.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        values = DEFAULTS | dict(params or {})
        settings = Settings(_rules(values), values["players"], values["rounds"], values["opener"])
        encoding, rules = settings.encoding, settings.rules
        most_dice = max(rules.dice_at_start(settings.seats))
        won = most_dice if rules.sudden_death else min(settings.max_rounds * rules.most_at_stake, most_dice)
        super().__init__(
            GAME_TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=encoding.size + settings.others_may_call,
                max_chance_outcomes=max(settings.seats, len(hand_outcomes(most_dice))),
                num_players=settings.seats,
                min_utility=-1.0 if settings.rounds == 0 else -float(won),
                max_utility=1.0 if settings.rounds == 0 else float(won),
                utility_sum=0.0,
                max_game_length=settings.max_rounds
                * (encoding.bid_count + 1)
                * (settings.seats - 1 if settings.others_may_call else 1),
            ),
            values,
        )
        self.settings: Final = settings
        """The rules and the other parameters."""

    def new_initial_state(self) -> PerudoState:
        """Return the state before the first roll."""
        return PerudoState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the greatest number of chance nodes: the draw of an opener, and one hand for each seat and round."""
        return self.settings.max_rounds * self.settings.seats + 1

    def make_py_observer(
        self, iig_obs_type: Any | None = None, params: Mapping[str, Any] | None = None
    ) -> PerudoObserver:
        """Return an observer of one player's knowledge, or of everything."""
        return PerudoObserver(self.settings, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class PerudoState(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel around the library's own, which is `position.state`."""

    def __init__(self, game: PerudoGame) -> None:
        super().__init__(game)
        self.position: Position = game.settings.start
        """The position, replaced by each action."""

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's id for chance or a finished game."""
        player = self.position.player
        if player is None:
            player = int(pyspiel.PlayerId.TERMINAL if self.position.is_over else pyspiel.PlayerId.CHANCE)
        return player

    def _legal_actions(self, _player: int) -> list[int]:
        return self.position.legal_numbers()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance, with probabilities."""
        return self.position.outcomes()

    def _apply_action(self, action: int) -> None:
        after = self.position.after_chance if self.position.player is None else self.position.after_call
        self.position = after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.position.outcome_text(action)
        settings = self.position.settings
        return "pass" if action == settings.pass_number else str(settings.encoding.decode(action, player))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """Return each player's result."""
        return self.position.returns()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> PerudoState:
        """Return a state that looks the same to this player, with the hidden dice of the round drawn again, evenly.

        `sampler` gives numbers from 0 to below 1.
        """
        game = self.get_game()
        state: PerudoState = game.new_initial_state()
        for step in self.full_history():
            position = state.position
            hidden = len(position.ended) == len(self.position.ended) and len(position.hands) != player
            if step.player == pyspiel.PlayerId.CHANCE and position.is_dealing and hidden:
                state.apply_action(_drawn(state.chance_outcomes(), sampler()))
            else:
                state.apply_action(step.action)
        return state

    def __str__(self) -> str:
        return str(self.position)


def _rules(values: Mapping[str, Any]) -> Rules:
    options: dict[str, object] = {}
    for text in values["options"].split():
        name, colon, value = text.partition(":")
        if not colon:
            raise RulesError(f"options must be as calza:true, not {text}")
        options[name] = {"true": True, "false": False}.get(value, int(value) if value.isdecimal() else value)
    if values["dice"]:
        options["starting_dice"] = values["dice"]
    if not NOBODY <= values["opener"] < values["players"]:
        raise RulesError(f"opener must be a seat or {NOBODY}, not {values['opener']}")
    return Rules.from_dict(options | {"preset": values["preset"]})


def _drawn(outcomes: list[tuple[int, float]], at: float) -> int:
    for outcome, probability in outcomes:
        at -= probability
        if at < 0:
            return outcome
    return outcomes[-1][0]
