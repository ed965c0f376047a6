"""Download a file so that a broken download, or one that was stopped, goes on where it was.

`huggingface_hub` 2 does not: its partial files have random names, so a download that is started again begins anew.
"""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx

PATIENCE: Final = 30.0
"""Seconds without a byte after which the connection counts as broken."""
TRIES: Final = 5


class DownloadError(Exception):
    """A file cannot be fetched; the message says why."""


def download(url: str, path: Path, size: int) -> None:
    """Fetch a file of known size, with a progress bar; bytes that are there already are not fetched again.

    Raises:
        DownloadError: the server refuses, cannot be reached, or breaks off again and again.
        OSError: the file cannot be written.
    """
    from tqdm import tqdm  # noqa: PLC0415 - of the extra

    for _ in range(TRIES):
        start = path.stat().st_size if path.exists() else 0
        if start == size:
            return
        headers = {"Range": f"bytes={start}-"} if 0 < start < size else {}
        with (
            suppress(httpx.TransportError),
            httpx.stream("GET", url, headers=headers, timeout=PATIENCE, follow_redirects=True) as answer,
        ):
            if answer.is_error:
                raise DownloadError(f"{url} answers {answer.status_code}")
            goes_on = answer.status_code == HTTPStatus.PARTIAL_CONTENT
            with (
                path.open("ab" if goes_on else "wb") as written,
                tqdm(total=size, initial=start if goes_on else 0, unit="B", unit_scale=True, desc=path.name) as bar,
            ):
                for piece in answer.iter_bytes():
                    written.write(piece)
                    bar.update(len(piece))
            return
    raise DownloadError(f"{url} cannot be reached, or breaks off")
