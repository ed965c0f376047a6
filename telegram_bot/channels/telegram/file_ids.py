"""Keep Telegram's file_ids of pictures that are sent again and again, so that each is uploaded once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Final

from telegram_bot.storage.key_value import KeyValueStore

log = logging.getLogger(__name__)

_PREFIX: Final = "picture"
_READ_SECONDS: Final = 1.0
"""How long a picture waits for the database; afterwards it is uploaded as if nothing were known."""


class FileIds:
    """The file_ids of one bot, by the keys of the pictures. Another bot's file_ids are of no use to it.

    All are read when the first is needed. Later ones of other workers are not seen: such a picture is uploaded twice.
    An error of the database concerns nobody: the picture is uploaded again.
    """

    def __init__(self, store: KeyValueStore | None, bot: int) -> None:
        """Without a store the file_ids are kept for as long as the process lives."""
        self._store = store
        self._prefix = f"{_PREFIX}:{bot}:"
        self._known: dict[str, str] = {}
        self._reading: asyncio.Task[None] | None = None
        self._writing: set[asyncio.Task[None]] = set()

    async def find(self, key: str) -> str | None:
        """The file_id of a picture; None if it must be uploaded."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(), name="file_ids")
        if not self._reading.done():
            await asyncio.wait([self._reading], timeout=_READ_SECONDS)
        return self._known.get(key)

    def keep(self, key: str, file_id: str) -> None:
        """Keep the file_id of a picture that was uploaded. The database is written to later: nobody waits for it."""
        self._known[key] = file_id
        if self._store is not None:
            task = asyncio.create_task(self._logged(self._store.put(self._prefix + key, file_id)), name="file_id")
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    def forget(self, key: str, file_id: str) -> None:
        """Use a file_id no longer that Telegram does not accept; the next one of the picture replaces it."""
        if self._known.get(key) == file_id:
            del self._known[key]

    async def close(self) -> None:
        """Wait until the database knows all file_ids."""
        waiting = [*self._writing] if self._reading is None else [*self._writing, self._reading]
        await asyncio.gather(*waiting)

    async def _read(self) -> None:
        if self._store is not None:
            await self._logged(self._read_from(self._store))

    async def _read_from(self, store: KeyValueStore) -> None:
        found = await store.with_prefix(self._prefix)
        self._known = {key.removeprefix(self._prefix): file_id for key, file_id in found.items()} | self._known

    @staticmethod
    async def _logged(using_the_database: Coroutine[Any, Any, None]) -> None:
        try:
            await using_the_database
        except Exception as error:  # noqa: BLE001 - see the class; the statement that the error quotes tells dice
            log.warning("the file_ids of pictures are out of reach: %s", type(error).__name__)
