"""Texts with entities: offsets in UTF-16 units, trimming, and the entities that Telegram finds by itself."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise

from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.text.found_entities import find_entities

LONGEST_TEXT = 4096
NO_NESTING = frozenset({"code", "pre", "date_time"})
QUOTES = frozenset({"blockquote", "expandable_blockquote"})
"""They are blocks rather than marks, and may contain every other entity, code too."""

NEEDED = {
    **dict.fromkeys(("bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", *QUOTES)),
    "text_link": "url",
    "text_mention": "user",
    "custom_emoji": "custom_emoji_id",
    "date_time": "unix_time",
}
"""The field that an entity of each kind needs; a bot cannot give the kinds that Telegram finds by itself."""

FOUND = ("mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bank_card_number")
"""The kinds that Telegram finds by itself."""

STYLES = ("bold", "italic", "underline", "strikethrough", "spoiler")
"""They may be split where another entity begins or ends inside them, and joined where two of a kind touch."""
PRIORITIES = {
    **dict.fromkeys(QUOTES, 0),
    "pre": 10,
    "code": 20,
    "date_time": 30,
    "text_link": 49,
    "text_mention": 49,
    **{style: 90 + place for place, style in enumerate(STYLES)},
    "custom_emoji": 99,
}
"""The order of entities at one place with one length; those that Telegram finds have 50."""

_DROPPED = re.compile("[\r\u0333\u033f\u030a\u2028-\u202e]")
_REPEATED_DIRECTION = re.compile("[\u200e\u200f](?=[\u200e\u200f])")
_CONTROLS = {number: " " for number in range(32) if chr(number) not in "\n\r"}
_INVISIBLE = re.compile(
    "[ \n\u00a0\u1680\u180e\u2000-\u200f\u202e\u202f\u205f\u2800\u3000\ufeff\ufffc\U000e0000-\U000e007f]*",
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
    """Clean, trim, order and complete a text and its entities, as Telegram does with every text that is sent."""
    text, entities = _trim(*_cleaned(formatted.text, _arranged(formatted.entities)))
    return FormattedText(text, _arranged(entities, _found(text)))


def is_blank(text: str) -> bool:
    """Return whether nothing of a text can be seen, so that Telegram takes it for empty."""
    return _INVISIBLE.fullmatch(text) is not None


def _cleaned(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Return a text without the signs that Telegram drops, and with spaces in place of tabs and control characters."""
    dropped = [utf16_length(text[: match.start()]) for match in _DROPPED.finditer(text)]
    kept = [
        each
        | {
            "offset": each["offset"] - bisect_left(dropped, each["offset"]),
            "length": each["length"] + bisect_left(dropped, each["offset"]) - bisect_left(dropped, _end(each)),
        }
        for each in entities
    ]
    cleaned = _DROPPED.sub("", text).translate(_CONTROLS)
    return _REPEATED_DIRECTION.sub("\u200c", cleaned), kept


def _arranged(entities: list[Json], found: list[Json] | None = None) -> list[Json]:
    """Return entities that cross no other one; `found`: those that Telegram adds where no other one is.

    These are `fix_entities` and `merge_new_entities` of tdlib.
    """
    solid = _without_crossing([each for each in entities if each["type"] not in STYLES and each["type"] not in QUOTES])
    quotes = _without_crossing([each for each in entities if each["type"] in QUOTES])
    solid += [each for each in found or () if not any(_overlap(each, other) for other in solid)]
    solid = [each for each in solid if not any(_crosses(each, quote) for quote in quotes)]
    others = sorted([*solid, *quotes], key=_place)
    shields = [each for each in others if each["type"] in NO_NESTING]
    return sorted([*others, *_split_styles(entities, others, shields)], key=_place)


def _place(entity: Json) -> tuple[int, int, int]:
    return entity["offset"], -entity["length"], PRIORITIES.get(entity["type"], 50)


def _without_crossing(entities: list[Json]) -> list[Json]:
    kept: list[Json] = []
    for each in sorted(entities, key=_place):
        if not kept or each["offset"] >= _end(kept[-1]):
            kept.append(each)
    return kept


def _split_styles(entities: list[Json], others: list[Json], shields: list[Json]) -> list[Json]:
    """Return the styles joined, and split at the ends of all other entities and where another style begins or ends."""
    runs = {style: _runs(style, entities) for style in STYLES}
    cuts = {place for each in others for place in (each["offset"], _end(each))}
    pieces: list[Json] = []
    for style, spans in runs.items():
        for start, end in spans:
            inside = {cut for cut in cuts if start < cut < end}
            inside |= {begin for spans_of in runs.values() for begin, _ in spans_of if start < begin < end}
            places = [start, *sorted(inside), end]
            pieces += [{"type": style, "offset": one, "length": other - one} for one, other in pairwise(places)]
    return [each for each in pieces if not any(_overlap(each, shield) for shield in shields)]


def _runs(style: str, entities: list[Json]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for each in sorted((each for each in entities if each["type"] == style), key=_place):
        if runs and each["offset"] <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(runs[-1][1], _end(each))
        else:
            runs.append((each["offset"], _end(each)))
    return runs


def only_needed(entities: list[Json]) -> list[Json]:
    """Return the entities that a bot may give; those that Telegram finds by itself are left to it.

    Raises:
        ApiError: 400 for one of an unknown kind, or that lacks what its kind needs.
    """
    for entity in entities:
        needed = NEEDED.get(entity["type"])
        if needed is not None and entity.get(needed) is None:
            raise bad_request(f"can't parse MessageEntity: Can't find field \"{needed}\"")
        if entity["type"] not in NEEDED and entity["type"] not in FOUND:
            raise bad_request("can't parse MessageEntity: Unsupported type specified")
    return [entity for entity in entities if entity["type"] in NEEDED]


def check_given(text: str, entities: list[Json]) -> None:
    """Refuse entities that do not fit the text they came with.

    Raises:
        ApiError: 400, naming the entity's offset.
    """
    size = utf16_length(text)
    for entity in entities:
        for name in ("offset", "length"):
            if entity[name] < 0:
                raise bad_request(f"receive an entity with incorrect {name} {entity[name]}")
    for entity in entities:
        begin, end = entity["offset"], _end(entity)
        ends = f"entity beginning at UTF-16 offset {begin} ends"
        if begin > size:
            raise bad_request(f"entity begins after the end of the text at UTF-16 offset {begin}")
        if end > size:
            raise bad_request(f"{ends} after the end of the text at UTF-16 offset {end}")
        for place, words in ((begin, "entity begins"), (end, ends)):
            if _splits_a_character(text, place):
                at = len(utf16_slice(text, 0, place + 1).encode())
                raise bad_request(f"{words} in a middle of a UTF-16 symbol at byte offset {at}")


def _splits_a_character(text: str, place: int) -> bool:
    units = text.encode("utf-16-le")[place * 2 : place * 2 + 2]
    return len(units) == len("  ") and 0xDC <= units[1] < 0xE0  # noqa: PLR2004 - the range of low surrogates


def _trim(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    first = min((entity["offset"] for entity in entities), default=len(text))
    start = min(len(text) - len(text.lstrip(" \n")), first)
    trimmed = text[start:].rstrip(" \n")
    length = utf16_length(trimmed)
    kept = []
    for entity in entities:
        offset = entity["offset"] - start
        end = min(offset + entity["length"], length)
        if end > offset:
            kept.append({**entity, "offset": offset, "length": end - offset})
    return trimmed, kept


def _found(text: str) -> list[Json]:
    return [
        {"type": kind, "offset": utf16_length(text[:start]), "length": utf16_length(text[start:end])}
        for start, end, kind in find_entities(text)
    ]


def _end(entity: Json) -> int:
    end: int = entity["offset"] + entity["length"]
    return end


def _overlap(one: Json, other: Json) -> bool:
    if one is other:
        return False
    return bool(
        one["offset"] < other["offset"] + other["length"] and other["offset"] < one["offset"] + one["length"],
    )


def _crosses(entity: Json, quote: Json) -> bool:
    """Return whether an entity is partly inside a quote."""
    inside = quote["offset"] <= entity["offset"] and _end(entity) <= _end(quote)
    return _overlap(entity, quote) and not inside
