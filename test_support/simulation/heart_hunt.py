"""Play new evenings of the heart for a while. A failure is shortened and printed as a program, which repeats it.

python -m test_support.simulation.heart_hunt --seconds 60
python -m test_support.simulation.heart_hunt deaths 123 7     the seventh evening of this kind and source of chance
"""

import argparse
import logging
import re
import sys
from collections import Counter
from itertools import cycle
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.open_database import copy_migrated_database
from test_support.simulation.heart_evenings import SHARE, Played, evenings

SHRINK_SECONDS: Final = 30.0
"""The longest time in which a shorter evening that fails is looked for."""


def main() -> int:
    """Return 1 if an evening fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", choices=tuple(SHARE))
    parser.add_argument("source", nargs="?", type=int, default=0)
    parser.add_argument("evening", nargs="?", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    end = perf_counter() + asked.seconds
    install(FEATURES)
    logging.getLogger("telegram_bot").propagate = False
    totals, failed = Counter[str](), 0
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        copy_migrated_database(empty)
        for kind in [asked.kind] if asked.kind else cycle(SHARE):
            if perf_counter() > end:
                break
            source = asked.source if asked.kind else SystemRandom().randrange(10**9)
            played = evenings(
                kind, source, empty, first=asked.evening, end=end, shrinks=min(SHRINK_SECONDS, asked.seconds / 4)
            )
            totals += Counter({f"{kind} evenings": played.evenings, "acts": played.acts, "kills": played.kills})
            if played.failed is not None:
                failed += 1
                sys.stdout.write(told(kind, source, played))
                sys.stdout.flush()
    sys.stdout.write(f"{failed} failed of {', '.join(f'{number} {name}' for name, number in totals.items())}\n")
    return int(failed > 0)


def told(kind: str, source: int, played: Played) -> str:
    """Return what is printed about an evening that failed."""
    again = f"again: PYTHONHASHSEED=0 python -m test_support.simulation.heart_hunt {kind} {source} {played.number}"
    # The members of enumerations, as Python reads them:
    program = re.sub(r"<(\w+\.\w+): '\w+'>", r"\1", repr(played.failed))
    lines = [*played.faults, again, f"shorter: played({program}, empty)[0]"]
    return "an evening failed\n" + "".join(f"    {line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
