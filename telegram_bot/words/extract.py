"""Collects the sentences of the sources: `python -m telegram_bot.words.extract`.

Run from the project's folder, it rewrites the catalogue of every language but English, whose sentences are the keys: a
new sentence gets an empty `msgstr`, a sentence that is no longer used is removed, and translations do not change. The
files have no dates and no line numbers, so that they change only when a sentence does.
"""

import io
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg  # type: ignore[attr-defined]
from babel.messages.pofile import read_po, write_po

from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.catalogue import DOMAIN, LANGUAGES, LOCALE_DIR, po_path

KEYWORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("say", "mark")),
    **dict.fromkeys(("count", "mark_plural"), (1, 2)),
    "context_say": ((1, "c"), 2),
}
NOTES_START_WITH: Final = ("Translators:",)
ROOT: Final = Path(__file__).parents[2]
_HEADER: Final = "# The sentences of the bot. Written by `python -m telegram_bot.words.extract`."
_DATED: Final = re.compile(
    r'^"(Project-Id-Version|Report-Msgid-Bugs-To|POT-Creation-Date|PO-Revision-Date|Last-Translator|Language-Team|'
    r'Generated-By): .*"\n',
    re.MULTILINE,
)


@cache
def _found_in(root: Path) -> tuple[tuple[Any, ...], ...]:
    """What the sources say, each time with its file and line; they are read once."""
    with (root / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    return tuple(extract_from_dir(root, methods, options, KEYWORDS, NOTES_START_WITH))


def sentences(root: Path = ROOT) -> Catalog:
    """The sentences of the sources, each with the files that contain it."""
    catalog = Catalog(domain=DOMAIN, header_comment=_HEADER, charset="utf-8", fuzzy=False)
    for name, line, message, notes, context in _found_in(root):
        catalog.add(
            message,
            "",
            locations=[(Path(name).as_posix(), line)],
            auto_comments=notes,
            context=context,
        )
    return catalog


def catalogue_of(language: str, root: Path = ROOT, folder: Path = LOCALE_DIR) -> Catalog:
    """The sentences of the sources with the translations that a catalogue already contains."""
    path = po_path(language, folder)
    known: Catalog | None = None
    if path.exists():
        with path.open("rb") as file:
            known = read_po(file, locale=language, domain=DOMAIN, abort_invalid=True)
    catalog = Catalog(locale=language, domain=DOMAIN, header_comment=_HEADER, charset="utf-8", fuzzy=False)
    for message in sentences(root):
        if not message.id:
            continue
        earlier = None if known is None else known.get(message.id, message.context)
        said = message.string if earlier is None or earlier.fuzzy or earlier.id != message.id else earlier.string
        catalog.add(
            message.id,
            said,
            locations=message.locations,
            auto_comments=message.auto_comments,
            user_comments=() if earlier is None else earlier.user_comments,
            context=message.context,
        )
    return catalog


def written(catalog: Catalog) -> str:
    """The text of the file of a catalogue."""
    file = io.BytesIO()
    write_po(file, catalog, width=0, sort_output=True, include_lineno=False)
    return _DATED.sub("", file.getvalue().decode("utf-8"))


def files(root: Path = ROOT) -> dict[Path, str]:
    """Every catalogue file, with the text that it must have to match the sources."""
    return {po_path(language): written(catalogue_of(language, root)) for language in LANGUAGES if language != ENGLISH}


def main() -> int:
    """Rewrite the files that are out of date."""
    for path, text in files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}: rewritten\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
