"""`.ci/run test-features`: delete each feature and run `make test-fast`, each time in a copy of the files.

A feature is its folder and its tests. `all` deletes every feature at once.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from telegram_bot.features import FEATURES
from test_support.child_processes import copy_known_files, run

ROOT: Final = Path(__file__).parents[1]
ALL: Final = "all"


def passes_without(feature: str) -> bool:
    """Return whether the tests of `make test-fast` pass, except those of the core and of languages.

    Without any feature, the tests that compare features are left out as well.
    """
    of_features = ("tests/telegram_bot/features/",) if feature == ALL else ()
    left_out = ("tests/perudo_core", "tests/telegram_bot/words/", *of_features)
    with tempfile.TemporaryDirectory(prefix=f"perudo-without-{feature}-") as scratch:
        folder = Path(scratch)
        copy_known_files(ROOT, folder)
        for shared in (".venv", ".tools"):
            (folder / shared).symlink_to(ROOT / shared)
        for each in [other.name for other in FEATURES] if feature == ALL else [feature]:
            for part in ("telegram_bot/features", "tests/telegram_bot/features"):
                shutil.rmtree(folder / part / each)
        listing = ("make", "--no-print-directory", "-s", "-f", ".ci/maintainers.mk", "fast-tests")
        tests = run(*listing, cwd=folder, check=True).stdout.split()
        chosen = " ".join(test for test in tests if not test.startswith(left_out))
        command = ["make", "--no-print-directory", "test-fast", f"FAST_TESTS={chosen}"]
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode == 0  # noqa: S603 - from above


def main() -> int:
    """Try it without all features and without each, or without those that are named; return how many cannot go."""
    names = [ALL, *(feature.name for feature in FEATURES)]
    if unknown := set(sys.argv[1:]).difference(names):
        sys.exit(f"No feature: {', '.join(sorted(unknown))}. There are: {', '.join(names)}")
    failed = []
    for feature in sys.argv[1:] or names:
        print(f"=== without {feature}", flush=True)  # noqa: T201
        if not passes_without(feature):
            failed.append(feature)
    print("The tests passed without each of them." if not failed else f"Cannot be deleted: {', '.join(failed)}")  # noqa: T201
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main())
