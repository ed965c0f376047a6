"""One network and one person have limits; a malformed request has no effect, and costs little."""

from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import Request

from telegram_bot.channels.web.entering import SESSIONS_A_PERSON
from telegram_bot.channels.web.limits import A_HOUSEHOLD, MOST, CallLimits
from telegram_bot.ingress.networks import A_SITE, NO_ADDRESS, Proxies, network_of
from telegram_bot.intents.config import Quotas
from telegram_bot.intents.intents import Place
from telegram_bot.service.handlers.lobby_requests import OpenLobby
from telegram_bot.settings.sections import WebSeatSettings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.storage.web_models import WebSession
from telegram_bot.words.catalogue import LANGUAGES, own_name
from test_support.in_process_world import NOON
from test_support.web_world import GROUP, WebWorld, a_room, init_data, keys_of

ANA = 11


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]", "2001:db8:1:2::/64"), ("fe80::1%eth0", "fe80::/64"), ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5678", "192.0.2.1"), ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"), ("nonsense", NO_ADDRESS),
        ("unknown:80", NO_ADDRESS),
    ],
)  # fmt: skip
def test_a_64_of_ipv6_is_one_network_and_so_is_all_that_is_no_address(address: str, network: str) -> None:
    assert network_of(address) == network


def test_a_limit_does_not_last_longer_because_the_clock_was_set_back() -> None:
    limits = CallLimits()
    assert [limits.take("ask", 1, NOON) for _ in range(2)] == [0, 600]
    assert limits.take("ask", 1, NOON - 3600) == 0


async def test_a_household_comes_in_and_all_addresses_of_its_64_share_its_limit(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    link = {"code": world.code, "key": (await keys_of(ana))[0], "name": "Cy"}
    most = A_HOUSEHOLD * MOST["join"]
    *came, last = [
        await world.browser().post("enter", network=f"2001:db8::{number:x}", **link) for number in range(most + 1)
    ]
    assert {answer.status_code for answer in came} == {200}
    assert (last.status_code, last.json()["error"]) == (429, "too_many")
    assert await world.browser("2001:db8:0:1::1").enter(**link) == "in"
    world.now += int(last.headers["Retry-After"])
    assert (await world.browser().post("enter", network="2001:db8::1", **link)).status_code == 200


async def test_answers_are_kept_for_those_who_acted_last(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.channels.web.routes.MOST_KEYS", 2)
    for guest in await a_room(world, "Ana", "Bo", "Cy"):
        answer = await guest.act("name", id="one", value="Dee")
        assert (await guest.act("name", id="one", value="Dee")) == answer | {"repeated": True}
    assert len(world.channel._routes._last) == 2


@pytest.mark.parametrize(
    ("peer", "settings", "network"),
    [
        ("127.0.0.1", {}, "198.51.100.7"),
        ("::ffff:10.0.0.2", {}, "198.51.100.7"),
        ("fd00::2", {"proxies": ["198.51.100.0/24"]}, "203.0.113.1"),
        ("198.51.100.9", {"proxies": ["198.51.100.0/24"], "behind_proxy": False}, "203.0.113.1"),
        ("198.51.100.9", {}, "198.51.100.9"),
        ("10.0.0.2", {"behind_proxy": False}, "10.0.0.2"),
    ],
)
def test_a_proxys_header_is_believed_and_a_visitors_is_not(peer: str, settings: dict[str, Any], network: str) -> None:
    headers = [(b"x-forwarded-for", b"192.168.0.9, 203.0.113.1:99"), (b"x-forwarded-for", b"198.51.100.7")]
    request = Request({"type": "http", "client": (peer, 1), "headers": headers})
    assert Proxies(WebSeatSettings(**settings)).network_of(request) == network


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("door", {}), ("door", {"key": "x"}), ("door", {"seat": "x"}), ("enter", {"name": "Eve"}),
        ("enter", {"name": "Eve", "key": "x"}), ("screen", {"key": "x"}), ("look", {}), ("app", {}),
    ],
)  # fmt: skip
async def test_a_network_guesses_thirty_codes_in_ten_minutes(world: WebWorld, path: str, body: dict[str, str]) -> None:
    host, thief = (await a_room(world, "Ana"))[0], world.browser("192.0.2.50")
    code, (key, _) = world.code, await keys_of(host)
    if path == "look":
        await thief.ask("open", name="Bo", language="en")
    most, answers = A_HOUSEHOLD * MOST["guess"], []
    for number in range(most + 2):
        world.now += 9
        launch = {"init_data": init_data(100 + number, world.now)} if path == "app" else {}
        answers.append((await thief.post(path, code=f"ABC{number:03}", **body, **launch)).status_code)
    assert answers == [404] * most + [429] * 2
    if path != "app":  # Telegram vouches for its visitor, who guesses five times a minute
        right = await thief.post(path, code=code, **body)
        assert right.status_code == 429, "it is answered as a wrong one"
    assert (await thief.ask("door", code=code, key=key))["title"], "the link itself works"


def test_a_site_of_ipv6_has_three_times_the_limit_of_a_network_whatever_it_asks() -> None:
    for kind in MOST:
        limits, most = CallLimits(), A_SITE * A_HOUSEHOLD * MOST[kind]
        waits = [limits.take(kind, f"2001:db8:1:{number:x}::/64", NOON) for number in range(most + 1)]
        assert any(waits[:most]) is False, kind
        assert waits[most] > 0, kind
        assert limits.take(kind, "2001:db8:2::/64", NOON) == 0


async def test_tables_of_guests_take_no_place_of_a_group(world: WebWorld) -> None:
    world.service.config = replace(world.service.config, quotas=Quotas(live_tables=2))
    first, second = world.browser("192.0.2.1"), world.browser("192.0.2.2")
    assert (await first.ask("open", name="Ana", language="en"))["state"] == "in"
    assert (await second.ask("open", name="Bo", language="en"))["state"] != "in"
    for group in (GROUP, GROUP - 1, GROUP - 2):
        await world.telegram_asks(ANA, OpenLobby(), where=Place("telegram", group, title="Friends"))
    assert [table.live for table in world.rows(GameTable)] == [True] * 3


async def test_a_person_of_telegram_guesses_five_codes_a_minute_and_keeps_few_sessions(world: WebWorld) -> None:
    async def guess(number: int) -> int:
        answer = await world.browser(f"10.0.0.{number}").post("app", init_data=init_data(ANA, NOON), code="ABCDEF")
        return answer.status_code

    assert [await guess(number) for number in range(7)] == [404] * 5 + [429] * 2
    assert world.rows(WebSession) == []
    for number in range(2 * SESSIONS_A_PERSON):
        world.now += 60
        assert (await world.browser().post("app", init_data=init_data(ANA, NOON))).status_code == 200, number
    assert len(world.rows(WebSession)) == SESSIONS_A_PERSON


async def test_only_the_files_of_pages_are_served(world: WebWorld) -> None:
    for path in (
        *("x%00.js", "features/coach/../__init__.py", "features/coach/coach.py", "features/none/x.js"),
        *("../routes.py", "guest.html", "%2e%2e/routes.py", "../__init__.py", "%2e%2e/__init__.py", "vendor", ""),
    ):
        assert (await world.browser().client.get(f"/seat/static/{path}")).status_code == 404, path


async def test_pages_are_framed_by_telegram_alone_and_nothing_runs_from_elsewhere(world: WebWorld) -> None:
    client = world.browser().client
    for path, around in (("/t/ABCDEF", "'none'"), ("/tv/ABCDEF", "'none'"), ("/app", "https://web.telegram.org")):
        headers = (await client.get(path)).headers
        policy = headers["Content-Security-Policy"].split("; ")
        assert policy[:5] == [
            "default-src 'none'",
            *(f"{kind}-src 'self'" for kind in ("script", "style")),
            "img-src 'self' blob:",  # pictures that the page has fetched
            "connect-src 'self'",
        ]
        assert policy[-1] == f"frame-ancestors {around}"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert ("X-Frame-Options" in headers) is (path != "/app")
    for path in ("guest.js", "table.css", "icon.svg", "features/names.js", "features.css", "features/coach/coach.js"):
        policy = (await client.get(f"/seat/static/{path}")).headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(policy), path


async def test_words_come_in_the_nearest_language_with_the_names_of_all(world: WebWorld) -> None:
    words = (await world.browser().client.get("/seat/words?language=it-IT")).json()
    assert words["join"] == "Entra"
    assert words["languages"] == {language: own_name(language).capitalize() for language in LANGUAGES}


async def test_an_unknown_host_opens_nothing(world: WebWorld) -> None:
    """A foreign page with a name that leads to this machine could else read what a browser here may read."""
    (ana,) = await a_room(world, "Ana")
    for host in ("evil.test", "perudo.test.evil.test", "127.0.0.1.evil.test", ""):
        headers = {"Host": host, "Origin": f"https://{host}"}
        for path in ("/t/ABCDEF", "/app", "/seat/static/guest.js", "/seat/me", "/seat/words", "/seat/stream"):
            assert (await ana.client.get(path, headers=headers)).status_code == 400, host
        assert (await ana.client.post("/seat/room", json={"do": "show"}, headers=headers)).status_code == 400, host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://[FE80::1]:8088", "[fe80::1]:8088"),
        ("https://Würfel.example", "xn--wrfel-kva.example"),
        ("https://straße.example/", "xn--strae-oqa.example"),
        ("https://perudo.example:443", "perudo.example"),
    ],
)
async def test_pages_answer_to_the_host_that_browsers_send_for_them(database: Database, url: str, host: str) -> None:
    world = WebWorld(database, seat=WebSeatSettings(url=url, tables=True))
    headers = {"Host": host, "Origin": f"{url.partition(':')[0]}://{host}"}
    client = world.browser().client
    assert (await client.get("/t", headers=headers)).status_code == 200
    opened = await client.post("/seat/open", json={"name": "Ana"}, headers=headers)
    assert opened.status_code == 200, opened.text
