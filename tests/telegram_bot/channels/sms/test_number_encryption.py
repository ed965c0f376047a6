from collections.abc import Callable

import pytest

from telegram_bot.channels.sms.number_encryption import NumberEncryption, UnreadableNumberError

OLD, NEW = "o" * 32, "n" * 44
NUMBER = "+393471234567"


def test_a_sealed_number_opens_again_and_never_looks_alike() -> None:
    vault = NumberEncryption([OLD])
    sealed = vault.encrypt(NUMBER)
    assert vault.decrypt(sealed) == NUMBER
    assert sealed != vault.encrypt(NUMBER)
    assert NUMBER[3:] not in sealed
    assert OLD not in repr(vault)
    with pytest.raises(UnreadableNumberError, match="not the one they were stored with"):
        NumberEncryption([NEW]).decrypt(sealed)


@pytest.mark.parametrize("mark", [NumberEncryption.lookup_hash, NumberEncryption.text_hash])
def test_a_number_or_text_is_found_by_a_mark_that_tells_nothing_without_the_secret(
    mark: Callable[[NumberEncryption, str], str],
) -> None:
    """There are few numbers and calls, so an unkeyed hash of each would reveal them."""
    found = mark(NumberEncryption([OLD]), NUMBER)
    assert found == mark(NumberEncryption([OLD]), NUMBER) != mark(NumberEncryption([NEW]), NUMBER)
    assert NUMBER[3:] not in found


def test_after_a_change_of_secrets_old_numbers_are_read_and_found() -> None:
    before, after = NumberEncryption([OLD]), NumberEncryption([NEW, OLD])
    assert after.decrypt(before.encrypt(NUMBER)) == NUMBER
    assert after.lookup_hashes(NUMBER) == [NumberEncryption([NEW]).lookup_hash(NUMBER), before.lookup_hash(NUMBER)]
    assert NumberEncryption([NEW]).decrypt(after.encrypt(NUMBER)) == NUMBER


@pytest.mark.parametrize("secrets", [[], ["short"], [NEW, "short"]])
def test_a_short_secret_is_refused_unprinted(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="at least 32 letters") as refused:
        NumberEncryption(secrets)
    assert "short" not in str(refused.value)
