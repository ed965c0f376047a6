"""The result of one check of the doctor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: what was looked at, whether it is well (None: it could not be looked at), and how to mend it.

    What is well may still come with advice.
    """

    check: str
    ok: bool | None
    says: str
    mend: str = ""
