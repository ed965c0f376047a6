"""`python -m test_support.delivery_page` writes the table of docs/delivery.md: how each type of notice is sent."""

import re
import sys
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any, Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.service.notices import FeatureNotice
from telegram_bot.service.posting import POLICIES, Depends, PostPolicy
from telegram_bot.tables.model import FrozenModel

PAGE: Final = Path("docs/delivery.md")
_BEGIN, _END = "<!-- table of notices -->\n", "<!-- end of the table -->\n"
_USUAL: Final = PostPolicy()
_NAMES: Final = {field.name: field.name.replace("_", " ") for field in fields(PostPolicy)}


def table() -> str:
    """A line for each notice of the base game that is not sent as usual, and the names of the others."""
    base = {notice: policy for notice, policy in POLICIES.items() if not issubclass(notice, FeatureNotice)}
    usual = [notice.__name__ for notice, policy in base.items() if policy == _USUAL]
    lines = [
        "| notice | sent as follows |\n|---|---|\n",
        f"| as usual | {_described(_USUAL, [*_NAMES])} |\n",
        *(
            f"| `{notice.__name__}` | {_described(policy, _differences(policy))} |\n"
            for notice, policy in base.items()
            if policy != _USUAL
        ),
        f"\nSent as usual: {', '.join(f'`{name}`' for name in usual)}.\n",
        "\nA feature says in its folder how its notices are sent; most are sent as usual.\n",
    ]
    return "".join(lines)


def _differences(policy: PostPolicy) -> list[str]:
    return [name for name in _NAMES if getattr(policy, name) != getattr(_USUAL, name)]


def _described(policy: PostPolicy, names: list[str]) -> str:
    return "; ".join(f"{_NAMES[name]}: {_value(getattr(policy, name))}" for name in names)


def _value(value: Any) -> str:
    if isinstance(value, Depends):
        return value.described
    if isinstance(value, Enum):
        return value.name.lower().replace("_", " ")
    if isinstance(value, FrozenModel):
        return f"`{type(value).__name__}`"
    return "yes" if value else "none" if value is None else "no"


def page(root: Path) -> str:
    """The page as it has to be."""
    written = (root / PAGE).read_text(encoding="utf-8")
    between = re.compile(f"(?<={re.escape(_BEGIN)}).*(?={re.escape(_END)})", re.DOTALL)
    return between.sub(lambda _: f"\n{table()}\n", written)


if __name__ == "__main__":
    install(FEATURES)
    PAGE.write_text(page(Path()), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
