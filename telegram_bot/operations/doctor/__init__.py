"""`perudo-bot doctor`: check that the bot can run, and explain how to fix what is wrong."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from telegram_bot.operations.doctor import database, engines, telegram, text_messages, voice, web_seat
from telegram_bot.operations.doctor.check_result import CheckResult, failed, passed
from telegram_bot.settings import Settings, advice_on_open_file

__all__ = ["CheckResult", "as_json", "as_text", "examine"]


async def examine(
    settings: Settings, *, remove_webhook: bool = False, removed: Sequence[str] = ()
) -> list[CheckResult]:
    """Return the results of all checks, in the order in which an operator would fix them.

    `removed`: the settings of earlier versions that the operator still has.
    """
    return [
        *(passed("settings", f"{setting} has no effect any more", "Delete it.") for setting in removed),
        *_features(settings),
        *_secrets(),
        *await telegram.examine(settings, remove_webhook=remove_webhook),
        *await telegram.examine_port(settings),
        *await web_seat.examine(settings),
        *await text_messages.examine(settings),
        *await asyncio.to_thread(lambda: list(voice.examine(settings))),
        *await engines.examine(settings),
        *await asyncio.to_thread(lambda: list(database.examine(settings.database_url))),
    ]


def _features(settings: Settings) -> Iterator[CheckResult]:
    """Name the features that are off."""
    if settings.features.off:
        yield passed("features", f"off: {', '.join(settings.features.off)}")


def _secrets() -> Iterator[CheckResult]:
    """Name a file of secrets that others can read."""
    if advice := advice_on_open_file():
        says, _, mend = advice.rpartition(": ")
        yield failed("secrets", says, mend)


def as_text(findings: Sequence[CheckResult]) -> str:
    """Return one line per check, followed by how to fix it."""
    signs = {True: "✓", False: "✗", None: "?"}
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{signs[finding.ok]} {finding.check:<9} {finding.says}")
        lines += [f"            → {line}" for line in finding.mend.splitlines()]
    ailing = sum(finding.ok is False for finding in findings)
    lines.append("" if ailing else "\nEverything is in place.")
    return "\n".join(lines).rstrip()


def as_json(findings: Sequence[CheckResult]) -> str:
    """Return the results as JSON, for programs."""
    return json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2)
