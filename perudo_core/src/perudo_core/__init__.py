"""The rules of Perudo (Dudo, liar's dice): an immutable state, five published rulebooks, no dependencies.

`help(perudo_core.State)` explains one name. All names, by subject:

- Rules: `Rules`, `Rulebook`, `PRESETS`, `DEFAULT_PRESET`, `Option`, `Subject`, `PlainRaise`, `OnesRank`,
  `OpenerMethod`, `CalzaBy`, `LostDice`
- A game: `new_game`, `set_up`, `State`, `Phase`, `apply`, `Transition`, `Outcome`
- Legal calls: `legal_calls`, `LegalCalls`, `is_legal`, `why_illegal`, `Reason`, `smallest_raise`, `settle_claims`
- Players' actions: `Action`, `PlayerAction`, `Call`, `Bid`, `Dudo`, `Calza`, `Concede`, `Leave`, `Reroll`, `parse_call`
- Chance: `ChanceAction`, `Roll`, `OpeningRoll`, `OpenerDraw`, `sample_roll`, `sample_reroll`, `chance_outcomes`,
  `hand_outcomes`, `FairDice`
- Events: `Event`, `OpenerRolled`, `OpenerChosen`, `RoundStarted`, `DiceRolled`, `DiceShown`, `BidMade`, `DudoCalled`,
  `CalzaCalled`, `Revealed`, `DiceLost`, `DieRegained`, `SeatOut`, `SeatLeft`, `RoundVoided`, `RoundConceded`,
  `GameOver`
- Each player's knowledge: `observe`, `Observation`, `visible_events`, `audience`, `Audience`, `EVERYONE`,
  `information_state_string`, `sample_state`
- Odds: `bid_odds`, `bid_probability`, `probability_holds`, `probability_exact`, `count_probabilities`,
  `count_matching`, `Odds`
- Words: `describe`, `explain`, `clause`
- Records: `Recorder`, `Record`, `RecordRound`, `record_of`, `replay`, `Replay`, `replay_steps`, `Step`, `read_record`,
  `FairRecord`, `Verification`, `ComputerCall`, `GameText`, `RoundText`
- JSON: `dump_state`, `load_state`, `dump_observation`, `load_observation`, `dump_action`, `load_action`, `load_call`,
  `dump_event`, `load_event`
- Numbers and types: `ActionEncoding`, `FACES`, `Dice`, `Seat`, `COMPILED`
- Errors: `PerudoError`, `IllegalActionError`, `RulesError`, `StateError`, `RecordError`, `NotationError`
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from perudo_core import _steps
from perudo_core._action_encoding import ActionEncoding
from perudo_core._actions import (
    FACES,
    Action,
    Bid,
    Call,
    Calza,
    ChanceAction,
    Concede,
    Dice,
    Dudo,
    Leave,
    OpenerDraw,
    OpeningRoll,
    PlayerAction,
    Reroll,
    Roll,
    Seat,
)
from perudo_core._call_text import parse_call
from perudo_core._chance import sample_reroll, sample_roll
from perudo_core._chance_outcomes import chance_outcomes, hand_outcomes
from perudo_core._client_codec import dump_observation, load_call, load_observation
from perudo_core._codec import dump_action, dump_event, dump_state, load_action, load_event, load_state
from perudo_core._engine import apply, is_legal, legal_calls, settle_claims, smallest_raise, why_illegal
from perudo_core._errors import (
    IllegalActionError,
    NotationError,
    PerudoError,
    Reason,
    RecordError,
    RulesError,
    StateError,
)
from perudo_core._events import (
    EVERYONE,
    Audience,
    BidMade,
    CalzaCalled,
    DiceLost,
    DiceRolled,
    DiceShown,
    DieRegained,
    DudoCalled,
    Event,
    GameOver,
    OpenerChosen,
    OpenerRolled,
    Revealed,
    RoundConceded,
    RoundStarted,
    RoundVoided,
    SeatLeft,
    SeatOut,
    audience,
    visible_events,
)
from perudo_core._information import information_state_string
from perudo_core._legal_calls import LegalCalls
from perudo_core._observation import Observation, observe
from perudo_core._options import CalzaBy, LostDice, OnesRank, OpenerMethod, Option, PlainRaise, Subject
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._positions import set_up
from perudo_core._public_names import publish
from perudo_core._record import Record, RecordRound
from perudo_core._replay import Recorder, Replay, Step, record_of, replay, replay_steps
from perudo_core._rules import DEFAULT_PRESET, PRESETS, Rulebook, Rules
from perudo_core._sampling import sample_state
from perudo_core._state import State, Transition, new_game
from perudo_core._version import installed_version
from perudo_core.english import clause, describe, explain
from perudo_core.fair import FairDice
from perudo_core.fair_record import ComputerCall, FairRecord, Verification, read_record
from perudo_core.notation import GameText, RoundText
from perudo_core.odds import (
    Odds,
    bid_odds,
    bid_probability,
    count_matching,
    count_probabilities,
    probability_exact,
    probability_holds,
)

__all__ = [
    "COMPILED", "DEFAULT_PRESET", "EVERYONE", "FACES", "PRESETS", "Action", "ActionEncoding", "Audience", "Bid",
    "BidMade", "Call", "Calza", "CalzaBy", "CalzaCalled", "ChanceAction", "ComputerCall", "Concede", "Dice", "DiceLost",
    "DiceRolled", "DiceShown", "DieRegained", "Dudo", "DudoCalled", "Event", "FairDice", "FairRecord", "GameOver",
    "GameText", "IllegalActionError", "Leave", "LegalCalls", "LostDice", "NotationError", "Observation", "Odds",
    "OnesRank", "OpenerChosen", "OpenerDraw", "OpenerMethod", "OpenerRolled", "OpeningRoll", "Option", "Outcome",
    "PerudoError", "Phase", "PlainRaise", "PlayerAction", "Reason", "Record", "RecordError", "RecordRound", "Recorder",
    "Replay", "Reroll", "Revealed", "Roll", "RoundConceded", "RoundStarted", "RoundText", "RoundVoided", "Rulebook",
    "Rules", "RulesError", "Seat", "SeatLeft", "SeatOut", "State", "StateError", "Step", "Subject", "Transition",
    "Verification", "apply", "audience", "bid_odds", "bid_probability", "chance_outcomes", "clause", "count_matching",
    "count_probabilities", "describe", "dump_action", "dump_event", "dump_observation", "dump_state", "explain",
    "hand_outcomes", "information_state_string", "is_legal", "legal_calls", "load_action", "load_call", "load_event",
    "load_observation", "load_state", "new_game", "observe", "parse_call", "probability_exact", "probability_holds",
    "read_record", "record_of", "replay", "replay_steps", "sample_reroll", "sample_roll", "sample_state", "set_up",
    "settle_claims", "smallest_raise", "visible_events", "why_illegal",
]  # fmt: skip

COMPILED: Final = Path(_steps.__file__).suffix != ".py"
"""True in the compiled build: the wheels for one platform, in which the modules that every call needs are compiled."""

publish(globals())

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """Return the version, which is read when it is first asked for."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return installed_version()
