"""Let one process play on a PostgreSQL database while any number of others stand by.

A row names the process that plays, by a number that grows with each take-over, and each writing transaction compares
this number as it commits (`Database.epoch`). So a process that stood still while another one took over writes nothing.
SQLite has the lock of its file instead; see `process_lock`.
"""

import asyncio
import logging
import os
import socket
from typing import Final

from pydantic import BaseModel
from sqlalchemy import text, update
from sqlmodel import Session, col

from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.storage.database import Database, TakenOverError, insert_into, log_failure
from telegram_bot.storage.key_value import as_model, as_time
from telegram_bot.storage.models import PLAYING, KeyValue

log = logging.getLogger(__name__)

RENEWED: Final = "playing_renewed"
"""The key of the database's time at which the process that plays said last that it lives; 0 after a clean stop."""
RENEW_SECONDS: Final = 2.0
GONE_SECONDS: Final = 7.0
"""After so long without a renewal another process takes over."""
LOOK_SECONDS: Final = 0.5
_DATABASE_TIME: Final = text("SELECT extract(epoch FROM clock_timestamp())")


class Playing(BaseModel):
    """The value of the row `PLAYING`."""

    epoch: int
    """The number of take-overs. The database's fence reads it too."""
    process: str


class WhoPlays:
    """This process's part in who plays: it stands by, takes over, renews, and gives back."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.process = f"{socket.gethostname()}:{os.getpid()}"
        self.renewing: asyncio.Task[None] | None = None
        """Ends with `TakenOverError` if another process has taken over."""

    async def take_over(self) -> None:
        """Wait until this process plays; return at once on SQLite, whose file this process has locked."""
        if self.database.is_sqlite:
            return
        troubles = LogThrottle()
        said = ""
        while True:
            self.database.epoch = 0  # no process's number: one that stands by writes nothing
            try:
                other = await self._look()
            except TakenOverError:
                pass  # Two processes tried, and the wait for the other one's row counts as a write.
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log_failure(log, error, "looking who plays failed", throttle=troubles)
            else:
                if other is None:
                    break
                if other != said:
                    log.info("%s plays; this process stands by", other)
                    said = other
            await asyncio.sleep(LOOK_SECONDS)
        log.info("this process plays now, as number %s", self.database.epoch)
        self.renewing = asyncio.create_task(self._renew(), name="who plays")

    async def _look(self) -> str | None:
        """Try to take over. A process that is asked to stop meanwhile ends the try: it gives back what it took."""
        # Alone: committed together with what may not write yet, it would fail too.
        looking = asyncio.ensure_future(asyncio.to_thread(self.database.run_now, self.try_to_take))
        try:
            return await asyncio.shield(looking)
        except asyncio.CancelledError:
            await asyncio.gather(looking, return_exceptions=True)
            raise

    def try_to_take(self, session: Session) -> str | None:
        """Take over if no process plays; return the process that does, or None if it is this one."""
        stored = session.get(KeyValue, PLAYING)
        renewed = session.get(KeyValue, RENEWED)
        playing = as_model(None if stored is None else stored.value, Playing) or Playing(epoch=0, process="")
        now = float(session.execute(_DATABASE_TIME).scalar_one())
        at = as_time(renewed.value) if renewed is not None else None
        if at and abs(now - at) <= GONE_SECONDS:  # a time far ahead was written before the clock was set back
            return playing.process
        mine = Playing(epoch=playing.epoch + 1, process=self.process)
        if stored is None:
            insert = insert_into(session, KeyValue).values(key=PLAYING, value=mine.model_dump_json())
            taken = session.execute(insert.on_conflict_do_nothing(index_elements=["key"]).returning(col(KeyValue.key)))
        else:
            # Waits for the transactions that have compared the number and commit, and then compares the value again.
            taken = session.execute(
                update(KeyValue)
                .where(col(KeyValue.key) == PLAYING, col(KeyValue.value) == stored.value)
                .values(value=mine.model_dump_json())
                .returning(col(KeyValue.key))
                .execution_options(synchronize_session=False)
            )
        if taken.first() is None:
            return "another process"
        session.merge(KeyValue(key=RENEWED, value=repr(now)))
        self.database.epoch = mine.epoch
        return None

    def renew(self, session: Session) -> None:
        """Say that this process lives: the fence refuses it if another one plays."""
        session.merge(KeyValue(key=RENEWED, value=str(session.execute(_DATABASE_TIME).scalar_one())))

    async def _renew(self) -> None:
        troubles = LogThrottle()
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                await self.database.run(self.renew)
            except TakenOverError:
                raise
            except Exception as error:  # noqa: BLE001 - the next time may go better, and the fence holds meanwhile
                log_failure(log, error, "saying that this process plays failed", throttle=troubles)

    async def give_back(self) -> None:
        """Let the next process play at once."""
        if not self.database.epoch:
            return
        if self.renewing is not None:
            self.renewing.cancel()
            await asyncio.gather(self.renewing, return_exceptions=True)
        try:
            await self.database.run(lambda session: session.merge(KeyValue(key=RENEWED, value="0")) and None)
        except Exception as error:  # noqa: BLE001 - another process takes over by itself
            log_failure(log, error, "giving back who plays failed")
