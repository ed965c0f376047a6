"""Count which methods of the Bot API the sources of bots name, and whether the sandbox answers them.

    python -m test_support.bot_api_uses FOLDER ...

Each folder is one bot. A source names a method as `sendMessage`, `SendMessage` or `send_message`; `close` is left out,
a word of every program. Prints Markdown, the methods that most bots name first.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from telegram_sandbox.bot_api import endpoint  # noqa: F401 - fills the table of methods
from telegram_sandbox.bot_api.method_names import METHOD_NAMES
from telegram_sandbox.bot_api.registry import HANDLERS

ENDINGS = frozenset({".cs", ".go", ".java", ".js", ".kt", ".mjs", ".php", ".py", ".rb", ".rs", ".ts"})
LIBRARIES = frozenset({".git", ".venv", "node_modules", "vendor"})


def methods_named(folder: Path) -> set[str]:
    """Return the methods that the sources of a bot name, without those of libraries in its folder."""
    named: set[str] = set()
    for path in folder.rglob("*"):
        if path.suffix in ENDINGS and path.is_file() and not LIBRARIES.intersection(path.relative_to(folder).parts):
            words = re.findall(r"[A-Za-z_]+", path.read_text(encoding="utf-8", errors="replace"))
            named.update(METHOD_NAMES.get(word.replace("_", "").lower(), "") for word in set(words))
    return named - {"", "close"}


def table(folders: Iterable[Path]) -> str:
    counts = Counter(name for folder in folders for name in methods_named(folder))
    answered = sum(name.lower() in HANDLERS for name in counts)
    lines = [f"They name {len(counts)} methods, of which the sandbox answers {answered}.", ""]
    lines += ["| method | bots | sandbox |", "| --- | --: | --- |"]
    for name, bots in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        lines.append(f"| `{name}` | {bots} | {'answers' if name.lower() in HANDLERS else 'refuses'} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table(map(Path, sys.argv[1:]))}\n")
