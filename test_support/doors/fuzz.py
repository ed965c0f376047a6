"""Hunt for inputs of a door that needs no bot, guided by the code that they reach.

`.ci/run fuzz DOOR=words SECONDS=600`
"""

import argparse
import asyncio
import inspect
import sys

import atheris  # `.ci/run fuzz` brings it

with atheris.instrument_imports(include=["telegram_bot", "perudo_core"]):
    from telegram_bot.feature import install
    from telegram_bot.features import FEATURES

    install(FEATURES)
    from test_support.doors.doors import DOORS, Door

from hypothesis import HealthCheck, given, settings


def is_pure(door: Door) -> bool:
    return next(iter(inspect.signature(door.check).parameters)).startswith("_")


def main() -> None:
    """Try inputs until one fails or the time is over; libFuzzer prints what failed, and ends the process."""
    doors = {door.name: door for door in DOORS if is_pure(door)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("door", choices=doors)
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    door = doors[options.door]

    @settings(suppress_health_check=list(HealthCheck), deadline=None, database=None)
    @given(door.inputs)
    def holds(one: object) -> None:
        asyncio.run(door.check(None, one))  # type: ignore[arg-type]

    limits = [f"-max_total_time={options.seconds}", "-max_len=8192"]
    atheris.Setup([sys.argv[0], *limits], holds.hypothesis.fuzz_one_input)  # type: ignore[attr-defined]
    atheris.Fuzz()


if __name__ == "__main__":
    main()
