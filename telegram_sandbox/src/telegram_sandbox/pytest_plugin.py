"""Fixtures for pytest: a sandbox on a free port, a person, a group with the person and the bot in it; virtual time.

pytest imports this module in every run, so the sandbox is imported when a test first asks for a fixture.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from telegram_sandbox import Chat, RunningSandbox, SandboxSettings, User
    from telegram_sandbox.virtual_time import VirtualLoop


@pytest.fixture
def telegram_sandbox_settings() -> "SandboxSettings":
    """Return the settings of `telegram_sandbox`.

    Override this fixture to change them. The sandbox begins without people; it has flood limits only where they say so.
    """
    from telegram_sandbox import SandboxSettings  # noqa: PLC0415 - slow to import

    return SandboxSettings(port=0, people=())


@pytest.fixture
def telegram_sandbox(telegram_sandbox_settings: "SandboxSettings") -> "Iterator[RunningSandbox]":
    """Yield a Bot API server with a token of its own, served in a thread for the length of one test."""
    from telegram_sandbox import sandbox_in_thread  # noqa: PLC0415 - slow to import

    settings = telegram_sandbox_settings
    if settings.flood_limits is None:
        settings = replace(settings, flood_limits=False)
    with sandbox_in_thread(settings) as sandbox:
        yield sandbox


@pytest.fixture
def telegram_user(telegram_sandbox: "RunningSandbox") -> "User":
    """Return Ana of the settings, or a new person of this name, who has not written to the bot yet."""
    there = "Ana" in telegram_sandbox.people
    return telegram_sandbox.user("Ana") if there else telegram_sandbox.add_person("Ana")


@pytest.fixture
def telegram_group(telegram_sandbox: "RunningSandbox", telegram_user: "User") -> "Chat":
    """Return a supergroup that `telegram_user` owns, with the bot as a plain member."""
    return telegram_sandbox.add_group("Test group", [telegram_user])


@pytest.fixture
def virtual_loop() -> "Iterator[VirtualLoop]":
    """Yield an event loop whose time jumps to the next timer; the module `time` follows it."""
    from telegram_sandbox.virtual_time import virtual_time  # noqa: PLC0415 - few tests need it

    with virtual_time() as loop:
        yield loop
