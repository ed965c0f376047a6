import asyncio
import gc
import gzip
import json
import logging
import socket
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from telegram_sandbox import SandboxSettings, running_sandbox
from telegram_sandbox.bot_api.registry import HANDLERS
from telegram_sandbox.bot_api.requests import GetMe
from tests.telegram_sandbox.conftest import Play, keyboard

TEXT = "5 < 6 & 🎲"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
AS_JSON, ZIPPED = {"content-type": JSON}, {"content-encoding": "gzip"}


async def test_parameters_come_in_every_form_the_first_of_two_counts_the_address_before_the_body(play: Play) -> None:
    path = f"/bot{play.sandbox.token}/sendMessage"
    markup = json.dumps({"inline_keyboard": [[{"text": "x", "callback_data": "a"}]]})
    params = {"chat_id": str(play.group), "text": TEXT, "disable_notification": "true", "reply_markup": markup}
    answers = [
        await play.client.get(path, params=params),
        await play.client.post(path, params=params),
        await play.client.post(path, data=params),
        await play.client.post(path, files={name: (None, value.encode()) for name, value in params.items()}),
        await play.client.post(path, json=params),
        await play.client.post(path, json={**params, "reply_markup": json.loads(markup), "disable_notification": True}),
        await play.client.post(path.replace("sendMessage", "SENDMESSAGE"), json=params),
        await play.client.post(path, content=gzip.compress(json.dumps(params).encode()), headers=AS_JSON | ZIPPED),
    ]
    for answer in answers:
        assert answer.status_code == 200, answer.text
        message = answer.json()["result"]
        assert (message["text"], message["reply_markup"]["inline_keyboard"][0][0]["callback_data"]) == (TEXT, "a")
    path = f"{path}?chat_id={play.group}"
    answers = [
        await play.client.get(f"{path}&text=one&text=two"),
        await play.client.post(f"{path}&text=one", json={"text": "two"}),
        await play.client.post(path, content=b'{"text": "one", "text": "two"}', headers=AS_JSON),
        await play.client.post(path, content=b"text=one&text=two", headers={"content-type": FORM}),
    ]
    assert [answer.json()["result"]["text"] for answer in answers] == ["one"] * 4


async def test_any_json_value_is_a_text_where_one_is_wanted_and_null_is_false_where_a_flag_is(play: Play) -> None:
    assert (await play.send(123))["text"] == "123"  # type: ignore[arg-type]
    assert (await play.send(True))["text"] == "true"  # type: ignore[arg-type]
    path = f"/bot{play.sandbox.token}/sendMessage"
    spelled = f'{{"chat_id": {play.group}, "text": 1e3}}'.encode()
    assert (await play.client.post(path, content=spelled, headers=AS_JSON)).json()["result"]["text"] == "1e3"
    assert (await play.send(None))["text"] == "null"  # type: ignore[arg-type]
    assert (await play.send([{"a": "é"}]))["text"] == '[{"a":"é"}]'  # type: ignore[arg-type]
    button = {"inline_keyboard": [[{"text": 5, "callback_data": 7}]]}
    assert (await play.send(reply_markup=button))["reply_markup"]["inline_keyboard"][0][0]["text"] == "5"
    poll = await play.ok("sendPoll", chat_id=play.group, question="Tea?", options=["Yes"], is_anonymous=None)
    assert poll["poll"]["is_anonymous"] is False
    nothing = {"disable_notification": None, "message_thread_id": None, "entities": None}
    assert (await play.send("nothing", **nothing))["text"] == "nothing"
    refusals = {"parse_mode": "unsupported parse_mode", "chat_id": "chat not found"} | {
        name: f"object expected as {name.replace('_', ' ')}"
        for name in ("reply_markup", "reply_parameters", "link_preview_options")
    }
    for name, words in refusals.items():
        sent = {"chat_id": play.group, "text": "x", name: None}
        assert await play.refused("sendMessage", **sent) == (400, f"Bad Request: {words}")


async def test_the_token_is_checked_and_a_connection_that_rests_stays_open_for_five_minutes(play: Play) -> None:
    await play.ok("getMe")
    opens: Any = play.sandbox.world.outage.open_bot_port
    (connection,) = opens.__self__._server.server_state.connections
    assert 290 < (connection.timeout_keep_alive_task.when() - asyncio.get_running_loop().time()) <= 300
    for token, words in (
        ("1:wrong", ""),
        ("424242:", ""),
        *((each, ": invalid token specified") for each in ("x", "é", "0:x")),
    ):
        answer = await play.client.post(f"/bot{token}/getMe")
        assert answer.status_code == 401
        assert answer.json() == {"ok": False, "error_code": 401, "description": f"Unauthorized{words}"}
        assert (await play.client.get(f"/file/bot{token}/photos/file_1.jpg")).status_code == 401


async def test_the_method_may_be_a_parameter_of_any_kind_and_other_addresses_mean_nothing(play: Play) -> None:
    """As in Telegram's own sample in PHP, whose requests all have the address of the token."""
    path, params = f"/bot{play.sandbox.token}/", {"method": "sendMessage", "chat_id": str(play.group), "text": TEXT}
    answers = [
        await play.client.get(path, params=params),
        await play.client.post(path, data=params),
        await play.client.post(path, json=params),
    ]
    assert [answer.json()["result"]["text"] for answer in answers] == [TEXT] * 3
    assert [call.method for call in play.sandbox.world.calls.since(0)] == ["sendMessage"] * 3
    for unknown in ("", "getMe/", "fetchMe"):
        answer = await play.client.get(path + unknown)
        assert (answer.status_code, answer.json()["description"]) == (404, "Not Found: method not found")
    for path in ("/nothing", "/bot", f"/bot{play.sandbox.token}", "/sandbox/nothing"):
        answer = await play.client.get(path)
        assert (answer.status_code, answer.json()["description"]) == (404, "Not Found")
    for path in ("/static/no-such-file.js", "/static/../app.py", "/static/%2e%2e/app.py"):
        assert (await play.client.get(path)).status_code == 404


HERE = b'{"chat_id": -1002000000001, "text": "x"'
HOSTILE: list[tuple[bytes, str]] = [
    (b"{", JSON),
    (b"[]", JSON),
    (b"5", JSON),
    (b"\xff\xfe", JSON),
    (b"[" * 100_000, JSON),
    (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, JSON),
    (b'{"chat_id": 1e999, "text": "x"}', JSON),
    (b'{"chat_id": NaN, "text": "x"}', JSON),
    (b'{"chat_id": ' + b"9" * 500 + b', "text": "x"}', JSON),
    (b'{"chat_id": ' + b"9" * 5000 + b', "text": "x"}', JSON),
    (b'{"chat_id": "' + b"9" * 5000 + b'", "text": "x"}', JSON),
    (b'{"chat_id": {"a": 1}, "text": ["x"]}', JSON),
    (b'{"chat_id": true, "text": "x"}', JSON),
    (b'{"chat_id": -1002000000001, "text": "\\ud83c"}', JSON),
    (HERE + b', "\\ud83c": 1}', JSON),
    (HERE + b', "entities": "[1]"}', JSON),
    (HERE + b', "entities": [{"type": "text_mention", "offset": 0, "length": 1}]}', JSON),
    (HERE + b', "entities": [{"type": "date_time", "offset": 0, "length": 1}]}', JSON),
    (HERE + b', "reply_markup": {"inline_keyboard": 5}}', JSON),
    (HERE + b', "reply_markup": {"inline_keyboard": [[5]]}}', JSON),
    (HERE + b', "reply_markup": "' + b"[" * 20_000 + b'"}', JSON),
    (HERE + b', "reply_parameters": "no"}', JSON),
    (b"not multipart", "multipart/form-data; boundary=x"),
    (b"not multipart", "multipart/form-data"),
    (b"--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--", "multipart/form-data; boundary=x"),
    (b"chat_id=%ff%fe&text=x", FORM),
    (b"&&&===", FORM),
    (b"a=1&" * 5000, FORM),
]


async def test_hostile_requests_are_refused_and_never_break_the_server(play: Play) -> None:
    wrong = []
    method = f"/bot{play.sandbox.token}/sendMessage"
    for body, kind in HOSTILE:
        for path in (method, "/sandbox/messages", "/sandbox/people", "/sandbox/media"):
            answer = await play.client.post(path, content=body, headers={"content-type": kind})
            telling = path != method or answer.json()["description"].startswith("Bad Request: ")
            if answer.status_code != 400 or not telling:
                wrong.append((body[:80], kind, path, answer.status_code, answer.text))
    assert wrong == []
    assert await play.ok("getMe")
    assert (await play.state())["bot"]


async def test_a_json_body_that_breaks_off_is_read_up_to_there_and_numbers_up_to_their_last_digit(play: Play) -> None:
    async def send(body: str) -> str:
        answer = await play.client.post(f"/bot{play.sandbox.token}/sendMessage", content=body, headers=AS_JSON)
        return str(answer.json().get("description", answer.json()["ok"]))

    begun = f'{{"chat_id": {play.group}, '
    assert await send(begun + '"text": "said \\"x\\"", "parse') == "True"
    assert (await play.state())["messages"][-1]["text"] == 'said "x"'
    assert await send(begun + '"text": "said') == "Bad Request: message text is empty"
    assert await send("[]") == "Bad Request: message text is empty"
    assert "reply_to_message" not in await play.send("no number is 0", reply_to_message_id="abc")
    first = await play.ok("sendMessage", chat_id=f"{play.group}th", text="answered")
    again = await play.send("digits", reply_to_message_id=f"{first['message_id']}th")
    assert again["reply_to_message"]["text"] == "answered"


@pytest.mark.parametrize("settings", [SandboxSettings(port=0, max_body_bytes=1000)])
async def test_a_huge_body_is_refused(play: Play) -> None:
    code, refusal = await play.refused("sendMessage", chat_id=play.group, text="x" * 2000)
    assert (code, refusal) == (413, "Request Entity Too Large")
    zipped, large = AS_JSON | ZIPPED, b" " * 2000
    for content, headers, status in ((large, AS_JSON, 413), (gzip.compress(large), zipped, 413), (b"?", zipped, 400)):
        assert (await play.client.post("/sandbox/messages", content=content, headers=headers)).status_code == status


async def test_unknown_fields_are_ignored_but_told_and_calls_are_written_down_without_the_token(play: Play) -> None:
    await play.send(disable_notifications=True)
    assert not play.sandbox.world.calls.flood_refusals
    failure = play.sandbox.world.calls.schema_failures[-1]
    assert failure.ok
    assert failure.schema_error == "unknown fields: disable_notifications"
    reply = {"message_id": 99, "allow_sending_without_reply": True, "poll_option_id": "1"}
    await play.send(reply_parameters=reply)
    assert play.sandbox.world.calls.since(0)[-1].ignored == ("reply_parameters.poll_option_id",)
    red = {"text": "x", "callback_data": "a", "colour": "red"}
    await play.send(reply_markup={"inline_keyboard": [[red]]})
    error = play.sandbox.world.calls.schema_failures[-1].schema_error
    assert error == "unknown fields: reply_markup.inline_keyboard.0.0.colour"
    await play.send(f"my token is {play.sandbox.token}")
    calls = (await play.state())["calls"]
    assert {"method": "sendMessage", "ok": True, "schema_ok": True}.items() <= calls[-1].items()
    assert calls[-1]["ms"] >= 0
    assert play.sandbox.token not in json.dumps(calls)


async def follow(play: Play, cursor: int, wanted: int, **headers: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    async with play.client.stream("GET", "/sandbox/events", params={"cursor": cursor}, headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
            if len(found) == wanted:
                break
    return found


async def test_events_tell_the_page_what_happens_and_that_a_reset_begins_again(play: Play) -> None:
    cursor = (await play.state())["cursor"]
    keys: dict[str, Any] = {"reply_markup": keyboard([("x", "a")])}
    sent = await play.send("one", **keys)
    await play.ok("editMessageText", chat_id=play.group, message_id=sent["message_id"], text="two", **keys)
    first = await play.tap("Ana", sent, "a")
    await play.ok("answerCallbackQuery", callback_query_id=first, text="hm", show_alert=True)
    second = await play.tap("Ana", sent, "a")
    await play.ok("answerCallbackQuery", callback_query_id=second)
    await play.ok("deleteMessage", chat_id=play.group, message_id=sent["message_id"])
    events = await follow(play, cursor, 10)
    kinds = [event["kind"] for event in events if event["kind"] != "call"]
    assert kinds == ["message", "edited", "alert", "answered", "deleted"]
    assert [event["cursor"] for event in events] == list(range(cursor + 1, cursor + 11))
    alert = next(event for event in events if event["kind"] == "alert")
    assert (alert["user_id"], alert["text"], alert["show_alert"]) == (play.id("Ana"), "hm", True)
    assert alert["query_id"] == first
    gone = next(event for event in events if event["kind"] == "deleted")
    assert (gone["key"], gone["message_id"]) == (f"{play.group}:{sent['message_id']}", sent["message_id"])
    call = next(event for event in events if event["kind"] == "call")["call"]
    assert set(call) >= {"n", "time", "method", "params", "ok", "error", "schema_ok", "schema_error", "ms"}
    before = await play.state()
    await play.start("Ana")
    await play.act("POST", "/people", name="Eve")
    await play.act("POST", "/reset")
    assert "reset" in [event["kind"] for event in await follow(play, (await play.state())["cursor"] - 1, 1)]
    after = await play.state()
    assert after["messages"] == await play.updates() == []
    assert [each["name"] for each in after["people"]] == [each["name"] for each in before["people"]]
    numbers = [{each["id"] for each in state["people"]} for state in (before, after)]
    assert numbers[0].isdisjoint(numbers[1]), "a bot, which forgets nothing, knows no one"


@pytest.mark.parametrize("settings", [SandboxSettings(port=0, remembered_events=3)])
async def test_a_page_that_reconnects_goes_on_where_it_was_or_begins_again_if_it_missed_too_much(play: Play) -> None:
    for text in ("one", "two", "three", "four", "five"):
        await play.say("Ana", text)
    cursor = (await play.state())["cursor"]
    (event,) = await follow(play, 0, 1, **{"last-event-id": str(cursor - 1)})
    assert event["message"]["text"] == "five"
    for missed in (0, 999):
        assert (await follow(play, missed, 1))[0]["kind"] == "reset"


async def test_a_poll_waits_fifty_seconds_and_a_fault_is_told(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    async def poll(*values: int) -> list[Any]:
        asked.append(values)
        return []

    monkeypatch.setattr(play.sandbox.world.updates, "poll", poll)
    await play.ok("getUpdates", timeout=3600, limit=1000)
    await play.ok("getUpdates", timeout=-1, limit=-1)
    assert asked == [(0, 100, 50), (0, 1, 0)]

    def broken(*_: object) -> None:
        raise LookupError("broken on purpose")

    monkeypatch.setitem(HANDLERS, "getme", (GetMe, broken))
    assert await play.refused("getMe") == (500, "Internal Server Error")
    failures = play.sandbox.world.calls.schema_failures
    assert "broken on purpose" in (failures.pop().schema_error or "")
    play.sandbox.world.tell_bot("message", {"message_id": "x", "chat": {"id": play.group}})
    assert failures.pop().method == "(update)"


async def test_a_sandbox_ends_without_a_traceback_with_a_request_half_sent(caplog: pytest.LogCaptureFixture) -> None:
    async with running_sandbox() as sandbox:
        bot = urlsplit(sandbox.bot_base_url)
        _, half = await asyncio.open_connection(bot.hostname, bot.port)
        asks = f"/bot{sandbox.token}/getMe HTTP/1.1\r\nHost: {bot.netloc}\r\n"
        half.write(f"POST {asks}Content-Length: 9\r\n\r\n".encode())
        reader, whole = await asyncio.open_connection(bot.hostname, bot.port)
        whole.write(f"GET {asks}\r\n".encode())
        assert b"200 OK" in await reader.readline()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    half.close()
    whole.close()


@pytest.mark.parametrize("turns", range(3))
def test_a_sandbox_that_ends_closes_the_connection_that_it_is_accepting(turns: int) -> None:
    async def connect(address: str) -> None:
        async with running_sandbox() as sandbox:
            at = urlsplit(getattr(sandbox, address))
            with closing(socket.create_connection((at.hostname or "", at.port or 0))):
                for _ in range(turns):
                    await asyncio.sleep(0)

    for address in ("url", "bot_url"):
        asyncio.run(connect(address))
    gc.collect()
