"""A party at home: an address in the network, tables for all guests, and no messenger."""

from pathlib import Path

from telegram_bot.party import invitation, party_settings
from telegram_bot.settings import Settings


def test_a_party_needs_no_messenger_and_shows_where_it_is() -> None:
    usual = Settings(token="123456:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi")
    party = party_settings(usual, "192.168.1.5", 8088, Path("evening.db"))
    assert party.token.get_secret_value() == ""
    assert party.web_port() == 8088
    assert party.web_seat.tables
    shown = invitation(party)
    assert "  http://192.168.1.5:8088/t\n" in shown
    assert "http://192.168.1.5:8088/tv" in shown
    assert "█" in shown or "▀" in shown
