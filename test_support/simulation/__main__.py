"""Play evenings again, or new ones for a while: half of it the whole bot's, then the heart's. Prints what fails.

python -m test_support.simulation 7 8            the whole bot's evenings of these seeds; --trace prints what happened
python -m test_support.simulation deaths 123 7   the heart's seventh evening of this kind and source of chance
python -m test_support.simulation --seconds 60   new ones; those of the heart that fail are shortened
"""

import argparse
import gc
import logging
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from functools import cache
from itertools import count, cycle, takewhile
from pathlib import Path
from random import SystemRandom
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.open_database import copy_migrated_database
from test_support.postgres import running_postgres
from test_support.simulation.evening import drawn, played
from test_support.simulation.heart_programs import SHARE, Played, evenings
from test_support.simulation.world import House

AGAIN: Final = "    again: PYTHONHASHSEED=0 python -m test_support.simulation"
SHRINK_SECONDS: Final = 30.0
"""The longest time in which a shorter evening that fails is looked for."""


def told(seed: int, house: House, cpu: float, *, trace: bool) -> str:
    lines = [house.retold()] * trace
    lines += [f"seed {seed}: {cpu:.1f} CPU s, {house.loop.time():.0f} s of the evening, {dict(house.counts)}"]
    lines += [f"    {each}" for each in house.failures] + [f"{AGAIN} {seed} --trace"] * bool(house.failures)
    return "\n".join(lines) + "\n"


def told_of_heart(kind: str, source: int, found: Played) -> str:
    """Return what is printed about an evening of the heart that failed."""
    # The members of enumerations, as Python reads them:
    program = re.sub(r"<(\w+\.\w+): '\w+'>", r"\1", repr(found.failed))
    lines = [f"    {fault}" for fault in found.faults]
    lines += [f"{AGAIN} {kind} {source} {found.number}", f"    shorter: played({program}, empty)[0]"]
    return "\n".join(["an evening failed", *lines]) + "\n"


def summary(totals: Counter[str]) -> int:
    """Print the numbers of a level; return how many evenings failed."""
    failed = totals.pop("failed", 0)
    sys.stdout.write(f"{failed} failed of {', '.join(f'{number} {name}' for name, number in sorted(totals.items()))}\n")
    return failed


def of_the_house(seeds: Iterable[int], *, verbose: bool, trace: bool = False) -> int:
    totals = Counter[str]()
    with ExitStack() as stack:
        postgresql = cache(lambda: stack.enter_context(running_postgres()))
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                began = time.process_time()
                try:
                    house = played(drawn(seed), Path(folder), postgresql)
                except Exception:  # noqa: BLE001 - a hunt goes on with the next evening
                    sys.stdout.write(f"seed {seed} ended early:\n{traceback.format_exc()}{AGAIN} {seed} --trace\n")
                    totals["failed"] += 1
                    continue
            totals.update(house.counts + Counter({"evenings": 1, "calls of the Bot API": house.world.calls.total}))
            totals["failed"] += bool(house.failures)
            if verbose or house.failures:
                sys.stdout.write(told(seed, house, time.process_time() - began, trace=trace))
                sys.stdout.flush()
    return summary(totals)


def of_the_heart(kinds: Iterable[str], seconds: float, source: int | None = None, first: int = 1) -> int:
    install(FEATURES)
    logging.getLogger("telegram_bot").propagate = False
    totals, end = Counter[str](), time.perf_counter() + seconds
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        copy_migrated_database(empty)
        for kind in takewhile(lambda _: time.perf_counter() < end, kinds):
            chosen = SystemRandom().randrange(10**9) if source is None else source
            shrinks = min(SHRINK_SECONDS, seconds / 4)
            found = evenings(kind, chosen, empty, first=first, end=end, shrinks=shrinks)
            totals.update({f"{kind} evenings": found.evenings, "acts": found.acts, "kills": found.kills})
            if found.failed is not None:
                totals["failed"] += 1
                sys.stdout.write(told_of_heart(kind, chosen, found))
                sys.stdout.flush()
    return summary(totals)


def main() -> int:
    """Return 1 if an evening fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", help="seeds, or a kind of the heart's evenings, a source and a number")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--trace", action="store_true")
    asked = parser.parse_args()
    gc.freeze()  # each evening ends with a collection, which would look at all modules
    if asked.which and asked.which[0] in SHARE:
        failed = of_the_heart(asked.which[:1], asked.seconds, *map(int, asked.which[1:]))
    elif asked.which:
        failed = of_the_house(map(int, asked.which), verbose=True, trace=asked.trace)
    else:
        half = asked.seconds / 2
        end = time.perf_counter() + half
        fresh = (SystemRandom().randrange(10**6) for _ in count())
        failed = of_the_house(takewhile(lambda _: time.perf_counter() < end, fresh), verbose=False)
        failed += of_the_heart(cycle(SHARE), half)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
