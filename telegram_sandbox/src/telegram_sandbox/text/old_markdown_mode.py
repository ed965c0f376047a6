"""Reads texts in the old parse_mode Markdown, whose marks do not contain each other."""

import re
from dataclasses import dataclass

from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.text.html_mode import MarkupReader, cannot_parse
from telegram_sandbox.text.own_links import FindPerson, link

ESCAPED = re.compile(r"\\([_*`\[])")
PLAIN = re.compile(r"[^\\_*`\[]+|\\")
LANGUAGE = re.compile(r"([^\s`]+)(?=[^`])")
ADDRESS = re.compile(r"\(([^)]*)\)?")
KINDS = {"_": "italic", "*": "bold", "`": "code", "```": "pre"}


@dataclass(slots=True)
class OldMarkdownReader(MarkupReader):
    """Reads Markdown."""

    def read(self) -> FormattedText:
        """Words and entities.

        Raises:
            ApiError: 400 "can't parse entities: …".
        """
        while self.at < len(self.source):
            if escaped := ESCAPED.match(self.source, self.at):
                self._write(escaped[1])
                self.at += 2
            elif plain := PLAIN.match(self.source, self.at):
                self._write(plain[0])
                self.at = plain.end()
            else:
                self._mark()
        return FormattedText("".join(self.output), self.entities)

    def _mark(self) -> None:
        begin, mark = self.at, "```" if self.source.startswith("```", self.at) else self.source[self.at]
        self.at += len(mark)
        entity: Json = {"type": KINDS.get(mark, "")}
        if mark == "```":
            if language := LANGUAGE.match(self.source, self.at):
                entity["language"] = language[1]
                self.at = language.end()
            self.at += 1 if self.source.startswith("\n", self.at) else 0
        end = self.source.find("]" if mark == "[" else mark, self.at)
        if end < 0:
            raise cannot_parse(f"Can't find end of the entity starting at byte offset {self._byte(begin)}")
        words, offset = self.source[self.at : end], self.offset
        self._write(words)
        self.at = end + len(mark)
        found = self._link(words) if mark == "[" else entity
        if found and self.offset > offset:
            self.entities.append({**found, "offset": offset, "length": self.offset - offset})

    def _link(self, words: str) -> Json | None:
        address = ADDRESS.match(self.source, self.at)
        if address:
            self.at = address.end()
        return link(address[1] if address else words, self.find_person)


def parse_old_markdown(source: str, find_person: FindPerson) -> FormattedText:
    """Read text that was sent with parse_mode Markdown."""
    return OldMarkdownReader(source, find_person).read()
