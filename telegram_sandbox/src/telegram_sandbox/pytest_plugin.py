"""Fixtures for pytest: a sandbox on a free port, a person, and a group with the person and the bot in it."""

from collections.abc import Iterator

import pytest

from telegram_sandbox import Chat, RunningSandbox, SandboxSettings, User, sandbox_in_thread


@pytest.fixture
def telegram_sandbox_settings() -> SandboxSettings:
    """Return the settings of `telegram_sandbox`.

    Override this fixture to change them. The sandbox begins without people.
    """
    return SandboxSettings(port=0, people=())


@pytest.fixture
def telegram_sandbox(telegram_sandbox_settings: SandboxSettings) -> Iterator[RunningSandbox]:
    """Yield a Bot API server with a token of its own, served in a thread for the length of one test."""
    with sandbox_in_thread(telegram_sandbox_settings) as sandbox:
        yield sandbox


@pytest.fixture
def telegram_user(telegram_sandbox: RunningSandbox) -> User:
    """Return a person named Ana, who has not written to the bot yet."""
    return telegram_sandbox.add_person("Ana")


@pytest.fixture
def telegram_group(telegram_sandbox: RunningSandbox, telegram_user: User) -> Chat:
    """Return a supergroup that `telegram_user` owns, with the bot as a plain member."""
    return telegram_sandbox.add_group("Test group", [telegram_user])
