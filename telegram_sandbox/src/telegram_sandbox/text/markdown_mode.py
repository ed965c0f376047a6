"""Reads texts in parse_mode MarkdownV2, with Telegram's error messages."""

from dataclasses import dataclass, field

from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.text.html_mode import FindPerson, MarkupReader, cannot_parse, link

RESERVED = "_*[]()~`>#+-=|{}.!"
LAST_ESCAPABLE = 126
# Longest first: "__" is underline, "_" italic.
MARKS = (
    ("```", "pre"),
    ("||", "spoiler"),
    ("__", "underline"),
    ("_", "italic"),
    ("*", "bold"),
    ("~", "strikethrough"),
    ("`", "code"),
)
NAMES = {
    "pre": "Pre",
    "spoiler": "Spoiler",
    "underline": "Underline",
    "italic": "Italic",
    "bold": "Bold",
    "strikethrough": "Strikethrough",
    "code": "Code",
    "link": "TextUrl",
}
VERBATIM = {"pre": "```", "code": "`"}


@dataclass(slots=True)
class OpenMark:
    """A mark that waits for its end."""

    kind: str
    begin: int
    offset: int


@dataclass(slots=True)
class MarkdownReader(MarkupReader):
    """Reads MarkdownV2."""

    open: list[OpenMark] = field(default_factory=list)
    quote: int | None = None

    def read(self) -> FormattedText:
        """Words and entities.

        Raises:
            ApiError: 400 "can't parse entities: …".
        """
        line_begins = True
        while self.at < len(self.source):
            if line_begins and self._quote_line():
                line_begins = False
                continue
            line_begins = self.source[self.at] == "\n"
            self._step()
        if self.open:
            mark = self.open[-1]
            raise cannot_parse(f"Can't find end of {NAMES[mark.kind]} entity at byte offset {self._byte(mark.begin)}")
        self._end_quote()
        return FormattedText("".join(self.output), self.entities)

    def _quote_line(self) -> bool:
        """Take `>` at a line's start; the quotation ends with the first line that has none."""
        if self.open and self.open[-1].kind in VERBATIM:
            return False
        if self.source.startswith("**>", self.at):
            self._end_quote()
            self.quote = self.offset
            self.at += 3
            return True
        if self.source.startswith(">", self.at):
            self.quote = self.offset if self.quote is None else self.quote
            self.at += 1
            return True
        self._end_quote()
        return False

    def _end_quote(self) -> None:
        if self.quote is None:
            return
        self._add({"type": "blockquote"}, self.quote)
        self.quote = None

    def _step(self) -> None:
        character = self.source[self.at]
        verbatim = VERBATIM.get(self.open[-1].kind) if self.open else None
        if self._escaped():
            self._write(self.source[self.at + 1])
            self.at += 2
        elif verbatim:
            self._verbatim(verbatim, character)
        elif not self._mark():
            if character in RESERVED:
                raise cannot_parse(f"Character '{character}' is reserved and must be escaped with the preceding '\\'")
            self._write(character)
            self.at += 1

    def _escaped(self) -> bool:
        following = self.source[self.at + 1 : self.at + 2]
        return self.source[self.at] == "\\" and following != "" and 0 < ord(following) <= LAST_ESCAPABLE

    def _verbatim(self, end: str, character: str) -> None:
        if self.source.startswith(end, self.at):
            self._close(end)
        else:
            self._write(character)
            self.at += 1

    def _mark(self) -> bool:
        if self.source[self.at] == "]" and self.open and self.open[-1].kind == "link":
            self._link()
            return True
        if self.source.startswith(("[", "!["), self.at):
            self.open.append(OpenMark("link", self.at, self.offset))
            self.at += 2 if self.source[self.at] == "!" else 1
            return True
        for mark, kind in MARKS:
            if self.source.startswith(mark, self.at):
                if self.open and self.open[-1].kind == kind:
                    self._close(mark)
                elif kind == "spoiler" and self._folds_quote():
                    self.at += 2
                else:
                    self.open.append(OpenMark(kind, self.at, self.offset))
                    self.at += len(mark)
                    self._language(kind)
                return True
        return False

    def _folds_quote(self) -> bool:
        """Return whether this `||` ends the last line of an expandable quotation."""
        end = self.source[self.at + 2 : self.at + 3] in ("", "\n")
        if end and self.quote is not None:
            self._add({"type": "expandable_blockquote"}, self.quote)
            self.quote = None
            return True
        return False

    def _language(self, kind: str) -> None:
        if kind != "pre":
            return
        line, newline, _ = self.source[self.at :].partition("\n")
        if newline and "`" not in line and line and " " not in line:
            self.entities.append({"type": "_language", "language": line, "offset": self.offset, "length": 0})
            self.at += len(line) + 1
        elif newline and not line:
            self.at += 1

    def _close(self, mark: str) -> None:
        opened = self.open.pop()
        self.at += len(mark)
        entity: Json = {"type": opened.kind}
        if opened.kind == "pre":
            languages = [entity for entity in self.entities if entity["type"] == "_language"]
            if languages:
                self.entities.remove(languages[-1])
                entity["language"] = languages[-1]["language"]
        self._add(entity, opened.offset)

    def _link(self) -> None:
        opened = self.open.pop()
        self.at += 1
        if not self.source.startswith("(", self.at):
            return
        self.at += 1
        characters = []
        begin = self.at
        while self.at < len(self.source) and self.source[self.at] != ")":
            self.at += 1 if self._escaped() else 0
            characters.append(self.source[self.at])
            self.at += 1
        if self.at >= len(self.source):
            raise cannot_parse(f"Can't find end of a URL at byte offset {self._byte(begin - 1)}")
        self.at += 1
        found = link("".join(characters), self.find_person)
        if found:
            self._add(found, opened.offset)

    def _add(self, entity: Json, offset: int) -> None:
        if self.offset > offset:
            self.entities.append({**entity, "offset": offset, "length": self.offset - offset})


def parse_markdown(source: str, find_person: FindPerson) -> FormattedText:
    """Read text that was sent with parse_mode MarkdownV2."""
    formatted = MarkdownReader(source, find_person).read()
    formatted.entities = [entity for entity in formatted.entities if entity["type"] != "_language"]
    return formatted
