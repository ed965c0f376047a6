"""The language that a bot should speak to a number it knows nothing about but the country."""

from __future__ import annotations

from functools import cache

from babel import Locale, UnknownLocaleError


@cache
def language_of_country(region: str) -> str | None:
    """The language of most people in a country (its two letters, as ISO 3166 has them); None if nobody knows."""
    try:
        return Locale.parse(f"und_{region}").language
    except (UnknownLocaleError, ValueError):
        return None
