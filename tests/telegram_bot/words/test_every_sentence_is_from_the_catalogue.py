# ruff: noqa: RUF001
"""No sentence for players stands outside the catalogue, and none is put to it in a way that can't be translated."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from telegram_bot.words.catalogue import placeholders

ROOT: Final = Path(__file__).parents[3]
SPEAK_TO_PLAYERS: Final = ("words", "channels", "service", "delivery")

# Files, or constants of a module, whose text no player reads; each with the reason.
NOT_FOR_PLAYERS: Final[dict[str, str]] = {
    "telegram_bot/words/extract.py": "a developer's tool, and it prints to a terminal",
    **dict.fromkeys(
        (f"telegram_bot/words/command_help.py:{name}" for name in ("GUIDE_LINES", "TABLES", "WHO", "_HEAD")),
        "the documents' tables, which are in English",
    ),
    "telegram_bot/words/chat/static_pages.py:VERIFY": "a command to type, the same in every language",
    **dict.fromkeys(
        ("telegram_bot/channels/telegram/polling.py", "telegram_bot/channels/telegram/webhook.py"),
        "they write nothing but updates down, and speak to the operator",
    ),
    "telegram_bot/words/house_rules.py:CLASSIC_LINE": "the line of the file that comes with the bot, matched",
    "telegram_bot/channels/telegram/error_mapping.py": "Telegram's own refusals, matched",
    "telegram_bot/words/sms/gsm.py:BASIC": "an alphabet",
    "telegram_bot/channels/sms/text_parser.py:_CARRIER": "what people text, matched",
    **dict.fromkeys(
        (f"telegram_bot/channels/sms/gateways/{name}.py" for name in ("base", "twilio", "smsgate", "kannel")),
        "what gateways say and are told, and what the log says of them",
    ),
    "telegram_bot/words/dice.py:_WORDS_FOR_ONE": "the rulebooks' own words, as perudo_core gives them, looked up",
}

MESSAGES_OF: Final = {"say": 1, "count": 2, "context_say": 2}
MARKED: Final = ("mark", "mark_plural")  # in a table: what fills their gaps stands where they are said
TEXT_KEYWORDS: Final = {"text", "caption", "input_field_placeholder"}
LOG_METHODS: Final = {"debug", "info", "warning", "error", "exception", "critical", "log"}
QUIET_CALLS: Final = {
    "log_failure",
    "warn",
    "compile",
    "getLogger",
    "Field",
    "filterwarnings",
    "assert_never",
    "ThreadPoolExecutor",
    "Thread",
}
EXCEPTIONS: Final = ("Error", "Exception", "Warning")
QUIET_KEYWORDS: Final = {"error"}  # what a row keeps for the operator, as a log would
MARKUP: Final = re.compile(r"<[^<>]*>|&\w+;")
WORD: Final = r"[^\W\d_]+(?:['’][^\W\d_]+)*"
PHRASE: Final = re.compile(rf"{WORD}[,;:.!?…–—-]*[ \n]+[\"'“«(]*{WORD}")
SQL: Final = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|BEGIN|PRAGMA|WITH|CREATE|DROP|ALTER|LISTEN|NOTIFY|SET)\b")


class Checker(ast.NodeVisitor):
    """Walks a module and collects "line: what is wrong"."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.faults: list[tuple[int, str]] = []
        self._in_exception = False

    # -- what may hold words ------------------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> None:
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):  # a docstring
            self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outside, self._in_exception = self._in_exception, node.name.endswith(EXCEPTIONS)
        self.generic_visit(node)
        self._in_exception = outside

    def visit_Raise(self, node: ast.Raise) -> None:
        """An exception's message is for who reads the log."""

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not self._allowed(node.target) and node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not all(map(self._allowed, node.targets)):
            self.generic_visit(node)

    def _allowed(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and f"{self.path}:{target.id}" in NOT_FOR_PLAYERS

    def visit_Call(self, node: ast.Call) -> None:
        name, receiver = _called(node)
        if name in MESSAGES_OF and receiver is not None and len(node.args) >= MESSAGES_OF[name]:
            self._check_message(node, name, receiver)
            return
        if name in MARKED and receiver is None and all(isinstance(each, ast.Constant) for each in node.args):
            for each in node.args:
                if isinstance(each, ast.Constant) and placeholders(str(each.value)) is None:
                    self._fault(node, f"{each.value!r} has gaps that are not {{named}}")
            return
        if (name in LOG_METHODS and "log" in (receiver or "").lower()) or name in QUIET_CALLS:
            return
        if name.endswith(EXCEPTIONS) or (self._in_exception and (receiver, name) == ("super()", "__init__")):
            return
        if name == "create_task":  # its name is for the log
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "name"]
        if name == "text" and node.args and _is_text(node.args[0]) and SQL.match(_as_read(node.args[0])):
            return
        for keyword in node.keywords:
            if keyword.arg in TEXT_KEYWORDS and _is_one_word(keyword.value):
                self._fault(keyword.value, f"{_as_read(keyword.value)!r} is shown to players")
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in QUIET_KEYWORDS or not _is_text(node.value):
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        if _phrases(node):
            self._fault(node, f"{_as_read(node)!r} is not from the catalogue")
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and _says_a_literal(part):
                self._fault(part, "is said inside an f-string, where the extractor does not look")
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self.visit(value.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and _phrases(node):
            self._fault(node, f"{node.value!r} is not from the catalogue")

    # -- how the catalogue is asked ---------------------------------------------------------------------------------

    def _check_message(self, node: ast.Call, name: str, receiver: str) -> None:
        size = MESSAGES_OF[name]
        messages, rest = node.args[:size], node.args[size:]
        if not all(isinstance(message, ast.Constant) and isinstance(message.value, str) for message in messages):
            if name != "count" and (isinstance(messages[-1], ast.JoinedStr) or "catalogue" in receiver):
                self._fault(node, "the message is not a plain literal, so it can't be extracted")
            self.generic_visit(node)
            return
        texts = [message.value for message in messages if isinstance(message, ast.Constant)]
        self._check_gaps(node, name, [str(text) for text in (texts[1:] if name == "context_say" else texts)])
        for value in (*rest, *(keyword.value for keyword in node.keywords)):
            self.visit(value)

    def _check_gaps(self, node: ast.Call, name: str, texts: list[str]) -> None:
        given = {keyword.arg for keyword in node.keywords} | ({"n"} if name == "count" else set())
        wanted: set[str] = set()
        for text in texts:
            gaps = placeholders(text)
            if gaps is None:
                self._fault(node, f"{text!r} has gaps that are not {{named}}")
                return
            wanted |= {re.split("[!:]", gap)[0] for gap in gaps}
        if None in given:  # **values
            return
        if missing := wanted - given:
            self._fault(node, f"{texts[0]!r} misses a value for {', '.join(sorted(missing))}")
        if idle := {str(name) for name in given} - wanted - {"n"}:
            self._fault(node, f"{texts[0]!r} has no place for {', '.join(sorted(idle))}")

    def _fault(self, node: ast.AST, what: str) -> None:
        self.faults.append((getattr(node, "lineno", 0), what))


def _called(node: ast.Call) -> tuple[str, str | None]:
    match node.func:
        case ast.Name(name):
            return name, None
        case ast.Attribute(value, name):
            return name, ast.unparse(value)
    return "", None


def _says_a_literal(node: ast.Call) -> bool:
    name, receiver = _called(node)
    return name in MESSAGES_OF and receiver is not None and bool(node.args) and _is_text(node.args[0])


def _is_one_word(node: ast.expr) -> bool:
    """A word for people that is too short to be known as a phrase."""
    return _is_text(node) and not _phrases(node) and bool(re.search(WORD, MARKUP.sub("", _as_read(node, gap=""))))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _as_read(node: ast.expr, gap: str = "X") -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_as_read(part, gap) for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else gap


def _phrases(node: ast.expr) -> bool:
    text = MARKUP.sub("", _as_read(node))
    return any(
        any(len(word) > 1 for word in re.findall(WORD, phrase)) for phrase in PHRASE.findall(text)
    ) and not SQL.match(text)


def faults_in(source: str, path: str = "sample.py") -> list[str]:
    checker = Checker(path)
    checker.visit(ast.parse(source))
    return [f"{path}:{line}: {what}" for line, what in sorted(checker.faults)]


def sources() -> Iterator[Path]:
    for folder in SPEAK_TO_PLAYERS:
        yield from sorted((ROOT / "telegram_bot" / folder).rglob("*.py"))


def checked(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        if name not in NOT_FOR_PLAYERS:
            yield from faults_in(path.read_text(encoding="utf-8"), name)


def test_every_sentence_is_from_the_catalogue() -> None:
    assert list(sources()), "nothing was looked at"
    found = list(checked(sources()))
    assert not found, "\n" + "\n".join(found)


def test_every_exception_still_has_its_place() -> None:
    for place in NOT_FOR_PLAYERS:
        path, _, constant = place.partition(":")
        assert not constant or re.search(rf"^{constant}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


FOUND: Final = [
    'send("It is your turn")',
    'send(f"{name} rolls the dice")',
    'send(f"{n} dice")',
    'send(f"Hello {name}!")',
    'send("<b>Your dice</b>")',
    'text = "Dudo! " + "All dice are shown."',
    'x = ["one two", y]',
    'LABELS = {"join": "Join the table"}',
    'def f(label: str = "Your turn"): ...',
    'Button(text="Join")',
    'Button("x", text=f"Join {n}")',
    'return_value(caption="Dudo")',
    'catalogue.say("{name} bids", name="the house player")',
    'catalogue.say(f"{name} bids")',
    "self.catalogue.say(message)",
    'catalogue.say("a die" if n == 1 else "dice")',
    'catalogue.context_say("button", label)',
    'send(f"<b>{catalogue.say(\'Your turn\')}</b>")',
    'catalogue.say("{name} bids")',
    'catalogue.say("{} bids", name=name)',
    'catalogue.say("{name.first} bids", name=name)',
    'catalogue.say("You bid", name=name)',
    'catalogue.count("{n} die of {name}", "{n} dice of {name}", 3)',
    'say("It is your turn")',
    'mark(f"{name} bids twice")',
    'LABELS = {1: mark("{} bids twice")}',
    'LABELS = {1: mark_plural("{n} die left", "{0} dice left")}',
    'class View(Base): super().__init__("the chat has moved")',
]  # fmt: skip
LEFT_ALONE: Final = [
    '"""A module that says things."""',
    'def f():\n    """Says many things."""',
    'class A:\n    x: int\n    """What it is for."""',
    'catalogue.say("It is your turn")',
    'catalogue.say("{name}: it is your turn", name=name)',
    'self.words.say("It is "\n    "your turn")',
    'catalogue.count("{n} die is left", "{n} dice are left", n)',
    'catalogue.count("one die is left", "{n} dice are left", n)',
    'catalogue.context_say("button on the table", "Join in")',
    'catalogue.say("{a} beats {b}", **values)',
    'catalogue.say("Outer {inner}", inner=catalogue.say("inner words"))',
    'LABELS = {1: mark("{name} bids twice"), 2: mark_plural("one die left", "{n} dice left")}',
    '_log.warning("a send of %s failed", kind)',
    'self.logger.exception(f"update {n} went wrong")',
    'logging.getLogger(__name__).info("up and running")',
    'raise ValueError(f"no such table {n}")',
    'error = TableError("no such table here")',
    'class MovedError(Exception):\n    def __init__(self):\n        super().__init__("the chat has moved")',
    'asyncio.create_task(drain(lane), name=f"lane {lane}")',
    'assert x, "this can not be"',
    'bot.send(parse_mode="HTML", text=catalogue.say("Your turn"))',
    'Button(text="⚃ ×", callback_data=f"b:{n}:{face}")',
    'text(f"<b>{name}</b> {dice}")',
    'text("SELECT id FROM outbox WHERE lane = :lane")',
    'x = text.count("a", 1, 2)',
    'x = ", ".join(names) + ": " + "\\n"',
    'x: "Literal[1] | None" = None',
    'when.strftime("%d %m %H:%M")',
    'row.values(status="failed", error="chat lost for good")',
    're.compile("five fours")',
]  # fmt: skip


def test_a_sentence_elsewhere_is_found_with_its_line() -> None:
    for sample in FOUND:
        found = faults_in("import x\n" + sample, "some/file.py")
        assert found, sample
        assert all(fault.startswith("some/file.py:2: ") for fault in found)


def test_what_is_no_sentence_for_players_is_left_alone() -> None:
    assert [fault for sample in LEFT_ALONE for fault in faults_in(sample)] == []
