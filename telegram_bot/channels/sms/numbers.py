"""Telephone numbers: permission, country, language, time zone, and their form in logs."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

import phonenumbers
from babel import Locale, UnknownLocaleError
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat, PhoneNumberType
from phonenumbers.timezone import time_zones_for_number

_MOBILE: Final = frozenset({PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE})
_ORDINARY: Final = _MOBILE | {PhoneNumberType.FIXED_LINE, PhoneNumberType.VOIP}
"""Kinds of numbers at the normal price of a text, unlike premium, shared-cost, personal and service numbers."""
NOWHERE: Final = phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY
"""Country codes without a country, such as those of satellites, which are expensive."""
MIN_DIGITS: Final = 7


class Refusal(StrEnum):
    """The reason why the bot does not text a number."""

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
    """A permitted number; `region` is its country in two letters. Its repr is masked."""

    e164: str
    region: str

    def __repr__(self) -> str:
        return f"Number({mask(self.e164)})"

    __str__ = __repr__


def parse_number(text: str, *, allowed: frozenset[str], home: str | None = None) -> Number:
    """Parse a number as a gateway writes it; `home` is the country of the gateway's own number.

    A number with a plus has one reading. Without a plus it is read internationally first and as a number of `home`
    second. A number that begins with 0 is read as it is dialled in `home`; 00 is the international prefix everywhere.
    If both readings are numbers, a permitted number counts before a refused one, a mobile phone before a landline, then
    the first.

    The allow-list contains regions and not prefixes: +1 is twenty countries, +44 includes islands with other prices.

    Raises:
        NumberRefusedError: this is no number, its region is not allowed, or a text to it costs more than usual.
    """
    readings = _readings(text.strip().replace(" ", ""), home)
    if not readings:
        raise NumberRefusedError(Refusal.NOT_A_NUMBER)
    best = max(
        readings, key=lambda number: (_refusal(number, allowed) is None, phonenumbers.number_type(number) in _MOBILE)
    )
    refusal, region = _refusal(best, allowed), phonenumbers.region_code_for_number(best) or ""
    if refusal is not None:
        raise NumberRefusedError(refusal, region)
    return Number(phonenumbers.format_number(best, PhoneNumberFormat.E164), region)


def _readings(bare: str, home: str | None) -> list[PhoneNumber]:
    """Return the possible readings of these digits, the likeliest first."""
    digits = bare.removeprefix("+")
    if not (digits.isascii() and digits.isdecimal()):  # a sender's name; phonenumbers would turn letters into digits
        return []
    if len(bare) < MIN_DIGITS:  # a short code of a service; some countries have landlines as short as that
        return []
    if bare.startswith("+") or home is None:
        return _valid(f"+{digits}" if bare.startswith("+") else f"+{digits.removeprefix('00')}", None)
    if digits.startswith("0"):
        return [*(_valid(f"+{digits[2:]}", None) if digits.startswith("00") else ()), *_valid(digits, home)]
    abroad, at_home = _valid(f"+{digits}", None), _valid(digits, home)
    # 15712345678 is an American number: Germans write a 0 before theirs, Italians and Americans do not.
    written = (phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL) for number in at_home)
    as_digits = zip(at_home, map(phonenumbers.normalize_digits_only, written), strict=True)
    return abroad + [number for number, said in as_digits if not abroad or said == digits]


def _valid(digits: str, region: str | None) -> list[PhoneNumber]:
    try:
        number = phonenumbers.parse(digits, region)
    except NumberParseException:
        return []
    return [number] if phonenumbers.is_valid_number(number) else []


def _refusal(number: PhoneNumber, allowed: frozenset[str]) -> Refusal | None:
    if phonenumbers.region_code_for_number(number) not in allowed:
        return Refusal.REGION
    return None if phonenumbers.number_type(number) in _ORDINARY else Refusal.KIND


def region_of(e164: str) -> str | None:
    """Return the country of one of the bot's numbers, or None for a name, a short code, or a number without one."""
    try:
        region = phonenumbers.region_code_for_number(phonenumbers.parse(e164))
    except NumberParseException:
        return None
    return None if region == NOWHERE else region


def mask(e164: str) -> str:
    """Return a number for logs: `+39…12`."""
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
    """Return the number's time zone; if several are possible, the most populous one, or the one in the middle."""
    at = now or datetime.now(UTC)
    zones = [name for name in time_zones_for_number(phonenumbers.parse(number.e164)) if not name.startswith("Etc/")]
    if (usual := _WHERE_MOST_LIVE.get(number.region)) in zones:
        return usual
    ordered = sorted(zones, key=lambda name: (ZoneInfo(name).utcoffset(at), name))
    return ordered[(len(ordered) - 1) // 2] if ordered else "UTC"


@cache
def language_of_country(region: str) -> str | None:
    """Return the main language of a country (two letters of ISO 3166), or None if unknown."""
    try:
        return Locale.parse(f"und_{region}").language
    except (UnknownLocaleError, ValueError):
        return None
