"""Rich messages: their blocks, from HTML, Markdown or as given, and the words that people see of them."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import FormattedText, utf16_length
from telegram_sandbox.text.html_mode import STYLES

INLINE = STYLES | {"mark": "marked", "sub": "subscript", "sup": "superscript", "a": "url"}
HEADINGS = {f"h{size}": size for size in range(1, 7)}
PLAIN = {"p": "paragraph", "footer": "footer", "aside": "pullquote"}
PARTS = frozenset(("ul", "ol", "li", "blockquote", "details", "summary", "table", "tr", "td", "th", "pre"))
MARKS = {"url": "text_link"} | {
    kind: kind for kind in ("bold", "italic", "underline", "strikethrough", "spoiler", "code")
}
"""The entity for each kind of rich text that has one."""
READ = (
    "paragraph",
    "heading",
    "pre",
    "footer",
    "divider",
    "mathematical_expression",
    "anchor",
    "list",
    "blockquote",
    "expandable_blockquote",
    "pullquote",
    "table",
    "details",
    "map",
    "thinking",
)
"""The blocks of the sandbox: those without files and buttons."""
_INLINE_MARKDOWN = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"__(.+?)__"), r"<u>\1</u>"),
    (re.compile(r"~~(.+?)~~"), r"<s>\1</s>"),
    (re.compile(r"\|\|(.+?)\|\|"), r"<tg-spoiler>\1</tg-spoiler>"),
    (re.compile(r"(?<!\w)[*_](.+?)[*_](?!\w)"), r"<i>\1</i>"),
    (re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)"), r'<a href="\2">\1</a>'),
)
_ITEM = re.compile(r"(?:[-*+]|(\d+)[.)])\s+(?:\[([ xX])\]\s+)?(.*)")
_TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")


@dataclass(slots=True)
class _Open:
    """A tag that waits for its end, with the text and the blocks inside it."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    text: list[Any] = field(default_factory=list)
    blocks: list[Any] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [_Open("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag."""
        top = self.open[-1]
        if tag == "br":
            top.text.append("\n")
        elif tag == "hr":
            _end_paragraph(top)
            top.blocks.append({"type": "divider"})
        elif tag == "input":
            top.attributes |= {"checkbox": "", **dict(attrs)}
        elif tag in INLINE or tag in HEADINGS or tag in PLAIN or tag in PARTS:
            self.open.append(_Open(tag, dict(attrs)))
        else:
            raise bad_request(f"telegram-sandbox does not read <{tag}> in rich messages")

    def handle_data(self, data: str) -> None:
        """Keep words; outside code, all white space is one space."""
        is_code = any(each.tag == "pre" for each in self.open)
        self.open[-1].text.append(data if is_code else re.sub(r"\s+", " ", data))

    def handle_endtag(self, tag: str) -> None:
        """Make the rich text or the block of a tag that ends."""
        closed = self.open.pop() if len(self.open) > 1 else _Open("")
        if closed.tag != tag:
            raise bad_request(f"can't parse rich message: Unmatched end tag </{tag}>")
        top = self.open[-1]
        if tag in INLINE:
            link = {"url": closed.attributes.get("href") or ""} if tag == "a" else {}
            top.text.append({"type": INLINE[tag], "text": _joined(closed.text), **link})
        else:
            _end_paragraph(top)
            top.blocks.append(_block(closed))


def blocks_of_html(source: str) -> list[Json]:
    """Return the blocks of a rich message in HTML.

    Raises:
        ApiError: 400 for a tag that the sandbox does not read, or that has no end.
    """
    reader = _Reader()
    reader.feed(source)
    reader.close()
    if len(reader.open) > 1:
        raise bad_request(f"can't parse rich message: Can't find the end tag of <{reader.open[-1].tag}>")
    _end_paragraph(reader.open[0])
    return reader.open[0].blocks


def blocks_of_markdown(source: str) -> list[Json]:
    """Return the blocks of a rich message in Markdown, which may contain tags of HTML."""
    return blocks_of_html("".join(_as_html(source.splitlines())))


def checked_blocks(blocks: list[Json]) -> list[Json]:
    """Return blocks as a message has them, with the labels of lists.

    Raises:
        ApiError: 400 for blocks with files or buttons.
    """
    for block in blocks:
        if block.get("type") not in READ:
            raise bad_request(f"telegram-sandbox has no {block.get('type')} in rich messages")
        checked_blocks(block.get("blocks", []))
        for place, item in enumerate(block.get("items", []), 1):
            item.setdefault("label", f"{item.get('value', place)}." if item.get("type") else "•")
            checked_blocks(item["blocks"])
    return blocks


def shown_words(blocks: list[Json]) -> FormattedText:
    """Return the words of blocks, a line for each, as people read them."""
    shown = FormattedText("")
    for line in _lines(blocks):
        if shown.text:
            shown.text += "\n"
        _write(shown, line)
    return shown


def _joined(pieces: list[Any]) -> Any:
    """Return rich text; words alone are a string."""
    merged: list[Any] = []
    for piece in pieces:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return (merged[0] if len(merged) == 1 else merged) if merged else ""


def _end_paragraph(parent: _Open) -> None:
    text = _joined(parent.text)
    parent.text = []
    if text if not isinstance(text, str) else text.strip():
        parent.blocks.append({"type": "paragraph", "text": text.strip() if isinstance(text, str) else text})


def _block(closed: _Open) -> Any:
    tag, text = closed.tag, _joined(closed.text)
    if tag in HEADINGS:
        return {"type": "heading", "text": text, "size": HEADINGS[tag]}
    if tag in PLAIN:
        return {"type": PLAIN[tag], "text": text}
    if tag == "pre":
        return {"type": "pre", "text": text["text"] if isinstance(text, dict) else text}
    if tag == "summary":
        return {"summary": text}
    if tag in ("td", "th"):
        return {"align": "left", "valign": "middle", "text": text} | ({"is_header": True} if tag == "th" else {})
    if tag == "tr":
        return closed.blocks
    if tag == "table":
        return {"type": "table", "cells": closed.blocks}
    _end_paragraph(closed)
    if tag in ("ul", "ol"):
        items = [one | {"label": f"{place}." if tag == "ol" else "•"} for place, one in enumerate(closed.blocks, 1)]
        return {"type": "list", "items": items}
    if tag == "li":
        ticked = {"has_checkbox": True, "is_checked": "checked" in closed.attributes}
        return {"blocks": closed.blocks} | (ticked if "checkbox" in closed.attributes else {})
    if tag == "details":
        summary = closed.blocks.pop(0)["summary"] if closed.blocks and "summary" in closed.blocks[0] else ""
        return {"type": "details", "summary": summary, "blocks": closed.blocks}
    return {"type": "blockquote", "blocks": closed.blocks}


def _as_html(lines: list[str]) -> Iterator[str]:
    """Yield lines of Markdown as HTML."""
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        kind, first = _kind(lines, at), at
        at += 1
        if kind == "code":
            while at < len(lines) and not lines[at].startswith("```"):
                at += 1
            code = "\n".join(lines[first + 1 : at])
            yield f"<pre>{html.escape(code)}</pre>"
            at += 1
        elif kind in ("list", "quote", "table"):
            while at < len(lines) and lines[at].strip() and _kind(lines, at) in (kind, ""):
                at += 1
            yield _PARTS[kind]([one.strip() for one in lines[first:at]])
        elif kind == "heading":
            marks, _, words = line.partition(" ")
            yield f"<h{len(marks)}>{_inline(words)}</h{len(marks)}>"
        elif kind == "rule":
            yield "<hr>"
        elif line:
            while at < len(lines) and lines[at].strip() and not _kind(lines, at):
                at += 1
            yield f"<p>{_inline(' '.join(one.strip() for one in lines[first:at]))}</p>"


def _kind(lines: list[str], at: int) -> str:
    line = lines[at].strip()
    if line.startswith("```"):
        return "code"
    if re.match("#{1,6} ", line):
        return "heading"
    if re.fullmatch(r"(?:-{3,}|\*{3,}|_{3,})", line):
        return "rule"
    if "|" in line and (line.startswith("|") or _TABLE_RULE.fullmatch((lines[at + 1 :] or [""])[0].strip() or "x")):
        return "table"
    return "quote" if line.startswith(">") else "list" if _ITEM.match(line) else ""


def _list(lines: list[str]) -> str:
    found = [match for match in map(_ITEM.match, lines) if match]
    tag = "ol" if found[0][1] else "ul"
    boxes = {None: "", " ": "<input>"}
    items = [f"<li>{boxes.get(one[2], '<input checked>')}{_inline(one[3])}</li>" for one in found]
    return f"<{tag}>{''.join(items)}</{tag}>"


def _quote(lines: list[str]) -> str:
    return f"<blockquote>{''.join(_as_html([line.removeprefix('>').strip() for line in lines]))}</blockquote>"


def _table(lines: list[str]) -> str:
    rows = [line.strip("|").split("|") for line in lines if not _TABLE_RULE.fullmatch(line)]
    has_head = any(map(_TABLE_RULE.fullmatch, lines))
    tags = ["th" if has_head and not place else "td" for place in range(len(rows))]
    cells = (
        "".join(f"<{tag}>{_inline(cell.strip())}</{tag}>" for cell in row) for tag, row in zip(tags, rows, strict=True)
    )
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


_PARTS = {"list": _list, "quote": _quote, "table": _table}


def _inline(words: str) -> str:
    pieces = re.split(r"`([^`]+)`", words)
    for place in range(0, len(pieces), 2):
        for pattern, tagged in _INLINE_MARKDOWN:
            pieces[place] = pattern.sub(tagged, pieces[place])
    pieces[1::2] = [f"<code>{html.escape(code)}</code>" for code in pieces[1::2]]
    return "".join(pieces)


def _lines(blocks: list[Json]) -> Iterator[list[Any]]:
    for block in blocks:
        if "items" in block:
            for item in block["items"]:
                box = ("☑ " if item.get("is_checked") else "☐ ") if item.get("has_checkbox") else ""
                first, *others = [*_lines(item["blocks"])] or [[""]]
                yield [f"{item['label']} {box}", *first]
                yield from others
        elif "cells" in block:
            for row in block["cells"]:
                yield [part for cell in row for part in (" | ", cell.get("text", ""))][1:]
        elif block["type"] == "divider":
            yield ["———"]
        else:
            words = block.get("summary", block.get("text", block.get("expression", "")))
            if words:
                yield [words]
            yield from _lines(block.get("blocks", []))


def _write(shown: FormattedText, words: Any) -> None:
    """Add rich text to the words that are shown, with the entities that it has."""
    if isinstance(words, str):
        shown.text += words
        return
    if isinstance(words, list):
        for part in words:
            _write(shown, part)
        return
    offset = utf16_length(shown.text)
    _write(shown, words.get("text") or words.get("alternative_text") or words.get("expression") or "")
    if (kind := MARKS.get(words["type"])) and (length := utf16_length(shown.text) - offset):
        link = {"url": words["url"]} if kind == "text_link" else {}
        shown.entities.append({"type": kind, "offset": offset, "length": length, **link})
