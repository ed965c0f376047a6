"""The result of one check of the doctor."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: its name, whether it passed (None if it could not be made), the finding and the fix.

    A check that passed may still give advice.
    """

    check: str
    ok: bool | None
    says: str
    mend: str = ""


def passed(check: str, says: str, mend: str = "") -> CheckResult:
    """Return a check that passed, perhaps with advice."""
    return CheckResult(check, ok=True, says=says, mend=mend)


def clock_check(check: str, other: str, skew: float, allowed: float, effect: str) -> CheckResult:
    """Check whether this machine and another agree about the time; `skew`: how far it is behind, in seconds."""
    if abs(skew) <= allowed:
        return passed(check, f"this machine and {other} agree about the time")
    late = "behind" if skew > 0 else "ahead of"
    says = f"this machine is {abs(skew):.0f} s {late} {other}: {effect}"
    return failed(check, says, "Set the clock by the network: timedatectl set-ntp true")


def failed(check: str, says: str, mend: str) -> CheckResult:
    """Return a failed check, with its fix."""
    return CheckResult(check, ok=False, says=says, mend=mend)
