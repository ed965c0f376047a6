"""Store phones and find them by their number. Only this module reads and writes plain numbers."""

import logging
from collections.abc import Callable
from typing import Final

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from telegram_bot.channels.sms import TRAITS
from telegram_bot.channels.sms.number_encryption import NumberEncryption, UnreadableNumberError
from telegram_bot.channels.sms.numbers import Number, zone_of
from telegram_bot.storage.database import Database, in_transaction, insert_into
from telegram_bot.storage.models import LinkCode, Player
from telegram_bot.storage.phone_models import Phone, TextSent, TextTally, day_of

log = logging.getLogger(__name__)

STRANGERS_KEPT_SECONDS: Final = 7 * 86400
"""How long a phone is kept that never asked for a seat, a table or a link."""
UNUSED_KEPT_SECONDS: Final = 90 * 86400
"""How long a phone is kept whose owner asked for something and never played."""
WRONG_LINKS_PER_DAY: Final = 5
"""The number of wrong codes of links that one phone may text in a day."""
TEXTS_KEPT_SECONDS: Final = 90 * 86400
"""How long the times and costs of sent texts are kept."""


class PhoneStore:
    """The rows of phones; each method is one transaction."""

    def __init__(self, database: Database, encryption: NumberEncryption, now: Callable[[], float]) -> None:
        self.database = database
        self.encryption = encryption
        self.now = now

    @in_transaction
    def of_number(self, session: Session, number: Number, gateway: str) -> int:
        """Return the id of the phone with this number, which has just texted through this gateway."""
        now = self.now()
        phone = self._find(session, number)
        if phone is None:
            session.execute(
                insert_into(session, Phone)
                .values(
                    number=self.encryption.encrypt(number.e164),
                    number_hash=self.encryption.lookup_hash(number.e164),
                    region=number.region,
                    zone=zone_of(number),
                    gateway=gateway,
                    created_at=now,
                    heard_at=now,
                    heard_since=now,
                    heard_count=0,
                )
                .on_conflict_do_nothing(index_elements=["number_hash"])
            )
            phone = self._find(session, number)
        assert phone is not None  # noqa: S101 - added above
        phone.gateway, phone.heard_at = gateway, now
        return phone.id

    def _find(self, session: Session, number: Number) -> Phone | None:
        hashes = self.encryption.lookup_hashes(number.e164)
        return session.exec(select(Phone).where(col(Phone.number_hash).in_(hashes))).first()

    @in_transaction
    def get(self, session: Session, phone: int) -> Phone | None:
        """Return a phone by its address on the channel."""
        return session.get(Phone, phone)

    def number_of(self, phone: Phone) -> str:
        """Return the decrypted number, for the gateway.

        Raises:
            UnreadableNumberError: the number was encrypted with a secret that is not configured any more.
        """
        return self.encryption.decrypt(phone.number)

    @in_transaction
    def reencrypt(self, session: Session) -> int:
        """Encrypt every number with the newest secret; return the number of changed rows."""
        changed = unreadable = 0
        for phone in session.exec(select(Phone)):
            try:
                number = self.encryption.decrypt(phone.number)
            except UnreadableNumberError:
                unreadable += 1
                continue
            if phone.number_hash != self.encryption.lookup_hash(number):
                phone.number, phone.number_hash = (
                    self.encryption.encrypt(number),
                    self.encryption.lookup_hash(number),
                )
                changed += 1
        if unreadable:
            log.error("%s telephone numbers cannot be read with the keys in sms.key: add the old key", unreadable)
        return changed

    @in_transaction
    def forget(self, session: Session) -> None:
        """Delete phones that never asked for anything, or whose owners were pruned, and records of old texts."""
        known = select(Player.address).where(Player.channel == TRAITS.name)
        session.execute(
            delete(Phone).where(
                col(Phone.agreed_at).is_(None),
                col(Phone.opted_out_at).is_(None),
                col(Phone.heard_at) < self.now() - STRANGERS_KEPT_SECONDS,
                col(Phone.id).not_in(known),
            )
        )
        linked = select(Player.phone).where(col(Player.phone).is_not(None))
        newest = select(func.max(Phone.id)).scalar_subquery()  # a database may give the last number again
        session.execute(
            delete(Phone).where(
                col(Phone.opted_out_at).is_(None),
                col(Phone.heard_at) < self.now() - UNUSED_KEPT_SECONDS,
                col(Phone.id).not_in(known),
                col(Phone.id).not_in(linked),
                col(Phone.id) < newest,
            )
        )
        before = self.now() - TEXTS_KEPT_SECONDS
        session.execute(delete(TextSent).where(col(TextSent.at) < before))
        session.execute(delete(TextTally).where(col(TextTally.day) < day_of(before)))

    @in_transaction
    def may_try_link(self, session: Session, phone: int, code: str) -> bool:
        """Return True if the phone may text this code of a link.

        Wrong codes are counted; after some, all codes are refused.
        """
        session.get(Phone, phone)
        today, scope = day_of(self.now()), f"link:{phone}"
        tally = session.get(TextTally, (today, scope)) or TextTally(day=today, scope=scope, texts=0, cost=0)
        if tally.texts >= WRONG_LINKS_PER_DAY:
            return False
        known = session.get(LinkCode, code.upper())
        if known is None or known.expires_at <= self.now():
            tally.texts += 1
            session.add(tally)
        return True

    @in_transaction
    def opted_out(self, session: Session, phone: int) -> None:
        """Store that the phone's owner refuses further texts."""
        session.execute(
            update(Phone)
            .where(col(Phone.id) == phone, col(Phone.opted_out_at).is_(None))
            .values(opted_out_at=self.now())
        )
