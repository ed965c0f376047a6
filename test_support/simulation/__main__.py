"""Play evenings: some by their seeds, or new ones for a while. Prints each seed that fails, with what is wrong.

python -m test_support.simulation 7 8          the evenings of these seeds; --trace prints all that happened
python -m test_support.simulation --seconds 60 new seeds for a minute
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import ExitStack
from functools import cache
from itertools import count, takewhile
from pathlib import Path
from random import SystemRandom

from test_support.postgres import running_postgres
from test_support.simulation.evening import drawn, played
from test_support.simulation.world import House


def again(seed: int) -> str:
    """Return the command that plays an evening again."""
    return f"    again: PYTHONHASHSEED=0 python -m test_support.simulation {seed} --trace\n"


def told(seed: int, house: House, cpu: float, totals: Counter[str], asked: argparse.Namespace) -> bool:
    """Print what happened in an evening, and return whether it failed."""
    totals.update(house.counts + Counter({"evenings": 1, "calls of the Bot API": house.world.calls.total}))
    if asked.trace:
        sys.stdout.write(house.retold() + "\n")
    if asked.seeds or house.failures:
        sys.stdout.write(
            f"seed {seed}: {cpu:.1f} CPU s, {house.loop.time():.0f} s of the evening, {dict(house.counts)}\n"
        )
    if house.failures:
        sys.stdout.writelines(f"    {each}\n" for each in house.failures)
        sys.stdout.write(again(seed))
    sys.stdout.flush()
    return bool(house.failures)


def main() -> int:
    """Return 1 if an evening fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=int, nargs="*")
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--trace", action="store_true")
    asked = parser.parse_args()
    end = time.perf_counter() + asked.seconds
    fresh = count(SystemRandom().randrange(10**6))
    seeds = asked.seeds or takewhile(lambda _: time.perf_counter() < end, fresh)
    totals, failed = Counter[str](), 0
    with ExitStack() as stack:
        postgresql = cache(lambda: stack.enter_context(running_postgres()))
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                began = time.process_time()
                try:
                    house = played(drawn(seed), Path(folder), postgresql)
                except Exception:  # noqa: BLE001 - a hunt goes on with the next evening
                    sys.stdout.write(f"seed {seed} ended early:\n{traceback.format_exc()}{again(seed)}")
                    failed += 1
                    continue
                cpu = time.process_time() - began
            failed += told(seed, house, cpu, totals, asked)
    sys.stdout.write(f"{failed} failed of {', '.join(f'{number} {name}' for name, number in sorted(totals.items()))}\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
