"""Twelve countries of gateways, twelve of senders, four spellings: each number is read as the one that it is."""

from __future__ import annotations

import random

import phonenumbers
import pytest
from phonenumbers import PhoneNumber, PhoneNumberFormat

from telegram_bot.channels.sms import numbers
from telegram_bot.channels.sms.numbers import NumberRefusedError, Refusal

SENDERS = {
    "IT": "+393281234567",  # 328 1234567 is a landline of Namur, read internationally
    "FR": "+33612345678",
    "ES": "+34612345678",
    "NL": "+31612345678",
    "DE": "+4915123456789",
    "GB": "+447400123456",
    "BE": "+32470123456",
    "CH": "+41781234567",
    "AT": "+436641234567",
    "PT": "+351912345678",
    "US": "+15712345678",  # 15712345678 is a mobile phone of Germany, read at home
    "AU": "+61412345678",
}
EVERYBODY = frozenset(SENDERS)
PREFIX = {"US": "011", "AU": "0011"}
"""What people dial before a foreign country's code, where it is not 00."""


def spellings(number: PhoneNumber, home: str) -> list[str]:
    """With a plus, without it, with 00, and as it is dialled from a phone in the gateway's country."""
    digits = phonenumbers.format_number(number, PhoneNumberFormat.E164)[1:]
    national = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
    at_home = phonenumbers.region_code_for_number(number) == home
    dialled = phonenumbers.normalize_digits_only(national) if at_home else PREFIX.get(home, "00") + digits
    return [f"+{digits}", digits, f"00{digits}", dialled]


def read(spelling: str, home: str, allowed: frozenset[str]) -> str:
    try:
        return numbers.parse_number(spelling, allowed=allowed, home=home).e164
    except NumberRefusedError as refused:
        return str(refused.refusal)


@pytest.mark.parametrize("home", SENDERS)
def test_a_number_is_read_in_each_spelling_whatever_the_gateways_country(home: str) -> None:
    for e164 in SENDERS.values():
        number = phonenumbers.parse(e164)
        assert [read(spelling, home, EVERYBODY) for spelling in spellings(number, home)] == [e164] * 4


@pytest.mark.parametrize("home", SENDERS)
def test_a_foreigner_is_nobody_of_the_gateways_country(home: str) -> None:
    """Where only the gateway's country may play, no neighbour is taken for somebody of that country."""
    for region, e164 in SENDERS.items():
        expected = e164 if region == home else Refusal.REGION
        for spelling in spellings(phonenumbers.parse(e164), home):
            assert read(spelling, home, frozenset({home})) == expected


def test_thousands_of_mobile_numbers_are_read_as_what_they_are() -> None:
    drawn = random.Random(12)
    wrong = tried = 0
    for region, sample in SENDERS.items():
        prefix = sample[:5] if region != "US" else "+1"
        for _ in range(60):
            digits = prefix + "".join(drawn.choices("0123456789", k=len(sample) - len(prefix)))
            number = phonenumbers.parse(digits)
            if not phonenumbers.is_valid_number(number) or phonenumbers.region_code_for_number(number) != region:
                continue
            for home in SENDERS:
                tried += 4
                wrong += sum(read(spelling, home, EVERYBODY) != digits for spelling in spellings(number, home))
    assert tried > 20_000
    assert wrong == 0


@pytest.mark.parametrize(
    ("written", "home", "e164"),
    [
        ("3281234567", "IT", "+393281234567"),  # a mobile phone before the landline +32 8123 4567
        ("3212345678", "US", "+13212345678"),
        ("3546112345", "IT", "+3546112345"),  # both are mobile phones: internationally first
        ("0212345678", "IT", "+390212345678"),  # a landline of Milan
        ("1711234567", "DE", "+491711234567"),  # without its 0, and no other number
        ("12025550123", "US", "+12025550123"),
        ("612345678", "ES", "+34612345678"),
    ],
)
def test_what_could_be_two_numbers(written: str, home: str, e164: str) -> None:
    assert numbers.parse_number(written, allowed=EVERYBODY | {"IS"}, home=home).e164 == e164


def test_where_one_of_two_readings_may_not_play_the_other_is_meant() -> None:
    assert numbers.parse_number("3546112345", allowed=EVERYBODY, home="IT").e164 == "+393546112345"
