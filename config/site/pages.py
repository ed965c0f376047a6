"""The site's pages: every document of the repository, and the reference. The menu is the index `docs/README.md`."""

import json
import os
import re
from importlib import import_module
from io import BytesIO
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.page import page_words
from test_support.documents import PAGES

ROOT = Path(__file__).parents[2]
SETTINGS = "config/bot.toml"
"""The file is its own documentation: the site shows it as a page."""
DOCUMENTS = {str(page.relative_to(ROOT)) for page in PAGES}
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#)(?P<path>[^)#]+)(?P<place>[^)]*)\)")
MODULES = (
    "perudo_core",
    "perudo_core.agents",
    "perudo_core.agents.arena",
    "perudo_core.analysis",
    "perudo_core.batch",
    "perudo_core.english",
    "perudo_core.fair",
    "perudo_core.fair_record",
    "perudo_core.gymnasium",
    "perudo_core.notation",
    "perudo_core.odds",
    "perudo_core.openspiel",
    "perudo_core.pettingzoo",
    "perudo_core.solving",
    "perudo_core.stirs",
    "perudo_conformance",
)
FIRST = ("new_game", "apply", "legal_calls", "observe", "sample_roll", "State", "Observation", "Rules")
"""The first entries of the reference; the rest follows by kind and name."""

PLAY = ROOT / "config/site/play"
STATIC = ROOT / "telegram_bot/channels/web/static"
PYODIDE = ROOT / ".tools/site/node_modules/pyodide"
PYTHON = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")


def table() -> dict[str, bytes]:
    """Return the files of the first page's table: parts of the bot's page, Python for browsers, and perudo_core."""
    parts = (*STATIC.glob("*.js"), *STATIC.glob("vendor/*"), STATIC / "table.css", STATIC / "icon.svg")
    files = {str(part.relative_to(STATIC)): part.read_bytes() for part in parts}
    files |= {name: (PYODIDE / name).read_bytes() for name in PYTHON}
    files |= {own.name: own.read_bytes() for own in PLAY.glob("*.[jc]*s")}  # net.js is in place of the bot's
    files["features/names.js"] = b"export const names = [];"
    files["words.json"] = json.dumps(page_words(catalogue("en"))).encode()
    source = ROOT / "perudo_core/src"
    with ZipFile(packed := BytesIO(), "w", ZIP_DEFLATED) as archive:
        for own in PLAY.glob("*.py"):
            archive.write(own, own.name)
        for kind in ("py", "toml"):
            for module in source.rglob(f"*.{kind}"):
                archive.write(module, module.relative_to(source))
    return files | {"perudo_core.zip": packed.getvalue()}


def place(path: str) -> str:
    """Return the place on the site of a file of the repository: `README.md` is its first page, and `docs/` its root."""
    special = {"README.md": "index.md", "docs/README.md": "index.md", SETTINGS: "settings.md"}
    return special.get(path) or path.removeprefix("docs/")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the menu from the headings and links of `docs/README.md`, with the reference before the guides."""
    config.nav = [{"Perudo": "index.md"}]
    levels: list[list[Any]] = [config.nav]
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"(##+) (.*)", line):
            section: list[Any] = []
            del levels[len(heading[1]) - 1 :]
            levels[-1].append({heading[2]: section})
            levels.append(section)
            if heading[2] == "perudo-core":
                section.append({"Reference": [{module: f"reference/{module}.md"} for module in MODULES]})
        elif link := re.fullmatch(r"- \[(.*)\]\((.*)\)", line):
            levels[-1].append({link[1]: place(normpath(join("docs", link[2])))})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and files that are not in `docs/`."""
    for module in MODULES:
        known = sorted(import_module(module).__all__, key=str.isupper)  # constants last
        first = FIRST if module == "perudo_core" else ()
        members = [*first, *(name for name in known if name not in first)]
        names = "".join(f"        - {name}\n" for name in members)
        options = f"    options:\n      group_by_category: false\n      members:\n{names}"
        files.append(File.generated(config, f"reference/{module}.md", content=f"# {module}\n\n::: {module}\n{options}"))
    for path in sorted(DOCUMENTS):
        if not path.startswith("docs/"):
            files.append(File.generated(config, place(path), content=(ROOT / path).read_text(encoding="utf-8")))
    settings = (ROOT / SETTINGS).read_text(encoding="utf-8")
    files.append(File.generated(config, place(SETTINGS), content=f"# All settings\n\n```toml\n{settings}```\n"))
    for name, path in (
        ("iframe-worker.js", "config/site/iframe-worker.js"),
        ("code.css", "config/site/code.css"),
        ("mermaid.js", ".tools/site/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js"),
    ):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / path)))
    for name, content in table().items():
        files.append(File.generated(config, f"play/{name}", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point each link to the site's page; a link to any other file leads to the repository, or becomes plain words."""
    del config
    source = next((path for path in sorted(DOCUMENTS) if place(path) == page.file.src_uri), None)
    if source is None:
        return markdown
    if source == "README.md":
        page.meta["template"] = "first.html"

    def on_site(link: re.Match[str]) -> str:
        target = normpath(join(dirname(source), link["path"]))
        if files.get_file_from_path(place(target)) is not None:
            address = relpath(place(target), dirname(page.file.src_uri) or ".")
        elif not (ROOT / target).exists():
            return link[0]  # mkdocs reports it
        elif repository := os.environ.get("REPOSITORY"):
            address = f"{repository}/blob/HEAD/{target}"
        else:
            return link["text"]
        return f"{link['picture']}[{link['text']}]({address}{link['place']})"

    return LINK.sub(on_site, markdown)
