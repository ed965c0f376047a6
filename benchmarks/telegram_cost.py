"""Print what a game costs in calls to Telegram, as a Markdown table.

Run it with `python -m benchmarks.telegram_cost` from the project's folder.
"""

import tempfile
from pathlib import Path

from telegram_sandbox import virtual_time
from test_support.telegram_cost import measure, table


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        print(table(virtual_time.run(measure(Path(folder)))))


if __name__ == "__main__":
    main()
