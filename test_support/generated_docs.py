"""`python -m test_support.generated_docs` writes the parts of the documents that follow from the code and its words.

A part is between the comments `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from textwrap import fill
from typing import Final

import griffe
from babel import Locale

from perudo_core import PRESETS, Bid, Rules, apply, observe, set_up
from perudo_core.agents import new_memory, remember_all
from perudo_core.agents.engines import Question, dump_question
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.intents.request import Scope, Who, texted_command
from telegram_bot.notices import HelpNotice, RulesNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.screens.posting import URGENCIES, Urgency
from telegram_bot.service.commands import commands
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.rules import option_label, option_value_label, preset_label
from telegram_sandbox.acts import Act
from telegram_sandbox.bot_api import endpoint  # noqa: F401 - fills the table of methods
from telegram_sandbox.bot_api.method_names import METHOD_NAMES
from telegram_sandbox.bot_api.registry import HANDLERS, WITHOUT_EFFECT
from telegram_sandbox.control_api.endpoints import ACTS
from telegram_sandbox.schema import parameters
from test_support.documents import PAGES, ROOT
from test_support.figures import all_figures, figures, with_date, with_goal

install(FEATURES)

IGNORED_EVERYWHERE: Final = frozenset(
    ["allow_paid_broadcast", "business_connection_id", "direct_messages_topic_id", "suggested_post_parameters"]
)
_PART: Final = re.compile(r"(?s)(?<=<!-- generated: )([^>]+?)( -->\n).*?(?=<!-- end -->)")


def page(written: str) -> str:
    """Return the text of a page as it has to be."""
    return _PART.sub(lambda part: f"{part[1]}{part[2]}\n{PARTS[part[1]]()}\n", written)


# The rules of the game


def rules_in_short() -> str:
    """Return the first paragraphs of `/help`."""
    title, *_ = _markdown(HelpNotice(private=True)).partition("Tap the buttons")
    return title.partition("\n")[2].strip() + "\n"


def rules_in_full() -> str:
    return _markdown(RulesNotice(rules=Rules.preset("box_2009"))).partition("\n\n")[2] + "\n"


def _markdown(notice: HelpNotice | RulesNotice) -> str:
    html = message_html(notice, catalogue("en"))
    assert html is not None
    marked = re.sub(r"</?b>", "**", re.sub(r"</?code>", "`", html))
    assert "<" not in marked, marked
    return re.sub(r"(?m)^• ", "- ", unescape(marked))


def rulebooks_compared() -> str:
    """Return the options in which the five rulebooks differ, in the words of the lobby's menu."""
    w = catalogue("en")
    books = [Rules.preset(name) for name in PRESETS]
    values = {name: [getattr(rules, name) for rules in books] for name in Rules.options()}
    lines = [
        [option_label(name, w), *(option_value_label(name, value, w) for value in of_books)]
        for name, of_books in values.items()
        if len(set(of_books)) > 1
    ]
    return _table(["rule", *(preset_label(name, w) for name in PRESETS)], lines)


def rulebook_options() -> str:
    """Return the options in which the five rulebooks differ, and those that all of them share."""
    books = [Rules.preset(name) for name in PRESETS]
    lines = {
        name: [row.sentences[getattr(rules, name)] for rules in books]
        for name, row in Rules.options().items()
        if row.in_books
    }
    differ = [[f"`{name}`", *said] for name, said in lines.items() if len(set(said)) > 1]
    same = [[f"`{name}`", said[0]] for name, said in lines.items() if len(set(said)) == 1]
    return _table(["option", *PRESETS], differ) + "\n" + _table(["option", "all five"], same)


def options_beyond_the_books() -> str:
    """Return the options that no rulebook has, each with the first paragraph of its docstring."""
    rules = griffe.load("perudo_core._rules", search_paths=[ROOT / "perudo_core/src"])["Rules"]
    beyond = [name for name, row in Rules.options().items() if not row.in_books]
    of_each = ((name, rules[name].docstring.value.partition("\n\n")[0]) for name in beyond)
    return "".join(f"- `{name}`: {' '.join(said.split())}\n" for name, said in of_each)


def _table(heading: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in (heading, ["---"] * len(heading), *lines))


def languages() -> str:
    names = sorted(Locale.parse(language).get_display_name("en") or language for language in LANGUAGES)
    return f"It speaks {', '.join(names[:-1])} and {names[-1]}.\n"


# Programs that play


def question_to_an_engine() -> str:
    """Return a request without its memory; its line is wrapped."""
    rules = Rules.preset("aces")
    state, events = apply(set_up(rules, ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))), Bid(0, 2, 2))
    asked = Question(observe(state, 1), remember_all(new_memory(rules, 2), events), seconds=2.4, seed=7)
    line = json.dumps(
        {"id": 3, "method": "choose", "params": dump_question(asked) | {"memory": {"schema": "…"}}}, ensure_ascii=False
    )
    return f"```json\n{fill(line, 150, break_long_words=False, break_on_hyphens=False)}\n```\n"


# The commands by text message

_WHO: Final = {
    Who.ANYBODY: "anyone",
    Who.PLAYER: "players at the table",
    Who.HOST: "the host",
    Who.HOST_OR_ADMIN: "the host, or an admin of the group",
}


def commands_by_text() -> str:
    rows = (
        [f"`{texted_command(command)}`", line, _WHO[command.who]]
        for command in commands(Scope.TEXT)
        if (line := command.help.guide or command.help.private_menu or command.help.help_page) is not None
    )
    return _table(["command", "use", "for"], rows)


# How urgent each type of notice is


def notices() -> str:
    rows = [
        [urgency.name.lower(), ", ".join(f"`{notice.__name__}`" for notice, its in URGENCIES.items() if its is urgency)]
        for urgency in sorted({*URGENCIES.values()})
    ]
    return _table(["urgency", "notices"], [*rows, [Urgency.TOLD.name.lower(), "all others"]])


# The sandbox


def bot_api_methods() -> str:
    """Return the methods of the Bot API that do not work as on Telegram, and the number of the others."""
    refused = sorted(METHOD_NAMES.keys() - HANDLERS)
    works = sorted(HANDLERS.keys() - WITHOUT_EFFECT)
    ignored = {name: parameters(name) - HANDLERS[name][0].model_fields.keys() - IGNORED_EVERYWHERE for name in works}
    rows = [[_methods([name]), ", ".join(f"`{each}`" for each in sorted(its))] for name, its in ignored.items() if its]
    return (
        f"The sandbox answers {len(HANDLERS)} of the {len(METHOD_NAMES)} methods.\n\n"
        f"**Refused**: {_methods(refused)}.\n\n**Accepted**: {_methods(sorted(WITHOUT_EFFECT))}.\n\n"
        "All others **work**; these have parameters without effect:\n\n"
    ) + _table(["method", "parameters without effect"], rows)


def _methods(names: Iterable[str]) -> str:
    return ", ".join(f"`{METHOD_NAMES[name]}`" for name in names)


def sandbox_acts() -> str:
    """Return each act of the sandbox: its name in Python, its address, and its effect."""
    rows = []
    for name, one in ACTS.items():
        effect = " ".join((one.method.__doc__ or "").partition("\n\n")[0].split())
        rows.append([f"`{'user' if isinstance(one, Act) else 'sandbox'}.{name}`", f"`{one.address}`", effect])
    return _table(["in Python", "call", "effect"], rows)


def curve_of_self_play() -> str:
    rows = re.findall(r"\| ([\d,]+) \| \d+ \| ([\d.]+) % \|", figures()["self-play"].table or "")
    calls = ", ".join(f'"{int(made.replace(",", "")) / 1e6:.1f}"' for made, _ in rows)
    won = ", ".join(share for _, share in rows)
    half = ", ".join("50" for _ in rows)
    return f"""```mermaid
xychart-beta
    title "Games won against a regular"
    x-axis "calls of the learner in games against itself, in millions" [{calls}]
    y-axis "%" 0 --> 70
    line [{won}]
    line [{half}]
```
"""


PARTS: Final[dict[str, Callable[[], str]]] = {
    "languages": languages,
    "the rules in short": rules_in_short,
    "the rules in full": rules_in_full,
    "the rulebooks compared": rulebooks_compared,
    "options of the rulebooks": rulebook_options,
    "options beyond the books": options_beyond_the_books,
    "a question to an engine": question_to_an_engine,
    "commands by text": commands_by_text,
    "notices": notices,
    "methods of the Bot API": bot_api_methods,
    "acts of the sandbox": sandbox_acts,
    "the curve of self-play": curve_of_self_play,
    "all figures": all_figures,
    **{f"figures {each.name}": partial(with_date, each) for each in figures().values() if each.table},
    "weight of the web seat": lambda: f"{with_goal(figures()['weight of the web seat'])}.\n",
}


if __name__ == "__main__":
    for file in (Path(each.relative_to(ROOT)) for each in PAGES):  # in this folder, which may be a copy
        if file.exists() and (after := page(before := file.read_text(encoding="utf-8"))) != before:
            file.write_text(after, encoding="utf-8")
            print(file)  # noqa: T201 - the command's result
