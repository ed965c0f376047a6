"""The conformance kit: prove another engine, or a port to another language, against this library.

The data files are plain JSON in the folder that `python -m perudo_conformance` prints, so that a port can read them
itself:

- `perft.json`: the number of ways in which a game can continue, for 1, 2, 3 ... calls, by every book and some house
  rules. Each round is rolled in a fixed pattern: die d of seat s, all from 0, shows (s + d + rounds rolled before)
  mod 6, plus 1. A game that ends before so many calls counts as one way.
- `records/`: whole games, one file for each schema and book, frozen for ever.
- `playthroughs.json`: the facts after each step of those games, and the number of legal calls.
- `houses.json`, `houses_2.json`: the same for short games by some house rules, with the record in the case.
- `houses_3.json` to `houses_6.json`: the same by options that no rulebook has a line for; the rules of a game name
  those that it plays. In `houses_4.json` players roll again after a bid, which is no call; in `houses_5.json` every
  round is a palifico round, or the first seat has one more die; in `houses_6.json` wild ones rank lowest or highest.
- `legal_calls.json`, `legal_calls_2.json` to `legal_calls_5.json`: the legal calls after each step of all these games,
  seat by seat.
- `refusals.json`, `refusals_2.json`: faulty records, with the round and the call (from 1) that is refused, and the
  reason.
- `notation_2.json`: each record's line, in the full form and in the short one; `notation.json` has the lines of
  versions before 0.2, with `forfeit` for `concedes`; every reader still reads them.
- `fair.json`: a secret, a salt, and the dice that follow; `fair_record.json` is a whole game of them.
- `odds.json`: chances as [numerator, denominator].

Or let the kit ask the questions: write an `Engine` around the port and call `check_engine`. A port in another language
answers lines of JSON instead, and `python -m perudo_conformance --engine "COMMAND"` checks it; `--protocol` prints the
requests and answers.
"""

from perudo_conformance._conformance import Report, check_engine
from perudo_conformance._core_engine import CoreEngine, facts_of
from perudo_conformance._data_files import data
from perudo_conformance._differences import ConformanceError
from perudo_conformance._json_lines import CommandEngine
from perudo_conformance._protocols import Engine, FairDiceEngine, NotationEngine, OddsEngine
from perudo_core._public_names import publish
from perudo_core.agents.engines import CommandError, NotOffered, Refused

__all__ = [
    "CommandEngine",
    "CommandError",
    "ConformanceError",
    "CoreEngine",
    "Engine",
    "FairDiceEngine",
    "NotOffered",
    "NotationEngine",
    "OddsEngine",
    "Refused",
    "Report",
    "check_engine",
    "data",
    "facts_of",
]

publish(globals())
