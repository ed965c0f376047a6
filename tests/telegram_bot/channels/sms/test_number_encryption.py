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


def test_a_number_is_found_by_a_mark_that_tells_nothing_without_the_secret() -> None:
    assert NumberEncryption([OLD]).lookup_hash(NUMBER) == NumberEncryption([OLD]).lookup_hash(NUMBER)
    assert NumberEncryption([OLD]).lookup_hash(NUMBER) != NumberEncryption([NEW]).lookup_hash(NUMBER)
    assert NUMBER[3:] not in NumberEncryption([OLD]).lookup_hash(NUMBER)


def test_a_text_is_known_again_by_a_mark_that_nobody_can_look_up_without_the_secret() -> None:
    """There are few calls, so an unkeyed hash of each would reveal them."""
    assert NumberEncryption([OLD]).text_hash("5x4") == NumberEncryption([OLD]).text_hash("5x4")
    assert NumberEncryption([OLD]).text_hash("5x4") != NumberEncryption([NEW]).text_hash("5x4")


def test_after_a_change_of_secrets_old_numbers_are_read_and_found() -> None:
    before, after = NumberEncryption([OLD]), NumberEncryption([NEW, OLD])
    assert after.decrypt(before.encrypt(NUMBER)) == NUMBER
    assert after.lookup_hashes(NUMBER) == [NumberEncryption([NEW]).lookup_hash(NUMBER), before.lookup_hash(NUMBER)]
    assert NumberEncryption([NEW]).decrypt(after.encrypt(NUMBER)) == NUMBER


def test_with_another_secret_nothing_is_read() -> None:
    with pytest.raises(UnreadableNumberError, match="not the one they were stored with"):
        NumberEncryption([NEW]).decrypt(NumberEncryption([OLD]).encrypt(NUMBER))


@pytest.mark.parametrize("secrets", [[], ["short"], [NEW, "short"]])
def test_a_short_secret_is_refused_unprinted(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="at least 32 letters") as refused:
        NumberEncryption(secrets)
    assert "short" not in str(refused.value)


def test_the_vault_prints_no_secret() -> None:
    assert OLD not in repr(NumberEncryption([OLD]))
