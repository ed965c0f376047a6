"""Reads texts in parse_mode MarkdownV2, with Telegram's error messages.

It follows `parse_markdown_v2` in tdlib's `MessageEntity.cpp`.
"""

import re
from dataclasses import dataclass, field

from telegram_sandbox.errors import ApiError
from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.text.html_mode import MarkupReader, cannot_parse
from telegram_sandbox.text.own_links import FindPerson, image, link

RESERVED = frozenset("_*[]()~`>#+-=|{}.!\n")
ESCAPED = re.compile(r"\\([\x01-\x7e])")
LANGUAGE = re.compile(r"([^\s`]+)(?=\s)")
FIRST_LINE = re.compile(r"\n\r|\r\n|\r|\n|")
MARKS = {
    "Pre": "```",
    "PreCode": "```",
    "Spoiler": "||",
    "Underline": "__",
    "Italic": "_",
    "Bold": "*",
    "Strikethrough": "~",
    "Code": "`",
    "CustomEmoji": "![",
    "TextUrl": "[",
    "BlockQuote": ">",
}
"""The longest first: "__" is underline, "_" italic."""
ENDS = MARKS | {"CustomEmoji": "]", "TextUrl": "]", "BlockQuote": "\n"}
VERBATIM = ("Code", "Pre", "PreCode")


@dataclass(slots=True)
class OpenMark:
    """A mark that waits for its end."""

    kind: str
    begin: int
    offset: int
    written: int
    """How many pieces of the text were written before it."""
    language: str = ""


@dataclass(slots=True)
class MarkdownReader(MarkupReader):
    """Reads MarkdownV2."""

    open: list[OpenMark] = field(default_factory=list)
    line_begins: bool = True
    in_quote: bool = False

    def read(self) -> FormattedText:
        """Words and entities.

        Raises:
            ApiError: 400 "can't parse entities: …".
        """
        while self.at < len(self.source):
            verbatim = bool(self.open) and self.open[-1].kind in VERBATIM
            if escaped := ESCAPED.match(self.source, self.at):
                self._keep(escaped[1])
                self.at += 2
            elif self.source[self.at] not in ("`" if verbatim else RESERVED):
                self._keep(self.source[self.at])
                self.at += 1
            elif not self._ends_mark():
                self._begin_mark()
        if self.in_quote:
            self._end_quote(len(self.source))
        if self.open:
            raise self._endless()
        return FormattedText("".join(self.output), self.entities)

    def _keep(self, character: str) -> None:
        self._write(character)
        if character != "\r":
            self.line_begins = character == "\n"

    def _endless(self) -> ApiError:
        mark = self.open[-1]
        return cannot_parse(f"Can't find end of {mark.kind} entity at byte offset {self._byte(mark.begin)}")

    def _begin_mark(self) -> None:
        character = self.source[self.at]
        if character == "\n":
            self._keep(character)
            self.at += 1
            return
        kind = next((kind for kind, mark in MARKS.items() if self.source.startswith(mark, self.at)), "")
        if not kind or (kind == "BlockQuote" and not self.line_begins):
            raise cannot_parse(f"Character '{character}' is reserved and must be escaped with the preceding '\\'")
        mark = OpenMark(kind, self.at, self.offset, len(self.output))
        self.at += len(MARKS[kind])
        if kind == "Pre":
            self._begin_block(mark)
        elif kind == "BlockQuote":
            if self.in_quote:
                return
            self.in_quote = True
        self.open.append(mark)

    def _begin_block(self, mark: OpenMark) -> None:
        """Read a block's language, and leave out one line break before its first line."""
        if language := LANGUAGE.match(self.source, self.at):
            mark.kind, mark.language = "PreCode", language[1]
            self.at = language.end()
        first = FIRST_LINE.match(self.source, self.at)
        self.at = first.end() if first else self.at

    def _ends_mark(self) -> bool:
        """Take the end of the innermost mark, if it is here."""
        if not self.open:
            return False
        if self.source[self.at] == "\n" and self.in_quote and not self.source.startswith(">", self.at + 1):
            self._end_quote(self.at)
            self._keep("\n")
            self.at += 1
            return True
        kind = self.open[-1].kind
        is_underline = kind == "Italic" and self.source.startswith("__", self.at)
        if kind == "BlockQuote" or is_underline or not self.source.startswith(ENDS[kind], self.at):
            return False
        mark = self.open.pop()
        self.at += len(ENDS[kind])
        entity = self._entity(mark)
        if entity and self.offset > mark.offset:
            self._add(entity, mark.offset)
        return True

    def _end_quote(self, end: int) -> None:
        """End a quotation, with the line break that follows; one that ends with `||` is expandable."""
        kind, mark = "blockquote", self.open[-1]
        if mark.kind == "Spoiler" and self.source[mark.begin + len("||") : end] in ("", "\r"):
            self.open.pop()
            kind = "expandable_blockquote"
        if self.open[-1].kind != "BlockQuote":
            raise self._endless()
        self.in_quote = False
        length = self.offset - self.open[-1].offset + (end < len(self.source))
        if length:
            self.entities.append({"type": kind, "offset": self.open[-1].offset, "length": length})
        self.open.pop()

    def _entity(self, mark: OpenMark) -> Json | None:
        if mark.kind == "CustomEmoji":
            url = self._url()
            found = None if url is None else image(url)
            if found is None:
                why = "The entity must contain a" if url is None else "Invalid"
                raise cannot_parse(f"{why} tg://emoji or tg://time URL{'' if url is None else ' specified'}")
            return found
        if mark.kind == "TextUrl":
            url = self._url()
            return link("".join(self.output[mark.written :]) if url is None else url, self.find_person)
        if mark.kind == "PreCode":
            return {"type": "pre", "language": mark.language}
        return {"type": mark.kind.lower()}

    def _url(self) -> str | None:
        """Return the address in the brackets that follow, or None without brackets."""
        if not self.source.startswith("(", self.at):
            return None
        begin = self.at = self.at + 1
        characters = []
        while self.at < len(self.source) and self.source[self.at] != ")":
            self.at += 1 if ESCAPED.match(self.source, self.at) else 0
            characters.append(self.source[self.at])
            self.at += 1
        if self.at >= len(self.source):
            raise cannot_parse(f"Can't find end of a URL at byte offset {self._byte(begin)}")
        self.at += 1
        return "".join(characters)

    def _add(self, entity: Json, offset: int) -> None:
        self.entities.append({**entity, "offset": offset, "length": self.offset - offset})


def parse_markdown(source: str, find_person: FindPerson) -> FormattedText:
    """Read text that was sent with parse_mode MarkdownV2."""
    return MarkdownReader(source, find_person).read()
