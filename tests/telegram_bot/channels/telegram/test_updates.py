"""Updates in Telegram's form, and the request in each, if there is one."""

from collections.abc import Hashable
from typing import Any

import pytest
from telegram import Bot, User

from perudo_core import Rules
from telegram_bot.channels.telegram import updates
from telegram_bot.channels.telegram.callback_data import call_link, data_of, parse_result_id
from telegram_bot.channels.telegram.received import Update
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.request import Request
from telegram_bot.notices import SettingsFolder
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid, OtherRecording
from telegram_bot.service.handlers.lobby_requests import AskOption, ChangeOption, Join, OpenLobby, StartPrivateChat
from telegram_bot.service.handlers.queries import (
    IdentifyAdmin,
    PostedElsewhere,
    SeeBids,
    SeeDice,
    SeeHelp,
    SeeRules,
    SeeStatus,
    UnknownChoice,
    UnparsedText,
)
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.quiet_hours import USUAL_NIGHT, QuietHours
from tests.telegram_bot.conftest import CHANNELS

Json = dict[str, Any]

ME: Json = {"id": 424242, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
ANA: Json = {"id": 101, "is_bot": False, "first_name": "Ana", "last_name": "B", "username": "ana"}
ANA |= {"language_code": "it"}
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Friends"}
PRIVATE: Json = {"id": 101, "type": "private", "first_name": "Ana"}
ANONYMOUS: Json = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
BOT = Bot("424242:none")
BOT._bot_user = User(**ME)
CONFIG = ServiceConfig(Rules.preset("box_2009"), CHANNELS, night=QuietHours(*USUAL_NIGHT, "Europe/Rome"))
DATE = 1_700_000_000
LARGEST_ID = 2**52 - 1


def read(update: Json) -> i.Intent | None:
    return updates.parse_update(Update.read({"update_id": 9, **update}), BOT.bot, CONFIG)


def message(text: str | None = None, chat: Json = GROUP, **more: Any) -> Json:
    said = {"message_id": 5, "date": DATE, "chat": chat, "from": ANA, **more}
    return {"message": said if text is None else said | {"text": text}}


def tap(data: str | None, **more: Any) -> Json:
    inside = {"message_id": 5, "date": DATE, "chat": GROUP, "from": ME}
    query = {"id": "q1", "from": ANA, "chat_instance": "1", "message": inside, **more}
    return {"callback_query": query if data is None else query | {"data": data}}


def intent(update: Json) -> i.Intent:
    found = read(update)
    assert found is not None
    return found


def request(update: Json) -> i.AnyRequest | None:
    found = read(update)
    return None if found is None else found.request


def key(update: Json) -> Hashable:
    """The bot handles updates with the same key one after the other."""
    return updates.order_key(Update.read({"update_id": 9, **update}))


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("/perudo", OpenLobby()),
        ("/newgame", OpenLobby()),
        ("/PERUDO", OpenLobby()),
        ("/perudo@perudo_bot", OpenLobby()),
        ("/perudo@Perudo_Bot", OpenLobby()),
        ("/join", Join()),
        ("/leave", Leave()),
        ("/stop", Stop()),
        ("/dice", SeeDice()),
        ("/status", SeeStatus()),
        ("/rules please", SeeRules()),
        ("/rules calza", SeeRules()),
        ("/rules azteca", ChangeOption("rulebook", "azteca")),
        ("/rules Calza: off", ChangeOption("calza", "false")),
        ("/rules dice each 4", ChangeOption("starting_dice", "4")),
        ("/rules Wer Calza sagt: wer dran ist", ChangeOption("calza_by", "on_turn")),
        ("/rules dice each: 12", AskOption("starting_dice")),
        ("/rules clock 6h", ChangeOption("clock", "21600")),
        ("/help", SeeHelp()),
        ("/settings", SeeSettings()),
        ("/language", SeeSettings(SettingsFolder.LANGUAGE)),
        ("/language Italiano", Choose("chosen_language", "it", to_all=True)),
        ("/name", Choose("name", "")),
        ("/name Gran", Choose("name", "Gran")),
        ("/name 🤖 Sisa", Choose("name", "Sisa")),
        ("/name https://evil.example", Choose("name", "")),
        ("/name <b>Zoë</b>", Choose("name", "")),
        ("/name 🤖", Choose("name", "")),
        ("/quiet 22-8", Choose("quiet", QuietHours(22 * 60, 8 * 60, "Europe/Rome"))),
        ("/quiet off", Choose("quiet", None)),
        ("/quiet", UnparsedText("/quiet 22-8")),
        ("/clock 6h", ChangeOption("clock", "21600")),
        ("/clock uit", ChangeOption("clock", "0")),
        ("/clock 7h", UnparsedText("/clock 6H")),
        ("/hide", Choose("hidden", True)),
        ("/hide off", Choose("hidden", False)),
        ("/dudo", CallDudo()),
        ("/calza@perudo_bot", CallCalza()),
        ("/bid 5 4", i.TypedText("5 4")),
        ("/bid@perudo_bot five fours", i.TypedText("five fours")),
        ("/bid dudo", i.TypedText("dudo")),
        ("/bid", i.TypedText("")),
        ("/bid whatever", i.TypedText("whatever")),
        ("/start", OpenLobby()),
    ],
)
def test_a_command_in_a_group(text: str, wish: i.AnyRequest) -> None:
    assert request(message(text)) == wish


def test_what_is_for_others_in_a_group_is_left_alone() -> None:
    for text in (
        *("/perudo@other_bot", "/poll", "/weather@perudo", "/", "/ perudo", "just talking"),
        *("3 4", "see you at 3x4?", "3x7", "1000x4", "dudo", "four fives"),
    ):
        assert read(message(text)) is None, text


def test_a_command_says_who_where_and_when() -> None:
    said = intent(message("/perudo"))
    assert said.who == i.Person("telegram", 101, "Ana B", "ana", "it")
    assert said.where == i.Place("telegram", -1001, 0, "Friends")
    assert (said.source, said.cause, said.said_at, said.answered_by) == ("telegram", "9", DATE, "message")
    assert (said.table, said.step) == (None, None)
    bare = intent(message("/join", **{"from": {"id": LARGEST_ID, "is_bot": False, "first_name": "Bo"}}))
    assert bare.who == i.Person("telegram", LARGEST_ID, "Bo", None, None)


def test_a_command_or_a_tap_in_a_topic_is_for_that_topic() -> None:
    topic: Json = {"message_thread_id": 77, "is_topic_message": True}
    assert intent(message("/perudo", **topic)).where == i.Place("telegram", -1001, 77, "Friends")
    inside = {"message_id": 5, "date": DATE, "chat": GROUP, **topic}
    assert intent(tap("l:7:join", message=inside)).where == i.Place("telegram", -1001, 77, "Friends")
    in_a_thread_of_replies = intent(message("/perudo", message_thread_id=77))
    assert in_a_thread_of_replies.where == i.Place("telegram", -1001, 0, "Friends")


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("/start", StartPrivateChat()),
        ("/start j_ABC234", StartPrivateChat(code="ABC234")),
        ("/start play", StartPrivateChat()),
        ("/start enter_1", StartPrivateChat()),
        ("/start@perudo_bot j_X", StartPrivateChat(code="X")),
        ("/dice", SeeDice()),
        ("/unknown", SeeHelp()),
        ("5x4", i.TypedText("5x4")),
        ("calza!", i.TypedText("calza!")),
        ("hello there", i.TypedText("hello there")),
    ],
)
def test_everything_in_private_is_for_the_bot(text: str, wish: i.AnyRequest) -> None:
    assert request(message(text, PRIVATE)) == wish
    assert intent(message(text, PRIVATE)).where is None


def replying_to(sender: Json | None, number: int = 33) -> Json:
    replied: Json = {"message_id": number, "date": DATE, "chat": GROUP, "text": "Round 1"}
    return {"reply_to_message": replied if sender is None else replied | {"from": sender}}


def test_a_reply_to_the_table_is_a_call_or_talk_and_one_to_anybody_else_is_neither() -> None:
    for text in ("5 4", "dudo", "what a lucky round"):
        said = intent(message(text, **replying_to(ME)))
        assert (said.request, said.replied_to) == (i.TypedText(text, may_be_talk=True), MessageRef(33))
    for sender in (ANA, {**ME, "id": 7}, None):
        assert read(message("5 4", **replying_to(sender))) is None


@pytest.mark.parametrize("text", ["3x4", " 3 x 4 ", "12×6", "3X4"])
def test_a_plain_bid_in_the_group_is_overheard(text: str) -> None:
    for more in ({}, replying_to(ANA)):
        assert intent(message(text, **more)).request == i.TypedText(text, may_be_talk=True, overheard=True)


BY_OTHERS: tuple[Json, ...] = (
    {"forward_origin": {"type": "user", "sender_user": ANA, "date": DATE}},
    {"via_bot": {"id": 7, "is_bot": True, "first_name": "Inline"}},
)


@pytest.mark.parametrize(
    "update",
    [
        {"edited_message": message("/perudo")["message"] | {"edit_date": DATE + 1}},
        {"channel_post": {"message_id": 5, "date": DATE, "chat": {"id": -100, "type": "channel"}, "text": "/perudo"}},
        {"message": {"message_id": 5, "date": DATE, "chat": GROUP, "text": "/perudo"}},
        {"inline_query": {"id": "1", "from": ANA, "query": "x", "offset": ""}},
        {},
        *(message(None, chat, photo=[], caption="/perudo") for chat in (GROUP, PRIVATE)),
        *(message(None, chat, new_chat_title="Better friends") for chat in (GROUP, PRIVATE)),
        *(message(words, chat, **BY_OTHERS[0]) for words, chat in (("/perudo", GROUP), ("5x4", PRIVATE))),
        *(message(words, chat, **BY_OTHERS[1]) for words, chat in (("/perudo", GROUP), ("5x4", PRIVATE))),
    ],
    ids=[
        *("edited", "channel", "nobody", "inline", "nothing", "photo", "private photo", "title", "private title"),
        *("forwarded", "forwarded in private", "by another bot", "by another bot in private"),
    ],
)  # fmt: skip
def test_what_asks_for_nothing_is_nothing(update: Json) -> None:
    assert read(update) is None


def masked(text: str, **more: Any) -> Json:
    return message(text, **({"from": ANONYMOUS, "sender_chat": GROUP} | more))


NEWS: Json = {"id": -1007, "type": "channel", "title": "News"}
CHANNEL_BOT: Json = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}


@pytest.mark.parametrize("mask", [{}, {"from": CHANNEL_BOT, "sender_chat": NEWS}], ids=["the group", "a channel"])
def test_somebody_who_writes_as_the_group_or_a_channel_is_asked_to_tap(mask: Json) -> None:
    assert request(masked("/perudo", **mask)) == IdentifyAdmin("open")
    assert request(masked("/stop", **mask)) == IdentifyAdmin("stop")
    assert request(masked("/rules", **mask)) == SeeRules()
    for nothing in ("/join", "/dice", "/bid 5 4", "5x4", "hello"):
        assert read(masked(nothing, **mask)) is None
    assert read(message("/perudo", **{"from": {"id": 8, "is_bot": True, "first_name": "Other bot"}})) is None


def test_a_tap_says_which_table_which_step_and_what() -> None:
    tapped = intent(tap("g:7:3:bid=5x4"))
    assert (tapped.tapped, tapped.reply_handle) == (MessageRef(5), "q1")
    assert (tapped.request, tapped.table, tapped.step) == (MakeBid(5, 4), 7, 3)
    assert (tapped.where, tapped.answered_by) == (i.Place("telegram", -1001, 0, "Friends"), "toast")
    assert tapped.said_at is None, "a tap is bound to its step, not to a time"
    for word in ("dice", "status", "back", "here"):
        assert intent(tap(f"g:7:3:{word}")).step is None, "looking is not bound to a step"


def test_a_tap_in_private_or_on_an_ephemeral_message() -> None:
    inside = {"message_id": 5, "date": DATE, "chat": PRIVATE}
    tapped = intent(tap("p:0:set=view__direct", message=inside))
    assert (tapped.request, tapped.where, tapped.table) == (Choose("view", PrivateView.DIRECT), None, None)
    page = intent(tap("g:7:3:face=4", message=inside))
    assert (page.request, page.tapped, page.where) == (SeeBids(4), MessageRef(5), None)
    below = intent(tap("g:7:3:face=4", message={**inside, "photo": [{"file_id": "f"}], "caption": "x"}))
    assert below.tapped == MessageRef(5, picture=True)
    inside = {"message_id": 0, "date": DATE, "chat": GROUP, "from": ME, "ephemeral_message_id": 12}
    assert intent(tap("g:7:3:face=4", message=inside)).tapped == MessageRef(12, receiver=101)


def test_a_tap_on_a_message_that_was_deleted_still_counts() -> None:
    """Telegram calls it an inaccessible message: a chat, an id and a date of 0."""
    tapped = intent(tap("g:7:3:dudo", message={"message_id": 5, "date": 0, "chat": GROUP}))
    assert (tapped.request, tapped.table, tapped.step, tapped.where) == (
        CallDudo(), 7, 3, i.Place("telegram", -1001, 0, "Friends", topic_known=False)
    )  # fmt: skip


def test_a_forged_tap_or_one_without_its_message_is_answered_and_does_nothing() -> None:
    bare = tap("g:7:3:dudo")
    del bare["callback_query"]["message"]
    forged = [tap(data) for data in (None, "", "forged", "g:7:3:bid=5x9", "join")]
    for odd in (*forged, bare, {"callback_query": bare["callback_query"] | {"inline_message_id": "x"}}):
        found = intent(odd)
        assert (found.request, found.reply_handle) == (UnknownChoice(), "q1")


def standing(old: str, new: str, chat: Json = GROUP, who: Json = ME) -> Json:
    before, after = ({"status": status, "user": who} for status in (old, new))
    return {"chat": chat, "from": ANA, "date": DATE, "old_chat_member": before, "new_chat_member": after}


@pytest.mark.parametrize(
    ("old", "new", "wish"),
    [
        ("left", "member", i.BotMembershipChanged(present=True, ephemeral_allowed=False, arrived=True)),
        ("kicked", "administrator", i.BotMembershipChanged(present=True, ephemeral_allowed=True, arrived=True)),
        ("member", "administrator", i.BotMembershipChanged(present=True, ephemeral_allowed=True)),
        ("administrator", "member", i.BotMembershipChanged(present=True, ephemeral_allowed=False)),
        ("member", "left", i.BotMembershipChanged(present=False, ephemeral_allowed=False)),
        ("member", "kicked", i.BotMembershipChanged(present=False, ephemeral_allowed=False)),
        ("member", "restricted", i.BotMembershipChanged(present=True, ephemeral_allowed=False)),
    ],
)
def test_the_bots_own_standing_in_a_group(old: str, new: str, wish: i.BotMembershipChanged) -> None:
    told = intent({"my_chat_member": standing(old, new)})
    assert (told.request, told.answered_by) == (wish, "nothing")
    assert told.where == i.Place("telegram", -1001, 0, "Friends")


def test_blocking_and_unblocking_the_bot_is_of_a_private_chat_and_no_channel() -> None:
    assert request({"my_chat_member": standing("member", "kicked", PRIVATE)}) == i.PrivateChatBlocked()
    assert request({"my_chat_member": standing("kicked", "member", PRIVATE)}) == StartPrivateChat(greeted=False)
    for new in ("member", "administrator", "left", "kicked"):
        assert read({"my_chat_member": standing("administrator", new, NEWS)}) is None


def test_who_leaves_the_group() -> None:
    for new in ("left", "kicked"):
        gone = intent({"chat_member": standing("member", new, who=ANA | {"id": 102, "first_name": "Bo"})})
        assert (gone.request, gone.who.address, gone.answered_by) == (i.MemberLeft(), 102, "nothing")
    assert request({"chat_member": standing("left", "member", who=ANA)}) == i.MembersJoined((101,))
    assert read({"chat_member": standing("member", "administrator", who=ANA)}) is None
    assert request(message(None, new_chat_members=[ANA, ANA | {"id": 102}])) == i.MembersJoined((101, 102))
    away = standing("restricted", "restricted", who=ANA)
    assert read({"chat_member": away}) is None
    away["new_chat_member"]["is_member"] = False
    assert request({"chat_member": away}) == i.MemberLeft(), "restricted, and not there any more"
    told = intent(message(None, left_chat_member=ANA | {"id": 102}))
    assert (told.request, told.who.address) == (i.MemberLeft(), 102)
    assert read(message(None, left_chat_member=ME)) is None, "its own standing is told in an update of its own"


def test_a_group_that_becomes_a_supergroup() -> None:
    old = {"id": -55, "type": "group", "title": "Friends"}
    told = intent(message(None, old, migrate_to_chat_id=-LARGEST_ID))
    assert told.request == i.ChatMoved(-LARGEST_ID)
    assert told.where == i.Place("telegram", -55, 0, "Friends")
    assert read(message(None, migrate_from_chat_id=-55)) is None


VOICE: Json = {"file_id": "F", "file_unique_id": "U", "duration": 2, "mime_type": "audio/ogg", "file_size": 4000}
ELSEWHERE: Json = {"type": "user", "date": DATE, "sender_user": {"id": 7, "is_bot": False, "first_name": "Zoe"}}


def test_a_voice_note_is_for_the_bot_in_private_and_in_reply_to_it() -> None:
    note = i.VoiceNote("F", 2.0, 4000, message=5)
    assert intent(message(chat=PRIVATE, voice=VOICE)).request == note
    replied = intent(message(voice=VOICE, **replying_to(ME)))
    assert (replied.request, replied.said_at, replied.replied_to) == (note, DATE, MessageRef(33))
    overheard = i.VoiceNote("F", 2.0, 4000, overheard=True, message=5)
    assert request(message(voice=VOICE)) == request(message(voice=VOICE, **replying_to(ANA))) == overheard


def test_what_somebody_else_said_is_no_bid() -> None:
    for chat in (PRIVATE, GROUP):
        assert read(message(chat=chat, voice=VOICE, forward_origin=ELSEWHERE, **replying_to(ME))) is None
        assert read(message(chat=chat, voice=VOICE, via_bot=ME)) is None
    anonymous: Json = {"from": ANONYMOUS, "sender_chat": GROUP}
    assert read(message(voice=VOICE, **anonymous)) is None


@pytest.mark.parametrize("recording", [{"video_note": VOICE}, {"audio": VOICE}])
def test_other_recordings_for_the_bot_are_told_apart_from_voice_notes(recording: Json) -> None:
    assert request(message(chat=PRIVATE, **recording)) == OtherRecording()
    assert request(message(**recording, **replying_to(ME))) == OtherRecording()
    assert read(message(**recording)) is None
    assert read(message(chat=PRIVATE, **recording, forward_origin=ELSEWHERE)) is None


def test_updates_of_one_chat_wait_for_each_other_but_for_no_voice_note_and_not_for_the_coach() -> None:
    here = key(message("hi"))
    assert here == key(tap("x")) == key({"my_chat_member": standing("left", "member")}) == -1001
    assert key(message("hi", PRIVATE)) == 101
    assert key({"inline_query": {"id": "1", "from": ANA, "query": "x", "offset": ""}}) == 101
    assert key({}) == 0
    of_bo: Json = {"from": {"id": 102, "is_bot": False, "first_name": "Bo"}}
    notes = [key(message(voice=VOICE)), key(message(voice=VOICE)), key(message(voice=VOICE, **of_bo))]
    assert notes[0] == notes[1] != notes[2], "one's next note waits"
    assert here not in notes
    for word, takes_seconds in (("hint", True), ("dudo", False)):
        tapped = tap(f"g:1:1:{word}")
        assert ((key(tapped) != here), updates.takes_seconds(tapped)) == (takes_seconds, takes_seconds), word


def posted(text: str, link: str | None, **more: Any) -> Json:
    entities = [] if link is None else [{"type": "text_link", "offset": 0, "length": 2, "url": link}]
    return message(text, **{"via_bot": ME, "entities": entities} | more)


@pytest.mark.parametrize("call", [MakeBid(107, 6), CallDudo(), CallCalza()])
def test_the_id_and_the_message_name_the_same_call(call: Request) -> None:
    largest, step = 10**15 - 1, 999_999_999
    name = data_of(call, largest, step)
    assert len(name.encode()) <= 64
    link = call_link("perudo_bot", name)
    assert len(link.partition("start=")[2]) <= 64
    named, found = parse_result_id(name), intent(posted("🎲 whatever", link))
    assert named is not None
    assert (named.request, named.table, named.step) == (call, largest, step)
    assert (found.request, found.table, found.step) == (call, largest, step)
    assert (found.cause, found.who.address, found.where and found.where.address) == ("9", 101, -1001)
    private = intent(posted("🎲 whatever", link, chat=PRIVATE))
    assert (private.request, private.table) == (PostedElsewhere(), None)


def test_what_names_no_call_plays_nothing() -> None:
    bid = call_link("perudo_bot", "g:1:2:bid=3x4")
    assert read(posted("🎲 3 × 4️⃣", bid)) is not None
    for nothing in (
        posted("3x4", None),
        posted("I'm looking at my dice 👀", None),
        posted("🎲 x", "https://t.me/perudo_bot?start=g-1-2-dice"),
        posted("🎲 x", "https://t.me/perudo_bot?start=l-1-stop"),
        posted("🎲 x", "https://t.me/perudo_bot"),
        posted("🎲 3 × 4️⃣", bid, forward_origin=ELSEWHERE),
        posted("🎲 3 × 4️⃣", bid, via_bot=CHANNEL_BOT),
        posted("🎲 3 × 4️⃣", bid, **{"from": ANONYMOUS, "sender_chat": GROUP}),
    ):
        assert read(nothing) is None
    typed = posted("🎲 3 × 4️⃣", bid)
    del typed["message"]["via_bot"]
    assert read(typed) is None, "only the bot's own results carry calls"
