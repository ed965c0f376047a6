"""Rich messages: headings, lists and tables that the bot sends in HTML, Markdown or blocks."""

from telegram_sandbox.text.rich import blocks_of_html, blocks_of_markdown, shown_words
from tests.telegram_sandbox.conftest import Play

MARKDOWN = """# Scores
Ana **won** with `x<y`

- [x] roll
- call

> well
> played

| who | dice |
|---|---|
| Ana | _5_ |

```
a  b
```
---
[more](https://example.org)"""


def test_markdown_becomes_blocks_and_words() -> None:
    blocks = blocks_of_markdown(MARKDOWN)
    kinds = "heading paragraph list blockquote table pre divider paragraph"
    assert [block["type"] for block in blocks] == kinds.split()
    shown = shown_words(blocks)
    assert (
        shown.text
        == """Scores
Ana won with x<y
• ☑ roll
• call
well played
who | dice
Ana | 5
a  b
———
more"""
    )
    assert [mark["type"] for mark in shown.entities] == ["bold", "code", "italic", "text_link"]


def test_html_becomes_the_same_blocks() -> None:
    source = "<h2>T</h2><p>Hi <b>you</b></p><details><summary>S</summary>in</details><ol><li>one</li></ol>"
    assert blocks_of_html(source) == [
        {"type": "heading", "text": "T", "size": 2},
        {"type": "paragraph", "text": ["Hi ", {"type": "bold", "text": "you"}]},
        {"type": "details", "summary": "S", "blocks": [{"type": "paragraph", "text": "in"}]},
        {"type": "list", "items": [{"blocks": [{"type": "paragraph", "text": "one"}], "label": "1."}]},
    ]


async def test_people_read_a_rich_message_and_its_edits(play: Play) -> None:
    ana = play.user("Ana")
    await play.start("Ana")
    sent = await play.ok("sendRichMessage", chat_id=ana.id, rich_message={"html": "<h1>Round 1</h1>Ana bids"})
    assert sent["rich_message"]["blocks"][1] == {"type": "paragraph", "text": "Ana bids"}
    assert "text" not in sent
    assert (await ana.sees("Ana bids")).text == "Round 1\nAna bids"
    where = {"chat_id": ana.id, "message_id": sent["message_id"]}
    blocks = [{"type": "list", "items": [{"blocks": [{"type": "paragraph", "text": "Bo bids"}]}]}]
    edited = await play.ok("editMessageText", **where, rich_message={"blocks": blocks})
    assert edited["rich_message"]["blocks"][0]["items"][0]["label"] == "•"
    await ana.sees("• Bo bids")
    plain = await play.ok("editMessageText", **where, text="Over")
    assert (plain["text"], "rich_message" in plain) == ("Over", False)
    assert await play.ok("sendRichMessageDraft", chat_id=ana.id, draft_id=1, rich_message={"html": "x"}) is True
