"""An engine in any language, as a command that speaks the protocol of `json_lines_protocol`."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

from perudo_core._errors import StateError, abbreviated, expect_type
from perudo_core._json_reading import parse_json
from perudo_core.testing._differences import CommandError, LateError, described, one_line
from perudo_core.testing._json_lines_protocol import PROTOCOL
from perudo_core.testing._protocols import NotOffered, Refused

__all__ = ["CommandEngine", "LateError", "result_of"]

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
SECONDS_TO_END: Final = 2.0
"""How long an engine may take to end after its standard input has ended."""
MAX_TIMEOUT: Final = 86_400.0


class CommandEngine:
    """An engine behind a command, for `check_engine`: it offers every request that the command answers.

    Use it in a `with` statement, which ends the command. `timeout` is the most seconds that an answer may take, up to
    a day. Raises `CommandError` for a command that cannot be started or does not answer the first request, and
    `ValueError` for a timeout out of range.
    """

    _protocol = PROTOCOL
    _longest_answer = MAX_ANSWER_BYTES

    def __init__(self, command: str, *, timeout: float = 10.0) -> None:
        expect_type(command, str, "command")
        expect_type(timeout, int | float, "timeout")
        if not 0 < timeout <= MAX_TIMEOUT:
            raise ValueError(f"timeout must be above 0 and at most {MAX_TIMEOUT:.0f}, not {abbreviated(timeout)}")
        self._requests = 0
        self._process = _LineProcess(command, timeout, self._longest_answer)
        self.hello: Any = None
        """The answer to the first request."""
        try:
            with suppress(NotOffered, Refused):
                self.hello = self._ask("hello", protocol=self._protocol)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the command."""
        self._process.close()

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> Any:
        """Return a game before its first roll."""
        return self._ask("new_game", rules=rules, seats=seats, opener=opener)

    def apply(self, state: Any, action: dict[str, Any]) -> Any:
        """Return the next state."""
        return self._ask("apply", state=state, action=action)

    def legal_calls(self, state: Any) -> Any:
        """Return every legal call."""
        return self._ask("legal_calls", state=state)

    def facts(self, state: Any) -> Any:
        """Return the facts of `facts_of`."""
        return self._ask("facts", state=state)

    def odds(self, dice: list[int], unknown_dice: int, quantity: int, face: int, ones_are_wild: bool) -> Any:
        """Return the chances of a bid."""
        return self._ask(
            "odds", dice=dice, unknown_dice=unknown_dice, quantity=quantity, face=face, ones_are_wild=ones_are_wild
        )

    def commitment(self, secret: str, context: str) -> Any:
        """Return the commitment to a secret."""
        return self._ask("commitment", secret=secret, context=context)

    def fair_hand(self, secret: str, context: str, salt: str, label: str, dice: int) -> Any:
        """So many dice of the stream with this label."""
        return self._ask("fair_hand", secret=secret, context=context, salt=salt, label=label, dice=dice)

    def fair_number(self, secret: str, context: str, salt: str, label: str, below: int) -> Any:
        """Return the first number of the stream with this label, less than `below`."""
        return self._ask("fair_number", secret=secret, context=context, salt=salt, label=label, below=below)

    def fair_contest(self, secret: str, context: str, salt: str, contenders: int, dice_each: int) -> Any:
        """Return a roll for the opener."""
        return self._ask(
            "fair_contest", secret=secret, context=context, salt=salt, contenders=contenders, dice_each=dice_each
        )

    def write_game(self, record: dict[str, Any], dice: bool) -> Any:
        """Return the line of a record."""
        return self._ask("write_game", record=record, dice=dice)

    def read_game(self, text: str) -> Any:
        """Return the record of a line."""
        return self._ask("read_game", text=text)

    def choose(self, observation: dict[str, Any]) -> Any:
        """Return the call of the observation's seat; for `perudo_core.agents arena`."""
        return self._ask("choose", observation=observation)

    def _ask(self, method: str, seconds: float | None = None, /, **params: Any) -> Any:
        self._requests += 1
        request = {"id": self._requests, "method": method, "params": params}
        return result_of(self._process.exchange(json.dumps(request, allow_nan=False), seconds), request)


def result_of(line: bytes, request: Mapping[str, Any]) -> Any:
    """Return the result in the line that answers a request.

    Raises `NotOffered` or `Refused` if the line says so, and `CommandError` for all others.
    """
    answer = _parsed(line)
    if not isinstance(answer, dict) or type(answer.get("id")) is not int or answer["id"] != request["id"]:
        raise CommandError(f"no answer with the id {request['id']}", f", but {described(answer)}")
    if answer.get("unsupported") is True:
        raise NotOffered(request["method"])
    if "refused" in answer:
        raise Refused(answer["refused"])
    if "error" in answer:
        raise CommandError("an error", f": {described(answer['error'])}")
    if "result" not in answer:
        raise CommandError("neither result, refused, unsupported nor error", f": {described(answer)}")
    return answer["result"]


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line.decode())
    except (StateError, UnicodeDecodeError):
        shown = one_line(line.decode(errors="backslashreplace").rstrip())
        raise CommandError("a line that is not JSON", f": {shown}") from None


class _LineProcess:
    """A running command that answers each line with a line, within a limit of time.

    A thread of its own writes and reads, so that the limit holds on every system, also where a child that has left the
    command's group keeps the pipes open. No signal to the group reaches such a child: it is left behind, and with it
    the thread and its two descriptors.
    """

    def __init__(self, command: str, timeout: float, longest_answer: int) -> None:
        self._timeout = timeout
        self._longest_answer = longest_answer
        self._process = _started(command)
        self._asked: SimpleQueue[bytes | None] = SimpleQueue()
        self._answered: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._exchange_all, daemon=True, name="engine").start()

    def exchange(self, line: str, seconds: float | None = None) -> bytes:
        """Return the command's answer to a line, which may take so many seconds, or the usual ones."""
        seconds = self._timeout if seconds is None else seconds
        self._asked.put(f"{line}\n".encode())
        try:
            answer = self._answered.get(timeout=seconds)
        except Empty:
            self._kill()
            raise LateError(f"no answer within {seconds:g} s") from None
        if answer.endswith(b"\n"):
            return answer
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
