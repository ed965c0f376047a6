"""Notices as calls to Telegram, its refusals and silences, and its answers to taps and look-ups, over real HTTP."""

import logging
from typing import Any

import httpx
import pytest
from telegram import Bot, User
from telegram.error import NetworkError

from perudo_core import Rules
from telegram_bot import notices as n
from telegram_bot.channels.telegram import sender as module
from telegram_bot.channels.telegram.http_client import BotApiRequest
from telegram_bot.channels.telegram.sender import CONFETTI, REACTIONS, TelegramSender
from telegram_bot.delivery.sender import (
    ChatLostError,
    ChatMovedError,
    DeliveryError,
    InvalidError,
    NotSentError,
    RefusalScope,
    RefusedError,
    SendResult,
    SlowDownError,
    TargetGoneError,
    UnknownOutcomeError,
)
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.views import hand_view, table_view
from telegram_bot.words.lines import Format, Line
from telegram_sandbox.reactions_and_effects import EFFECTS, is_reaction
from tests.telegram_bot.channels.telegram import scripted_bot_api
from tests.telegram_bot.channels.telegram.scripted_bot_api import (
    HANG_UP,
    ME,
    SILENCE,
    TOKEN,
    Json,
    ScriptedBotApi,
    make_bot,
)
from tests.telegram_bot.conftest import ANA, GROUP, START, running_table, the_end

RULES = Rules.preset("box_2009").with_options(calza=True)
TABLE = running_table("22222", "33333", rules=RULES, calls="3x4")
HAND = n.HandNotice(view=hand_view(TABLE, 1), player=2, title="Friends", deal=1)
ROUND = n.TableNotice(view=table_view(TABLE), shared=False, unreachable=False)
PAUSED = n.PausedNotice(table=1)
TURN = n.BidsNotice(view=table_view(TABLE), seat=1, face=4, private=True)


def to(chat: int, notice: n.Notice, **more: Any) -> Envelope:
    return Envelope(channel="telegram", chat=chat, notice=notice, **more)


async def trouble(sender: TelegramSender, envelope: Envelope, target: MessageRef | None = None) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        await sender.send(envelope, target)
    return caught.value


def soon_gives_up(bot: Bot) -> None:
    """Let unanswered calls fail at once, and also calls that a busy machine answers late."""
    request = bot.request
    assert isinstance(request, BotApiRequest)
    request._client.timeout = httpx.Timeout(60, read=0.1)


OLD_FORM = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")
"""The library announces another type for a pause; the sender accepts both."""


@pytest.mark.parametrize(("chat", "answers"), [(GROUP, True), (ANA, False)])
async def test_in_the_group_the_end_of_a_round_answers_the_voice_note_of_its_last_bid(
    telegram: ScriptedBotApi, sender: TelegramSender, chat: int, answers: bool
) -> None:
    view, *_ = the_end(TABLE)
    await sender.send(to(chat, n.RevealNotice(view=view.model_copy(update={"spoken": ((0, 33),)}))), None)
    ((_, params),) = telegram.calls
    reply = params.get("reply_parameters")
    assert reply == ({"message_id": 33, "allow_sending_without_reply": True} if answers else None)


async def test_a_message_has_its_chat_topic_and_language(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    sent = await sender.send(to(GROUP, PAUSED, topic=5, silent=True, language="it"), None)
    assert sent == SendResult(77, keyboard=True)
    ((method, params),) = telegram.calls
    assert method == "sendMessage"
    assert (params["chat_id"], params["message_thread_id"], params["disable_notification"]) == (GROUP, 5, True)
    assert params["parse_mode"] == "HTML"
    assert params["link_preview_options"] == {"is_disabled": True}
    ((button,),) = params["reply_markup"]["inline_keyboard"]
    assert (params["text"].partition(":")[0], button["text"]) == ("⏸ Sono andati via tutti", "🙋 Eccomi")
    assert button["callback_data"]
    assert await sender.send(to(GROUP, n.ResumedNotice()), None) == SendResult(77, keyboard=False)
    assert {"reply_markup", "message_thread_id"}.isdisjoint(telegram.calls[-1][1])


async def test_help_in_a_group_may_ask_for_replies(telegram: ScriptedBotApi, sender: TelegramSender, bot: Bot) -> None:
    withheld = n.HelpNotice(private=False, replies_only=True)
    await sender.send(to(GROUP, withheld), None)
    assert "reply to my message" in telegram.calls[-1][1]["text"]
    bot._bot_user = User(424242, "Perudo", is_bot=True, username="perudo_bot", can_read_all_group_messages=True)
    await sender.send(to(GROUP, withheld), None)
    assert "Tap the buttons or type" in telegram.calls[-1][1]["text"]


NOT_MODIFIED = "message is not modified: specified new message content and reply markup are exactly the same"


async def test_a_message_is_edited_or_its_keyboard_alone(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    assert await sender.send(to(GROUP, ROUND), MessageRef(32)) == SendResult(32, keyboard=True)
    assert await sender.send(to(ANA, TURN), MessageRef(33)) == SendResult(None, keyboard=True)
    assert await sender.send(to(ANA, n.OutdatedNotice()), MessageRef(34)) == SendResult(None)
    keyboard = "editMessageReplyMarkup"
    assert [method for method, _ in telegram.calls] == ["editMessageText", keyboard, keyboard]
    edited, turned, stripped = (params for _, params in telegram.calls)
    assert [params["message_id"] for params in (edited, turned, stripped)] == [32, 33, 34]
    assert "Round 1" in edited["text"]
    assert turned["reply_markup"]["inline_keyboard"]
    assert "reply_markup" not in stripped
    for notice, keys in ((ROUND, True), (n.OutdatedNotice(), False)):
        telegram.refuse(400, f"Bad Request: {NOT_MODIFIED}")
        shown = await sender.send(to(GROUP, notice), MessageRef(33))
        assert shown == SendResult(33, keyboard=keys), "what is shown already is shown"


def ephemeral_sent_at(number: int) -> Json:
    chat = {"id": GROUP, "type": "supergroup"}
    return {"message_id": 0, "ephemeral_message_id": number, "date": 1, "chat": chat}


async def test_a_whisper_names_its_reader_and_the_tap_that_allows_it(
    telegram: ScriptedBotApi, sender: TelegramSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PLACEHOLDER_SECONDS", 0)
    telegram.grant(ephemeral_sent_at(12))
    telegram.grant(True)
    telegram.grant(ephemeral_sent_at(13))
    sent = await sender.send(to(GROUP, HAND, receiver=ANA, reply_handle="q1"), None)
    assert sent == SendResult(12, keyboard=True, extra_sends=1), "it is known by its own number"
    assert await sender.send(to(GROUP, HAND, receiver=ANA, reply_handle="q2"), None) == SendResult(13, keyboard=True)
    assert [method for method, _ in telegram.calls] == ["sendMessage", "editEphemeralMessageText", "sendMessage"]
    first, edit, second = (params for _, params in telegram.calls)
    assert first["ephemeral_message_parameters"] == {"receiver_user_id": ANA, "callback_query_id": "q1"}
    assert second["ephemeral_message_parameters"] == {"receiver_user_id": ANA, "callback_query_id": "q2"}
    assert edit["ephemeral_message_id"] == 12
    assert "Your dice" not in first["text"], "not before it is known that no one else sees it"
    assert all("Your dice" in params["text"] for params in (edit, second))


async def test_a_server_that_says_whispers_aloud_has_no_dice(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    assert isinstance(await trouble(sender, to(GROUP, HAND, receiver=ANA, reply_handle="q1")), RefusedError)
    assert isinstance(await trouble(sender, to(GROUP, HAND, receiver=ANA)), RefusedError)
    assert await sender.can_send_ephemeral(GROUP) is False
    (said, deleted) = telegram.calls
    assert (said[0], deleted[0]) == ("sendMessage", "deleteMessage")
    assert "Your dice" not in said[1]["text"]
    assert "reply_markup" not in said[1]
    assert deleted[1]["message_id"] == 77


async def test_a_whisper_is_changed_by_methods_of_its_own(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    await sender.send(to(GROUP, HAND, receiver=ANA), MessageRef(12, ANA))
    await sender.send(to(GROUP, TURN, receiver=ANA), MessageRef(33, ANA))
    await sender.send(to(GROUP, n.OutdatedNotice(), receiver=ANA), MessageRef(14, ANA))
    methods = ["editEphemeralMessageText", "editEphemeralMessageReplyMarkup", "deleteEphemeralMessage"]
    assert [method for method, _ in telegram.calls] == methods
    named = [(p["chat_id"], p["receiver_user_id"], p["ephemeral_message_id"]) for _, p in telegram.calls]
    assert named == [(GROUP, ANA, 12), (GROUP, ANA, 33), (GROUP, ANA, 14)]
    assert all(params["reply_markup"]["inline_keyboard"] for _, params in telegram.calls[:2])


async def test_a_server_without_new_markup_gets_the_words(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    view = table_view(TABLE.with_clock(ends=START))
    table = n.TableNotice(view=view, shared=False, unreachable=False)
    telegram.refuse(400, 'Bad Request: can\'t parse entities: Unsupported start tag "tg-time" at byte offset 30')
    assert (await sender.send(to(ANA, table), None)).message == 77
    first, second = (params["text"] for _, params in telegram.calls)
    assert "<tg-time" in first
    assert "tg-time" not in second
    assert "22:13:20 UTC" in second
    telegram.refuse(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 3")
    assert isinstance(await trouble(sender, to(ANA, n.HelpNotice(private=True))), InvalidError)
    assert len(telegram.calls) == 3, "what is wrong by our own fault is not tried twice"


REVEAL = MessageRef(50)
CALZA = to(GROUP, n.ReactionNotice(celebration=n.Celebration.EXACT_CALZA))
FESTIVE = to(ANA, PAUSED, festive=True)


def test_telegram_has_these_reactions_and_this_effect() -> None:
    assert REACTIONS.keys() == set(n.Celebration)
    assert all(map(is_reaction, REACTIONS.values()))
    assert CONFETTI in EFFECTS


async def test_a_reaction_that_is_refused_is_nobodys_problem(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    assert await sender.send(CALZA, REVEAL) == SendResult(None)
    reaction = [{"type": "emoji", "emoji": REACTIONS[n.Celebration.EXACT_CALZA]}]
    assert telegram.calls == [("setMessageReaction", {"chat_id": GROUP, "message_id": 50, "reaction": reaction})]
    for calls, code in enumerate((400, 403, 500), start=2):
        telegram.refuse(code, "Bad Request: REACTION_INVALID")
        assert await sender.send(CALZA, REVEAL) == SendResult(None)
        assert len(telegram.calls) == calls


@OLD_FORM
@pytest.mark.parametrize(("asked", "kept"), [(17, 17), (10**30, 86_400), (float("inf"), 86_400)])
async def test_a_pause_that_telegram_asks_for_is_kept_for_a_day_at_most(
    telegram: ScriptedBotApi, sender: TelegramSender, asked: float, kept: int
) -> None:
    for envelope, target in ((to(GROUP, PAUSED), None), (CALZA, REVEAL)):
        telegram.refuse(429, "Too Many Requests", retry_after=asked)
        slow = await trouble(sender, envelope, target)
        assert isinstance(slow, SlowDownError)
        assert slow.seconds == kept


async def test_a_message_whose_effect_is_refused_goes_without_it(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    telegram.refuse(400, "Bad Request: EFFECT_ID_INVALID")
    assert (await sender.send(FESTIVE, None)).message == 77
    await sender.send(FESTIVE.model_copy(update={"chat": GROUP}), None)
    assert [params.get("message_effect_id") for _, params in telegram.calls] == [int(CONFETTI), None, None]


class OpeningToast(n.FeatureToast):
    """An answer that opens the private chat."""

    def lines(self, f: Format) -> list[Line]:  # noqa: ARG002 - the chat that opens says more
        """Return no words."""
        return []


async def test_a_tap_has_a_toast_and_dice_have_an_alert(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    await sender.answer("q1", n.ConfirmationNotice(done=n.Confirmation.LEFT), "nl")
    await sender.answer("q2", n.DiceNotice(view=hand_view(TABLE, 1)), None)
    await sender.answer("q3", None, "en")
    await sender.answer("q4", OpeningToast(kind="list", start="list_ABC234"), "en")
    assert [method for method, _ in telegram.calls] == ["answerCallbackQuery"] * 4
    toast, alert, silent, opens = (params for _, params in telegram.calls)
    assert (toast["callback_query_id"], toast["text"], toast.get("show_alert", False)) == (
        "q1", "Je hebt de tafel verlaten.", False
    )  # fmt: skip
    assert alert["show_alert"] is True
    assert "3️⃣ 3️⃣ 3️⃣ 3️⃣ 3️⃣" in alert["text"]
    assert "text" not in silent
    assert opens["url"].endswith("?start=list_ABC234")
    assert "text" not in opens, "an app shows a text instead of opening the link"


@OLD_FORM
async def test_late_answers(telegram: ScriptedBotApi, sender: TelegramSender, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    denied = n.RejectionNotice(reason=RejectionReason.STALE)
    telegram.refuse(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
    await sender.answer("q1", denied, "en")
    assert "answered too late" in caplog.text
    telegram.refuse(429, "Too Many Requests: retry after 5", retry_after=5)
    await sender.answer("q1", denied, "en")
    assert [record.levelname for record in caplog.records if "tap" in record.message] == ["INFO", "WARNING"]
    assert len(telegram.calls) == 2


async def test_an_answer_that_may_not_have_arrived_is_given_again(
    telegram: ScriptedBotApi,
    sender: TelegramSender,
    bot: Bot,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "ANSWER_AGAIN_SECONDS", (0.01, 0.01))
    dice = n.DiceNotice(view=hand_view(TABLE, 1))
    telegram.answers += [HANG_UP, (502, "<html>Bad Gateway</html>")]
    await sender.answer("q1", dice, "en")
    assert len(telegram.calls) == 3
    assert all(params == telegram.calls[0][1] for _, params in telegram.calls)
    assert "could not be answered" not in caplog.text
    soon_gives_up(bot)
    telegram.answers += [SILENCE, HANG_UP, HANG_UP]
    await sender.answer("q2", dice, "en")
    assert len(telegram.calls) == 6, "a tap does not wait for ever"
    assert caplog.text.count("could not be answered") == 1


@pytest.mark.parametrize(
    ("status", "is_admin", "is_member"),
    [
        ("creator", True, True),
        ("administrator", True, True),
        ("member", False, True),
        ("restricted", False, True),
        ("left", False, False),
    ],
)
async def test_who_is_an_admin_and_who_is_in_the_group(
    telegram: ScriptedBotApi, sender: TelegramSender, status: str, is_admin: bool, is_member: bool
) -> None:
    """The bot reads no right of a standing: older and newer servers name others."""
    for _ in range(3):
        telegram.grant({"status": status, "user": {"id": ANA, "is_bot": False, "first_name": "Ana"}})
    assert await sender.is_admin(GROUP, ANA) is is_admin
    assert await sender.is_member(GROUP, ANA) is is_member
    assert telegram.calls == [("getChatMember", {"chat_id": GROUP, "user_id": ANA})] * 2
    assert await sender.can_send_ephemeral(GROUP) is (status == "administrator")
    assert telegram.calls[-1][1]["user_id"] == ME["id"]


@OLD_FORM
async def test_who_telegram_knows_not_is_no_admin(telegram: ScriptedBotApi, sender: TelegramSender, bot: Bot) -> None:
    telegram.refuse(400, "Bad Request: PARTICIPANT_ID_INVALID")
    telegram.refuse(403, "Forbidden: bot was kicked")
    assert await sender.is_admin(GROUP, ANA) is False
    assert await sender.can_send_ephemeral(GROUP) is None
    unreadable: list[object] = [{}, [], True, None, {"status": 3}]
    for odd in unreadable:
        for look_up in (sender.is_admin, sender.is_member):
            telegram.grant(odd)
            assert await look_up(GROUP, ANA) is None
    soon_gives_up(bot)
    telegram.answers.append(SILENCE)
    telegram.refuse(502, "Bad Gateway")
    telegram.refuse(429, "Too Many Requests: retry after 5", retry_after=5)
    assert [await sender.is_admin(GROUP, ANA) for _ in range(3)] == [None] * 3


REFUSED = [
    (403, "Forbidden: bot was blocked by the user", (RefusedError, ChatLostError)),
    (403, "Forbidden: bot can't initiate conversation with a user", (RefusedError, ChatLostError)),
    (403, "Forbidden: user is deactivated", (RefusedError, ChatLostError)),
    (403, "Forbidden: bot was kicked from the supergroup chat", (RefusedError, ChatLostError)),
    (400, "Bad Request: chat not found", (RefusedError, ChatLostError)),
    (400, "Bad Request: user not found", (RefusedError, InvalidError)),
    (400, "Bad Request: message is too long", (InvalidError, InvalidError)),
    (400, "Bad Request: BUTTON_DATA_INVALID", (InvalidError, InvalidError)),
    (400, "Bad Request: TOPIC_CLOSED", (InvalidError, ChatLostError)),
    (400, "Bad Request: message thread not found", (InvalidError, ChatLostError)),
    (400, "Bad Request: not enough rights to send text messages to the chat", (InvalidError, ChatLostError)),
    (400, "Bad Request: have no rights to send a message", (InvalidError, ChatLostError)),
    (400, "Bad Request: CHAT_WRITE_FORBIDDEN", (InvalidError, ChatLostError)),
    (400, "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN", (InvalidError, ChatLostError)),
    (400, "Bad Request: CHAT_RESTRICTED", (InvalidError, ChatLostError)),
    (400, "Bad Request: group chat was deactivated", (InvalidError, ChatLostError)),
    (409, "Conflict: terminated by other getUpdates request", (InvalidError, InvalidError)),
    (401, "Unauthorized", (NotSentError, NotSentError)),
    (500, "Internal Server Error", (NotSentError, NotSentError)),
    (502, "Bad Gateway", (NotSentError, NotSentError)),
]


async def test_refused_messages_and_a_page_of_a_proxy(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    for code, words, kinds in REFUSED:
        for chat, expected in zip((ANA, GROUP), kinds, strict=True):
            telegram.refuse(code, words)
            assert type(await trouble(sender, to(chat, HAND))) is expected, words
    for status in (400, 403, 404, 429, 502, 504, 524):
        for chat in (ANA, GROUP):
            telegram.answers.append((status, "<h1>blocked by the user</h1>"))
            kind = UnknownOutcomeError if status in (504, 524) else NotSentError
            assert type(await trouble(sender, to(chat, HAND))) is kind, status


async def test_a_message_to_edit_that_is_gone(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    for words in (
        "Bad Request: message to edit not found",
        "Bad Request: message can't be edited",
        "Bad Request: MESSAGE_ID_INVALID",
        "Bad Request: message identifier is not specified",
    ):
        for envelope, target in (
            (to(GROUP, ROUND), MessageRef(33)),
            (to(GROUP, n.OutdatedNotice()), MessageRef(33)),
            (to(ANA, TURN), MessageRef(33)),
            (to(GROUP, HAND, receiver=ANA), MessageRef(12, ANA)),
        ):
            telegram.refuse(400, words)
            assert type(await trouble(sender, envelope, target)) is TargetGoneError, words


WHISPER_REFUSED = [
    (400, "Bad Request: not enough rights", RefusalScope.CHAT),
    (400, "Bad Request: CHAT_ADMIN_REQUIRED", RefusalScope.CHAT),
    (403, "Forbidden: bot is not an administrator", RefusalScope.CHAT),
    (400, "Bad Request: query is too old and response timeout expired or query ID is invalid", RefusalScope.TAP),
    (400, "Bad Request: QUERY_ID_INVALID", RefusalScope.TAP),
    (400, "Bad Request: USER_NOT_PARTICIPANT", RefusalScope.PERSON),
    (400, "Bad Request: receiver not found", RefusalScope.PERSON),
    (403, "Forbidden: bot was blocked by the user", RefusalScope.PERSON),
    (400, "Bad Request: something no one has heard of yet", RefusalScope.PERSON),
    (400, "Bad Request: not enough rights to send ephemeral messages", RefusalScope.CHAT),
    (400, "Bad Request: not enough rights to send text messages to the chat", RefusalScope.CHAT),
    (400, "Bad Request: TOPIC_CLOSED", RefusalScope.CHAT),
    (400, "Bad Request: chat not found", RefusalScope.CHAT),
    (403, "Forbidden: bot was kicked from the supergroup chat", RefusalScope.CHAT),
    (403, "Forbidden: bot is not a member of the supergroup chat", RefusalScope.CHAT),
]


async def test_a_whisper_that_is_refused(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    """Only what speaks of the bot or the chat is held against everyone there, and nothing means a lost group."""
    for code, words, concerns in WHISPER_REFUSED:
        telegram.refuse(code, words)
        refused = await trouble(sender, to(GROUP, HAND, receiver=ANA, reply_handle="q"))
        assert isinstance(refused, RefusedError), words
        assert refused.scope is concerns, words


async def test_a_topic_that_is_closed_and_a_group_that_moved(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    for words, topic_alone in (
        ("TOPIC_CLOSED", True),
        ("TOPIC_DELETED", True),
        ("message thread not found", True),
        ("CHAT_WRITE_FORBIDDEN", False),
    ):
        telegram.refuse(400, f"Bad Request: {words}")
        lost = await trouble(sender, to(GROUP, PAUSED, topic=7))
        assert isinstance(lost, ChatLostError)
        assert lost.topic_alone is topic_alone, words
    words = "Bad Request: group chat was upgraded to a supergroup chat"
    telegram.refuse(400, words, migrate_to_chat_id=-1009999999999)
    moved = await trouble(sender, to(-55, PAUSED))
    assert isinstance(moved, ChatMovedError)
    assert moved.address == -1009999999999


async def test_a_message_without_an_answer_is_sent_once(
    telegram: ScriptedBotApi, sender: TelegramSender, bot: Bot
) -> None:
    soon_gives_up(bot)
    for calls, silence in enumerate((SILENCE, HANG_UP), start=1):
        telegram.answers.append(silence)
        assert isinstance(await trouble(sender, to(GROUP, PAUSED)), UnknownOutcomeError)
        assert len(telegram.calls) == calls, "it may well have been taken"
    bot._base_url = f"http://127.0.0.1:{free_port()}/bot{TOKEN}"
    assert isinstance(await trouble(sender, to(GROUP, PAUSED)), NotSentError)


SENT: Json = {"message_id": 9, "date": 1, "chat": {"id": ANA, "type": "private"}}


async def test_answers_that_cannot_be_read_and_odd_parts(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    unreadable: list[object] = [None, {}, [], "sent", 3, False, *(SENT | {"message_id": odd} for odd in (True, 2**63))]
    for result in unreadable:
        telegram.grant(result)
        assert isinstance(await trouble(sender, to(ANA, PAUSED)), UnknownOutcomeError), result
    replied = {"message_id": 3, "external_reply": {"story": {}}, "forward_origin": {}}
    odd = {"date": "yesterday", "photo": [3], "voice": [], "reply_to_message": replied, "ephemeral_message_id": "x"}
    telegram.grant(SENT | odd)
    assert (await sender.send(to(ANA, PAUSED), None)).message == 9


async def test_a_server_that_names_no_bot(telegram: ScriptedBotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("id", "username", "first_name"):
        monkeypatch.setattr(scripted_bot_api, "ME", {name: value for name, value in ME.items() if name != part})
        bot = make_bot(f"http://127.0.0.1:{telegram.port}")
        with pytest.raises(NetworkError, match=rf"unreadable: {part} \(missing\)"):
            await bot.initialize()
        await bot.shutdown()


async def test_parameters_that_cannot_be_read_move_no_group(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    unreadable: list[object] = [[1], "x"]
    unreadable += [{"migrate_to_chat_id": odd} for odd in (True, 2**63, "-100")]
    unreadable += [{"retry_after": odd} for odd in (True, -5, "5", float("nan"))]
    for parameters in unreadable:
        for more in ({}, {"result": "x", "error_code": None}):
            refused = {"ok": False, "description": "Bad Request: something", "parameters": parameters} | more
            telegram.answers.append((400, refused))
            assert isinstance(await trouble(sender, to(GROUP, PAUSED)), InvalidError), refused
