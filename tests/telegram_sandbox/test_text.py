from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_sandbox.errors import ApiError
from telegram_sandbox.text.entities import FormattedText, check_given, finish, is_blank, utf16_slice
from telegram_sandbox.text.html_mode import parse_html
from telegram_sandbox.text.links import checked_link
from telegram_sandbox.text.markdown_mode import parse_markdown
from telegram_sandbox.text.old_markdown_mode import parse_old_markdown

Reader = Callable[[str], FormattedText]
Marks = list[tuple[str, int, int]]
ANA = {"id": 7, "is_bot": False, "first_name": "Ana"}


def find(user_id: int) -> dict[str, Any] | None:
    return ANA if user_id == ANA["id"] else None


def html(source: str) -> FormattedText:
    return finish(parse_html(source, find))


def markdown(source: str) -> FormattedText:
    return finish(parse_markdown(source, find))


def old_markdown(source: str) -> FormattedText:
    return finish(parse_old_markdown(source, find))


def short(entity: dict[str, Any]) -> str:
    """The kind of an entity, its place, and what it leads to."""
    more = [entity[name] for name in entity if name not in ("type", "offset", "length")]
    words = [entity["type"], f"{entity['offset']}+{entity['length']}", *more]
    return " ".join("Ana" if word == ANA else str(word) for word in words)


TAGS = {"bold": "b strong B", "italic": "i em", "underline": "u ins", "strikethrough": "s strike del"}
TAGS |= {"spoiler": "tg-spoiler", "code": "code", "pre": "pre", "blockquote": "blockquote"}
HTML: list[tuple[str, str, list[str]]] = [
    *((f"<{tag}>two</{tag}>", "two", [f"{kind} 0+3"]) for kind, tags in TAGS.items() for tag in tags.split()),
    ("a &lt;b&gt; &amp; &quot;c&quot; &#65;&#x1F3B2; &nope;", 'a <b> & "c" A🎲 &nope;', []),
    ("🎲<b>5</b>", "🎲5", ["bold 2+1"]),
    ('<span class="tg-spoiler">x</span>', "x", ["spoiler 0+1"]),
    ("<blockquote>a <code>b</code></blockquote>", "a b", ["blockquote 0+3", "code 2+1"]),
    ("<blockquote expandable>x</blockquote>", "x", ["expandable_blockquote 0+1"]),
    ('<pre><code class="language-python">x</code></pre>', "x", ["pre 0+1 python"]),
    ('<a href="https://example.org/?a=1&amp;b=2">x</a>', "x", ["text_link 0+1 https://example.org/?a=1&b=2"]),
    ('<a href="example.org">x</a>', "x", ["text_link 0+1 http://example.org/"]),
    ('<a href="tg://user?id=7">Ana</a>', "Ana", ["text_mention 0+3 Ana"]),
    ('<a href="tg://user?id=8">Who</a>', "Who", []),
    ('<a href="javascript:alert(1)">x</a>', "x", []),
    ("<a>nothing</a>", "nothing", []),
    ('<tg-time unix="1700000000" format="r">soon</tg-time>', "soon", ["date_time 0+4 1700000000 r"]),
    ('<tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>', "👍", ["custom_emoji 0+2 5368324170671202286"]),
    # Telegram splits a style where another one begins.
    ("<b>one <i>two</i></b>", "one two", ["bold 0+4", "bold 4+3", "italic 4+3"]),
    ("<b></b>x", "x", []),
    ("<b>x</>", "x", ["bold 0+1"]),
    # Leading blanks inside an entity stay, as at Telegram; those before it and at the end are removed.
    ("  <b> x </b>\n ", " x", ["bold 0+2"]),
    ("<code>/start</code>", "/start", ["code 0+6"]),
]


MARKDOWN: list[tuple[str, str, list[str]]] = [
    ("*b* _i_ __u__ ~s~", "b i u s", ["bold 0+1", "italic 2+1", "underline 4+1", "strikethrough 6+1"]),
    ("||h|| `a.b-c`", "h a.b-c", ["spoiler 0+1", "code 2+5"]),
    (r"1\. two \_x\_ \\", "1. two _x_ \\", []),
    ("```python\nx = 1\n```", "x = 1", ["pre 0+5 python"]),
    ("```python x```", " x", ["pre 0+2 python"]),
    ("```python\r\nx```", "x", ["pre 0+1 python"]),
    ("```\nx\n```", "x", ["pre 0+1"]),
    ("[x](https://example.org)", "x", ["text_link 0+1 https://example.org/"]),
    ("[Ana](tg://user?id=7)", "Ana", ["text_mention 0+3 Ana"]),
    (r"[x](https://example.org/a\)b)", "x", ["text_link 0+1 https://example.org/a)b"]),
    (">quoted\nnot", "quoted\nnot", ["blockquote 0+7"]),
    ("**>quoted\n>more||", "quoted\nmore", ["expandable_blockquote 0+11"]),
    ("*bold _both_*", "bold both", ["bold 0+5", "bold 5+4", "italic 5+4"]),
    (r"[example\.org]", "example.org", ["text_link 0+11 http://example.org/"]),
    ("[Ana](tg:user?id=7)", "Ana", ["text_mention 0+3 Ana"]),
    ("a ![👍](TG://EMoJI/?test=1231&id=25#id=32)", "a 👍", ["custom_emoji 2+2 25"]),
    ("*>abcd\n*", "abcd", ["blockquote 0+4", "bold 0+4"]),
    (">asd\n>q||e||w||\nasdad", "asd\nqew\nasdad", ["expandable_blockquote 0+8", "spoiler 5+1"]),
]
OLD_MARKDOWN: list[tuple[str, str, list[str]]] = [
    ("*bold* _it_ `x_y`", "bold it x_y", ["bold 0+4", "italic 5+2", "code 8+3"]),
    (r"a\_b \*c\* 1. - (d)!", "a_b *c* 1. - (d)!", []),
    ("*no _nesting_*", "no _nesting_", ["bold 0+12"]),
    ("```py\nx = 1```", "x = 1", ["pre 0+5 py"]),
    ("```x```", "x", ["pre 0+1"]),
    ("[x](https://e.org) [Ana](tg://user?id=7)", "x Ana", ["text_link 0+1 https://e.org/", "text_mention 2+3 Ana"]),
    ("[example.org]", "example.org", ["text_link 0+11 http://example.org/"]),
    ("**", "", []),
    (r"back\slash", r"back\slash", []),
]


@pytest.mark.parametrize(
    ("read", "source", "text", "entities"),
    [(read, *row) for read, rows in ((html, HTML), (markdown, MARKDOWN), (old_markdown, OLD_MARKDOWN)) for row in rows],
)
def test_words_and_entities_of_each_parse_mode(read: Reader, source: str, text: str, entities: list[str]) -> None:
    found = read(source)
    assert (found.text, [short(each) for each in found.entities]) == (text, entities)


UNICODE = "Text contains invalid Unicode characters after decoding HTML entities"
RESERVED = "reserved and must be escaped with the preceding '\\'"
HTML_ERRORS = [
    ("a <b>x", 'Can\'t find end tag corresponding to start tag "b"'),
    ("é <foo>x</foo>", 'Unsupported start tag "foo" at byte offset 3'),
    ("x < 5", 'Unsupported start tag "" at byte offset 2'),
    ("x <5", "Unclosed start tag at byte offset 2"),
    ("x</b>", "Unexpected end tag at byte offset 1"),
    ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
    ("<b>x</b", "Unclosed end tag at byte offset 4"),
    ("<a href=x", "Unclosed start tag at byte offset 0"),
    ('<a href="x', "Unclosed start tag at byte offset 0"),
    ("<a href", 'Unclosed start tag "a" at byte offset 0'),
    ("<a =x>y</a>", 'Empty attribute name in the tag "a" at byte offset 0'),
    ("<a href=x/y>z</a>", "Unexpected end of name token at byte offset 8"),
    ("<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
    ('<tg-time unix="1" format="x">x</tg-time>', "Invalid date format used"),
    ("&#57311;", f"{UNICODE}, check for unmatched surrogate code units"),
    ('<tg-emoji emoji-id="x">x</tg-emoji>', "Invalid custom emoji identifier specified"),
]
MARKDOWN_ERRORS = [
    ("x.", f"Character '.' is {RESERVED}"),
    ("1-2", f"Character '-' is {RESERVED}"),
    ("🏟 🏟_abacaba", "Can't find end of Italic entity at byte offset 9"),
    ("🏟 🏟_abac * asd ", "Can't find end of Bold entity at byte offset 15"),
    ("🏟 🏟`", "Can't find end of Code entity at byte offset 9"),
    ("🏟 🏟```", "Can't find end of Pre entity at byte offset 9"),
    ("[x](https://example.org", "Can't find end of a URL at byte offset 4"),
    ("🏟 🏟```🏟 🏟`", "Can't find end of Code entity at byte offset 21"),
    ("🏟 🏟```🏟 🏟_", "Can't find end of PreCode entity at byte offset 9"),
    ("🏟 🏟![👍", "Can't find end of CustomEmoji entity at byte offset 9"),
    ("🏟 🏟![👍]", "The entity must contain a tg://emoji or tg://time URL"),
    ("🏟 🏟![👍](tg:emojis?id=1234)", "Invalid tg://emoji or tg://time URL specified"),
    (">*b\n>ld \n>bo\nld*\nasd", "Can't find end of Bold entity at byte offset 1"),
    (">asd\n>q||ew\n||asdad", "Can't find end of Spoiler entity at byte offset 7"),
]


@pytest.mark.parametrize(
    ("read", "source", "reason"),
    [
        *((html, *row) for row in HTML_ERRORS),
        *((markdown, *row) for row in MARKDOWN_ERRORS),
        (old_markdown, "é *x", "Can't find end of the entity starting at byte offset 3"),
    ],
)
def test_words_that_cannot_be_read_are_refused_in_telegrams_words(read: Reader, source: str, reason: str) -> None:
    with pytest.raises(ApiError) as caught:
        read(source)
    assert caught.value.description == f"Bad Request: can't parse entities: {reason}"


@pytest.mark.parametrize(
    ("given", "shown", "marked"),
    [
        ("a\tb\0c", "a b c", (0, 5)),
        ("a\r\nb", "a\nb", (0, 3)),
        ("a\u2028b\u033fc", "abc", (0, 3)),
        ("a\u00a0", "a\u00a0", (0, 2)),
        ("a\u200f\u200fb", "a\u200c\u200fb", (0, 4)),
    ],
)
def test_signs_that_telegram_drops_or_replaces(given: str, shown: str, marked: tuple[int, int]) -> None:
    found = finish(FormattedText(given, [{"type": "bold", "offset": 0, "length": len(given)}]))
    assert (found.text, found.entities) == (shown, [{"type": "bold", "offset": marked[0], "length": marked[1]}])


@pytest.mark.parametrize("words", ["\u200b", "\u2800 \n", "\ufeff\u00a0"])
def test_invisible_words_are_none(words: str) -> None:
    assert is_blank(words)
    assert not is_blank(words + "x")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("/start now", [("bot_command", "/start")]),
        ("try /new@quiz_bot please", [("bot_command", "/new@quiz_bot")]),
        ("a/b and 1/2", []),
        ("@quiz_bot hi", [("mention", "@quiz_bot")]),
        ("see https://example.org/x?y=1 #quiz", [("url", "https://example.org/x?y=1"), ("hashtag", "#quiz")]),
        ("me@example.org", [("email", "me@example.org")]),
        ("#1 is no tag", []),
        ("/cmd@ab and </x>", []),
        ("example.org, www.example.org. Yes.No", [("url", "example.org"), ("url", "www.example.org")]),
        ("t.me/perudo_bot?start=x!", [("url", "t.me/perudo_bot?start=x")]),
        ("(https://x.org/a(b)c).", [("url", "https://x.org/a(b)c")]),
        ("ftp://example.org and sftp://example.org", [("url", "ftp://example.org")]),
        ("tg://resolve?domain=perudo_bot", [("url", "tg://resolve?domain=perudo_bot")]),
        ("10.0.0.1/x 300.0.0.1 1.2", [("url", "10.0.0.1/x")]),
        ("http://пример.рф/путь", [("url", "http://пример.рф/путь")]),
        ("x_y.example.org a.b_c.org end.file", [("url", "x_y.example.org")]),
        ("https://ana:secret@example.org:8443/", [("url", "https://ana:secret@example.org:8443/")]),
        ("mailto:me@example.org", [("email", "me@example.org")]),
        ("$USD, $1INCH, $usd and $TOOLONGNAME", [("cashtag", "$USD"), ("cashtag", "$1INCH")]),
        ("#quiz@perudo #a#b", [("hashtag", "#quiz@perudo")]),
        ("@gif @abc @a", [("mention", "@gif")]),
        (f"#{'a' * 300}", [("hashtag", f"#{'a' * 256}")]),
    ],
)
def test_what_telegram_marks_by_itself(text: str, kinds: list[tuple[str, str]]) -> None:
    found = finish(FormattedText(text, []))
    assert [(e["type"], utf16_slice(found.text, e["offset"], e["length"])) for e in found.entities] == kinds


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([("bold", 0, 8), ("italic", 5, 10)], [("bold", 0, 5), ("italic", 5, 10), ("bold", 5, 3)]),
        ([("bold", 0, 4), ("bold", 0, 4)], [("bold", 0, 4)]),
        ([("bold", 4, 3), ("bold", 0, 4)], [("bold", 0, 7)]),
        ([("code", 2, 4), ("bold", 0, 10)], [("bold", 0, 2), ("code", 2, 4), ("bold", 6, 4)]),
        ([("pre", 0, 6), ("code", 4, 6)], [("pre", 0, 6)]),
        ([("blockquote", 4, 8), ("code", 0, 6), ("code", 8, 2)], [("blockquote", 4, 8), ("code", 8, 2)]),
    ],
)
def test_entities_of_a_bot_are_put_in_order_and_cross_no_other(given: Marks, kept: Marks) -> None:
    entities = [{"type": kind, "offset": offset, "length": length} for kind, offset, length in given]
    found = finish(FormattedText("x" * 20, entities)).entities
    assert [(each["type"], each["offset"], each["length"]) for each in found] == kept


@pytest.mark.parametrize(
    ("link", "read"),
    [
        ("example.org", "http://example.org/"),
        ("HTTPS://Example.ORG:443?a=b c", "https://example.org:443/?a=b%20c"),
        ("tg:resolve?domain=x", "tg://resolve?domain=x"),
        ("https://a:b@x.org/", "https://a:b@x.org/"),
        ("http://[::1]/x", "http://[::1]/x"),
        ("", "URL host is empty"),
        ("nowhere", "Wrong HTTP URL"),
        ("gopher://x.org", "Unsupported URL protocol"),
        ("https://x.org:0", "Wrong port number specified in the URL"),
        ("https://x.org:65536/", "Wrong port number specified in the URL"),
        ("https://x y.org", "Disallowed character in URL host"),
        ("tg://a.b/", "Unallowed characters in URL host"),
        ("tg://user@x", "Wrong tg URL"),
    ],
)
def test_a_link_of_a_bot_is_completed_or_refused_with_the_reason(link: str, read: str) -> None:
    try:
        found = checked_link(link)
    except ValueError as error:
        found = str(error)
    assert found == read


@given(st.text(alphabet="@/.:#$a9_-()?\u200cé🎲tghp", max_size=60))
def test_whatever_is_marked_lies_in_the_text_and_overlaps_nothing(text: str) -> None:
    found = finish(FormattedText(text, [])).entities
    ends = [0, *(each["offset"] + each["length"] for each in found)]
    assert all(before <= each["offset"] and each["length"] > 0 for before, each in zip(ends, found, strict=False))
    assert ends[-1] <= len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("offset", "length", "words"),
    [
        (0, 2, "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5"),
        (2, 1, "entity begins in a middle of a UTF-16 symbol at byte offset 5"),
        (-1, 1, "receive an entity with incorrect offset -1"),
        (0, -2, "receive an entity with incorrect length -2"),
        (4, 1, "entity begins after the end of the text at UTF-16 offset 4"),
        (3, 1, "entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 4"),
    ],
)
def test_entities_may_not_split_a_character_or_leave_the_text(offset: int, length: int, words: str) -> None:
    with pytest.raises(ApiError, match=f"^Bad Request: {words}$"):
        check_given("x🎲", [{"type": "bold", "offset": offset, "length": length}])
    check_given("🎲x", [{"type": "bold", "offset": 2, "length": 1}])


@pytest.mark.parametrize("read", [html, markdown, old_markdown])
@given(st.text(alphabet="*_~|`[]()<>!\\/b ai=\"'&;#x5é.🎲\n-", max_size=60))
def test_any_words_are_read_or_refused(read: Reader, source: str) -> None:
    try:
        found = read(source)
    except ApiError:
        return
    check_given(found.text, found.entities)
