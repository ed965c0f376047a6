"""A party at home or by a tunnel: its address, tables for all guests, and no messenger."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from telegram_bot import tunnel
from telegram_bot.errors import OperatorError
from telegram_bot.party import Interface, in_order, invitation, network_addresses, party_settings
from telegram_bot.settings import Settings
from telegram_bot.settings.sms import SmsGateSettings, SmsSettings
from telegram_bot.tunnel import open_tunnel


def test_a_party_needs_no_messenger_and_shows_where_it_is() -> None:
    usual = Settings(token="123456:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi")
    party = party_settings(usual, "192.168.1.5", 8088, Path("evening.db"))
    assert party.token.get_secret_value() == ""
    assert party.web_port() == 8088
    assert party.web_seat.tables
    shown = invitation(party)
    assert "  http://192.168.1.5:8088/t\n" in shown
    assert "http://192.168.1.5:8088/tv" in shown
    rows = [row for row in shown.splitlines() if set(row) & set("█▀▄")]
    coloured = invitation(party, coloured=True).splitlines()
    assert {f"\x1b[38;5;231;48;5;16m{row}\x1b[0m" for row in rows} <= set(coloured), "white on black in every terminal"
    assert all(f"--host {each}" in shown for each in network_addresses())


WIFI = Interface("192.168.1.20", is_tunnel=False, is_device=True)
VPN = Interface("10.8.0.2", is_tunnel=True, is_device=False)
DOCKER = Interface("172.17.0.1", is_tunnel=False, is_device=False)
LOOPBACK = DOCKER._replace(address="127.0.0.1")


@pytest.mark.parametrize(
    ("interfaces", "routed", "first"),
    [
        ((LOOPBACK, VPN, DOCKER, WIFI), "10.8.0.2", "192.168.1.20"),
        ((LOOPBACK, DOCKER, WIFI._replace(address="169.254.7.7"), WIFI), None, "192.168.1.20"),
        ((WIFI, WIFI._replace(address="192.168.7.7")), "192.168.7.7", "192.168.7.7"),
        ((DOCKER, WIFI._replace(address="203.0.113.7")), "203.0.113.7", "203.0.113.7"),
        ((LOOPBACK, VPN), "10.8.0.2", "10.8.0.2"),
    ],
)
def test_a_party_is_at_the_houses_address(interfaces: tuple[Interface, ...], routed: str | None, first: str) -> None:
    found = in_order(interfaces, routed)
    assert found[0] == first
    assert sorted(found) == sorted({each.address for each in interfaces} - {LOOPBACK.address})


def test_a_party_at_an_address_of_ipv6_is_found_there() -> None:
    for host in ("fe80::1", "[fe80::1]"):
        party = party_settings(Settings(), host, 8088, Path("evening.db"))
        assert (party.web_seat.url, party.web.host) == ("http://[fe80::1]:8088", "::")


CLOUDFLARED = """
echo "$@" >> asked; echo $$ > pid
echo "2026-01-16T08:32:54Z INF Requesting new quick Tunnel on trycloudflare.com..." >&2
echo "2026-01-16T08:32:58Z INF |  https://oklahoma-solo-younger-truck.trycloudflare.com  |" >&2
exec sleep 1000
"""
"""Prints the same as `cloudflared`, which needs the internet."""
TAILSCALE = """
echo "$@" >> asked
printf 'Available on the internet:\\n\\nhttps://laptop.tail1234.ts.net/\\n|-- proxy http://127.0.0.1:8088\\n'
exec sleep 1000
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs: no others are installed except a shell's."""
    (tmp_path / "sleep").symlink_to("/bin/sleep")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def install(programs: Path, name: str, script: str) -> None:
    (programs / name).write_text(f"#!/bin/sh\n{script}")
    (programs / name).chmod(0o755)


def test_a_party_is_shared_by_the_first_tunnel_program_that_is_installed(programs: Path) -> None:
    install(programs, "tailscale", TAILSCALE)
    with open_tunnel(8088) as address:
        assert address == "https://laptop.tail1234.ts.net"
    install(programs, "cloudflared", CLOUDFLARED)
    with open_tunnel(8088) as address:
        assert address == "https://oklahoma-solo-younger-truck.trycloudflare.com"
        program = Path("/proc", (programs / "pid").read_text().strip())
        assert program.exists()
    assert not program.exists(), "it ends with the party"
    assert (programs / "asked").read_text() == "funnel 8088\ntunnel --no-autoupdate --url http://127.0.0.1:8088\n"
    party = party_settings(Settings(), None, 8088, Path("evening.db"), address)
    assert f"  {address}/t\n" in invitation(party)
    assert party.web.host == "127.0.0.1", "everybody comes through the tunnel, which names their addresses"
    assert party.web_seat.behind_proxy


@pytest.mark.parametrize("at_its_end", ["trap '' TERM; sleep 99; sleep 99", "(trap '' TERM; sleep 99; sleep 99)"])
def test_a_tunnel_that_does_not_end_is_killed(at_its_end: str, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunnel, "SECONDS_TO_END", 0.2)
    install(programs, "tailscale", f"echo https://laptop.tail1234.ts.net\n{at_its_end}\n")
    with open_tunnel(8088) as address:
        assert address == "https://laptop.tail1234.ts.net"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (None, "install cloudflared"),
        ("echo 'ERR failed to request quick Tunnel: no such host' >&2\nexit 1\n", "no such host"),
        ("", "it said nothing"),
        ("echo 'failed to request quick Tunnel: https://api.trycloudflare.com/tunnel: dial tcp' >&2\n", "dial tcp"),
    ],
)
def test_a_party_that_cannot_be_shared_says_why(programs: Path, script: str | None, told: str) -> None:
    if script is not None:
        install(programs, "cloudflared", script)
    with pytest.raises(OperatorError, match=told), open_tunnel(8088):
        pass


def test_a_party_has_the_gateways_of_the_settings_only_if_friends_may_text() -> None:
    secrets = {"login": "AB", "password": "p", "signing_key": "s"}
    gateway = SmsGateSettings.model_validate({"kind": "smsgate", "name": "phone", "number": "+393401234567"} | secrets)
    usual = Settings(sms=SmsSettings(key=SecretStr("k" * 40), countries=("IT",), gateways=(gateway,)))
    alone = party_settings(usual, "192.168.1.5", 8088, Path("evening.db"))
    assert alone.sms.gateways == ()
    party = party_settings(usual, None, 8088, Path("evening.db"), "https://x.trycloudflare.com", texts=True)
    assert party.sms.gateways == (gateway,)
    assert "The gateway phone brings texts to https://x.trycloudflare.com/sms/phone." in invitation(party)
    with pytest.raises(OperatorError, match="needs a gateway"):
        party_settings(Settings(), None, 8088, Path("evening.db"), texts=True)
