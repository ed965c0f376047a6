"""Writes a text with entities as HTML for a page: a few harmless tags, everything else escaped."""

import html
from datetime import UTC, datetime
from itertools import pairwise
from urllib.parse import urlsplit

from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import utf16_length, utf16_slice

TAGS = {
    "bold": ("<b>", "</b>"),
    "italic": ("<i>", "</i>"),
    "underline": ("<u>", "</u>"),
    "strikethrough": ("<s>", "</s>"),
    "spoiler": ('<span class="spoiler">', "</span>"),
    "code": ("<code>", "</code>"),
    "pre": ("<pre>", "</pre>"),
    "blockquote": ("<blockquote>", "</blockquote>"),
    "expandable_blockquote": ('<blockquote class="expandable">', "</blockquote>"),
}
SAFE_SCHEMES = frozenset({"http", "https", "tg", "mailto"})


def to_html(text: str, entities: list[Json]) -> str:
    """Well-formed HTML even where entities cross each other."""
    shown = [(entity, tags) for entity in entities if (tags := _tags(entity, text))]
    cuts = {0, utf16_length(text)}
    for entity, _ in shown:
        cuts |= {entity["offset"], entity["offset"] + entity["length"]}
    places = sorted(cuts)
    pieces: list[str] = []
    stack: list[tuple[Json, tuple[str, str]]] = []
    for start, end in pairwise(places):
        wanted = [one for one in shown if one[0]["offset"] <= start and end <= one[0]["offset"] + one[0]["length"]]
        common = 0
        while common < min(len(stack), len(wanted)) and stack[common] is wanted[common]:
            common += 1
        pieces += [closing for _, (_, closing) in reversed(stack[common:])]
        pieces += [opening for _, (opening, _) in wanted[common:]]
        stack = wanted
        pieces.append(html.escape(utf16_slice(text, start, end - start)))
    pieces += [closing for _, (_, closing) in reversed(stack)]
    return "".join(pieces)


def _tags(entity: Json, text: str) -> tuple[str, str] | None:
    kind = entity["type"]
    if kind in TAGS:
        return TAGS[kind]
    if kind == "text_mention":
        return f'<a href="tg://user?id={int(entity["user"]["id"])}">', "</a>"
    if kind in ("text_link", "url"):
        url = entity.get("url") or utf16_slice(text, entity["offset"], entity["length"])
        return (f'<a href="{html.escape(url)}">', "</a>") if _is_safe(url) else None
    if kind == "date_time":
        return _time(entity), "</time>"
    return None


def _is_safe(url: str) -> bool:
    try:
        return urlsplit(url.strip()).scheme.lower() in SAFE_SCHEMES
    except ValueError:
        return False


def _time(entity: Json) -> str:
    unix = int(entity["unix_time"])
    shape = html.escape(str(entity.get("date_time_format") or ""))
    try:
        moment = datetime.fromtimestamp(unix, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        moment = ""
    return f'<time datetime="{moment}" data-unix="{unix}" data-format="{shape}">'
