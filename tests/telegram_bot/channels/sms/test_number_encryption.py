from __future__ import annotations

import pytest

from telegram_bot.channels.sms.number_encryption import UnreadableNumberError, Vault

OLD, NEW = "o" * 32, "n" * 44
NUMBER = "+393471234567"


def test_a_sealed_number_opens_again_and_never_looks_alike() -> None:
    vault = Vault([OLD])
    sealed = vault.seal(NUMBER)
    assert vault.open(sealed) == NUMBER
    assert sealed != vault.seal(NUMBER)
    assert NUMBER[3:] not in sealed


def test_a_number_is_found_by_a_mark_that_tells_nothing_without_the_secret() -> None:
    assert Vault([OLD]).mark(NUMBER) == Vault([OLD]).mark(NUMBER)
    assert Vault([OLD]).mark(NUMBER) != Vault([NEW]).mark(NUMBER)
    assert NUMBER[3:] not in Vault([OLD]).mark(NUMBER)


def test_after_a_change_of_secrets_old_numbers_are_read_and_found() -> None:
    before, after = Vault([OLD]), Vault([NEW, OLD])
    assert after.open(before.seal(NUMBER)) == NUMBER
    assert after.marks(NUMBER) == [Vault([NEW]).mark(NUMBER), before.mark(NUMBER)]
    assert Vault([NEW]).open(after.seal(NUMBER)) == NUMBER


def test_with_another_secret_nothing_is_read() -> None:
    with pytest.raises(UnreadableNumberError, match="not the one they were stored with"):
        Vault([NEW]).open(Vault([OLD]).seal(NUMBER))


@pytest.mark.parametrize("secrets", [[], ["short"], [NEW, "short"]])
def test_a_short_secret_is_refused_unprinted(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="at least 32 letters") as refused:
        Vault(secrets)
    assert "short" not in str(refused.value)


def test_the_vault_prints_no_secret() -> None:
    assert OLD not in repr(Vault([OLD]))
