"""Find the files of web pages: those of the channel, and those that features bring in folders of their own."""

from pathlib import Path
from typing import Final

from telegram_bot.presentation.features import PAGE_PARTS

STATIC: Final = Path(__file__).with_name("static")
SERVED: Final = frozenset({".js", ".css", ".svg", ".txt", ".woff2", ".json"})
FEATURES: Final = "features"
"""The folder of the features' files on pages, the module that lists their modules, and the style of them all."""


def static_file(name: str) -> Path | str | None:
    """Return the file or the text under an untrusted name, or None if there is none."""
    if name == f"{FEATURES}.js":
        return _list_of_modules()
    if name == f"{FEATURES}.css":
        styles = (part.folder / f"{feature}.css" for feature, part in PAGE_PARTS.items())
        return "".join(style.read_text(encoding="utf-8") for style in styles if style.is_file())
    if "\0" in name:
        return None
    folder, _, inner = name.partition("/")
    feature, _, file = inner.partition("/")
    base = PAGE_PARTS[feature].folder if folder == FEATURES and feature in PAGE_PARTS else None
    root = (base or STATIC).resolve()
    path = (root / (file if base else name)).resolve()
    return path if path.is_relative_to(root) and path.suffix in SERVED and path.is_file() else None


def _list_of_modules() -> str:
    """Return a module that imports those of all features."""
    names = list(PAGE_PARTS)
    lines = [f'import * as {name} from "./{FEATURES}/{name}/{name}.js";' for name in names]
    return "\n".join((*lines, f"export const features = [{', '.join(names)}];", ""))
