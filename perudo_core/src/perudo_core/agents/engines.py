"""Programs as players: both sides of the protocol in `docs/engine-protocol.md`.

An engine in Python is one function, which `serve` lets answer on standard input and output:

>>> def doubter(question):
...     return "dudo" if question.observation.bids else question.observation.legal_calls[0]
>>> from perudo_core import Bid, Rules, observe, set_up
>>> state = set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)])
>>> sent = dump_question(Question(observe(state, 1), new_memory(state.rules, 2)))
>>> read_answer(answered(doubter, sent), observe(state, 1))
Answer(call=Dudo(seat=1), reason='', estimate=None)

`ProgramAgent` is a program's seat: an `Agent`, and so a player of the arena.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from perudo_core import _json_reading as read
from perudo_core._actions import Call
from perudo_core._client_codec import dump_observation, load_call, load_observation
from perudo_core._errors import StateError, abbreviated, expect_type, missing_extra
from perudo_core._observation import Observation
from perudo_core._programs import CommandError, LateError, NotOffered, Program, Refused, Requests
from perudo_core._public_names import publish
from perudo_core.agents._memory import Memory, dump_memory, load_memory, new_memory
from perudo_core.agents._registry import Agent, create_agent

__all__ = [
    "PROTOCOL", "Answer", "CommandError", "Engine", "LateError", "NotOffered", "ProgramAgent", "Question", "Refused",
    "Requests", "agent_engine", "answered", "dump_question", "load_question", "policy_engine", "read_answer", "serve",
]  # fmt: skip

PROTOCOL: Final = "perudo-player/1"
SECONDS: Final = 10.0
"""The usual time limit of an answer."""
MARGIN_SECONDS: Final = 0.05
"""For the way of an answer: one that takes all the seconds of its question is in time."""
MOST_STARTS: Final = 20
"""How often a program that has died or was late is started again."""
LONGEST_ANSWER: Final = 1 << 20
"""Bytes of a line."""
LONGEST_REASON: Final = 200
"""Characters of an engine's reason that are kept."""

Value: TypeAlias = bool | int | float | str
"""The value of an engine's option."""


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that an engine may know when it is asked for a call: never another seat's dice."""

    observation: Observation
    memory: Memory
    seconds: float = SECONDS
    """How long the answer may take."""
    seed: int = 0
    """The seed of the engine's chance: an engine that uses no other one repeats its games."""
    options: Mapping[str, Value] = field(default_factory=dict)
    """The options of the engine as they are set; they are not sent with a question."""

    @property
    def rng(self) -> Random:
        """Return a generator with the question's seed."""
        return Random(self.seed)  # noqa: S311 - a seed repeats a game


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's call, and its thoughts if it has any; out of turn, None as the call is no call."""

    call: Call | None
    reason: str = ""
    """Why, in a sentence; at most 200 characters."""
    estimate: float | None = None
    """The chance, 0 to 1, that the engine's seat wins the game."""


Engine: TypeAlias = Callable[[Question], Answer | Call | str | None]
"""A function that answers a question with a call, as `Dudo(1)` or `"dudo"`, or with an `Answer`."""


def dump_question(question: Question) -> dict[str, Any]:
    """Return the parameters of the requests `choose` and `interrupt`."""
    expect_type(question, Question, "question")
    return {
        "observation": dump_observation(question.observation),
        "memory": dump_memory(question.memory),
        "seconds": question.seconds,
        "seed": question.seed,
    }


def load_question(params: Any, options: Mapping[str, Value] | None = None) -> Question:
    """Return the question of these parameters; raises `StateError` for other data.

    Only the observation is needed: without a memory, the engine remembers no earlier round.
    """
    given = read.mapping(params, "params")
    observation = load_observation(given.get("observation"))
    memory = new_memory(observation.rules, len(observation.seats))
    return Question(
        observation,
        load_memory(given["memory"]) if "memory" in given else memory,
        _number(given.get("seconds", SECONDS), "seconds"),
        read.integer(given.get("seed", 0), "seed", 0, 2**32),
        options or {},
    )


def does_interrupt(hello: Any) -> bool:
    """Return whether a program that answered its first request with this result is also asked out of turn."""
    return isinstance(hello, dict) and hello.get("interrupts") is True


def read_answer(result: Any, observation: Observation) -> Answer:
    """Return the answer that a program gave for the seat of this observation; raises `StateError` for other data.

    The call may still be illegal: `call in observation.legal_calls` tells.
    """
    said = result if isinstance(result, dict) and "call" in result else {"call": result}
    read.mapping(said | {"reason": "", "estimate": None}, "answer", ("call", "reason", "estimate"))
    call, estimate = said["call"], said.get("estimate")
    return Answer(
        None if call is None else load_call(call, observation.own_seat),
        read.string(said.get("reason", ""), "reason")[:LONGEST_REASON],
        None if estimate is None else _number(estimate, "estimate", 1.0),
    )


def _number(value: Any, where: str, high: float = 86_400.0) -> float:
    if type(value) not in {int, float} or not 0 <= value <= high:
        raise StateError(f"{where} must be a number from 0 to {high:g}, not {abbreviated(value)}")
    return float(value)


def answered(engine: Engine, params: Any, options: Mapping[str, Value] | None = None) -> Any:
    """Return the result of a request `choose` or `interrupt` as a JSON value."""
    said = engine(load_question(params, options))
    if not isinstance(said, Answer):
        return None if said is None else str(said)
    return {"call": None if said.call is None else str(said.call), "reason": said.reason, "estimate": said.estimate}


def serve(
    engine: Engine,
    *,
    name: str,
    options: Mapping[str, Value] | None = None,
    interrupts: bool = False,
    lines: Iterable[str] | None = None,
    write: Callable[[str], object] | None = None,
) -> None:
    r"""Answer requests, one on each line, until the input ends: the whole program of an engine in Python.

    `options` are the names and defaults of the engine's options; the type of a value is that of the default. An engine
    that `interrupts` is also asked out of turn, where the rules let it call. `lines` and `write` are standard input
    and output if they are left out. An exception of the engine becomes an error on its line, without its words.

    >>> serve(lambda _: "dudo", name="Doubter", lines=['{"id": 1, "method": "hello", "params": {}}'], write=print)
    {"id": 1, "result": {"protocol": "perudo-player/1", "name": "Doubter", "options": {}, "interrupts": false}}
    <BLANKLINE>
    """
    defaults = dict(options or {})
    values = dict(defaults)
    for line in sys.stdin if lines is None else lines:
        request = read.mapping(read.parse_json(line), "request")
        answer: dict[str, Any] = {"id": request.get("id")}
        try:
            match request.get("method"):
                case "hello":
                    _expect_protocol(read.mapping(request.get("params", {}), "params"))
                    hello = {"name": name, "options": defaults, "interrupts": interrupts}
                    answer["result"] = {"protocol": PROTOCOL} | hello
                case "set":
                    values |= _checked(read.mapping(request.get("params"), "params").get("options"), defaults)
                    answer["result"] = values
                case "choose" | "interrupt" as method if method == "choose" or interrupts:
                    answer["result"] = answered(engine, request.get("params"), values)
                case _:
                    answer["unsupported"] = True
            written = json.dumps(answer, allow_nan=False)
        except Exception as error:  # noqa: BLE001 - one question's error is not the next one's
            said = str(error) if isinstance(error, StateError) else type(error).__name__
            written = json.dumps({"id": request.get("id"), "error": said})
        (write or partial(print, end="", flush=True))(written + "\n")


def _expect_protocol(params: dict[str, Any]) -> None:
    if (protocol := params.get("protocol", PROTOCOL)) != PROTOCOL:
        raise StateError(f"this engine speaks {PROTOCOL}, not {abbreviated(protocol)}")


def _checked(given: Any, defaults: Mapping[str, Value]) -> dict[str, Value]:
    for option, value in read.mapping(given, "options").items():
        if option not in defaults:
            raise StateError(f"unknown option {abbreviated(option)}")
        if type(value) is not type(defaults[option]):
            raise StateError(f"{option} must be of type {type(defaults[option]).__name__}, not {abbreviated(value)}")
    return dict(given)


def agent_engine(agent: Agent | str) -> Engine:
    """Return an agent as an engine: the name of a level, as `expert` or `regular:bold`, or an agent of your own."""
    if isinstance(agent, str):
        level, _, character = agent.partition(":")
        agent = create_agent(level, character or "plain")
    player: Agent = agent

    def engine(question: Question) -> Call | None:
        seen = question.observation
        decide = player.choose if seen.seat == seen.turn else player.interrupt
        return decide(seen, question.memory, question.rng)

    return engine


def policy_engine(policy: Callable[[Any], Any]) -> Engine:
    """Return a policy as an engine: a function from the environments' observation to the number of an action.

    The observation is that of `perudo_core.gymnasium` and `perudo_core.pettingzoo`, a dictionary with `observation`
    and `action_mask`; needs one of these extras.
    """
    try:
        from perudo_core._action_encoding import ActionEncoding  # noqa: PLC0415 - only policies need numpy
        from perudo_core._learning import observation_of  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise missing_extra(error, "policy_engine", "numpy") from None

    def engine(question: Question) -> Call:
        seen = question.observation
        encoding = ActionEncoding(seen.rules, len(seen.seats))
        return encoding.decode(int(policy(observation_of(seen, encoding))), seen.own_seat)

    return engine


class ProgramAgent:
    """A program as an agent; it is started with the first question, and again after it has died or was late.

    Use it in a `with` statement, which ends the program. Raises `CommandError` for a program that does not answer, and
    `LateError` for one that does not answer in time.
    """

    def __init__(self, command: str, *, seconds: float = SECONDS, options: Mapping[str, Value] | None = None) -> None:
        self.name = command
        self.answer: Answer | None = None
        """The last answer, with its reason and its estimate."""
        self._seconds = seconds
        self._options = dict(options or {})
        self._running: Program | None = None
        self._starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the program if it does not run."""
        if self._running is None and self._starts < MOST_STARTS:
            self._starts += 1
            seconds = max(self._seconds, SECONDS)
            program = Program(self.name, PROTOCOL, timeout=seconds, longest_answer=LONGEST_ANSWER)
            try:
                if self._options:
                    program.ask("set", {"options": self._options})
            except BaseException:
                program.close()  # it would play on with its defaults
                raise
            self._running = program

    def close(self) -> None:
        """End the program."""
        program, self._running = self._running, None
        if program is not None:
            program.close()

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """Return the program's call; raises `StateError` for an answer that is no call."""
        call = self._ask("choose", observation, memory, rng)
        if call is None:
            raise StateError("a player on turn must call")
        return call

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Return the program's call out of turn; it is asked only if it said so when it began."""
        self.start()
        if self._running is None or not does_interrupt(self._running.hello):
            return None
        return self._ask("interrupt", observation, memory, rng)

    def _ask(self, method: str, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        question = Question(observation, memory, self._seconds, rng.getrandbits(32))
        self.start()
        if self._running is None:
            raise LateError(f"the program has been started {MOST_STARTS} times")
        try:
            result = self._running.ask(method, dump_question(question), self._seconds + MARGIN_SECONDS)
        except Exception:
            self.close()  # a late answer would be taken for the next one
            raise
        self.answer = read_answer(result, observation)
        return self.answer.call


publish(globals())
