"""Play evenings again, or new ones, every second of which is played twice with other dice; print what fails.

python -m test_support.simulation 7 8            the evenings of these seeds; --trace prints what happened
python -m test_support.simulation --secret 7     one that is played twice
python -m test_support.simulation --seconds 60   new ones; those that fail are shortened
"""

import argparse
import gc
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import fields, replace
from functools import cache
from itertools import count
from pathlib import Path
from random import SystemRandom
from typing import Final

from test_support.postgres import PostgresServer, running_postgres
from test_support.simulation.evening import drawn, drawn_secret, early_differences, played
from test_support.simulation.world import House, Plan

SHRINK_SECONDS: Final = 60.0
"""The longest time in which a shorter evening that fails is looked for."""


class Hunt:
    """Evenings, and how many of what there was in them."""

    def __init__(self, postgresql: Callable[[], PostgresServer]) -> None:
        self.postgresql = postgresql
        self.totals = Counter[str](failed=0)
        self.house: House | None = None
        """The last evening that came to its end."""

    def failures(self, plan: Plan) -> list[str]:
        """Play an evening, or one twice; return what is wrong, also if it ends early."""
        self.house = None
        with tempfile.TemporaryDirectory() as folder:
            try:
                if not plan.rests:
                    return list(early_differences(plan, Path(folder)))
                self.house = played(plan, Path(folder), self.postgresql)
            except Exception:  # noqa: BLE001 - a hunt goes on with the next evening
                return [f"ended early: {traceback.format_exc()}"]
        return self.house.failures

    def evening(self, seed: int, *, secret: bool, again: bool, trace: bool = False) -> None:
        plan, began = drawn_secret(seed) if secret else drawn(seed), time.process_time()
        found = self.failures(plan)
        self.totals["secret evenings" if secret else "evenings"] += 1
        self.totals["failed"] += bool(found)
        if self.house is not None:
            self.totals.update(self.house.counts + Counter({"calls of the Bot API": self.house.world.calls.total}))
        if not (found or again):
            return
        lines = [self.house.retold()] * trace if self.house is not None else []
        lines += [f"seed {seed}: {time.process_time() - began:.1f} CPU s", *(f"    {each}" for each in found)]
        if found and not again:
            command = "PYTHONHASHSEED=0 python -m test_support.simulation"
            lines += [f"    again: {command} {'--secret ' * secret}{seed} --trace"]
            lines += [f"    shorter: {self.shortened(plan)!r}"]
        print("\n".join(lines), flush=True)  # noqa: T201 - it is what a hunt tells

    def shortened(self, plan: Plan) -> Plan:
        """Return an evening with fewer faults, people and acts that fails as well, if one is found in time."""
        end, tries = time.perf_counter() + SHRINK_SECONDS, simpler(plan)
        while time.perf_counter() < end and (other := next(tries, None)) is not None:
            if self.failures(other):
                plan, tries = other, simpler(other)
        return plan


def simpler(plan: Plan) -> Iterator[Plan]:
    """Yield evenings with less in them."""
    usual = Plan(plan.seed)
    for name in (each.name for each in fields(Plan) if each.name not in ("people", "script", "acts", "rests")):
        if getattr(plan, name) != getattr(usual, name):
            yield replace(plan, **{name: getattr(usual, name)})
    for name in plan.faults:
        yield replace(plan, faults={each: share for each, share in plan.faults.items() if each != name})
    if plan.acts:
        yield from (replace(plan, acts=acts) for acts in (plan.acts // 2, plan.acts - 5, plan.acts - 1) if acts >= 0)
    for number, (_, what) in enumerate(plan.script):
        if not what.startswith("dice="):
            yield replace(plan, script=plan.script[:number] + plan.script[number + 1 :])
    yield from (replace(plan, people=plan.people[:-1]) for _ in plan.people[1:2] if plan.rests)


def main() -> int:
    """Return 1 if an evening fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="*", type=int)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--secret", action="store_true")
    parser.add_argument("--trace", action="store_true")
    asked = parser.parse_args()
    end = time.perf_counter() + asked.seconds
    gc.freeze()  # each evening ends with a collection, which would look at all modules
    with ExitStack() as stack:
        hunt = Hunt(cache(lambda: stack.enter_context(running_postgres())))
        for seed in asked.seeds:
            hunt.evening(seed, secret=asked.secret, again=True, trace=asked.trace)
        for number in () if asked.seeds else count(1):
            if time.perf_counter() > end:
                break
            hunt.evening(SystemRandom().randrange(10**6), secret=number % 2 == 0, again=False)
    failed = hunt.totals.pop("failed")
    told = ", ".join(f"{number} {name}" for name, number in sorted(hunt.totals.items()))
    sys.stdout.write(f"{failed} failed of {told}\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
