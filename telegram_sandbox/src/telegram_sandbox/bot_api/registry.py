"""The table of Bot API methods: which function answers which."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from telegram_sandbox.validation import AnyMethod
from telegram_sandbox.world import World

Answer = Any | Awaitable[Any]
M = TypeVar("M", bound=AnyMethod)
Handler = Callable[[World, M], Answer]

HANDLERS: dict[str, Callable[[World, Any], Answer]] = {}


def answers(model: type[M]) -> Callable[[Handler[M]], Handler[M]]:
    """Let a function answer the method whose parameters `model` describes."""

    def register(handler: Handler[M]) -> Handler[M]:
        HANDLERS[model.__api_method__.lower()] = handler
        return handler

    return register
