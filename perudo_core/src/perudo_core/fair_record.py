"""A record of a game with fair dice: the plain record, and the proof of the dice.

The plain record under `record` is unchanged, so a reader without support for fair dice can read it::

    {"schema": "perudo-fair/3", "table": "ABC234",
     "commitment": "<in hex>", "salt": "<the players' words>", "secret": "<in hex, or null>",
     "opening": [{"dice": [[3], [5]]}, {"draw": 1}, {"leave": 0}],
     "computers": {"version": "<of perudo_core>", "calls": [[1, 2, "strong/bold"]]},
     "record": {"schema": "perudo-record/1", ...}}

The commitment is to the secret, the table and the record's rules; in `perudo-fair/2` also to the name of the rulebook
that the rules began with. A record whose salt does not list the stirs
(`perudo_core.stirs`) can be read, but proves nothing. `opening` lists, in order, the rolls or the draw that found the
opener, and the seats that left meanwhile (the record lists these too, without the moment). `computers` lists the calls
that a computer player decided (round and call, both from 1; level and character), and the version of this library that
decided them; a game that was played on after an update lists all its versions, as `1.0.0, 1.1.0`. All calls of a seat
are decided by one agent; otherwise the host could try several agents until it likes a call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from textwrap import indent
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from perudo_core import _json_reading as read
from perudo_core._actions import Action, Call, ChanceAction, Leave, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._engine import apply
from perudo_core._errors import IllegalActionError, RecordError, StateError, abbreviated, expect_tuple_of, expect_type
from perudo_core._events import EVERYONE, audience
from perudo_core._fields import DICE
from perudo_core._observation import observe
from perudo_core._phase import Phase
from perudo_core._public_names import Listed, publish
from perudo_core._record import Record, dump_json
from perudo_core._replay import Recorder, replay_steps
from perudo_core._state import State, new_game
from perudo_core._version import installed_version
from perudo_core.fair import SCHEMA, SCHEMAS, FairDice
from perudo_core.stirs import stirs_in_salt

if TYPE_CHECKING:  # a game without computer players loads none
    from perudo_core.agents import Memory

__all__ = ["ComputerCall", "FairRecord", "Verification", "read_record"]

Opening: TypeAlias = OpeningRoll | OpenerDraw | Leave


_HEX: Final = re.compile(r"[0-9a-f]{64}")


class ComputerCall(NamedTuple):
    """A call that a computer player decided."""

    round: int
    """From 1, as in the record."""
    call: int
    """From 1, within the round."""
    agent: str
    """Level and character, as `strong/bold`."""


class Verification(NamedTuple):
    """The numbers of rolls and calls that were computed again and match the record."""

    rolls: int
    """The number of rounds whose rolls match; rolls for the opener are not counted."""
    computer_calls: int | None
    """The number of calls that match. None means that they were not computed, or that another version decided them,
    which may decide otherwise."""


@dataclass(frozen=True, slots=True)
class FairRecord(metaclass=Listed):
    """A record, and the proof of its dice once the secret is revealed."""

    record: Record
    table: str
    commitment: str
    """In hex, as it was published before the game."""
    salt: str
    secret: bytes | None = field(repr=False)
    """None until it is revealed."""
    opening: tuple[Opening, ...]
    computer_calls: tuple[ComputerCall, ...] = field(default=(), repr=False)
    version: str = field(default_factory=installed_version)
    """The version of `perudo_core` that decided the computers' calls."""
    schema: str = SCHEMA
    """That of the dice."""

    def __post_init__(self) -> None:
        """Refuse values that cannot be a commitment, a salt or a secret."""
        expect_type(self.record, Record, "record")
        expect_tuple_of(self.opening, Opening, "opening")
        expect_tuple_of(self.computer_calls, ComputerCall, "computer_calls")
        expect_type(self.commitment, str, "commitment")
        if not _HEX.fullmatch(self.commitment):
            raise RecordError(f"commitment must be 64 hex digits, not {abbreviated(self.commitment)}")
        try:
            self._dice(bytes(32) if self.secret is None else self.secret)
            stirs_in_salt(self.salt)
        except ValueError as error:
            raise RecordError(str(error)) from None

    def _dice(self, secret: bytes) -> FairDice:
        return FairDice(secret, self.record.rules, self.table, self.salt, self.schema)

    @property
    def stirs(self) -> tuple[str, ...] | None:
        """The stirs in order, or None for a salt of another form, which does not list them."""
        return stirs_in_salt(self.salt)

    @classmethod
    def of(
        cls,
        dice: FairDice,
        seats: int | Sequence[str],
        actions: Iterable[Action],
        *,
        computers: Mapping[int, str] = MappingProxyType({}),
        reveal: bool = True,
    ) -> FairRecord:
        """Return the record of a game with these dice, from all actions since `new_game`, the opener's roll included.

        `computers` names the agent of each call that a computer player decided, by its index among the actions. Do not
        reveal the secret before the game is over: it gives away all later dice.
        """
        expect_type(dice, FairDice, "dice")
        expect_type(actions, Iterable, "actions")
        recorder = Recorder(new_game(dice.rules, seats))
        opening: list[Opening] = []
        taken = list(actions)
        for action in taken:
            if recorder.state.phase is Phase.OPENING and isinstance(action, Opening):
                opening.append(action)
            recorder.apply(action)
        secret = dice.secret if reveal else None
        record = recorder.record()
        steps = [step for step in replay_steps(record) if step.call is not None]
        played = [index for index, action in enumerate(taken) if not isinstance(action, ChanceAction)]
        computer_calls = tuple(
            ComputerCall(step.round, step.call or 0, computers[index])
            for index, step in zip(played, steps, strict=True)
            if index in computers
        )
        proof = (dice.table, dice.commitment, dice.salt, secret, tuple(opening), computer_calls)
        return cls(record, *proof, schema=dice.schema)

    @classmethod
    def from_json(cls, text: str) -> FairRecord:
        """Read a record with fair dice."""
        expect_type(text, str, "text")
        try:
            return cls.from_dict(read.parse_json(text))
        except StateError as error:
            raise RecordError(str(error)) from None

    @classmethod
    def from_dict(cls, data: Any) -> FairRecord:
        """Read a record with fair dice from its JSON value."""
        try:
            return _fair_record(data)
        except StateError as error:
            raise RecordError(str(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the record and its proof as a JSON value."""
        return self._proof() | {"record": self.record.to_dict()}

    def to_json(self) -> str:
        """Return the record and its proof as a JSON document, a line for each round."""
        head = "".join(f'  "{key}": {dump_json(value)},\n' for key, value in self._proof().items())
        return f'{{\n{head}  "record": {indent(self.record.to_json(), "  ").strip()}\n}}\n'

    def _proof(self) -> dict[str, Any]:
        return {
            "schema": self.schema,
            "table": self.table,
            "commitment": self.commitment,
            "salt": self.salt,
            "secret": None if self.secret is None else self.secret.hex(),
            "opening": [_written(action) for action in self.opening],
            "computers": {"version": self.version, "calls": [list(call) for call in self.computer_calls]},
        }

    def verify(self, commitment: str | None = None, *, computers: bool = True) -> Verification:
        """Compute the opener, every roll and the computers' calls again.

        Raises `RecordError` with the first round and seat that differ. Give the `commitment` that you were shown before
        the game; without it the record is only checked against the commitment in the record itself. `computers=False`
        skips the computers' calls, which take as long to compute as in the game.
        """
        expect_type(commitment, str | None, "commitment")
        if commitment is not None and commitment != self.commitment:
            raise RecordError(f"the commitment is {self.commitment}, not {abbreviated(commitment)}")
        if self.secret is None:
            raise RecordError("the secret is not revealed")
        if self.stirs is None:
            raise RecordError("the salt does not say what was stirred: see perudo_core.stirs.salt_from_stirs")
        dice = self._dice(self.secret)
        if dice.commitment != self.commitment:
            raise RecordError("the secret, the table and the rules do not fit the commitment")
        self._verify_opening(dice)
        rolls = 0
        state = new_game(self.record.rules, self.record.seats, opener=self.record.opener)
        for step in replay_steps(self.record):
            if isinstance(step.action, Roll):
                self._compare(step.action, dice.roll(state), step.round)
                rolls += 1
            if isinstance(step.action, Reroll):
                again = dice.reroll(state, step.action.seat, step.action.shown)
                self._compare_hands(step.action.seat, step.action.rolled, again.rolled, "", step.round)
            state = step.state
        if self.computer_calls and (not computers or self.version != installed_version()):
            return Verification(rolls, None)
        self._verify_computers(dice)
        return Verification(rolls, len(self.computer_calls))

    def _verify_opening(self, dice: FairDice) -> None:
        """Check that the opening leads to the record's opener: no rulebook lets a table name the opener."""
        state = new_game(self.record.rules, self.record.seats)
        for number, action in enumerate(self.opening, 1):
            if state.phase is Phase.OPENING and not isinstance(action, Leave):
                self._compare(action, dice.roll(state), None)
            state = _step(state, action, number)
        if state.phase is Phase.OPENING:
            raise RecordError("the opening ends before the opener is found")
        if state.opener is not None and state.opener != self.record.opener:
            raise RecordError(f"{self._name(state.opener)} opens by the dice, {self._name(self.record.opener)} did")
        left = [action for action in self.opening if isinstance(action, Leave)]
        rounds = self.record.rounds
        early = rounds[0].actions if rounds and not rounds[0].dice else ()
        if left != list(early[: len(left)]):
            raise RecordError("who left in the opening did not leave in the record")

    def _verify_computers(self, dice: FairDice) -> None:
        """Decide each call of a computer player again, from the knowledge of its seat."""
        from perudo_core.agents import new_memory, remember_all  # noqa: PLC0415 - as above

        wanted = {(call.round, call.call): call.agent for call in self.computer_calls}
        state = new_game(self.record.rules, self.record.seats, opener=self.record.opener)
        memory = new_memory(state.rules, len(state.seats))
        agents: dict[Seat, str] = {}
        for step in replay_steps(self.record):
            agent = wanted.pop((step.round, step.call or 0), None)
            if agent is not None:
                if isinstance(step.action, Call) and agents.setdefault(step.action.seat, agent) != agent:
                    name, first = self._name(step.action.seat), agents[step.action.seat]
                    raise RecordError(f"{name} was played by {first} before, not {agent}", step.round, step.call)
                decided = _decision(agent, state, step.action, memory, dice)
                if decided != step.action:
                    told = "nothing" if decided is None else decided
                    raise RecordError(f"{agent} called {step.action}, the secret gives {told}", step.round, step.call)
            memory = remember_all(memory, [event for event in step.events if audience(event) is EVERYONE])
            state = step.state
        if wanted:
            raise RecordError("there is no such call of a computer player", *next(iter(wanted)))

    def _compare(self, rolled: ChanceAction, fair: ChanceAction, number: int | None) -> None:
        where = "for the opener, " if number is None else ""
        if isinstance(rolled, OpenerDraw) and isinstance(fair, OpenerDraw):
            if rolled != fair:
                raise RecordError(
                    f"{self._name(rolled.seat)} was drawn to open, the secret draws {self._name(fair.seat)}"
                )
            return
        if isinstance(rolled, Roll | OpeningRoll) and isinstance(fair, Roll | OpeningRoll):
            for seat, (one, other) in enumerate(zip(rolled.dice, fair.dice, strict=False)):
                self._compare_hands(seat, one, other, where, number)

    def _compare_hands(
        self, seat: Seat, rolled: Sequence[int], fair: Sequence[int], where: str, number: int | None
    ) -> None:
        if rolled != fair:
            raise RecordError(
                f"{where}{self._name(seat)} rolled {_hand(rolled)}, the secret gives {_hand(fair)}", number
            )

    def _name(self, seat: Seat) -> str:
        name = self.record.seats[seat] if 0 <= seat < len(self.record.seats) else ""
        return f"seat {seat + 1} ({name})" if name else f"seat {seat + 1}"


def read_record(text: str) -> Record | FairRecord:
    """Read a record with fair dice or without."""
    expect_type(text, str, "text")
    try:
        data = read.parse_json(text)
    except StateError as error:
        raise RecordError(str(error)) from None
    fair = isinstance(data, dict) and data.get("schema") in SCHEMAS
    return FairRecord.from_dict(data) if fair else Record.from_dict(data)


def _hand(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice)) or "nothing"


def _step(state: State, action: Action, number: int) -> State:
    try:
        return apply(state, action).state
    except IllegalActionError as error:
        raise RecordError(f"opening, step {number}: {error.reason.value}") from error


def _decision(agent: str, state: State, action: Action, memory: Memory, dice: FairDice) -> Call | None:
    """Return the computer player's decision in place of this call."""
    from perudo_core.agents import create_agent  # noqa: PLC0415 - as above

    level, _, character = agent.partition("/")
    try:
        player = create_agent(level, character or "plain")
    except ValueError as error:
        raise RecordError(str(error)) from None
    if not isinstance(action, Call):
        raise RecordError(f"{action} is no call of a computer player")
    rng = Random(dice.choice_seed(state, action.seat))  # noqa: S311 - a seed repeats it
    decide = player.choose if state.turn == action.seat else player.interrupt
    return decide(observe(state, action.seat), memory, rng)


def _written(action: Opening) -> dict[str, Any]:
    if isinstance(action, OpeningRoll):
        return {"dice": [list(hand) for hand in action.dice]}
    return {"draw" if isinstance(action, OpenerDraw) else "leave": action.seat}


def _fair_record(data: Any) -> FairRecord:
    if isinstance(data, dict) and data.get("schema") not in SCHEMAS:
        raise StateError(f"unknown schema {abbreviated(data.get('schema'))}, not {' or '.join(SCHEMAS)}")
    keys = ("schema", "table", "commitment", "salt", "secret", "opening", "computers", "record")
    data = read.mapping(data, "the record", keys)
    computers = read.mapping(data["computers"], "computers", ("version", "calls"))
    secret = data["secret"]
    if secret is not None and not (isinstance(secret, str) and _HEX.fullmatch(secret)):
        raise StateError(f"secret must be 64 hex digits or null, not {type(secret).__name__}")
    return FairRecord(
        record=Record.from_dict(data["record"]),
        table=read.string(data["table"], "table"),
        commitment=read.string(data["commitment"], "commitment"),
        salt=read.string(data["salt"], "salt"),
        secret=None if secret is None else bytes.fromhex(secret),
        opening=tuple(
            _opening(entry, f"opening[{at}]") for at, entry in enumerate(read.sequence(data["opening"], "opening"))
        ),
        computer_calls=tuple(
            _computer_call(entry, f"computers.calls[{at}]")
            for at, entry in enumerate(read.sequence(computers["calls"], "computers.calls"))
        ),
        version=read.string(computers["version"], "computers.version"),
        schema=data["schema"],
    )


def _computer_call(data: Any, where: str) -> ComputerCall:
    entry = read.sequence(data, where)
    if len(entry) != len(ComputerCall._fields):
        raise StateError(f"{where} must be round, call and agent, not {abbreviated(data)}")
    number, call, agent = entry
    return ComputerCall(read.integer(number, where), read.integer(call, where), read.string(agent, where))


def _opening(data: Any, where: str) -> Opening:
    kind = next((key for key in ("dice", "draw", "leave") if isinstance(data, dict) and key in data), "dice")
    value = read.mapping(data, where, (kind,))[kind]
    if kind == "dice":
        return OpeningRoll(DICE.read(value, where))
    seat = read.integer(value, where)
    return OpenerDraw(seat) if kind == "draw" else Leave(seat)


publish(globals())
