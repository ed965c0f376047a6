"""Answers Bot API calls: /bot<token>/<method> and /file/bot<token>/<path>."""

import asyncio
import contextlib
import inspect
import logging
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from secrets import compare_digest
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive

from telegram_sandbox import schema
from telegram_sandbox.bot_api import (
    methods_attachments,
    methods_bot,
    methods_chat_info,
    methods_chats,
    methods_copies,
    methods_edits,
    methods_games,
    methods_gifts,
    methods_inline,
    methods_invitations,
    methods_media,
    methods_members,
    methods_messages,
    methods_payments,
    methods_stickers,
    methods_without_effect,
)
from telegram_sandbox.bot_api.method_names import METHOD_NAMES
from telegram_sandbox.bot_api.reading import read_request, without_effect
from telegram_sandbox.bot_api.registry import HANDLERS, Described
from telegram_sandbox.call_log import Call
from telegram_sandbox.errors import NOT_FOUND, UNAUTHORIZED, ApiError, bad_request
from telegram_sandbox.http_parameters import loggable, read_params
from telegram_sandbox.model import Json
from telegram_sandbox.outage import CONNECTION, reset_connection
from telegram_sandbox.request_values import InvalidRequestError
from telegram_sandbox.world import World

# Importing these modules fills the registry.
SUBJECTS = (
    methods_attachments,
    methods_bot,
    methods_chat_info,
    methods_chats,
    methods_copies,
    methods_edits,
    methods_games,
    methods_gifts,
    methods_inline,
    methods_invitations,
    methods_media,
    methods_members,
    methods_messages,
    methods_payments,
    methods_stickers,
    methods_without_effect,
)

LOG = logging.getLogger(__name__)
INTERNAL = 500
CLIENT_CLOSED_REQUEST = 499
NOT_BY_WEBHOOK = ("setwebhook", "deletewebhook", "close", "logout")
"""The methods, besides all that begin with `get`, that Telegram does not take from a webhook's answer."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call: Telegram's JSON, and the mistakes that `aiogram`'s models find in the call."""

    body: Json
    refusal: ApiError | None
    schema_error: str | None
    ignored: tuple[str, ...] = ()


class ClientDisconnectedError(Exception):
    """The bot closed the connection before it was answered."""


class OrderedResetError(Exception):
    """A fault resets the connection instead of an answer, after `outcome` if the call had its effect."""

    def __init__(self, outcome: CallResult | None) -> None:
        super().__init__()
        self.outcome = outcome


class BotApi:
    """Answers the bot and logs every call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._told: set[tuple[str, str]] = set()
        """The parameters without effect that the log has named."""
        world.webhook.perform = self._perform_by_webhook

    async def call(self, request: Request) -> Response:
        """Return one Bot API method."""
        began = time.perf_counter()
        method = str(request.path_params["method"])
        params: Json = {}
        connection = request.scope[CONNECTION]
        outage = self._world.outage
        if outage.kind is not None:
            return await self._answer_in_outage(request)

        async def read_and_answer() -> CallResult:
            nonlocal params, method
            self._check_token(str(request.path_params["token"]))
            params = await read_params(request, self._world.settings.max_body_bytes)
            method = method or str(params.get("method", ""))
            return await self._answer_with_fault(method, params, request.receive)

        outage.calls.add(connection)
        try:
            outcome = await _with_refusals(method, read_and_answer())
        except ClientDisconnectedError:
            return Response(status_code=CLIENT_CLOSED_REQUEST)
        except OrderedResetError as broken:
            reset_connection(connection)
            if broken.outcome is not None:
                self._log(method, params, broken.outcome, (time.perf_counter() - began) * 1000)
            return Response(status_code=CLIENT_CLOSED_REQUEST)
        finally:
            outage.calls.discard(connection)
        self._log(method, params, outcome, (time.perf_counter() - began) * 1000)
        wait = outcome.body.get("parameters", {}).get("retry_after")
        headers = None if wait is None else {"Retry-After": str(wait)}
        return JSONResponse(outcome.body, outcome.refusal.code if outcome.refusal else 200, headers)

    async def _perform_by_webhook(self, content_type: str, body: bytes) -> None:
        """Perform the call in a webhook's answer to an update, if there is one. The bot does not learn its result."""
        began = time.perf_counter()

        async def whole() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def never() -> Message:
            return await asyncio.Future()

        headers = [(b"content-type", content_type.encode())]
        answer = Request({"type": "http", "headers": headers, "query_string": b""}, whole)
        try:
            params = await read_params(answer, self._world.settings.max_body_bytes)
        except ApiError:  # most bots answer "ok" or nothing
            return
        method = str(params.pop("method", ""))
        if not method or method.lower() in NOT_BY_WEBHOOK or method.lower().startswith("get"):
            return
        try:
            outcome = await _with_refusals(method, self._answer_with_fault(method, params, never))
        except OrderedResetError as reset:  # there is no connection to reset: the call had its effect, or is lost
            if reset.outcome is None:
                return
            outcome = reset.outcome
        self._log(method, params, outcome, (time.perf_counter() - began) * 1000, by_webhook=True)

    async def file(self, request: Request) -> Response:
        """Return the bytes of a file, by the path that getFile gave."""
        try:
            self._check_token(str(request.path_params["token"]))
        except ApiError as refusal:
            return JSONResponse(refusal.body(), refusal.code)
        path = request.path_params["path"]
        for stored in self._world.files.values():
            if stored.path == path:
                return Response(stored.content, media_type="application/octet-stream")
        return JSONResponse(ApiError(NOT_FOUND, "Not Found").body(), NOT_FOUND)

    def _check_token(self, token: str) -> None:
        if token.startswith("0") or ":" not in token:
            raise ApiError(UNAUTHORIZED, "Unauthorized: invalid token specified")
        if not compare_digest(token.encode(errors="replace"), self._world.settings.token.encode()):
            raise ApiError(UNAUTHORIZED, "Unauthorized")

    async def _answer_with_fault(self, method: str, params: Json, receive: Receive) -> CallResult:
        """Answer a call, with the fault that a test asked for, if it concerns this call."""
        faults = self._world.faults
        fault = faults.take(method, params)
        if fault is None:
            return await self._answer(method, params, receive)
        if fault.kind == "refuse":
            raise fault.refusal()
        if fault.kind == "reset_before":
            raise OrderedResetError(None)
        if fault.kind == "stall_before":
            await _unless_disconnected(faults.wait(fault.seconds), receive)
        self._world.loses_messages = fault.kind == "lose"
        try:
            outcome = await self._answer(method, params, receive)
        finally:
            self._world.loses_messages = False
        if fault.kind == "stall_after":
            await faults.wait(fault.seconds)
        if fault.kind == "reset_after":
            raise OrderedResetError(outcome)
        return outcome

    async def _answer_in_outage(self, request: Request) -> Response:
        """During an outage there is no answer; at the end the connection is reset."""
        outage = self._world.outage
        with contextlib.suppress(ClientDisconnectedError):
            if outage.kind == "silent":
                await _unless_disconnected(outage.wait_until_over(), request.receive)
        reset_connection(request.scope[CONNECTION])
        return Response(status_code=CLIENT_CLOSED_REQUEST)

    async def _answer(self, name: str, params: Json, receive: Receive) -> CallResult:
        method = METHOD_NAMES.get(name.lower())
        if method is None:
            refusal = ApiError(NOT_FOUND, "Not Found: method not found")
            return CallResult(refusal.body(), refusal, f"the Bot API has no method {name}")
        if method.lower() not in HANDLERS:
            # Clients take 404 for a wrong token; Telegram never answers it to a method that it has.
            LOG.warning("the bot called %s, which telegram-sandbox does not support", method)
            refusal = bad_request(f"telegram-sandbox does not support {method}")
            return CallResult(refusal.body(), refusal, None)
        model, handler = HANDLERS[method.lower()]
        judges = self._world.settings.judge
        try:
            read = read_request(model, params)
        except InvalidRequestError as invalid:
            return CallResult(invalid.refusal.body(), invalid.refusal, invalid.why)
        wrong = schema.judge_request(method, params) if judges else None
        try:
            if methods_media.has_addresses(read):
                await _unless_disconnected(methods_media.with_downloads(self._world, read), receive)
            result: Any = handler(self._world, read)
            if inspect.isawaitable(result):
                result = await _unless_disconnected(result, receive)
        except ApiError as refusal:
            return CallResult(refusal.body(), refusal, wrong)
        body: Json = result._asdict() if isinstance(result, Described) else {"result": result}
        result = body["result"]
        wrong = wrong or (schema.judge_result(method, result) if judges else None)
        unknown = params.keys() - model.model_fields.keys() - {"method"}  # which Telegraf sends along with files
        ignored = tuple(sorted({*unknown, *without_effect(read)}))
        self._warn(method, ignored)
        return CallResult({"ok": True} | body, None, wrong, ignored)

    def _warn(self, method: str, ignored: tuple[str, ...]) -> None:
        """Name each parameter without effect once in the log."""
        for name in ignored:
            if (method, name) not in self._told:
                self._told.add((method, name))
                LOG.warning("telegram-sandbox ignores %s of %s", name[:100], method)

    def _log(self, method: str, params: Json, outcome: CallResult, ms: float, *, by_webhook: bool = False) -> None:
        call = Call(
            time=self._world.clock.now(),
            method=METHOD_NAMES.get(method.lower(), method[:100]),
            params=loggable(params, self._world.settings.token) if self._world.settings.keep_log else {},
            error=outcome.refusal.description if outcome.refusal else None,
            error_code=outcome.refusal.code if outcome.refusal else None,
            schema_error=outcome.schema_error,
            ignored=outcome.ignored,
            by_webhook=by_webhook,
            ms=ms,
        )
        self._world.calls.add(call)


async def _with_refusals(method: str, answer: Awaitable[CallResult]) -> CallResult:
    """Return an answer, a refusal, or the sandbox's own fault as a call's result."""
    try:
        return await answer
    except ApiError as refusal:
        return CallResult(refusal.body(), refusal, None)
    except (ClientDisconnectedError, OrderedResetError):
        raise
    except Exception as error:
        LOG.exception("%s broke the sandbox", method)
        fault = ApiError(INTERNAL, "Internal Server Error")
        return CallResult(fault.body(), fault, f"sandbox: {error!r}")


async def _unless_disconnected(result: Any, receive: Receive) -> Any:
    """Wait for an answer, but only as long as the bot stays connected."""
    answer = asyncio.ensure_future(result)
    disconnected = asyncio.ensure_future(_until_disconnected(receive))
    try:
        await asyncio.wait({answer, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise ClientDisconnectedError
        return answer.result()
    finally:
        answer.cancel()
        disconnected.cancel()


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
