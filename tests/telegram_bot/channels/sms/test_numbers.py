from __future__ import annotations

from datetime import UTC, datetime

import pytest

from telegram_bot.channels.sms import numbers
from telegram_bot.channels.sms.numbers import Number, NumberRefusedError, Refusal

ALLOWED = frozenset({"IT", "US", "GB", "FR"})


@pytest.mark.parametrize(
    ("written", "home", "e164", "region"),
    [
        ("+393471234567", None, "+393471234567", "IT"),
        ("+39 347 123 4567", None, "+393471234567", "IT"),
        ("393471234567", None, "+393471234567", "IT"),
        ("393471234567", "FR", "+393471234567", "IT"),
        ("3471234567", "IT", "+393471234567", "IT"),
        ("0612345678", "FR", "+33612345678", "FR"),
        ("00393471234567", None, "+393471234567", "IT"),
        ("+12025550123", None, "+12025550123", "US"),
        ("+447400123456", None, "+447400123456", "GB"),
    ],
)
def test_a_number_is_read_as_gateways_write_it(written: str, home: str | None, e164: str, region: str) -> None:
    assert numbers.parse_number(written, allowed=ALLOWED, home=home) == Number(e164, region)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("+18765550123", Refusal.REGION),  # Jamaica, behind the same +1 as the United States
        ("+447911123456", Refusal.REGION),  # Guernsey, behind +44
        ("+881612345678", Refusal.REGION),  # a satellite
        ("+79161234567", Refusal.REGION),
        ("+39899123456", Refusal.KIND),  # premium
        ("+33812345678", Refusal.KIND),  # shared cost
        ("+18005550199", Refusal.KIND),  # toll-free
        ("+447012345678", Refusal.KIND),  # personal
        ("12345", Refusal.NOT_A_NUMBER),
        ("VODAFONE", Refusal.NOT_A_NUMBER),
        ("+1800FLOWERS", Refusal.NOT_A_NUMBER),
        ("+39", Refusal.NOT_A_NUMBER),
        ("+3934712345678901234567", Refusal.NOT_A_NUMBER),
        ("\uff0b393471234567", Refusal.NOT_A_NUMBER),
        ("+٣٩٣٤٧١٢٣٤٥٦٧", Refusal.NOT_A_NUMBER),
        ("", Refusal.NOT_A_NUMBER),
        ("+39347123\x004567", Refusal.NOT_A_NUMBER),
    ],
)
def test_abroad_or_dear_is_refused_without_repeating_the_number(written: str, why: Refusal) -> None:
    with pytest.raises(NumberRefusedError) as refused:
        numbers.parse_number(written, allowed=ALLOWED)
    assert refused.value.refusal is why
    digits = "".join(filter(str.isdigit, written))
    assert not digits or digits not in str(refused.value) + repr(refused.value)


def test_a_number_prints_as_its_mask() -> None:
    number = numbers.parse_number("+393471234567", allowed=ALLOWED)
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
