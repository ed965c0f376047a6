"""The table of Bot API methods: which function answers which."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from telegram_sandbox.validation import AnyMethod
from telegram_sandbox.world import World

Handler = Callable[[World, Any], Any | Awaitable[Any]]
H = TypeVar("H", bound=Handler)

HANDLERS: dict[str, Handler] = {}


def answers(*models: type[AnyMethod]) -> Callable[[H], H]:
    """Let a function answer the methods whose parameters these models describe."""

    def register(handler: H) -> H:
        HANDLERS.update({model.__api_method__.lower(): handler for model in models})
        return handler

    return register
