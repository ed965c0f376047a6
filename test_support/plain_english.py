"""A check for the sentence patterns of docs/style.md, in every file of the repository that a person reads.

It reads documents, docstrings, comments, and the texts of YAML files and web pages. `python -m
test_support.plain_english` prints each finding and fails if there is one. With paths as arguments it checks these.
"""

import ast
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import yaml

from test_support.child_processes import known_files

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = {".backup", ".gif", ".json", ".lock", ".png", ".po", ".svg", ".tsv", ".ttf", ".txt", ".xz"}
"""The endings of files without prose, or with the words of players."""

RULES: Final = {
    r"^(?:Who|Whom|What)\b(?!.*\?$)": "name the actor: player, host, operator, worker",
    r"^(?:Nobody|Nothing|No one)\b(?!.*\?$)": "say who does not do it, or what is left out",
    r"^Of\b(?! course\b)": "put the subject first",
    r"(?i)\bwho(?:so|m)?ever\b": "name the actor: player, host, operator, worker",
    r"\b(?:to|for|by|from|with|of|than) who\b": "name the actor: player, host, operator, worker",
    r"\b(?:[Nn]o|[Nn]obody|[Nn]othing|none|nowhere)(?: [\w'-]+){0,6} but\b": "say what it is: “only …”",
    r"\b(?:tells?|told) (?:what|how|who|which|why|where|when|whether)\b": "explains, lists, names",
    r"(?i)\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\b(?:stands?|stood) (?:in|at|on|under|below|above|beside|behind|there|here)\b": "is",
    r"\b(?:is|are|was|were) told so\b": "gets a message",
    r"(?i)\bbeside\b": "next to, with, compared with, while … runs",
    r"\b(?:[Ww]ords?|codes?|names?|numbers?|calls?|pause|commands?|it|them|directly|before and) behind\b(?! by)"
    r"|\bbehind (?:the (?:calls?|commands?|words?|names?)\b|[A-Z]{3})": "after",
    r"(?i)\bhead-up\b": "heads-up",
    r"; None\b|\bNone: ": "“X, or None if …”, “None means …”",
}
"""Patterns that a sentence must not contain, each with its cure."""
RULES_OF_DOCUMENTS: Final = {
    r"\bon turn\b": "“it is Bo's turn”, “the player whose turn it is”",
    r"\bin (?:the|this) (?:same )?Wi-Fi\b": "on the Wi-Fi",
    r"\bat (?:BotFather|Twilio)\b": "in BotFather, with Twilio",
    r"\b(?:no|[Aa]ny|[Ee]very|[Ss]ome)body\b": "no one, anyone, everyone, someone",
}
"""The same for Markdown alone."""
QUOTING: Final = ROOT / "docs/style.md"
"""The page that quotes the patterns."""

_TAG: Final = re.compile(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>")
_C_COMMENT: Final = re.compile(r"(?s)/\*.*?\*/|(?m:(?:^|(?<=\s))// [^\n]*$)")
_HASH_COMMENT: Final = re.compile(r"(?m)(?:^|(?<=\s))#+ .*$")
_COMMENT_MARKS: Final = re.compile(r"(?m)^ *[/*#]+|[*]/$")
_GENERATED: Final = re.compile(r"(?s)<!-- generated: .*?<!-- end -->")
"""The words of players, options and settings, which `test_support.generated_docs` writes."""
_FENCED: Final = re.compile(r"(?ms)^ *(```|~~~).*?^ *\1 *$")
_CODE: Final = re.compile(r"(?s)``.+?``|`[^`]*`|<!--.*?-->|\]\([^)]*\)|^ *>>> .*$", re.MULTILINE)
_BLOCK: Final = re.compile(r"(?=\n(?:\s*\n|\s*(?:[-*+]|\d+\.|#+) |\s*\|)|\|)")
_MARKS: Final = re.compile(r"^(?:[-+#*_|>\s(\"“\[]|\d+\.)*|[*_\]\[]")
_SENTENCE: Final = re.compile(r"(?<=[.!?])(?=[\s*_)\"”])")

Finding: TypeAlias = tuple[int, str, str]
"""The line, the words and the cure of a sentence that has one of the patterns."""


def findings_in(text: str, rules: Mapping[str, str] = RULES) -> Iterator[Finding]:
    """Yield each finding in Markdown; its lines count from 0."""
    for code in (_GENERATED, _FENCED, _CODE):
        text = code.sub(lambda found: ("" if found[0][0] == "]" else "code") + "\n" * found[0].count("\n"), text)
    text = re.sub(r"\n[ \t>]+", "\n", text)
    start = 0
    for block in _BLOCK.split(text):
        for sentence in _SENTENCE.split(block):
            words = _MARKS.sub("", sentence)
            line = start + sentence.count("\n") - words.count("\n")
            for pattern, cure in rules.items():
                if found := re.search(pattern, words.strip().replace("\n", " ")):
                    yield line + words[: found.start()].count("\n"), found[0], cure
            start += sentence.count("\n")


def texts_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the prose of a file with the line at which it begins."""
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".md" or file.name == "NOTICE":
        yield 1, source
    elif file.suffix == ".html":
        yield 1, _TAG.sub(lambda tag: "\n" * tag[0].count("\n"), source)
    elif file.suffix == ".py" or re.match("#!.*python", source):
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Expr(ast.Constant(str(text))):
                    yield node.lineno, inspect.cleandoc(text)
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        yield from _comments([(each.start, each.string) for each in tokens if each.type == tokenize.COMMENT])
    else:
        comment = _C_COMMENT if file.suffix in {".css", ".js"} else _HASH_COMMENT
        yield from _comments([(_place(source, found.start()), found[0]) for found in comment.finditer(source)])
        if file.suffix in {".yaml", ".yml"}:
            for token in yaml.scan(source):
                if isinstance(token, yaml.ScalarToken):
                    yield token.start_mark.line + (2 if token.style in {"|", ">"} else 1), token.value


def _place(source: str, start: int) -> tuple[int, int]:
    """Return the line and the column of a place in a text."""
    return source.count("\n", 0, start) + 1, start - source.rfind("\n", 0, start) - 1


def _comments(lines: Sequence[tuple[tuple[int, int], str]]) -> Iterator[tuple[int, str]]:
    """Join the comments of lines that follow each other in the same column."""
    for index, ((line, column), _) in enumerate(lines):
        if index and lines[index - 1][0] == (line - 1, column):
            continue
        block = [text for offset, (place, text) in enumerate(lines[index:]) if place == (line + offset, column)]
        yield line, _COMMENT_MARKS.sub("", "\n".join(block))


def check(file: Path) -> Iterator[Finding]:
    """Yield each finding in a file's prose."""
    rules = RULES | RULES_OF_DOCUMENTS if file.suffix == ".md" else RULES
    for start, text in texts_of(file):
        for line, words, cure in findings_in(text, rules):
            yield start + line, words, cure


def files_below(*paths: Path) -> list[Path]:
    """Return the files that have prose, at or below these paths; of the repository, those that git does not ignore."""
    everything = {ROOT / name for name in known_files(ROOT)} | {path for path in paths if path.is_file()}
    return sorted(
        file
        for file in everything
        if set(paths) & {file, *file.parents} and file.suffix not in DATA and "LICENSE" not in file.name
    )


def main(*arguments: str) -> int:
    files = files_below(*(Path(path).resolve() for path in arguments or (ROOT,)))
    if not arguments:
        files.remove(QUOTING)
    found = ((file.relative_to(ROOT), *finding) for file in files for finding in check(file))
    lines = [f"{file}:{line}: {words!r}: {cure}" for file, line, words, cure in found]
    lines.append(f"Plain English: {len(lines)} findings in {len(files)} files")
    sys.stdout.write("\n".join([*lines, ""]))
    return int(len(lines) > 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
