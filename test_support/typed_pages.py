"""Check the pages' JavaScript with TypeScript against the fields of cards, which Python's types of cards define.

python -m test_support.typed_pages
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile, copytree, ignore_patterns
from tempfile import TemporaryDirectory
from types import GenericAlias
from typing import Any, Final, get_args, get_type_hints

from pydantic import TypeAdapter

from telegram_bot.channels.web.static_files import STATIC
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.presentation.features import PAGE_PARTS
from test_support.all_notices import ALL_NOTICES
from test_support.child_processes import run
from test_support.json_schemas import TYPESCRIPT, typescript

PARTS_OF: Final = {"end": "reveal", "over": "over"}
"""The card of the base game, by its slot, that contains the fields of features' cards with this slot."""
_HEAD: Final = """// The fields of cards, from their types in Python.

interface AnyCard {
  lane: "public" | "private";
  table: number | null;
  text: string;
  at: number;
}
"""
_OPTIONS: Final = ["--checkJs", "--noEmit", "--target", "es2021", "--module", "esnext", "--moduleResolution", "bundler"]
_LIBRARIES: Final = ("--lib", "es2021,dom,dom.iterable")


def cards() -> Iterator[tuple[str, str, type]]:
    """Yield the name, the slot and the fields of each card; the name is "" for fields of another card in the slot."""
    for kind in ALL_NOTICES:
        if kind.card_slot is not None:
            names, fields = get_args(get_type_hints(kind.on_page)["return"])
            yield from ((name, kind.card_slot, fields) for name in get_args(names))


def written() -> str:
    found = list(dict.fromkeys(cards()))
    every: Any = GenericAlias(tuple, tuple(fields for *_, fields in found))
    schemas = TypeAdapter(every).json_schema()["$defs"]
    declared = {name: f"type {name} = {typescript(schema)};\n" for name, schema in schemas.items()}
    slots: dict[str, list[str]] = {}
    for name, slot, fields in found:
        if name:
            parts = [f"Partial<{part.__name__}>" for no, at, part in found if not no and PARTS_OF.get(at) == name]
            bases = ", ".join(["AnyCard", fields.__name__, *parts])
            title = f"{name.title().replace('_', '')}Card"
            declared[title] = f"interface {title} extends {bases} {{ card: {name!r}; slot: {slot!r} }}"
            slots.setdefault(slot, []).append(title)
    by_slot = "".join(f"  {slot}: {' | '.join(names)};\n" for slot, names in slots.items())
    every_card = " | ".join(title for names in slots.values() for title in names)
    return "\n".join([_HEAD, *declared.values(), f"interface Slots {{\n{by_slot}}}", f"type Card = {every_card};\n"])


def lay_out(folder: Path) -> None:
    """Put the pages' modules into a folder as the server serves them, with the types of what they use."""
    copytree(STATIC, folder, ignore=ignore_patterns("vendor"), dirs_exist_ok=True)
    for name, part in PAGE_PARTS.items():
        copytree(part.folder, folder / "features" / name)
    (folder / "cards.d.ts").write_text(written(), encoding="utf-8")
    copyfile(Path(__file__).with_name("pages.d.ts"), folder / "pages.d.ts")


def errors_in(folder: Path) -> str:
    """Return what TypeScript finds in a folder, or nothing."""
    files = (*folder.rglob("*.js"), *folder.glob("*.ts"))
    ended = run("node", TYPESCRIPT, *_OPTIONS, *_LIBRARIES, *files, cwd=folder, timeout=300)
    return ended.stdout + ended.stderr


if __name__ == "__main__":
    install(FEATURES)
    with TemporaryDirectory() as folder:
        lay_out(Path(folder))
        sys.exit(errors_in(Path(folder)) or None)
