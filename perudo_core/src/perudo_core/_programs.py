"""Programs that answer lines of JSON: the lines themselves, and a command that runs next to this process."""

from __future__ import annotations

import json
import os
import shlex
import signal
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

from perudo_core._errors import PerudoError, StateError, abbreviated, expect_type
from perudo_core._json_reading import parse_json

__all__ = ["CommandError", "LateError", "NotOffered", "Program", "Refused", "Requests", "described", "one_line"]

SECONDS_TO_END: Final = 2.0
"""How long a program may take to end after its standard input has ended."""
MAX_TIMEOUT: Final = 86_400.0
LONGEST: Final = 200
"""Characters of a value in a message."""


class CommandError(PerudoError):
    """A command that cannot be started as an engine, or that does not answer by the JSON lines protocol.

    `fault` is the message without what the command said.
    """

    def __init__(self, fault: str, said: str = "") -> None:
        super().__init__(fault + said)
        self.fault = fault


class LateError(CommandError):
    """A command that does not answer in time."""


class Refused(Exception):  # noqa: N818 - what an engine answers, not what went wrong
    """Raised by an engine for an illegal action, with the reason's code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotOffered(Exception):  # noqa: N818 - what an engine answers, not what went wrong
    """Raised by an engine for a method that it does not offer; an engine may also leave the method out."""


class Requests:
    r"""The requests to one program, numbered, and its answers; the caller carries the lines, in whatever way.

    >>> requests = Requests()
    >>> requests.line("hello", {"protocol": "perudo-player/1"})
    b'{"id": 1, "method": "hello", "params": {"protocol": "perudo-player/1"}}\n'
    >>> requests.result(b'{"id": 1, "result": {"name": "Doubter"}}\n')
    {'name': 'Doubter'}
    """

    def __init__(self) -> None:
        self._number = 0
        self._method = ""
        self._protocol = ""

    def line(self, method: str, params: dict[str, Any]) -> bytes:
        """Return the line of the next request."""
        self._number += 1
        self._method = method
        self._protocol = params.get("protocol", self._protocol)
        request = {"id": self._number, "method": method, "params": params}
        return json.dumps(request, allow_nan=False).encode() + b"\n"

    def result(self, line: bytes) -> Any:
        """Return the result in the line that answers the last request, None if the program does not know `hello`.

        Raises `NotOffered` or `Refused` if the line says so, and `CommandError` for all others.
        """
        answer = _parsed(line)
        if not isinstance(answer, dict) or type(answer.get("id")) is not int or answer["id"] != self._number:
            raise CommandError(f"no answer with the id {self._number}", f", but {described(answer)}")
        if self._method == "hello" and (answer.get("unsupported") is True or "refused" in answer):
            return None
        if answer.get("unsupported") is True:
            raise NotOffered(self._method)
        if "refused" in answer:
            raise Refused(answer["refused"])
        if "error" in answer:
            raise CommandError("an error", f": {described(answer['error'])}")
        if "result" not in answer:
            raise CommandError("neither result, refused, unsupported nor error", f": {described(answer)}")
        result = answer["result"]
        if self._method == "hello" and isinstance(result, dict):
            protocol = result.get("protocol", self._protocol)
            if protocol != self._protocol:
                raise CommandError(f"another protocol than {self._protocol}", f": {described(protocol)}")
        return result


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line.decode())
    except (StateError, UnicodeDecodeError):
        shown = one_line(line.decode(errors="backslashreplace").rstrip())
        raise CommandError("a line that is not JSON", f": {shown}") from None


def described(value: object) -> str:
    """Return a value of a program, safe to print on one line."""
    try:
        text = ascii(value)
    except Exception:  # noqa: BLE001 - an engine's value, whose repr may do anything
        text = f"a {type(value).__name__} that cannot be printed"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def one_line(text: str) -> str:
    """Return a text of a program without its control characters."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[:LONGEST])


class Program:
    """A running command that answers each request on a line, within a limit of time.

    Use it in a `with` statement, which ends the command. `timeout` is the most seconds that an answer may take, up to
    a day. Raises `CommandError` for a command that cannot be started or does not answer the first request, and
    `ValueError` for a timeout out of range.

    A thread of its own writes and reads, so that the limit holds on every system, also where a child that has left the
    command's group keeps the pipes open. No signal to the group reaches such a child: it is left behind, and with it
    the thread and its two descriptors.
    """

    def __init__(self, command: str, protocol: str, *, timeout: float, longest_answer: int) -> None:
        expect_type(command, str, "command")
        expect_type(timeout, int | float, "timeout")
        if not 0 < timeout <= MAX_TIMEOUT:
            raise ValueError(f"timeout must be above 0 and at most {MAX_TIMEOUT:.0f}, not {abbreviated(timeout)}")
        self._timeout = timeout
        self._longest_answer = longest_answer
        self._requests = Requests()
        self._process = _started(command)
        self._asked: SimpleQueue[bytes | None] = SimpleQueue()
        self._answered: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._exchange_all, daemon=True, name="engine").start()
        try:
            self.hello: Any = self.ask("hello", {"protocol": protocol})
            """The answer to the first request, None if the command does not know it."""
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, method: str, params: dict[str, Any], seconds: float | None = None) -> Any:
        """Return the result of a request, which may take so many seconds, or the usual ones.

        Raises `LateError`, and as `Requests.result` does.
        """
        seconds = self._timeout if seconds is None else seconds
        self._asked.put(self._requests.line(method, params))
        try:
            answer = self._answered.get(timeout=seconds)
        except Empty:
            self._kill()
            raise LateError(f"no answer within {seconds:g} s") from None
        if answer.endswith(b"\n"):
            return self._requests.result(answer)
        if len(answer) == self._longest_answer:
            raise CommandError(f"a line of more than {self._longest_answer} bytes")
        raise CommandError(f"no answer: the command ended with status {self._status()}")

    def close(self) -> None:
        """End the command: its standard input ends, and a command that still runs is killed, as are its children."""
        self._asked.put(None)
        self._status()

    def _exchange_all(self) -> None:
        """Write each line and read its answer, until there is no further one; then close the pipes."""
        with suppress(OSError), self._process.stdin as asking, self._process.stdout as answering:  # type: ignore[union-attr]
            for line in iter(self._asked.get, None):
                with suppress(OSError):  # a command that has stopped reading may still have answered
                    asking.write(line)
                    asking.flush()
                self._answered.put(answering.readline(self._longest_answer))

    def _status(self) -> int:
        try:
            return self._process.wait(SECONDS_TO_END)
        except TimeoutExpired:
            self._kill()
            return self._process.wait()
        finally:
            self._kill()  # the children that it has left behind

    def _kill(self) -> None:
        """Kill the command and its children, on systems with process groups."""
        kill = getattr(os, "killpg", os.kill)
        with suppress(OSError):
            kill(self._process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _started(command: str) -> Popen[bytes]:
    """Return the command, started without a shell, in a group of processes of its own."""
    try:
        words = shlex.split(command)
        return Popen(command if os.name == "nt" else words, stdin=PIPE, stdout=PIPE, start_new_session=True)  # noqa: S603 - the user's own command
    except (OSError, ValueError, IndexError) as error:
        reason = getattr(error, "strerror", None) or "not a command"
        raise CommandError(f"cannot start {described(command)}: {reason}") from None
