"""Dice as pictures on a Bot API server: players' screens, uploads, and failures."""

import logging
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from telegram import Bot

from perudo_core import Rules
from telegram_bot import notices as n
from telegram_bot.channels.telegram.photo_messages import PhotoMessages
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.delivery.sender import ChatLostError, SendResult, TargetGoneError, UnknownOutcomeError
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices.rendering import caption_length
from telegram_bot.presentation.pictures import Artist
from telegram_bot.storage.database import Database
from telegram_bot.storage.key_value import KeyValueStore
from telegram_bot.tables.model import Table
from telegram_bot.tables.views import SeatView, hand_view, table_view
from telegram_sandbox import RunningSandbox
from telegram_sandbox.faults import Fault
from telegram_sandbox.model import StoredMessage
from tests.telegram_bot.channels.telegram.scripted_bot_api import make_bot
from tests.telegram_bot.conftest import EN, START, running_table, the_end

RULES = Rules.preset("box_2009")
TABLE = running_table("22234", "13355", rules=RULES, calls="3x4")
ROUND = n.TableNotice(view=table_view(TABLE), shared=False, unreachable=False)
NO_PHOTOS = "Bad Request: not enough rights to send photos to the chat"


def hand(table: Table = TABLE, seat: int = 1) -> n.HandNotice:
    return n.HandNotice(view=hand_view(table, seat), player=seat + 1, title="Friends", deal=1)


def reveal(table: Table = TABLE) -> n.RevealNotice:
    return n.RevealNotice(view=the_end(table)[0])


def long_reveal() -> n.RevealNotice:
    """A round of many bids by people with long names."""
    view = reveal().view
    seats = tuple(SeatView(player=seat.player, name="Maximiliane-Friederike of Hohenstein") for seat in view.seats)
    return n.RevealNotice(view=view.model_copy(update={"seats": seats, "bids": view.bids * 24}))


class NoAnimations(Artist):
    """Draws still pictures only."""

    refused = 0

    async def draw(self, picture: n.Picture, seconds: float) -> bytes | None:
        self.refused += picture.animated
        return None if picture.animated else await super().draw(picture, seconds)


class Hurrying(Artist):
    """Leaves a second for the upload after each drawing."""

    def __init__(self, photos: PhotoMessages) -> None:
        super().__init__()
        self.photos = photos

    async def draw(self, picture: n.Picture, seconds: float) -> bytes | None:
        began = time.monotonic()
        drawn = await super().draw(picture, seconds)
        self.photos.picture_seconds = time.monotonic() - began + 1
        return drawn


class Clumsy(Artist):
    """Fails at each drawing, with an error that quotes the dice."""

    async def draw(self, picture: n.Picture, seconds: float) -> bytes | None:
        def fail() -> bytes:
            raise ValueError("13355")

        return await super().draw(replace(picture, draw=fail), seconds)


@pytest.fixture
async def sender(sandbox: RunningSandbox) -> AsyncIterator[TelegramSender]:
    """Waits up to a minute for a picture, which a busy machine draws in that time."""
    await sandbox.user("Ana").send("/start")
    async with make_bot(sandbox.url, sandbox.token) as bot:
        sender = TelegramSender(bot)
        sender.photos.picture_seconds = sender.photos.animation_seconds = 60
        yield sender
        await sender.photos.close()


@dataclass
class Chat:
    """A chat as its members see it, and how to send notices to it."""

    sandbox: RunningSandbox
    sender: TelegramSender
    number: int

    async def send(self, notice: n.Notice, target: SendResult | None = None, **more: Any) -> SendResult:
        envelope = Envelope(channel="telegram", chat=self.number, notice=notice, **{"pictures": True, **more})
        return await self.sender.send(
            envelope, None if target is None else MessageRef(target.message or 0, picture=target.picture)
        )

    def shown(self) -> list[StoredMessage]:
        bot = self.sandbox.world.settings.bot_id
        messages = self.sandbox.world.messages.values()
        return [each for each in messages if each.chat_id == self.number and each.sender_id == bot]

    def only(self) -> StoredMessage:
        (message,) = self.shown()
        return message

    def fails(self, kind: Any, method: str, times: int = 1, **more: Any) -> None:
        self.sandbox.world.faults.add(Fault(kind, method, **more), times)

    def calls(self) -> list[str]:
        made = [call["method"] for call in self.sandbox.world.calls.listing()]
        return [method for method in made if method.startswith(("send", "edit", "delete"))]


@pytest.fixture
def ana(sandbox: RunningSandbox, sender: TelegramSender) -> Chat:
    return Chat(sandbox, sender, sandbox.people["Ana"])


@pytest.fixture
def group(sandbox: RunningSandbox, sender: TelegramSender) -> Chat:
    return Chat(sandbox, sender, sandbox.group_id)


def is_photo(message: StoredMessage) -> bool:
    return kind_of(message) == "photo"


def kind_of(message: StoredMessage) -> str | None:
    return None if message.media is None else message.media.kind


def said_and_hidden(message: StoredMessage) -> tuple[str, str]:
    """The text outside spoilers, and the text that spoilers hide."""
    text, spoilers = (message.text or "").encode("utf-16-le"), [e for e in message.entities if e["type"] == "spoiler"]
    hidden = [text[2 * each["offset"] : 2 * (each["offset"] + each["length"])].decode("utf-16-le") for each in spoilers]
    return text[: 2 * spoilers[0]["offset"]].decode("utf-16-le"), "".join(hidden)


def uploads(chat: Chat) -> int:
    return sum(file.whole is None for file in chat.sandbox.world.files.values())


async def test_a_hand_is_a_photo_whose_keyboard_words_and_dice_change_in_its_place(ana: Chat) -> None:
    sent = await ana.send(hand(), silent=True)
    shown = ana.only()
    assert sent == SendResult(shown.message_id, keyboard=True, picture=True)
    assert is_photo(shown)
    assert "👉 Your turn" in (shown.text or "")
    assert "Your dice" not in (shown.text or ""), "the picture shows them"
    assert shown.silent
    before, media = shown.reply_markup, shown.media
    assert before is not None
    await ana.send(n.BidsNotice(view=table_view(TABLE), seat=1, face=5, private=True), sent)
    assert ana.only().reply_markup not in (None, before)
    assert await ana.send(n.PausedNotice(table=1), sent) == replace(sent, keyboard=True)
    assert ("game waits" in (ana.only().text or ""), ana.only().media) == (True, media)
    with pytest.raises(TargetGoneError):
        await ana.send(hand(seat=0), sent, pictures=False)
    assert "game waits" in (ana.only().text or ""), "other dice are never written below a photo of the first"
    assert await ana.send(hand(seat=0), sent) == replace(sent, keyboard=False)
    assert ("You bid" in (ana.only().text or ""), ana.only().media == media) == (True, False)
    await ana.send(n.OutdatedNotice(), sent)
    assert ana.only().reply_markup is None
    assert is_photo(ana.only())
    turned = "editMessageReplyMarkup"
    assert ana.calls() == ["sendPhoto", turned, "editMessageCaption", "editMessageMedia", turned]


async def test_the_same_dice_are_uploaded_once_under_a_name_that_tells_nothing(ana: Chat) -> None:
    same = running_table("22234", "53135", rules=RULES)
    palifico = running_table("2", "13355", rules=RULES, palifico=0)
    for shown in (hand(), hand(same), hand(palifico), hand(seat=0)):
        await ana.send(shown)
    wild, again, tame, _ = (message.media for message in ana.shown())
    assert wild == again
    assert uploads(ana) == 3
    assert wild is not None
    assert tame is not None
    assert wild.file.content != tame.file.content, "ones that are wild look different"
    assert {file.name for file in ana.sandbox.world.files.values()} == {"dice.png"}


def test_a_hand_is_a_photo_only_for_one_who_wants_it_and_where_no_one_else_sees_it() -> None:
    wishes: list[dict[str, Any]] = [
        {"chat": 101},
        {"chat": 101, "pictures": False},
        {"chat": -1001},
        {"chat": -1001, "receiver": 101},
    ]
    hands = [Envelope(channel="telegram", notice=hand(), **{"pictures": True, **wish}) for wish in wishes]
    assert [picture_of(each, EN) is not None for each in hands] == [True, False, False, False]


async def test_a_bot_api_server_without_relative_times_gets_the_photo_without_them(ana: Chat) -> None:
    clocked = hand(TABLE.with_clock(ends=START))
    ana.fails("refuse", "sendPhoto", code=400, description="Bad Request: can't parse entities: Unsupported start tag")
    await ana.send(clocked)
    assert is_photo(ana.only())
    assert "22:13:20 UTC" in (ana.only().text or "")
    assert ana.calls() == ["sendPhoto", "sendPhoto"]


async def test_the_message_of_the_round_becomes_a_photo_and_stays_one(group: Chat) -> None:
    told = await group.send(ROUND)
    assert not told.picture
    sent = await group.send(reveal(), told)
    assert sent == SendResult(told.message, keyboard=False, picture=True)
    shown = group.only()
    assert is_photo(shown)
    assert "loses a die" in (shown.text or "")
    assert "Counted" not in (shown.text or ""), "the picture shows it"
    assert shown.reply_markup is None
    assert group.calls() == ["sendMessage", "editMessageMedia"]
    for known in (sent, told):  # a process that died after the edit knows only that there was a text
        assert (await group.send(reveal(), known)).picture
        assert is_photo(group.only())
        assert (await group.send(reveal(), known, pictures=False)).picture, "its words are the caption"
    with pytest.raises(TargetGoneError):
        await group.send(reveal(), SendResult(9999))


async def test_a_text_that_was_taken_for_a_photo_is_edited(group: Chat) -> None:
    told = await group.send(ROUND)
    sent = await group.send(n.PausedNotice(table=1), replace(told, picture=True))
    assert sent == SendResult(told.message, keyboard=True, picture=False)
    assert "game waits" in (group.only().text or "")


async def test_words_that_are_too_long_for_a_caption_are_a_text_of_their_own(group: Chat) -> None:
    assert not (await group.send(long_reveal())).picture
    assert not is_photo(group.only())
    assert group.calls() == ["sendMessage"]
    sent = await group.send(reveal())
    with pytest.raises(TargetGoneError):
        await group.send(long_reveal(), sent)


@pytest.mark.parametrize(
    ("html", "length"), [("<b>Ana</b> &amp; Bo", 8), ("4️⃣", 3), ("🎲", 2), ('<tg-time unix="1">soon</tg-time>', 4)]
)
def test_a_caption_is_counted_as_telegram_does(html: str, length: int) -> None:
    assert caption_length(html) == length


def animated() -> n.RevealNotice:
    return reveal().model_copy(update={"animated": True})


async def test_an_animation_is_one_message_whose_words_hide_its_end_and_open_by_themselves(group: Chat) -> None:
    told = await group.send(animated())
    shown = group.only()
    assert told == SendResult(shown.message_id, picture=True)
    assert kind_of(shown) == "animation"
    said, hidden = said_and_hidden(shown)
    assert "Dudo!" in said
    assert "Counted" in hidden
    assert "Ana:" not in said + hidden, "the picture shows the dice"
    assert await group.send(n.OpenedRevealNotice(view=animated().view), told) == told
    opened = group.only()
    assert kind_of(opened) == "animation"
    assert hidden in (opened.text or "")
    assert "spoiler" not in str(opened.entities)
    assert group.calls() == ["sendAnimation", "editMessageCaption"]


async def test_the_group_and_its_players_are_shown_one_upload(group: Chat, ana: Chat) -> None:
    await group.send(animated())
    await ana.send(animated().model_copy(update={"seat": 0}))
    assert group.only().media == ana.only().media
    await ana.send(animated().model_copy(update={"view": reveal().view.model_copy(update={"round": 9})}))
    assert ana.shown()[-1].media != group.only().media


async def test_an_animation_takes_the_place_of_the_rounds_message_whose_words_were_open_already(group: Chat) -> None:
    told = await group.send(ROUND)
    await group.send(n.OpenedRevealNotice(view=animated().view), told)
    assert group.calls() == ["sendMessage"]
    assert await group.send(animated(), told) == SendResult(told.message, picture=True)
    assert kind_of(group.only()) == "animation"
    assert group.calls() == ["sendMessage", "editMessageMedia"]


async def test_where_no_animation_or_no_picture_is_allowed_nothing_is_hidden(group: Chat) -> None:
    group.fails("refuse", "sendAnimation", code=400, description="Bad Request: CHAT_SEND_GIFS_FORBIDDEN")
    for _ in range(2):
        assert (await group.send(animated())).picture
    assert group.calls() == ["sendAnimation", "sendPhoto", "sendPhoto"]
    assert all(map(is_photo, group.shown()))
    group.fails("refuse", "sendPhoto", code=400, description=NO_PHOTOS)
    assert not (await group.send(animated())).picture
    assert "Counted" in (group.shown()[-1].text or "")
    assert all("spoiler" not in str(message.entities) for message in group.shown())


async def test_an_animation_that_is_not_drawn_in_time_is_a_still_picture(group: Chat, sender: TelegramSender) -> None:
    artist = sender.photos.artist = NoAnimations()
    for _ in range(2):
        await group.send(animated())
    assert all(map(is_photo, group.shown()))
    assert artist.refused == 1, "for a while no other is tried"


async def test_a_group_without_photos_gets_text_and_is_not_asked_again(group: Chat) -> None:
    group.fails("refuse", "sendPhoto", code=400, description="Bad Request: CHAT_SEND_PHOTOS_FORBIDDEN")
    assert await group.send(reveal()) == SendResult(group.only().message_id)
    assert "Counted" in (group.only().text or "")
    assert not is_photo(group.only())
    await group.send(reveal())
    assert group.calls() == ["sendPhoto", "sendMessage", "sendMessage"]


async def test_a_refused_photo_in_place_of_a_message_leaves_its_words(group: Chat) -> None:
    told = await group.send(ROUND)
    group.fails("refuse", "editMessageMedia", code=400, description=NO_PHOTOS)
    assert await group.send(reveal(), told) == SendResult(told.message)
    assert "Counted" in (group.only().text or "")
    assert group.calls() == ["sendMessage", "editMessageMedia", "editMessageText"]


async def test_a_picture_that_telegram_cannot_read_is_left_out_this_once(ana: Chat) -> None:
    ana.fails("refuse", "sendPhoto", code=400, description="Bad Request: IMAGE_PROCESS_FAILED")
    assert not (await ana.send(hand())).picture
    assert (await ana.send(hand())).picture
    assert [is_photo(message) for message in ana.shown()] == [False, True]


async def test_a_group_that_takes_nothing_is_lost_and_gets_photos_when_it_is_back(group: Chat) -> None:
    for method, things in (("sendPhoto", "photos"), ("sendMessage", "text messages")):
        words = f"Bad Request: not enough rights to send {things} to the chat"
        group.fails("refuse", method, code=400, description=words)
    with pytest.raises(ChatLostError):
        await group.send(reveal())
    assert (await group.send(reveal())).picture


@pytest.fixture
def hurried(sender: TelegramSender) -> None:
    """The sender has a second to upload a picture, even after a long drawing."""
    sender.photos.artist = Hurrying(sender.photos)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("kind", ["stall_before", "stall_after"])
async def test_a_late_photo_in_place_of_a_message_is_given_up_for_its_words(group: Chat, kind: str) -> None:
    """Whether the server has made it a photo or not: there is one message with the words."""
    told = await group.send(ROUND)
    group.fails(kind, "editMessageMedia", seconds=5)
    sent = await group.send(reveal(), told)
    assert sent == SendResult(told.message, picture=kind == "stall_after")
    assert is_photo(group.only()) is sent.picture
    assert "Counted" in (group.only().text or "")
    assert not (await group.send(reveal())).picture, "uploads rest for a while"


@pytest.mark.usefixtures("hurried")
async def test_a_late_new_photo_is_waited_for_and_never_sent_twice(ana: Chat) -> None:
    ana.fails("stall_before", "sendPhoto", seconds=1.5)
    assert (await ana.send(hand())).picture
    assert is_photo(ana.only())
    await ana.send(hand())
    await ana.send(hand(seat=0))
    assert [is_photo(message) for message in ana.shown()] == [True, True, False], (
        "the next upload rests, a kept one not"
    )


async def test_a_photo_that_may_have_been_sent_is_not_sent_again(ana: Chat) -> None:
    ana.fails("reset_after", "sendPhoto")
    with pytest.raises(UnknownOutcomeError):
        await ana.send(hand())
    assert is_photo(ana.only())
    assert ana.calls() == ["sendPhoto"]
    assert not (await ana.send(hand())).picture


async def test_a_drawing_that_is_slow_or_fails_leaves_the_words_alone_and_tells_no_dice(
    ana: Chat, sender: TelegramSender, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sender.photos.picture_seconds = 0
    assert not (await ana.send(hand())).picture
    sender.photos.picture_seconds, sender.photos.artist = 60, Clumsy()
    assert not (await ana.send(hand())).picture
    assert ana.calls() == ["sendMessage"] * 2
    assert "could not be drawn" in caplog.text
    assert "13355" not in caplog.text


@pytest.fixture
def store(sqlite_url: str) -> Iterator[KeyValueStore]:
    database = Database(sqlite_url)
    yield KeyValueStore(database, lambda: START)
    database.close()


async def restarted(sandbox: RunningSandbox, bot: Bot, store: KeyValueStore) -> Chat:
    """Ana's chat, where a new process of the bot has shown her hand and has ended."""
    chat = Chat(sandbox, TelegramSender(bot, store=store), sandbox.people["Ana"])
    chat.sender.photos.picture_seconds = 60
    await chat.send(hand())
    await chat.sender.photos.close()
    return chat


async def test_a_restart_uploads_only_what_was_lost(sandbox: RunningSandbox, bot: Bot, store: KeyValueStore) -> None:
    for _ in range(2):
        chat = await restarted(sandbox, bot, store)
    assert uploads(chat) == 1
    sandbox.world.files.clear()
    for _ in range(2):
        await restarted(sandbox, bot, store)
    assert uploads(chat) == 1
    assert chat.calls() == ["sendPhoto"] * 5, "one was refused"
    assert len(chat.shown()) == 4
    assert all(map(is_photo, chat.shown()))


async def test_another_bot_uploads_its_own(sandbox: RunningSandbox, bot: Bot, store: KeyValueStore) -> None:
    await store.put("picture:1:hand1:13355w", "another bot's")
    assert (await restarted(sandbox, bot, store)).calls() == ["sendPhoto"]


async def test_a_database_that_fails_costs_an_upload_and_no_dice_are_logged(
    sandbox: RunningSandbox, bot: Bot, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    database = Database(f"sqlite:///{tmp_path}/empty.db")  # without tables
    chat = await restarted(sandbox, bot, KeyValueStore(database, lambda: START))
    database.close()
    assert is_photo(chat.only())
    assert "out of reach" in caplog.text
    assert "13355" not in caplog.text
