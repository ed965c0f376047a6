"""Notices as calls to Telegram, and its answers to taps and lookups, over real HTTP."""

from __future__ import annotations

import logging

import pytest
from telegram import Bot, User

from telegram_bot.channels.telegram import sender as module
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.delivery.sender import (
    ChatLostError,
    InvalidError,
    RefusedError,
    SendResult,
    TargetGoneError,
)
from telegram_bot.service.notices import (
    Confirmation,
    ConfirmationNotice,
    DiceNotice,
    HelpNotice,
    LobbyNotice,
    MessageRef,
    OutdatedNotice,
    RecordNotice,
    RejectionNotice,
    ResumedNotice,
    SendMode,
    TableNotice,
)
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.views import hand_view, lobby_view, table_view
from telegram_sandbox import RunningSandbox
from tests.telegram_bot.channels.telegram.scripted_bot_api import (
    HANG_UP,
    ME,
    SILENCE,
    Json,
    ScriptedBotApi,
    make_bot,
)
from tests.telegram_bot.channels.telegram.sender_examples import (
    ANA,
    GROUP,
    HAND,
    PAUSED,
    ROUND,
    TABLE,
    TURN,
    to,
    trouble,
)
from tests.telegram_bot.conftest import START, lobby_table

OLD_FORM = pytest.mark.filterwarnings("ignore:.*retry_after:telegram.warnings.PTBDeprecationWarning")
"""The library announces another type for a pause; the sender reads both."""


# What is asked of Telegram


async def test_a_message_goes_to_its_chat_and_topic(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    sent = await sender.send(to(GROUP, PAUSED, topic=5, silent=True), None)
    assert sent == SendResult(77, keyboard=True)
    ((method, params),) = telegram.calls
    assert method == "sendMessage"
    assert (params["chat_id"], params["message_thread_id"], params["disable_notification"]) == (GROUP, 5, True)
    assert params["parse_mode"] == "HTML"
    assert params["link_preview_options"] == {"is_disabled": True}
    assert params["reply_markup"]["inline_keyboard"][0][0]["callback_data"]


async def test_a_message_without_buttons(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    assert await sender.send(to(GROUP, ResumedNotice()), None) == SendResult(77, keyboard=False)
    assert "reply_markup" not in telegram.calls[0][1]
    assert "message_thread_id" not in telegram.calls[0][1]


async def test_help_in_a_group_asks_for_replies_unless_the_bot_reads_everything(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    withheld = HelpNotice(private=False, replies_only=True)
    await sender.send(to(GROUP, withheld), None)
    assert "reply to my message" in telegram.calls[-1][1]["text"]
    assert isinstance(sender.bot, Bot)
    sender.bot._bot_user = User(424242, "Perudo", is_bot=True, username="perudo_bot", can_read_all_group_messages=True)
    await sender.send(to(GROUP, withheld), None)
    assert "Tap the buttons or type" in telegram.calls[-1][1]["text"]


async def test_a_message_is_edited_in_its_place(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    assert await sender.send(to(GROUP, ROUND, mode=SendMode.EDIT), MessageRef(33)) == SendResult(33, keyboard=True)
    ((method, params),) = telegram.calls
    assert (method, params["message_id"]) == ("editMessageText", 33)
    assert "Round 1" in params["text"]


async def test_a_game_is_sent_as_a_file(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    chat = {"id": GROUP, "type": "supergroup"}
    telegram.grant({"message_id": 78, "date": 1, "chat": chat})
    record = RecordNotice(document='{"schema": "x"}', name="perudo-CODE22.json")
    assert await sender.send(to(GROUP, record, topic=5), None) == SendResult(78)
    assert [method for method, _ in telegram.calls] == ["sendDocument"]


async def test_a_keyboard_is_turned_or_taken_away(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    assert await sender.send(to(ANA, TURN), MessageRef(33)) == SendResult(None, keyboard=True)
    assert await sender.send(to(ANA, OutdatedNotice()), MessageRef(34)) == SendResult(None)
    turned, stripped = telegram.calls
    assert [call[0] for call in telegram.calls] == ["editMessageReplyMarkup"] * 2
    assert (turned[1]["message_id"], stripped[1]["message_id"]) == (33, 34)
    assert turned[1]["reply_markup"]["inline_keyboard"]
    assert "reply_markup" not in stripped[1]


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
    assert "Your dice" not in first["text"], "not before it is known that nobody else sees it"
    assert all("Your dice" in params["text"] for params in (edit, second))


async def test_a_server_that_would_say_a_whisper_aloud_is_not_told_the_dice(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    assert isinstance(await trouble(sender, to(GROUP, HAND, receiver=ANA, reply_handle="q1")), RefusedError)
    assert isinstance(await trouble(sender, to(GROUP, HAND, receiver=ANA)), RefusedError)
    assert await sender.can_send_ephemeral(GROUP) is False
    (said, deleted) = telegram.calls
    assert (said[0], deleted[0]) == ("sendMessage", "deleteMessage")
    assert "Your dice" not in said[1]["text"]
    assert "reply_markup" not in said[1]
    assert deleted[1]["message_id"] == 77


async def test_a_whisper_is_edited_turned_and_deleted_by_methods_of_its_own(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    await sender.send(to(GROUP, HAND, receiver=ANA), MessageRef(12, ANA))
    await sender.send(to(GROUP, TURN, receiver=ANA), MessageRef(33, ANA))
    await sender.send(to(GROUP, OutdatedNotice(), receiver=ANA), MessageRef(14, ANA))
    methods = ["editEphemeralMessageText", "editEphemeralMessageReplyMarkup", "deleteEphemeralMessage"]
    assert [method for method, _ in telegram.calls] == methods
    named = [(p["chat_id"], p["receiver_user_id"], p["ephemeral_message_id"]) for _, p in telegram.calls]
    assert named == [(GROUP, ANA, 12), (GROUP, ANA, 33), (GROUP, ANA, 14)]
    assert all(params["reply_markup"]["inline_keyboard"] for _, params in telegram.calls[:2])


async def test_a_server_that_does_not_know_the_newest_markup_gets_the_words_alone(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    view = table_view(TABLE.replace(clock_ends=START))
    table = TableNotice(view=view, shared=False, unreachable=False)
    telegram.refuse(400, 'Bad Request: can\'t parse entities: Unsupported start tag "tg-time" at byte offset 30')
    assert (await sender.send(to(ANA, table), None)).message == 77
    first, second = (params["text"] for _, params in telegram.calls)
    assert "<tg-time" in first
    assert "tg-time" not in second
    assert "22:13:20 UTC" in second


async def test_markup_that_is_wrong_by_our_own_fault_is_not_tried_twice(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    telegram.refuse(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 3")
    assert isinstance(await trouble(sender, to(ANA, HelpNotice(private=True))), InvalidError)
    assert len(telegram.calls) == 1


async def test_what_is_shown_already_is_shown(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    words = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same"
    telegram.refuse(400, words)
    assert await sender.send(to(GROUP, ROUND, mode=SendMode.EDIT), MessageRef(33)) == SendResult(33, keyboard=True)
    telegram.refuse(400, words)
    assert await sender.send(to(GROUP, OutdatedNotice()), MessageRef(33)) == SendResult(33)


# Taps and lookups


async def test_a_tap_is_answered_with_a_toast_and_dice_with_an_alert(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    await sender.answer("q1", ConfirmationNotice(done=Confirmation.LEFT), "en")
    await sender.answer("q2", DiceNotice(view=hand_view(TABLE, 1)), None)
    await sender.answer("q3", None, "en")
    assert [method for method, _ in telegram.calls] == ["answerCallbackQuery"] * 3
    toast, alert, silent = (params for _, params in telegram.calls)
    assert (toast["callback_query_id"], toast["text"], toast.get("show_alert", False)) == (
        "q1", "You left the table.", False
    )  # fmt: skip
    assert alert["show_alert"] is True
    assert "3️⃣ 3️⃣ 3️⃣ 3️⃣ 3️⃣" in alert["text"]
    assert "text" not in silent


@OLD_FORM
async def test_an_answer_that_comes_too_late_is_no_trouble(
    telegram: ScriptedBotApi, sender: TelegramSender, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    denied = RejectionNotice(reason=RejectionReason.STALE)
    telegram.refuse(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
    await sender.answer("q1", denied, "en")
    assert "answered too late" in caplog.text
    telegram.refuse(429, "Too Many Requests: retry after 5", retry_after=5)
    await sender.answer("q1", denied, "en")
    assert [record.levelname for record in caplog.records if "tap" in record.message] == ["INFO", "WARNING"]
    assert len(telegram.calls) == 2


async def test_an_answer_that_may_not_have_arrived_is_given_again(
    telegram: ScriptedBotApi, sender: TelegramSender, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER_AGAIN_SECONDS", (0.01, 0.01))
    dice = DiceNotice(view=hand_view(TABLE, 1))
    telegram.answers += [HANG_UP, (502, "<html>Bad Gateway</html>")]
    await sender.answer("q1", dice, "en")
    assert len(telegram.calls) == 3
    assert all(params == telegram.calls[0][1] for _, params in telegram.calls)
    assert "could not be answered" not in caplog.text
    telegram.answers += [SILENCE, HANG_UP, HANG_UP]
    await sender.answer("q2", dice, "en")
    assert len(telegram.calls) == 6, "a tap does not wait for ever"
    assert caplog.text.count("could not be answered") == 1


@pytest.mark.parametrize(
    ("status", "is_admin"), [("creator", True), ("administrator", True), ("member", False), ("left", False)]
)
async def test_who_is_an_admin(telegram: ScriptedBotApi, sender: TelegramSender, status: str, is_admin: bool) -> None:
    rights = (
        "can_be_edited is_anonymous can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members "
        "can_promote_members can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories"
    )
    member = {"status": status, "user": {"id": ANA, "is_bot": False, "first_name": "Ana"}}
    telegram.grant(member | dict.fromkeys(rights.split(), False))
    assert await sender.is_admin(GROUP, ANA) is is_admin
    assert telegram.calls == [("getChatMember", {"chat_id": GROUP, "user_id": ANA})]
    telegram.grant(member | dict.fromkeys(rights.split(), False))
    assert await sender.can_send_ephemeral(GROUP) is (status == "administrator")
    assert telegram.calls[1][1]["user_id"] == ME["id"]


@OLD_FORM
async def test_who_is_not_known_to_telegram_is_no_admin_and_silence_says_nothing(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    telegram.refuse(400, "Bad Request: PARTICIPANT_ID_INVALID")
    telegram.refuse(403, "Forbidden: bot was kicked")
    assert await sender.is_admin(GROUP, ANA) is False
    assert await sender.can_send_ephemeral(GROUP) is None
    telegram.answers.append(SILENCE)
    telegram.refuse(502, "Bad Gateway")
    telegram.refuse(429, "Too Many Requests: retry after 5", retry_after=5)
    assert [await sender.is_admin(GROUP, ANA) for _ in range(3)] == [None] * 3


def test_groups_have_negative_numbers(sender: TelegramSender) -> None:
    assert (sender.is_group(GROUP), sender.is_group(ANA)) == (True, False)


# The same against the sandbox, which judges every request by the Bot API's schema


async def test_a_bot_api_server_takes_what_is_sent(sandbox: RunningSandbox) -> None:
    async with make_bot(sandbox.url, sandbox.token) as bot:
        sender = TelegramSender(bot)
        group, ana = sandbox.group_id, sandbox.people["Ana"]
        lobby = to(group, LobbyNotice(view=lobby_view(lobby_table(3))), mode=SendMode.EDIT)
        sent = await sender.send(lobby, None)
        assert sent.message is not None
        assert sent.keyboard
        assert await sender.send(lobby, MessageRef(sent.message)) == sent, "not modified"
        more = lobby.model_copy(update={"notice": LobbyNotice(view=lobby_view(lobby_table(4)))})
        assert await sender.send(more, MessageRef(sent.message)) == sent
        await sender.send(to(group, OutdatedNotice(), mode=SendMode.TARGET), MessageRef(sent.message))
        assert isinstance(await trouble(sender, lobby, MessageRef(9999)), TargetGoneError)
        assert isinstance(await trouble(sender, to(ana, HAND)), RefusedError), "before /start"
        assert isinstance(await trouble(sender, to(group, HAND, receiver=ana)), RefusedError), "no admin, no tap"
        assert isinstance(await trouble(sender, to(-999, PAUSED)), ChatLostError)
