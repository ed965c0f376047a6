"""Type the developers' commands in a copy of the repository: a part of `.ci/run test-release`."""

import sys
import tempfile
from pathlib import Path
from typing import Final

from test_support.documents import ROOT
from tests.operating import private_machine as machine
from tests.operating.commands import IN_A_COPY
from tests.operating.release import Stranger, examples

SERVES: Final = "python -m telegram_sandbox"
"""The end of the command that runs until Ctrl-C."""


def main() -> None:
    """Type all of them, in their order."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "perudo"
        machine.copy_of_the_repository(ROOT, copy)
        for folder in (".venv", ".tools"):
            (copy / folder).symlink_to(ROOT / folder)
        uv = copy / ".local/bin/uv"
        uv.parent.mkdir(parents=True)
        uv.symlink_to(ROOT / ".tools/bin/uv")
        developer = Stranger(copy, sys.executable, copy / "no-packages", Path("/dev/null"), account=None)
        for line in IN_A_COPY:
            if "my_game.py" in line:  # the reader saves the page's example
                developer.write("my_game.py", "\n".join(examples("perudo_core/README.md")))
            if line.endswith(SERVES):
                with developer.running(line, "http://"):
                    pass
            else:
                developer.type(line, given="continue\n" * 1000)


if __name__ == "__main__":
    main()
