"""Find the files of web pages: those of the channel, and those that features bring in folders of their own."""

import re
from functools import cache
from html import escape
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

from telegram_bot.presentation.features import PAGE_PARTS
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.page import page_words, unstarted_text

STATIC: Final = Path(__file__).with_name("static")
SERVED: Final = frozenset({".js", ".css", ".svg", ".txt", ".woff2", ".json"})
FEATURES: Final = "features"
"""The folder of the features' files on pages, and the style of them all."""
TELEVISION: Final = "tv"
"""The page of televisions, and the name of a feature's module and style for it alone."""
NAMES: Final = f"{FEATURES}/names.js"
"""The module that lists the features."""
TELEVISION_NAMES: Final = f"{FEATURES}/{TELEVISION}_names.js"
"""The module that lists the features with a module for televisions."""
_IMPORTED: Final = re.compile(r' from "(\.[^"]+)";')


def static_file(name: str) -> Path | str | None:
    """Return the file or the text under an untrusted name, or None if there is none."""
    if name == NAMES:
        return f"export const names = {list(PAGE_PARTS)};\n"
    if name == TELEVISION_NAMES:
        return f"export const names = {_on_televisions()};\n"
    if name in (f"{FEATURES}.css", f"{FEATURES}_{TELEVISION}.css"):
        file = TELEVISION if name.endswith(f"_{TELEVISION}.css") else None
        styles = (part.folder / f"{file or feature}.css" for feature, part in PAGE_PARTS.items())
        return "".join(style.read_text(encoding="utf-8") for style in styles if style.is_file())
    if "\0" in name:
        return None
    folder, _, inner = name.partition("/")
    feature, _, file = inner.partition("/")
    base = PAGE_PARTS[feature].folder if folder == FEATURES and feature in PAGE_PARTS else None
    root = (base or STATIC).resolve()
    path = (root / (file if base else name)).resolve()
    return path if path.is_relative_to(root) and path.suffix in SERVED and path.is_file() else None


def _on_televisions() -> list[str]:
    return [feature for feature, part in PAGE_PARTS.items() if (part.folder / f"{TELEVISION}.js").is_file()]


def page_html(name: str, language: str) -> str:
    """Return a page: `guest`, `tv` or `app`.

    It has the links that let a browser ask for all modules at once, and what a page says before its sentences have
    come, or if its modules do not run.
    """
    links = (f'<link rel="modulepreload" href="/seat/static/{each}">' for each in _modules(name, tuple(PAGE_PARTS)))
    unstarted = (f'<p lang="{each}">{escape(unstarted_text(catalogue(each)))}</p>' for each in LANGUAGES)
    parts = {
        "<!-- modules -->": "\n".join(links),
        "<!-- lost -->": escape(page_words(catalogue(language))["lost"]),
        "<!-- unstarted -->": "\n".join(unstarted),
    }
    return re.sub(r"<!-- \w+ -->", lambda found: parts[found[0]], (STATIC / f"{name}.html").read_text("utf-8"))


@cache
def _modules(page: str, features: tuple[str, ...]) -> list[str]:
    """Return the modules that a page's module and those of features import, and they themselves."""
    more = _on_televisions() if page == TELEVISION else []
    found = [
        f"{page}.js",
        *(f"{FEATURES}/{each}/{each}.js" for each in features),
        *(f"{FEATURES}/{each}/{TELEVISION}.js" for each in more),
    ]
    for name in found:  # grows meanwhile
        file = static_file(name)
        text = file.read_text("utf-8") if isinstance(file, Path) else file or ""
        imported = (normpath(join(dirname(name), path)) for path in _IMPORTED.findall(text))
        found += [each for each in dict.fromkeys(imported) if each not in found]
    return found
