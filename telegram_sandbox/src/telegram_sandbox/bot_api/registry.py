"""The table of Bot API methods, with the request and the function of each."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from telegram_sandbox.bot_api.requests import Method
from telegram_sandbox.world import World


class Described(NamedTuple):
    """A result that Telegram explains in the `description` of its answer."""

    result: Any
    description: str


Handler = Callable[[World, Any], Any | Awaitable[Any]]
H = TypeVar("H", bound=Handler)

HANDLERS: dict[str, tuple[type[Method], Handler]] = {}


WITHOUT_EFFECT: set[str] = set()
"""The methods that are accepted and change nothing."""


def accepts(*models: type[Method]) -> Callable[[H], H]:
    """Let a function answer the methods of these requests, which have no effect."""
    WITHOUT_EFFECT.update(model.__name__.lower() for model in models)
    return answers(*models)


def answers(*models: type[Method]) -> Callable[[H], H]:
    """Let a function answer the methods of these requests."""

    def register(handler: H) -> H:
        HANDLERS.update({model.__name__.lower(): (model, handler) for model in models})
        return handler

    return register
