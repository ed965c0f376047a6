"""Play new evenings of the heart for a while. A failure is shortened and printed as a program, which repeats it.

python -m test_support.simulation.heart_hunt --seconds 60
"""

import argparse
import logging
import sys
import time
from collections import Counter
from itertools import cycle
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.simulation.heart_mutants import SHARE, evenings
from test_support.world import copy_migrated_database

BATCH: Final = 20
"""So many evenings have one source of chance."""


def main() -> int:
    """Return 1 if an evening fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    end = time.perf_counter() + parser.parse_args().seconds
    install(FEATURES)
    logging.getLogger("telegram_bot").propagate = False
    played, failures = Counter[str](), 0
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        copy_migrated_database(empty)
        for kind in cycle(SHARE):
            if time.perf_counter() > end:
                break
            number, failed, faults = evenings(
                kind, None, BATCH, empty, source=SystemRandom().randrange(10**9), shrinks=True
            )
            played[kind] += number
            if failed is not None:
                failures += 1
                sys.stdout.write(f"{failed!r}\n" + "".join(f"    {fault}\n" for fault in faults))
                sys.stdout.flush()
    sys.stdout.write(f"{failures} failed of {', '.join(f'{number} {kind}' for kind, number in played.items())}\n")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
