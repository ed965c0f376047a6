from pathlib import Path

import aiogram
import pytest

from telegram_sandbox import BOT_API_VERSION, schema, telegram_json
from telegram_sandbox.bot_api.method_names import METHOD_NAMES
from test_support.bot_api_uses import table
from tests.telegram_sandbox.conftest import Play, in_vain

COMMANDS = [{"command": "new", "description": "Open a table"}]


async def test_chats_and_that_a_basic_group_says_whether_its_members_may_do_everything(play: Play) -> None:
    chat = await play.ok("getChat", chat_id=play.group)
    assert (chat["type"], chat["title"]) == ("supergroup", "Friends")
    ana = await play.ok("getChat", chat_id=play.id("Ana"))
    assert (ana["first_name"], ana["can_send_gift"], ana["active_usernames"]) == ("Ana", True, [ana["username"]])
    assert not any(chat["accepted_gift_types"].values())
    assert (await play.ok("getUserProfilePhotos", user_id=play.id("Ana"))) == {"total_count": 0, "photos": []}
    assert (await play.refused("getUserProfilePhotos", user_id=5))[0] == 400
    assert (await play.ok("getChatMember", chat_id=play.id("Ana"), user_id=play.id("Ana")))["status"] == "member"
    group = play.sandbox.add_group("Old", [play.user("Ana")], kind="group")
    no_gifts = {"accepted_gift_types": dict.fromkeys(telegram_json.GIFTS, False)}
    for may_write in (True, False):
        play.sandbox.set_permissions(group, can_send_messages=may_write)
        play.sandbox.set_bot_status(group, "administrator")
        said = await play.send(chat=group.id)
        about = {"id": group.id, "type": "group", "title": "Old", "all_members_are_administrators": may_write}
        assert said["chat"] == about | no_gifts


async def test_what_the_bot_says_of_itself_which_rights_it_asks_for_and_its_commands_by_scope(play: Play) -> None:
    assert (await play.ok("getMyName"))["name"] == "Sandbox"
    for setter, getter, name in (
        ("setMyName", "getMyName", "name"),
        ("setMyDescription", "getMyDescription", "description"),
        ("setMyShortDescription", "getMyShortDescription", "short_description"),
    ):
        await play.ok(setter, **{name: "Quiz night"})
        assert await play.ok(getter) == {name: "Quiz night"}
        assert (await play.refused(setter, **{name: "x" * 513}))[0] == 400
    assert await play.ok("getChatMenuButton") == {"type": "commands"}
    await play.ok("setChatMenuButton", menu_button={"type": "default"})
    assert await play.ok("getChatMenuButton") == {"type": "default"}
    wanted = {"can_pin_messages": True, "is_anonymous": True}
    await play.ok("setMyDefaultAdministratorRights", rights=wanted)
    in_groups = await play.ok("getMyDefaultAdministratorRights")
    assert {right for right, given in in_groups.items() if given} == set(wanted)
    in_channels = await play.ok("getMyDefaultAdministratorRights", for_channels=True)
    assert "can_post_messages" in in_channels
    assert not any(in_channels.values())
    await play.ok("setMyDefaultAdministratorRights")
    assert not any((await play.ok("getMyDefaultAdministratorRights")).values())
    assert await play.ok("getMyCommands") == []
    await play.ok("setMyCommands", commands=COMMANDS)
    german = [{"command": "neu", "description": "Tisch auf"}]
    groups = {"scope": {"type": "all_group_chats"}, "language_code": "de"}
    await play.ok("setMyCommands", commands=german, **groups)
    assert await play.ok("getMyCommands") == COMMANDS
    assert await play.ok("getMyCommands", **groups) == german
    assert await play.ok("getMyCommands", language_code="de") == []
    assert (await play.state())["bot"]["commands"] == COMMANDS
    await play.ok("deleteMyCommands", **groups)
    assert await play.ok("getMyCommands", **groups) == []
    here = {"scope": {"type": "chat", "chat_id": play.group}}
    await play.ok("setMyCommands", commands=german, **here)
    assert await play.ok("getMyCommands", **here) == german


def test_the_sandbox_knows_each_method_of_the_bot_api_that_it_names() -> None:
    assert aiogram.__api_version__ == BOT_API_VERSION
    assert schema._methods().keys() == METHOD_NAMES.keys()


async def test_a_parameter_without_effect_is_told_of(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    ana = await play.start("Ana")
    for _ in range(2):
        await play.send("dear", ana.id, allow_paid_broadcast=True)
    assert [call.ignored for call in play.sandbox.world.calls.named("sendMessage")] == [("allow_paid_broadcast",)] * 2
    assert caplog.messages == ["telegram-sandbox ignores allow_paid_broadcast of sendMessage"]
    await in_vain(ana.sees("cheap", within=0.05), "; accepted: sendMessage without effect of allow_paid_broadcast")


async def test_methods_that_are_accepted_change_nothing(play: Play) -> None:
    await play.start("Ana")
    before = await play.state()
    draft = {"chat_id": play.id("Ana"), "draft_id": 1, "text": "Well…"}
    for method in ("close", "logOut", "removeMyProfilePhoto"):
        assert await play.ok(method) is True
    for method in ("verifyUser", "removeUserVerification"):
        assert await play.ok(method, user_id=play.id("Ana")) is True
        await play.refuses(method, "user not found", user_id=1)
    for method in ("verifyChat", "removeChatVerification"):
        assert await play.ok(method, chat_id=play.group) is True
    assert await play.ok("sendMessageDraft", **draft) is True
    assert (await play.refused("sendMessageDraft", **draft | {"chat_id": play.group}))[0] == 400
    after = await play.state()
    assert (after["messages"], after["chats"]) == (before["messages"], before["chats"])


def test_a_method_counts_once_for_each_bot_that_names_it_in_any_spelling(tmp_path: Path) -> None:
    sources = {
        "echo/bot.py": "await bot.send_message(1)\nawait bot.send_message(2)\nbot.send_checklist(3)\nfile.close()",
        "shop/src/Bot.cs": "await client.SendMessage(chat, text);",
        "shop/node_modules/library/api.js": "this.call('sendGame')",
        "shop/README.md": "It calls sendGame.",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert table([tmp_path / "echo", tmp_path / "shop"]).splitlines() == [
        "They name 2 methods, of which the sandbox answers 1.",
        "",
        "| method | bots | sandbox |",
        "| --- | --: | --- |",
        "| `sendMessage` | 2 | answers |",
        "| `sendChecklist` | 1 | refuses |",
    ]
