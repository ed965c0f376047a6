"""Telephone numbers: which the bot texts, their country and time zone, and how logs show them."""

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
"""Kinds of numbers at the normal price of a text; premium, shared-cost, personal and service numbers are not."""


NOWHERE: Final = phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY
"""Country codes of no country, such as those of satellites, which are expensive."""


class Refusal(StrEnum):
    """Why the bot does not text a number."""

    NOT_A_NUMBER = "no_number"
    REGION = "region"
    KIND = "kind"


class NumberRefusedError(Exception):
    """The bot does not text this number. The error's message does not contain the number."""

    def __init__(self, refusal: Refusal, region: str = "") -> None:
        super().__init__(f"{refusal} ({region})" if region else str(refusal))
        self.refusal = refusal
        self.region = region


@dataclass(frozen=True, slots=True)
class Number:
    """A number that may be texted; `region` is its country in two letters. Its repr is masked."""

    e164: str
    region: str

    def __repr__(self) -> str:
        return f"Number({mask(self.e164)})"

    __str__ = __repr__


def parse_number(text: str, *, allowed: frozenset[str], home: str | None = None) -> Number:
    """Parse a number as a gateway writes it: the plus may be missing, and for numbers of `home` also the country code.

    The allow-list contains regions and not prefixes: +1 is twenty countries, +44 includes islands with other prices.

    Raises:
        NumberRefusedError: this is no number, its region is not allowed, or a text to it costs more than usual.
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
    if digits.isascii() and digits.isdecimal():  # letters are a sender's name; phonenumbers would turn them into digits
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
    """The country of one of the bot's numbers; None for a short code, a name, or a number of no country."""
    try:
        region = phonenumbers.region_code_for_number(phonenumbers.parse(e164))
    except NumberParseException:
        return None
    return None if region == NOWHERE else region


def mask(e164: str) -> str:
    """A number for logs: `+39…12`."""
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
"""The main time zone of countries that also have islands or regions in another time zone."""


def zone_of(number: Number, *, now: datetime | None = None) -> str:
    """The number's time zone; of several, the one where most people live, or the one in the middle."""
    at = now or datetime.now(UTC)
    zones = [name for name in time_zones_for_number(phonenumbers.parse(number.e164)) if not name.startswith("Etc/")]
    if (usual := _WHERE_MOST_LIVE.get(number.region)) in zones:
        return usual
    ordered = sorted(zones, key=lambda name: (ZoneInfo(name).utcoffset(at), name))
    return ordered[(len(ordered) - 1) // 2] if ordered else "UTC"
