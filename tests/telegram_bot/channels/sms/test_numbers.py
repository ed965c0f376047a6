"""Telephone numbers: each spelling, in every country of a gateway, is read as the right number, and stored sealed."""

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product

import phonenumbers
import pytest
from phonenumbers import PhoneNumber, PhoneNumberFormat

from telegram_bot.channels.sms import numbers
from telegram_bot.channels.sms.number_encryption import NumberEncryption, UnreadableNumberError
from telegram_bot.channels.sms.numbers import Number, NumberRefusedError, Refusal

ALLOWED = frozenset({"IT", "US", "GB", "FR"})


@pytest.mark.parametrize(
    ("why", "numbers_so"),
    [
        # Jamaica, under the same +1 as the United States, Guernsey, under +44, a satellite, Russia
        (Refusal.REGION, ("+18765550123", "+447911123456", "+881612345678", "+79161234567")),
        # premium, shared cost, toll-free, personal
        (Refusal.KIND, ("+39899123456", "+33812345678", "+18005550199", "+447012345678")),
        (
            Refusal.NOT_A_NUMBER,
            (
                "12345", "VODAFONE", "+1800FLOWERS", "+39", "+3934712345678901234567", "\uff0b393471234567",
                "+٣٩٣٤٧١٢٣٤٥٦٧", "", "+39347123\x004567",
            ),
        ),
    ],
)  # fmt: skip
def test_abroad_or_dear_is_refused_without_repeating_the_number(why: Refusal, numbers_so: tuple[str, ...]) -> None:
    for written in numbers_so:
        with pytest.raises(NumberRefusedError) as refused:
            numbers.parse_number(written, allowed=ALLOWED)
        assert refused.value.refusal is why, written
        digits = "".join(filter(str.isdigit, written))
        assert not digits or digits not in str(refused.value) + repr(refused.value)


def test_a_number_is_read_also_where_the_gateway_has_no_country_and_prints_as_its_mask() -> None:
    for written in ("+39 347 123 4567", "393471234567", "00393471234567"):
        number = numbers.parse_number(written, allowed=ALLOWED)
        assert number == Number("+393471234567", "IT")
        assert f"{number} {number!r}" == "Number(+39…67) Number(+39…67)"
    assert numbers.mask("12345") == "…45"


@pytest.mark.parametrize(
    ("number", "zone"),
    [
        (Number("+393471234567", "IT"), "Europe/Rome"),
        (Number("+12125550123", "US"), "America/New_York"),
        (Number("+61412345678", "AU"), "Australia/Eucla"),  # of a continent, the middle
        (Number("+34612345678", "ES"), "Europe/Madrid"),  # and not the Canary Islands, an hour behind
        (Number("+34928123456", "ES"), "Atlantic/Canary"),
        (Number("+351912345678", "PT"), "Europe/Lisbon"),
    ],
)
def test_a_number_knows_its_night(number: Number, zone: str) -> None:
    assert numbers.zone_of(number, now=datetime(2026, 7, 1, tzinfo=UTC)) == zone


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
"""The prefix before a foreign country's code, where it is not 00."""


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


def test_a_number_is_read_in_each_spelling_whatever_the_gateways_country_and_whoever_else_may_play() -> None:
    for home, (region, e164) in product(SENDERS, SENDERS.items()):
        written = spellings(phonenumbers.parse(e164), home)
        assert [read(spelling, home, EVERYBODY) for spelling in written] == [e164] * 4
        alone = e164 if region == home else Refusal.REGION
        assert [read(spelling, home, frozenset({home})) for spelling in written] == [alone] * 4


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


def test_short_codes_and_names_are_nobodys_number() -> None:
    for sender in ("123", "4321", "43210", "60777", "222333", "VODAFONE", "Info123", "TIM", "40-404"):
        for home in (None, *SENDERS):
            with pytest.raises(NumberRefusedError):
                numbers.parse_number(sender, allowed=EVERYBODY, home=home)


OLD, NEW = "o" * 32, "n" * 44
NUMBER = "+393471234567"


def test_a_sealed_number_opens_again_and_never_looks_alike() -> None:
    vault = NumberEncryption([OLD])
    sealed = vault.encrypt(NUMBER)
    assert vault.decrypt(sealed) == NUMBER
    assert sealed != vault.encrypt(NUMBER)
    assert NUMBER[3:] not in sealed
    assert OLD not in repr(vault)
    with pytest.raises(UnreadableNumberError, match="not the one they were stored with"):
        NumberEncryption([NEW]).decrypt(sealed)


@pytest.mark.parametrize("mark", [NumberEncryption.lookup_hash, NumberEncryption.text_hash])
def test_a_number_or_text_is_found_by_a_mark_that_tells_nothing(mark: Callable[[NumberEncryption, str], str]) -> None:
    """There are few numbers and calls, so an unkeyed hash of each would reveal them."""
    found = mark(NumberEncryption([OLD]), NUMBER)
    assert found == mark(NumberEncryption([OLD]), NUMBER) != mark(NumberEncryption([NEW]), NUMBER)
    assert NUMBER[3:] not in found


def test_after_a_change_of_secrets_old_numbers_are_read_and_found() -> None:
    before, after = NumberEncryption([OLD]), NumberEncryption([NEW, OLD])
    assert after.decrypt(before.encrypt(NUMBER)) == NUMBER
    assert after.lookup_hashes(NUMBER) == [NumberEncryption([NEW]).lookup_hash(NUMBER), before.lookup_hash(NUMBER)]
    assert NumberEncryption([NEW]).decrypt(after.encrypt(NUMBER)) == NUMBER


@pytest.mark.parametrize("secrets", [[], ["short"], [NEW, "short"]])
def test_a_short_secret_is_refused_unprinted(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="at least 32 letters") as refused:
        NumberEncryption(secrets)
    assert "short" not in str(refused.value)
