"""Encrypt telephone numbers, and hash them with a key so that they can be found.

Several secrets may be given: the first one encrypts, all of them decrypt. To change the secret, put the new one in
front, start the bot once (which encrypts every number again), and remove the old one.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from telegram_bot.delivery.sender import InvalidError

MIN_SECRET_LENGTH: Final = 32
"""The minimum number of letters; `openssl rand -base64 32` prints 44."""


class UnreadableNumberError(InvalidError):
    """A stored number was encrypted with a secret that is not configured: it gets no texts."""


class NumberEncryption:
    """Encrypts and decrypts numbers."""

    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets or any(len(secret) < MIN_SECRET_LENGTH for secret in secrets):
            raise ValueError(f"the key for telephone numbers needs at least {MIN_SECRET_LENGTH} letters")
        self._box = MultiFernet([Fernet(_derived(secret, b"encryption")) for secret in secrets])
        self._text_key = _derived(secrets[0], b"texts")
        self._hash_keys = [_derived(secret, b"look-up") for secret in secrets]

    def encrypt(self, number: str) -> str:
        """Return the encrypted number, different at each call."""
        return self._box.encrypt(number.encode()).decode()

    def decrypt(self, sealed: str) -> str:
        """Return the decrypted number.

        Raises:
            UnreadableNumberError: none of the secrets encrypted it.
        """
        try:
            return self._box.decrypt(sealed).decode()
        except InvalidToken:
            raise UnreadableNumberError("the key for telephone numbers is not the one they were stored with") from None

    def lookup_hash(self, number: str) -> str:
        """Return the keyed hash for finding a number, under the newest secret."""
        return self.lookup_hashes(number)[0]

    def lookup_hashes(self, number: str) -> list[str]:
        """Return the keyed hashes of a number under each secret, the newest first."""
        return [hmac.new(key, number.encode(), hashlib.sha256).hexdigest() for key in self._hash_keys]

    def text_hash(self, text: str) -> str:
        """Return a short keyed hash of a text. Without the secret, trying all likely texts does not find the text."""
        return hmac.new(self._text_key, text.encode(), hashlib.sha256).hexdigest()[:16]


def _derived(secret: str, purpose: bytes) -> bytes:
    """Derive a separate key for each purpose, in Fernet's format."""
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"perudo sms " + purpose)
    return base64.urlsafe_b64encode(kdf.derive(secret.encode()))
