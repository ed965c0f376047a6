"""`python -m perudo_core.testing`: prove this library against its own data, and say where the data are."""

import sys
from importlib.resources import files

from perudo_core.testing import FOLDER, check_engine


def main() -> None:
    """Prove and print."""
    report = check_engine()
    sys.stdout.write(
        f"{report.perft} perft counts, {report.steps} steps, {report.refusals} refusals: as they should be\n"
    )
    sys.stdout.write(f"{files('perudo_core.testing').joinpath(FOLDER)}\n")


if __name__ == "__main__":  # pragma: no branch
    main()
