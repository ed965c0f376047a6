"""The result of one check of the doctor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: its name, whether it passed (None if it could not be made), what was found and how to repair it.

    A check that passed may still give advice.
    """

    check: str
    ok: bool | None
    says: str
    mend: str = ""
