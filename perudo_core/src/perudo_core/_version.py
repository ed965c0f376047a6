"""The version of this library, read when it is first needed: that takes longer than a hundred decisions."""

from functools import cache

__all__ = ["installed_version"]


@cache
def installed_version() -> str:
    """Return the version of this library."""
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version("perudo-core")
