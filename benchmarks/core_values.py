"""Compare the cost of actions as frozen dataclasses with slots and as named tuples, which they are.

python -m benchmarks.core_values
"""

import timeit
from dataclasses import dataclass

from perudo_core import Bid

TIMES = 500_000


@dataclass(frozen=True, slots=True, order=True)
class Slotted:
    """A bid as a frozen dataclass."""

    seat: int
    quantity: int
    face: int


def nanoseconds(statement: str) -> float:
    """Return the shortest time of seven turns."""
    names = globals() | {"named": Bid(1, 2, 3), "slotted": Slotted(1, 2, 3), "make": tuple.__new__}
    return min(timeit.repeat(statement, globals=names, number=TIMES, repeat=7)) / TIMES * 1e9


if __name__ == "__main__":
    print("| | named tuple | frozen dataclass with slots |\n|---|---|---|")
    for what, named, slotted in (
        ("make, as the engine does", "make(Bid, (1, 2, 3))", "Slotted(1, 2, 3)"),
        ("make, as a caller does", "Bid(1, 2, 3)", "Slotted(1, 2, 3)"),
        ("read all fields", "a, b, c = named", "slotted.seat, slotted.quantity, slotted.face"),
        ("hash", "hash(named)", "hash(slotted)"),
    ):
        print(f"| {what} | {nanoseconds(named):.0f} ns | {nanoseconds(slotted):.0f} ns |")
