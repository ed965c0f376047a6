"""Telephone numbers: which we answer, where they are at home, and how one may be shown to an operator."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat, PhoneNumberType
from phonenumbers.timezone import time_zones_for_number

_ORDINARY: Final = frozenset(
    {
        PhoneNumberType.MOBILE,
        PhoneNumberType.FIXED_LINE,
        PhoneNumberType.FIXED_LINE_OR_MOBILE,
        PhoneNumberType.VOIP,
    }
)
"""Kinds of numbers that cost what a text costs. Premium, shared-cost, personal and service numbers do not."""


NOWHERE: Final = phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY
"""Satellites and such: dear, and nobody's home."""


class Refusal(StrEnum):
    """Why a number is not answered."""

    NOT_A_NUMBER = "no_number"
    REGION = "region"
    KIND = "kind"


class NumberRefusedError(Exception):
    """We do not write to this number. The message never holds it."""

    def __init__(self, refusal: Refusal, region: str = "") -> None:
        super().__init__(f"{refusal} ({region})" if region else str(refusal))
        self.refusal = refusal
        self.region = region


@dataclass(frozen=True, slots=True)
class Number:
    """A number that may be written to; `region` is the country's two letters. Its repr is masked."""

    e164: str
    region: str

    def __repr__(self) -> str:
        return f"Number({mask(self.e164)})"

    __str__ = __repr__


def parse_number(text: str, *, allowed: frozenset[str], home: str | None = None) -> Number:
    """A number as a gateway writes it, which may leave out the plus or, at `home`, the country.

    The allow-list is of regions, not of prefixes: +1 is twenty countries, +44 has islands with tariffs of their own.

    Raises:
        NumberRefusedError: it is none, is abroad, or costs more than a text.
    """
    number = _parsed(text.strip(), home)
    region = phonenumbers.region_code_for_number(number)
    if region is None:
        raise NumberRefusedError(Refusal.NOT_A_NUMBER)
    if region not in allowed:
        raise NumberRefusedError(Refusal.REGION, region)
    if phonenumbers.number_type(number) not in _ORDINARY:
        raise NumberRefusedError(Refusal.KIND, region)
    return Number(phonenumbers.format_number(number, PhoneNumberFormat.E164), region)


def _parsed(text: str, home: str | None) -> PhoneNumber:
    bare = text.replace(" ", "")
    digits = bare.removeprefix("+")
    if digits.isascii() and digits.isdecimal():  # letters are a sender's name, and phonenumbers would dial them
        candidates = [(bare, None)] if bare.startswith("+") else [(bare, home), (f"+{digits.removeprefix('00')}", None)]
        for candidate, region in candidates:
            try:
                number = phonenumbers.parse(candidate, region)
            except NumberParseException:
                continue
            if phonenumbers.is_valid_number(number):
                return number
    raise NumberRefusedError(Refusal.NOT_A_NUMBER)


def region_of(e164: str) -> str | None:
    """The country of one of our own numbers; None for a short code, a name, or a number of no country."""
    try:
        region = phonenumbers.region_code_for_number(phonenumbers.parse(e164))
    except NumberParseException:
        return None
    return None if region == NOWHERE else region


def mask(e164: str) -> str:
    """A number as logs may show it: `+39…12`."""
    try:
        country = f"+{phonenumbers.parse(e164).country_code}"
    except NumberParseException:
        country = ""
    return f"{country}…{e164[-2:]}"


_WHERE_MOST_LIVE: Final = {
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "MN": "Asia/Ulaanbaatar",
    "PF": "Pacific/Tahiti",
    "PT": "Europe/Lisbon",
}
"""Countries whose mobile numbers may also be at home on an island, or in a corner, of another hour."""


def zone_of(number: Number, *, now: datetime | None = None) -> str:
    """The name of the number's time zone; of several, the one where most of the country lives, or in the middle."""
    at = now or datetime.now(UTC)
    zones = [name for name in time_zones_for_number(phonenumbers.parse(number.e164)) if not name.startswith("Etc/")]
    if (usual := _WHERE_MOST_LIVE.get(number.region)) in zones:
        return usual
    ordered = sorted(zones, key=lambda name: (ZoneInfo(name).utcoffset(at), name))
    return ordered[(len(ordered) - 1) // 2] if ordered else "UTC"
