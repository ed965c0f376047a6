"""Reads texts in parse_mode HTML, with Telegram's error messages."""

import html
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import FormattedText, utf16_length
from telegram_sandbox.text.links import checked_link

SIMPLE = {
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
    "span": "spoiler",
    "code": "code",
    "pre": "pre",
}
TAGS = frozenset(SIMPLE) | {"a", "blockquote", "tg-emoji", "tg-time"}
NAMED_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
CHARACTER = re.compile(r"&(?:#(\d{1,10})|#[xX]([0-9a-fA-F]{1,8})|(lt|gt|amp|quot));?")
PLAIN = re.compile(r"[^<&]+")
SPACES = " \t\r\n\0\v"
LAST_CHARACTER = 0x10FFFF
MENTION_LINK = re.compile(r"tg://user\?id=(\d{1,19})$")

FindPerson = Callable[[int], Json | None]


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
            if not self._peek():
                raise cannot_parse(f'Unclosed start tag "{name}" at byte offset {self._byte(begin)}')
            if not attribute:
                raise cannot_parse(
                    f'Empty attribute name in the tag "{name}" at byte offset {self._byte(begin)}',
                )
            self._skip_spaces()
            if self._peek() != "=":
                attributes[attribute] = ""
                continue
            self.at += 1
            self._skip_spaces()
            attributes[attribute] = self._value(name, begin)

    def _value(self, name: str, begin: int) -> str:
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
            raise cannot_parse(f'Unclosed start tag "{name}" at byte offset {self._byte(begin)}')
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
        if entity["type"] == "pre" and self._takes_language(entity):
            return
        self.entities.append(entity)

    def _takes_language(self, entity: Json) -> bool:
        """Return whether this is `<pre><code class="language-…">`, which is one entity."""
        inner = self.entities[-1] if self.entities else None
        if not inner or inner.get("_language") is None:
            return False
        if (inner["offset"], inner["length"]) != (entity["offset"], entity["length"]):
            return False
        self.entities[-1] = {**entity, "language": inner["_language"]}
        return True

    def _entity(self, tag: OpenTag) -> Json | None:
        if tag.name == "code":
            language = tag.attributes.get("class", "").partition("language-")[2]
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
        if not emoji.isdecimal():
            raise cannot_parse("Invalid custom emoji identifier specified")
        return {"type": "custom_emoji", "custom_emoji_id": emoji}

    def _time(self, tag: OpenTag) -> Json:
        unix = tag.attributes.get("unix", "")
        if not re.fullmatch(r"-?\d{1,11}", unix):
            raise cannot_parse("Invalid date and time specified")
        entity: Json = {"type": "date_time", "unix_time": int(unix)}
        if tag.attributes.get("format"):
            entity["date_time_format"] = tag.attributes["format"]
        return entity


def cannot_parse(reason: str) -> ApiError:
    """400 for text that its parse mode does not understand."""
    return bad_request(f"can't parse entities: {reason}")


def link(url: str, find_person: FindPerson) -> Json | None:
    """Return the entity for a link, or None where Telegram silently drops it."""
    mention = MENTION_LINK.match(url)
    if mention:
        user = find_person(int(mention.group(1)))
        return {"type": "text_mention", "user": user} if user else None
    with suppress(ValueError):
        return {"type": "text_link", "url": checked_link(url)}
    return None


def parse_html(source: str, find_person: FindPerson) -> FormattedText:
    """Read text that was sent with parse_mode HTML."""
    formatted = HtmlReader(source, find_person).read()
    for entity in formatted.entities:
        entity.pop("_language", None)
    return formatted


def _decoded(match: re.Match[str]) -> str | None:
    decimal, hexadecimal, name = match.groups()
    if name:
        return NAMED_CHARACTERS[name]
    number = int(decimal) if decimal else int(hexadecimal, 16)
    if number == 0 or number > LAST_CHARACTER or 0xD800 <= number < 0xE000:  # noqa: PLR2004 - surrogates
        return None
    return html.unescape(f"&#{number};") if number >= ord(" ") else chr(number)
