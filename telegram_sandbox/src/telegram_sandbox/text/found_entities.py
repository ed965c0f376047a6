"""The entities that Telegram finds in a text by itself: mentions, commands, tags, addresses.

They are those of the functions `find_entities`, `match_urls` and `fix_url` in tdlib's `MessageEntity.cpp`.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Found(NamedTuple):
    """A part of a text; `start` and `end` count characters."""

    start: int
    end: int
    kind: str


_TAG = r"\w\u200c\u00b7\u0d80-\u0dff"
_USERNAME = r"@[A-Za-z0-9_]{3,32}"
_MENTION = re.compile(r"(?<!\w)@([A-Za-z0-9_]{2,32})(?!\w)")
_SHORT_USERNAMES = frozenset(("gif", "nft", "pic", "ufc", "vid"))
_SHORTEST_USERNAME = 4
_COMMAND = re.compile(rf"(?<![\w/<>])/[A-Za-z0-9_]{{1,64}}(?:{_USERNAME}|(?!@))(?![\w/<>])")
_HASHTAG = re.compile(rf"(?<![{_TAG}])#([{_TAG}]+)({_USERNAME})?")
_LONGEST_HASHTAG = 256
_CASHTAG = re.compile(rf"(?<![{_TAG}$])\$(?:1INCH|[A-Z]{{1,8}})(?:{_USERNAME})?(?![{_TAG}$])")
_EMAIL = re.compile(
    r"(?:[a-z0-9_-]{0,26}[.+]){0,10}[a-z0-9_-]{1,35}@(?:(?:[a-z0-9][a-z0-9_-]{0,28})?[a-z0-9]\.){1,6}[a-z]{2,8}",
    re.IGNORECASE | re.ASCII,
)

_NO_URL = r"\s\u2000-\u200b\u200e\u200f\u2016-\u206f"
_IN_DOMAIN = re.compile(rf"[.A-Za-z0-9_~-]|[^\x00-\xbf{_NO_URL}]")
_IN_USER = re.compile(rf"[^/\[\]{{}}()'`<>\"@«»{_NO_URL}]")
_PATH = rf"[^<>\"«»{_NO_URL}]*"
_REST = re.compile(rf"(?::0*(?P<port>[1-9][0-9]{{0,4}})(?![0-9]))?(?P<path>[/?#]{_PATH})?")
_OWN_LINK = re.compile(rf"(?:tonsite|ton|tg)://[A-Za-z0-9_-]{{1,253}}(?P<path>[/?#]{_PATH})?", re.IGNORECASE)
_IN_SCHEME = re.compile(r"[A-Za-z0-9+-]|[^\x00-\x7f\s]")
_SCHEMES = (("http", ("shttp",)), ("https", ()), ("ftp", ("tftp", "sftp")), ("tonsite", ()))
_WITH_SCHEME = re.compile(r"(?:https?|ftp|tonsite)://", re.IGNORECASE)
_NOT_LAST = ".:;,('?!`"
_HIGHEST_PORT = 65535
_IPV4_PART = re.compile(r"0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]")
_IPV4_PARTS = 4
_LONGEST_LABEL = 63
_PUNYCODE = re.compile(r"xn--[A-Za-z0-9]{2,}")


def find_entities(text: str) -> list[Found]:
    """Return what Telegram marks, in order; of two that overlap, the one that begins first, or the longer one."""
    found = sorted(_all(text), key=lambda each: (each.start, -each.end))
    kept: list[Found] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _all(text: str) -> Iterator[Found]:
    for match in _MENTION.finditer(text):
        if len(match[1]) >= _SHORTEST_USERNAME or match[1].lower() in _SHORT_USERNAMES:
            yield Found(*match.span(), "mention")
    for match in _COMMAND.finditer(text):
        yield Found(*match.span(), "bot_command")
    yield from _hashtags(text)
    for match in _CASHTAG.finditer(text):
        yield Found(*match.span(), "cashtag")
    for match in _OWN_LINK.finditer(text):
        yield Found(match.start(), _path_end(text, match.start("path"), match.end()), "url")
    for start, end in _addresses(text):
        part = text[start:end]
        mailed = part.removeprefix("mailto:")
        if _EMAIL.fullmatch(mailed):
            yield Found(end - len(mailed), end, "email")
        elif length := _url_length(part):
            yield Found(start, start + length, "url")


def _hashtags(text: str) -> Iterator[Found]:
    for match in _HASHTAG.finditer(text):
        name, is_long = match[1][:_LONGEST_HASHTAG], len(match[1]) > _LONGEST_HASHTAG
        if not text.startswith("#", match.end()) and any(map(str.isalpha, name)):
            yield Found(match.start(), match.start(1) + len(name) if is_long else match.end(), "hashtag")


def _path_end(text: str, start: int, end: int) -> int:
    """Return the end of a path without signs that end a sentence; `start` is its first sign, or -1 without a path."""
    if start < 0:
        return end
    last = start + 1 + len(text[start + 1 : end].rstrip(_NOT_LAST))
    return last if text[start] == "/" or last > start + 1 else start


def _reach(text: str, at: int, pattern: re.Pattern[str], floor: int) -> int:
    """Return where the signs of a pattern begin that end at a place."""
    while at > floor and pattern.match(text, at - 1):
        at -= 1
    return at


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts around a dot that look like an address of a page or of a mailbox."""
    floor = 0
    while 0 <= (dot := text.find(".", floor)) < len(text) - 1:
        start, end, last_at = _reach(text, dot, _IN_DOMAIN, floor), dot, -1
        while end < len(text) and (text[end] == "@" or _IN_DOMAIN.match(text, end)):
            last_at = end if text[end] == "@" else last_at
            end += 1
        if last_at >= 0:
            start = _reach(text, start, _IN_USER, floor)
        end = _with_rest(text, end)
        while end > dot + 1 and text[end - 1] == ".":
            end -= 1
        is_bad = False
        if start > floor and text[start - 1] == "@":
            user = _reach(text, start - 1, _IN_USER, floor)
            is_bad = last_at >= 0 or user == start - 1
            start = user
        if start > floor:
            if text.endswith("://", floor, start) and start - floor >= len("ftp://"):
                name = start - len("://")
                length = _scheme_length(text[_reach(text, name, _IN_SCHEME, floor) : name].lower())
                is_bad |= not length
                start -= length
            else:
                is_bad |= bool(re.match(r"[\w/#@]", text[start - 1]))
        if is_bad:
            end = text.rfind(".", floor, end) + 1
        elif end > dot + 1:
            yield start, end
        floor = max(end, dot + 1)


def _with_rest(text: str, end: int) -> int:
    """Return the end of an address that begins before `end`, with its port and its path."""
    rest = _REST.match(text, end)
    assert rest is not None  # noqa: S101 - both parts may be missing
    if rest["port"] and int(rest["port"]) > _HIGHEST_PORT:
        return end
    return rest.end() if rest["path"] is None else _path_end(text, rest.start("path"), rest.end())


def _scheme_length(name: str) -> int:
    for scheme, others in reversed(_SCHEMES):
        if name.endswith(scheme) and name not in others:
            return len(scheme) + len("://")
    return 0


def _url_length(part: str) -> int:
    """Return the length of the address of a page at the beginning of a part, or 0 if it is none."""
    scheme = _WITH_SCHEME.match(part)
    start = scheme.end() if scheme else 0
    sign = re.search(r"[/?#]", part[start:])
    path_at = len(part) if sign is None else start + sign.start()
    domain = part[start:path_at].rpartition("@")[2].rpartition(":")
    labels = (domain[0] if domain[1] else domain[2]).split(".")
    if len(labels) == 1 or not all(0 < len(label) <= _LONGEST_LABEL and label[-1] != "-" for label in labels):
        return 0
    if not (len(labels) == _IPV4_PARTS and all(map(_IPV4_PART.fullmatch, labels))):
        last = labels[-1]
        if all(label.isascii() and label.isdecimal() for label in labels) or len(last) == 1 or "_" in labels[-2]:
            return 0
        if last.startswith("xn--"):
            if not _PUNYCODE.fullmatch(last):
                return 0
        elif "_" in last or "-" in last or not (scheme or _is_top_level(last)):
            return 0
    return path_at + len(_balanced(part[path_at:]))


def _balanced(path: str) -> str:
    """Return a path up to the first bracket that closes none, without signs that end a sentence."""
    depth = dict.fromkeys("([{", 0)
    opened_by = dict(zip(")]}", "([{", strict=True))
    for place, sign in enumerate(path):
        if sign in depth:
            depth[sign] += 1
        elif sign in opened_by:
            depth[opened_by[sign]] -= 1
            if depth[opened_by[sign]] < 0:
                path = path[:place]
                break
    return path.rstrip(_NOT_LAST)


def _is_top_level(name: str) -> bool:
    lower = name.lower()
    begins_a_sentence = lower != name and lower[1:] == name[1:]  # "Yes.Is it?"
    return not begins_a_sentence and lower in _top_level()


@cache
def _top_level() -> frozenset[str]:
    return frozenset(files(__package__).joinpath("top_level_domains.txt").read_text(encoding="utf-8").split())
