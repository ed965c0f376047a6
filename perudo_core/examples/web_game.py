"""A web game: two players and any number of spectators, who exchange only JSON with Python's own web server.

A client needs only its observation (`dump_observation`) and the events that it may know (`visible_events`,
`dump_event`). It can send only a call of its own seat (`load_call`). The server knows a player by the key in the header
`Authorization: Bearer KEY`; a client without a key is a spectator.

    python web_game.py     and open the three addresses that it prints; their page is web_game.html
    GET  /table            {"observation": {...}, "events": [...]}, as this client may see them
    POST /call "5x3"       the same after the call, or {"error": "..."}: 400 no call, 403 without a key, 409 illegal
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

from perudo_core import (
    Action,
    Event,
    IllegalActionError,
    Rules,
    StateError,
    apply,
    dump_event,
    dump_observation,
    explain,
    load_call,
    new_game,
    observe,
    sample_roll,
    visible_events,
)

MAX_BODY = 1000  # bytes


class Table:
    """One game, with a secret key for each seat."""

    def __init__(self, names: list[str], rng: random.Random) -> None:
        self.keys = {secrets.token_urlsafe(): seat for seat in range(len(names))}
        self._rng, self._state, self._events = rng, new_game(Rules(), names), list[Event]()
        self._take(sample_roll(self._state, rng))

    def show(self, seat: int | None) -> dict[str, object]:
        """Return everything that the seat, or a spectator, may know."""
        events = [dump_event(event) for event in visible_events(self._events, seat)]
        return {"observation": dump_observation(observe(self._state, seat)), "events": events}

    def call(self, seat: int, data: object) -> tuple[int, dict[str, object]]:
        """Make the call that the client of this seat sent; the status and the answer."""
        try:
            self._take(load_call(data, seat))
        except StateError as error:
            return 400, {"error": str(error)}
        except IllegalActionError as error:
            return 409, {"error": explain(error.reason, self._state), "reason": error.reason}
        return 200, self.show(seat)

    def _take(self, action: Action) -> None:
        self._state, events = apply(self._state, action)
        self._events += events
        if self._state.is_chance:
            self._take(sample_roll(self._state, self._rng))


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    table: Table
    lock = Lock()

    def do_GET(self) -> None:
        """Answer with the table, or the page."""
        if self.path != "/table":
            return self._answer(200, Path(__file__).with_name("web_game.html").read_text(encoding="utf-8"))
        with self.lock:
            seen = self.table.show(self._seat())
        return self._answer(200, seen)

    def do_POST(self) -> None:
        """Make a call."""
        seat = self._seat()
        if seat is None:
            return self._answer(403, {"error": "A spectator makes no calls."})
        try:
            size = int(self.headers["Content-Length"])
            data = json.loads(self.rfile.read(size) if 0 < size <= MAX_BODY else "")
        except (TypeError, ValueError, RecursionError):
            return self._answer(400, {"error": "The body must be JSON."})
        with self.lock:
            status, answer = self.table.call(seat, data)
        return self._answer(status, answer)

    def _seat(self) -> int | None:
        return self.table.keys.get(self.headers.get("Authorization", "").removeprefix("Bearer "))

    def _answer(self, status: int, answer: dict[str, object] | str) -> None:
        body = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if isinstance(answer, str) else "application/json")
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Two players and spectators over JSON.")
    parser.add_argument("--seed", type=int, help="the same dice for the same calls")
    seed = parser.parse_args().seed
    Handler.table = Table(["Ana", "Bo"], random.SystemRandom() if seed is None else random.Random(seed))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    for key, who in {"": "Spectators", **{key: f"Seat {seat}" for key, seat in Handler.table.keys.items()}}.items():
        print(f"{who}: http://127.0.0.1:{server.server_port}/#{key}", flush=True)
    server.serve_forever()
