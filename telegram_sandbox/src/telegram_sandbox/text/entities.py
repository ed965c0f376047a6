"""Texts with entities: offsets in UTF-16 units, trimming, and the entities that Telegram finds by itself."""

import re
from dataclasses import dataclass, field

from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json

LONGEST_TEXT = 4096
NO_NESTING = frozenset({"code", "pre"})
QUOTES = frozenset({"blockquote", "expandable_blockquote"})
"""They are blocks rather than marks, and may contain every other entity, code too."""
NO_MARKS_INSIDE = frozenset({"code", "pre", "text_link", "text_mention", "custom_emoji", "date_time"})

NEEDED = {
    **dict.fromkeys(("bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", *QUOTES)),
    "text_link": "url",
    "text_mention": "user",
    "custom_emoji": "custom_emoji_id",
    "date_time": "unix_time",
}
"""The field that an entity of each kind needs; a bot cannot give the kinds that Telegram finds by itself."""

AUTOMATIC = (
    ("bot_command", re.compile(r"(?<![\w/<>@])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/@])", re.ASCII)),
    ("url", re.compile(r"(?<![\w@])https?://[\w.-]+\.[A-Za-z]{2,}(?::\d+)?(?:/[^\s<>\"]*)?")),
    ("email", re.compile(r"(?<![\w.@])[\w.+-]+@[\w-]+\.[A-Za-z]{2,}", re.ASCII)),
    ("mention", re.compile(r"(?<![\w@])@[A-Za-z][A-Za-z0-9_]{2,31}(?!\w)", re.ASCII)),
    ("hashtag", re.compile(r"(?<![\w#@])#\w*[^\W\d]\w*")),
)


@dataclass(slots=True)
class FormattedText:
    """Words and the entities on them, as a Message carries both."""

    text: str
    entities: list[Json] = field(default_factory=list)


def utf16_length(text: str) -> int:
    """Return the length that Telegram counts: a character beyond the basic plane is two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_slice(text: str, offset: int, length: int) -> str:
    """Return the words under an entity."""
    encoded = text.encode("utf-16-le")
    return encoded[offset * 2 : (offset + length) * 2].decode("utf-16-le", errors="replace")


def finish(formatted: FormattedText) -> FormattedText:
    """Trim, order and complete the entities, as Telegram does with every text that is sent."""
    text, entities = _trim(formatted.text, formatted.entities)
    shields = [entity for entity in entities if entity["type"] in NO_NESTING]
    entities = [
        entity
        for entity in entities
        if entity["type"] in QUOTES or not any(_overlap(entity, shield) for shield in shields)
    ]
    entities += [mark for mark in _marks(text) if not any(_hides(entity, mark) for entity in entities)]
    entities.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return FormattedText(text, entities)


def only_needed(entities: list[Json]) -> list[Json]:
    """Return the entities that a bot may give; those that Telegram finds by itself are left to it.

    Raises:
        ApiError: 400 for one that lacks what its kind needs.
    """
    for entity in entities:
        needed = NEEDED.get(entity["type"])
        if needed is not None and entity.get(needed) is None:
            raise bad_request(f"can't parse MessageEntity: Can't find field \"{needed}\"")
    return [entity for entity in entities if entity["type"] in NEEDED]


def check_given(text: str, entities: list[Json]) -> None:
    """Refuse entities that do not fit the text they came with.

    Raises:
        ApiError: 400, naming the entity's offset.
    """
    length = utf16_length(text)
    for entity in entities:
        offset = entity["offset"]
        end = offset + entity["length"]
        if offset < 0 or entity["length"] < 0:
            raise bad_request("receive an entity with incorrect offset or length")
        if end > length:
            raise bad_request(
                f"entity beginning at UTF-16 offset {offset} ends after the end of the text at UTF-16 offset {end}",
            )
        for place in (offset, end):
            if _splits_a_character(text, place):
                raise bad_request(f"entity beginning at UTF-16 offset {offset} ends in a middle of a UTF-16 symbol")


def _splits_a_character(text: str, place: int) -> bool:
    units = text.encode("utf-16-le")[place * 2 : place * 2 + 2]
    return len(units) == len("  ") and 0xDC <= units[1] < 0xE0  # noqa: PLR2004 - the range of low surrogates


def _trim(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    first = min((entity["offset"] for entity in entities), default=len(text))
    blank = utf16_length(text) - utf16_length(text.lstrip())
    start = min(blank, first)
    trimmed = text[start:].rstrip()
    length = utf16_length(trimmed)
    kept = []
    for entity in entities:
        offset = entity["offset"] - start
        end = min(offset + entity["length"], length)
        if end > offset:
            kept.append({**entity, "offset": offset, "length": end - offset})
    return trimmed, kept


def _marks(text: str) -> list[Json]:
    found: list[Json] = []
    for kind, pattern in AUTOMATIC:
        for match in pattern.finditer(text):
            mark: Json = {
                "type": kind,
                "offset": utf16_length(text[: match.start()]),
                "length": utf16_length(match.group()),
            }
            if not any(_overlap(mark, other) for other in found):
                found.append(mark)
    return found


def _overlap(one: Json, other: Json) -> bool:
    if one is other:
        return False
    return bool(
        one["offset"] < other["offset"] + other["length"] and other["offset"] < one["offset"] + one["length"],
    )


def _hides(entity: Json, mark: Json) -> bool:
    return entity["type"] in NO_MARKS_INSIDE and _overlap(entity, mark)
