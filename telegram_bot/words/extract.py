"""Collect the sentences of the sources: `python -m telegram_bot.words.extract`.

Run from the project's folder, it rewrites the catalogue of every language but English, whose sentences are the keys: a
new sentence gets an empty `msgstr`, an unused one is removed, and translations do not change. A changed sentence gets
the translation of the most similar one that is gone, marked as fuzzy: the bot says it in English until someone has
looked at it and removed the mark. The files have no dates and no line numbers, so they change only when a sentence
does. A sentence that only a feature says is in a file of the feature's own folder.
"""

import io
import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg  # type: ignore[attr-defined]
from babel.messages.pofile import read_po, write_po

from telegram_bot.words.catalogue import DOMAIN, FEATURES_DIR, LANGUAGES, LOCALE_DIR, feature_locales, po_path
from telegram_bot.words.languages import ENGLISH

KEYWORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("say", "mark")),
    **dict.fromkeys(("count", "mark_plural"), (1, 2)),
    **dict.fromkeys(("context_say", "mark_in_context"), ((1, "c"), 2)),
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
    """Return the sentences of the sources with file and line; the sources are read once."""
    with (root / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    return tuple(extract_from_dir(root, methods, options, KEYWORDS, NOTES_START_WITH))


def sentences(root: Path = ROOT) -> Catalog:
    """Return the sentences of the sources, each with the files that contain it."""
    return _catalog(_found_in(root))


def sentences_of(feature: str | None, root: Path = ROOT) -> Catalog:
    """Return the sentences of the base game; for a feature, those that the base game does not say."""
    base = _catalog(each for each in _found_in(root) if _feature_of(each[0]) is None)
    if feature is None:
        return base
    own = (each for each in _found_in(root) if _feature_of(each[0]) == feature)
    return _catalog(each for each in own if base.get(each[2], each[4]) is None)


def _feature_of(file: str) -> str | None:
    """Return the feature that contains a source, or None if it is in none."""
    _, inside, rest = Path(file).as_posix().partition("telegram_bot/features/")
    return rest.partition("/")[0] if inside and "/" in rest else None


def _catalog(found: Iterable[tuple[Any, ...]]) -> Catalog:
    catalog = Catalog(domain=DOMAIN, header_comment=_HEADER, charset="utf-8", fuzzy=False)
    for name, line, message, notes, context in found:
        catalog.add(
            message,
            "",
            locations=[(Path(name).as_posix(), line)],
            auto_comments=notes,
            context=context,
        )
    return catalog


@cache
def _read(path: Path, language: str) -> Catalog:
    """Return the content of a file, which is read once."""
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN, abort_invalid=True)


def catalogue_of(language: str, found: Catalog, paths: Iterable[Path]) -> Catalog:
    """Return the sentences with the translations of these files, of which the first counts most."""
    known = [_read(path, language) for path in paths if path.exists()]
    gone = {_english(each): each for file in known[:1] for each in file if found.get(each.id, each.context) is None}
    catalog = Catalog(locale=language, domain=DOMAIN, header_comment=_HEADER, charset="utf-8", fuzzy=False)
    for message in found:
        if not message.id:
            continue
        translated = (each.get(message.id, message.context) for each in known)
        earlier = next((each for each in translated if each is not None), None)
        if earlier is None:
            similar = get_close_matches(_english(message), gone, n=1)
            earlier = next((gone[each] for each in similar if gone[each].pluralizable == message.pluralizable), None)
        elif earlier.id != message.id:
            earlier = None
        is_fuzzy = earlier is not None and any(earlier.string) and (earlier.fuzzy or earlier.id != message.id)
        catalog.add(
            message.id,
            message.string if earlier is None else earlier.string,
            locations=message.locations,
            flags=("fuzzy",) if is_fuzzy else (),
            auto_comments=message.auto_comments,
            user_comments=() if earlier is None else earlier.user_comments,
            context=message.context,
        )
    return catalog


def _english(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def written(catalog: Catalog) -> str:
    """Return the text of the file of a catalogue."""
    file = io.BytesIO()
    write_po(file, catalog, width=0, sort_output=True, include_lineno=False)
    return _DATED.sub("", file.getvalue().decode("utf-8"))


def files(root: Path = ROOT) -> dict[Path, str]:
    """Return every catalogue file, with the text that it must have to match the sources."""
    features = sorted({feature for each in _found_in(root) if (feature := _feature_of(each[0])) is not None})
    everywhere = (LOCALE_DIR, *feature_locales())
    written_files = {}
    for feature in (None, *features):
        folder = LOCALE_DIR if feature is None else FEATURES_DIR / feature / "locale"
        found = sentences_of(feature, root)
        for language in LANGUAGES:
            if language != ENGLISH and len(found):
                paths = (po_path(language, each) for each in (folder, *everywhere))
                written_files[po_path(language, folder)] = written(catalogue_of(language, found, paths))
    return written_files


def main() -> int:
    """Rewrite the files that are out of date."""
    for path, text in files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            look = f"; {waiting} to look at, marked as fuzzy" if (waiting := text.count("\n#, fuzzy")) else ""
            sys.stdout.write(f"{path.relative_to(ROOT)}: rewritten{look}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
