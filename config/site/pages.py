"""Pages of the library's site that no file in `docs/` holds: the reference and READMEs."""

from importlib import import_module
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
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
    "perudo_core.testing",
)
FIRST = ("new_game", "apply", "legal_calls", "observe", "sample_roll", "State", "Observation", "Rules")
"""The first entries of the reference; the rest follows by kind and name."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that no file holds."""
    for module in MODULES:
        known = sorted(import_module(module).__all__, key=str.isupper)  # constants last
        first = FIRST if module == "perudo_core" else ()
        members = [*first, *(name for name in known if name not in first)]
        names = "".join(f"        - {name}\n" for name in members)
        options = f"    options:\n      group_by_category: false\n      members:\n{names}"
        files.append(File.generated(config, f"reference/{module}.md", content=f"# {module}\n\n::: {module}\n{options}"))
    for name, package in (("index", "perudo_core"), ("telegram-sandbox", "telegram_sandbox")):
        readme = (ROOT / package / "README.md").read_text(encoding="utf-8")
        files.append(File.generated(config, f"{name}.md", content=readme))
    for name in ("iframe-worker.js", "code.css"):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / "config/site" / name)))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the reference into the menu."""
    for entry in config.nav or []:
        if "Reference" in entry:
            entry["Reference"] = [{module: f"reference/{module}.md"} for module in MODULES]
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links that leave `docs/` to the pages of the site."""
    del page, config, files
    return markdown.replace("../telegram_sandbox/README.md", "telegram-sandbox.md").replace("../docs/", "")
