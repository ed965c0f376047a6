"""The page on the architecture lists the stack that a tapped bid really has."""

import subprocess
import sys

from test_support.world import ROOT


def test_the_page_lists_the_longest_stack_of_a_tapped_bid() -> None:
    traced = [sys.executable, "-m", "benchmarks.trace", "--check"]
    done = subprocess.run(traced, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert done.returncode == 0, f"`python -m benchmarks.trace --write` writes it\n{done.stdout}\n{done.stderr}"
