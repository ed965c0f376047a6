"""An act is declared once: it serves tests with and without `async`, the control API, and through it the page."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from functools import update_wrapper, wraps
from types import MethodType
from typing import Annotated, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from pydantic import Field

from telegram_sandbox.model import MediaKind, Person
from telegram_sandbox.world import World

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A", bound="Actor")
S = TypeVar("S", bound="HasWorld")

LONGEST_TIME = 10 * 365 * 86_400
Name = Annotated[str, Field(min_length=1, max_length=64)]
Title = Annotated[str, Field(min_length=1, max_length=128)]
Username = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{0,32}$")]
Text = Annotated[str, Field(max_length=100_000)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_TIME)]


@dataclass(frozen=True, slots=True)
class Actor:
    """A person who acts."""

    world: World = field(repr=False)
    id: int
    """The person's Telegram id."""

    @property
    def person(self) -> Person:
        """The account."""
        return self.world.people[self.id]

    def mark(self) -> None:
        """Note that this person acts now: what the bot did before is no answer to it."""
        last = self.world.last_acts[self.id]
        last.changes, last.calls = self.world.changes, self.world.calls.total


class AwaitedActor(Actor):
    """A person whose acts are awaited, in any event loop."""

    __slots__ = ()


class BlockingActor(Actor):
    """A person whose acts wait in the calling thread, which has no event loop."""

    __slots__ = ()


class HasWorld(Protocol):
    """A part of a sandbox that is changed, from any thread."""

    @property
    def world(self) -> World:
        """The sandbox's world."""


class Act(Generic[P, T]):
    """A method of a person; `address` is its verb and path in the control API, `who` the field with the person's id."""

    def __init__(self, method: Callable[..., Any], address: str, who: str) -> None:
        self.method, self.address, self.who = method, address, who

    @overload
    def __get__(self, one: AwaitedActor, owner: type[Any]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, one: BlockingActor, owner: type[Any]) -> Callable[P, T]: ...
    @overload
    def __get__(self, one: None, owner: type[Any]) -> Callable[..., Any]: ...
    def __get__(self, one: Actor | None, owner: type[Any]) -> Callable[..., Any]:
        async def awaited(one: Actor, /, *args: P.args, **kwargs: P.kwargs) -> T:
            loop = one.world.loop
            if loop is None or loop is asyncio.get_running_loop():
                return await self.perform(one, *args, **kwargs)
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self.perform(one, *args, **kwargs), loop))

        def waited_for(one: Actor, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return one.world.wait_for(lambda: self.perform(one, *args, **kwargs))

        call = update_wrapper(waited_for if issubclass(owner, BlockingActor) else awaited, self.method)
        return call if one is None else MethodType(call, one)

    async def perform(self, one: Actor, /, *args: Any, **kwargs: Any) -> T:
        """Act, in the sandbox's event loop."""
        done = self.method(one, *args, **kwargs)
        if isinstance(done, Coroutine):
            awaited: T = await done
            return awaited
        one.mark()
        found: T = done
        return found


def act(address: str, who: str = "from") -> Callable[[Callable[Concatenate[A, P], T]], Act[P, T]]:
    """Declare an act of a person that is done when it returns."""
    return lambda method: Act(method, address, who)


def of_kind(kind: MediaKind, method: Callable[Concatenate[A, MediaKind, P], T]) -> Act[P, T]:
    """Declare an act with files of one kind; the control API has the one with files of any kind."""
    return Act(wraps(method)(lambda one, *args, **kwargs: method(one, kind, *args, **kwargs)), "", "from")


def waits(address: str) -> Callable[[Callable[Concatenate[A, P], Coroutine[Any, Any, T]]], Act[P, T]]:
    """Declare an act of a person that waits for the bot, and marks itself when it acts."""
    return lambda method: Act(method, address, "from")


@dataclass(frozen=True, slots=True)
class SandboxAct:
    """A change of the sandbox, as the control API sees it."""

    method: Callable[..., Any]
    address: str


def change(address: str) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Declare a change of the sandbox that any thread may make."""

    def declare(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def run(one: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            return one.world.run_in_loop(lambda: method(one, *args, **kwargs))

        run.declared = SandboxAct(method, address)  # type: ignore[attr-defined]
        return run

    return declare


def declared(table: type[Any]) -> Iterator[tuple[str, Act[..., Any] | SandboxAct]]:
    """Yield the acts of a class with their names."""
    for name, value in vars(table).items():
        found = getattr(value, "declared", value)
        if isinstance(found, (Act, SandboxAct)) and found.address:
            yield name, found
