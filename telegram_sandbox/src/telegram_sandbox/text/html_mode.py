"""Reads texts in parse_mode HTML, with Telegram's error messages."""

import re
from dataclasses import dataclass, field

from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import FormattedText, utf16_length
from telegram_sandbox.text.own_links import FindPerson, link, moment

STYLES = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "code": "code",
}
"""The kind of text in each tag, here and in rich messages."""
SIMPLE = STYLES | {"span": "spoiler", "pre": "pre"}
TAGS = frozenset(SIMPLE) | {"a", "blockquote", "tg-emoji", "tg-time"}
NAMED_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
CHARACTER = re.compile(
    r"&(?:#([0-9]{1,7})(?![0-9])|#x([0-9a-fA-F]{1,6})(?![0-9a-fA-F])|(lt|gt|amp|quot)(?![A-Za-z]));?"
)
PLAIN = re.compile(r"[^<&]+")
SPACES = " \t\r\n\0\v"
LAST_CHARACTER = 0x10FFFF


@dataclass(slots=True)
class OpenTag:
    """A start tag that waits for its end."""

    name: str
    attributes: dict[str, str]
    offset: int
    output_index: int


@dataclass(slots=True)
class MarkupReader:
    """One pass over the source, left to right."""

    source: str
    find_person: FindPerson
    at: int = 0
    offset: int = 0
    output: list[str] = field(default_factory=list)
    entities: list[Json] = field(default_factory=list)

    def _write(self, text: str) -> None:
        self.output.append(text)
        self.offset += utf16_length(text)

    def _byte(self, at: int) -> int:
        return len(self.source[:at].encode())


@dataclass(slots=True)
class HtmlReader(MarkupReader):
    """Reads HTML."""

    open: list[OpenTag] = field(default_factory=list)

    def read(self) -> FormattedText:
        """Words and entities.

        Raises:
            ApiError: 400 "can't parse entities: …".
        """
        while self.at < len(self.source):
            plain = PLAIN.match(self.source, self.at)
            if plain:
                self.at = plain.end()
                self._write(plain[0])
            elif self._peek() == "<":
                self._tag()
            else:
                self._write(self._character())
        if self.open:
            raise cannot_parse(f'Can\'t find end tag corresponding to start tag "{self.open[-1].name}"')
        return FormattedText("".join(self.output), self.entities)

    def _peek(self) -> str:
        return self.source[self.at] if self.at < len(self.source) else ""

    def _character(self) -> str:
        match = CHARACTER.match(self.source, self.at)
        decoded = _decoded(match) if match else None
        if match and decoded:
            self.at = match.end()
            return decoded
        self.at += 1
        return self.source[self.at - 1]

    def _tag(self) -> None:
        begin = self.at
        self.at += 1
        if self._peek() == "/":
            self._end_tag(begin)
        else:
            self._start_tag(begin)

    def _word(self, stop: str) -> str:
        start = self.at
        while self._peek() and self._peek() not in stop:
            self.at += 1
        return self.source[start : self.at]

    def _skip_spaces(self) -> None:
        while self._peek() and self._peek() in SPACES:
            self.at += 1

    def _start_tag(self, begin: int) -> None:
        name = self._word(SPACES + ">").lower()
        if not self._peek():
            raise cannot_parse(f"Unclosed start tag at byte offset {self._byte(begin)}")
        if name not in TAGS:
            raise cannot_parse(f'Unsupported start tag "{name}" at byte offset {self._byte(begin)}')
        attributes = self._attributes(name, begin)
        if name == "span" and attributes.get("class") != "tg-spoiler":
            raise cannot_parse(f'Tag "span" must have class "tg-spoiler" at byte offset {self._byte(begin)}')
        self.open.append(OpenTag(name, attributes, self.offset, len(self.output)))

    def _attributes(self, name: str, begin: int) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while True:
            self._skip_spaces()
            if self._peek() == ">":
                self.at += 1
                return attributes
            attribute = self._word(SPACES + "=>/\"'").lower()
            if not attribute:
                raise cannot_parse(
                    f'Empty attribute name in the tag "{name}" at byte offset {self._byte(begin)}',
                )
            self._skip_spaces()
            if not self._peek():
                raise cannot_parse(f'Unclosed start tag "{name}" at byte offset {self._byte(begin)}')
            if self._peek() != "=":
                attributes[attribute] = ""
                continue
            self.at += 1
            self._skip_spaces()
            if not self._peek():
                raise cannot_parse(f'Unclosed start tag "{name}" at byte offset {self._byte(begin)}')
            attributes[attribute] = self._value(begin)

    def _value(self, begin: int) -> str:
        quote = self._peek()
        start = self.at
        if quote and quote in "'\"":
            self.at += 1
            characters = []
            while self._peek() and self._peek() != quote:
                characters.append(self._character())
            self.at += 1
            value = "".join(characters)
        else:
            match = re.compile(r"[A-Za-z0-9.-]*").match(self.source, self.at)
            value = match.group().lower() if match else ""
            self.at += len(value)
            if self._peek() and self._peek() not in SPACES + ">":
                raise cannot_parse(f"Unexpected end of name token at byte offset {self._byte(start)}")
        if self.at >= len(self.source):
            raise cannot_parse(f"Unclosed start tag at byte offset {self._byte(begin)}")
        return value

    def _end_tag(self, begin: int) -> None:
        if not self.open:
            raise cannot_parse(f"Unexpected end tag at byte offset {self._byte(begin)}")
        self.at += 1
        name = self._word(SPACES + ">").lower()
        self._skip_spaces()
        if self._peek() != ">":
            raise cannot_parse(f"Unclosed end tag at byte offset {self._byte(begin)}")
        self.at += 1
        tag = self.open.pop()
        if name and name != tag.name:
            raise cannot_parse(
                f'Unmatched end tag at byte offset {self._byte(begin)}, expected "</{tag.name}>", found "</{name}>"',
            )
        length = self.offset - tag.offset
        if length:
            self._close(tag, length)

    def _close(self, tag: OpenTag, length: int) -> None:
        found = self._entity(tag)
        if found is None:
            return
        entity: Json = {**found, "offset": tag.offset, "length": length}
        if not self._is_one_block(entity):
            self.entities.append(entity)

    def _is_one_block(self, outer: Json) -> bool:
        """Make one entity of `<pre><code class="language-…">`, in this order or the other."""
        inner = self.entities[-1] if self.entities else outer
        language, place = inner.get("_language") or outer.get("_language"), {"offset", "length"}
        is_one = all(inner[name] == outer[name] for name in place)
        if not (is_one and language and {inner["type"], outer["type"]} == {"pre", "code"}):
            return False
        self.entities[-1] = {name: outer[name] for name in place} | {"type": "pre", "language": language}
        return True

    def _entity(self, tag: OpenTag) -> Json | None:
        if tag.name == "code":
            kind = tag.attributes.get("class", "")
            language = kind.removeprefix("language-") if kind.startswith("language-") else ""
            return {"type": "code", **({"_language": language} if language else {})}
        if tag.name in SIMPLE:
            return {"type": SIMPLE[tag.name]}
        if tag.name == "blockquote":
            return {"type": "expandable_blockquote" if "expandable" in tag.attributes else "blockquote"}
        if tag.name == "tg-emoji":
            return self._emoji(tag)
        if tag.name == "tg-time":
            return self._time(tag)
        return link(tag.attributes.get("href") or "".join(self.output[tag.output_index :]), self.find_person)

    def _emoji(self, tag: OpenTag) -> Json:
        emoji = tag.attributes.get("emoji-id", "")
        if not re.fullmatch("-?[1-9][0-9]{0,18}", emoji):
            raise cannot_parse("Invalid custom emoji identifier specified")
        return {"type": "custom_emoji", "custom_emoji_id": emoji}

    def _time(self, tag: OpenTag) -> Json | None:
        unix = re.match("[0-9]{0,10}", tag.attributes.get("unix", ""))
        try:
            entity = moment(int(unix[0] or 0) if unix else 0, tag.attributes.get("format", ""))
        except ValueError as why:
            raise cannot_parse(str(why)) from None
        return entity if entity["unix_time"] else None


def cannot_parse(reason: str) -> ApiError:
    """400 for text that its parse mode does not understand."""
    return bad_request(f"can't parse entities: {reason}")


def parse_html(source: str, find_person: FindPerson) -> FormattedText:
    """Read text that was sent with parse_mode HTML.

    Raises:
        ApiError: 400 "can't parse entities: …".
    """
    formatted = HtmlReader(source, find_person).read()
    if re.search("[\\ud800-\\udfff]", formatted.text):
        raise cannot_parse(
            "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code "
            "units",
        )
    for entity in formatted.entities:
        entity.pop("_language", None)
    return formatted


def _decoded(match: re.Match[str]) -> str | None:
    decimal, hexadecimal, name = match.groups()
    if name:
        return NAMED_CHARACTERS[name]
    number = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(number) if 0 < number < LAST_CHARACTER else None
