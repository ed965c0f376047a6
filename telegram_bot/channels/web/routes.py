"""The HTTP interface of web pages: requests, permissions, limits."""

import asyncio
import gzip
import logging
import mimetypes
import re
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlsplit

import segno
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from telegram_bot.channels.web import entering, hosts, screens, seats
from telegram_bot.channels.web.card_store import card_in_slot
from telegram_bot.channels.web.init_data import InitDataError, read_init_data
from telegram_bot.channels.web.limits import MOST_KEYS, CallLimits, ListGuests
from telegram_bot.channels.web.pairing import Pairing
from telegram_bot.channels.web.sessions import (
    LEAST_ADDRESS,
    MOST_ADDRESS,
    NAME,
    Page,
    RefusedRequestError,
    find_page,
    was_replaced,
)
from telegram_bot.channels.web.source import BadActError, WebSource, guest_name, table_of, what_of
from telegram_bot.channels.web.static_files import page_html, static_file
from telegram_bot.channels.web.streams import Stream, Streams
from telegram_bot.ingress.http_body import read_json_object
from telegram_bot.ingress.inbox import InboxWorker, ProcessingResult
from telegram_bot.ingress.networks import Proxies, site_of
from telegram_bot.intents.forms import LARGEST
from telegram_bot.intents.intents import Place
from telegram_bot.intents.request import Request as PersonsRequest
from telegram_bot.notices import Confirmation, ConfirmationNotice
from telegram_bot.notices.rendering import toast_on_page
from telegram_bot.presentation.features import PAGE_PARTS
from telegram_bot.presentation.pictures import Artist
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.settings.sections import WebSeatSettings
from telegram_bot.storage.database import is_transient, reason
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import Seat, is_person
from telegram_bot.tables.play import LATEST_SECONDS
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue, language_names
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.languages import ENGLISH, nearest_language
from telegram_bot.words.page import error_text, page_catalogue, page_words
from telegram_bot.words.rules import rules_text

log = logging.getLogger(__name__)

MOST_BYTES: Final = 8192
ANSWER_SECONDS: Final = 10.0
MOST_DRAWN: Final = 8
LONGEST_ID: Final = 64
TELEVISION: Final = "_tv"
"""The end of the Mini App's start parameter if the page asks at once for the letters of a television."""
SESSION_DAYS: Final = 30
_NONE: Final = "'none'"
_SELF: Final = "'self'"
_POLICY: Final = {
    "default-src": _NONE,
    "script-src": _SELF,
    "style-src": _SELF,
    "img-src": f"{_SELF} blob:",
    "connect-src": _SELF,
    "base-uri": _NONE,
    "form-action": _NONE,
}
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
IsInGroup: TypeAlias = Callable[[int, int, str], Awaitable[bool]]
"""Whether a person is in a group, by the addresses of both, and the chat's second number in a signed link, or ""."""


class WebRoutes:
    """The routes of the web seat."""

    def __init__(
        self,
        service: Service,
        source: WebSource,
        streams: Streams,
        *,
        settings: WebSeatSettings,
        token: str,
        is_in_group: IsInGroup,
    ) -> None:
        """`token`: the bot's token, which verifies Telegram's signature of a Mini App's user; empty: no Mini App."""
        self.service = service
        self.pairing = Pairing()
        self.source = source
        self.streams = streams
        self.settings = settings
        self.token = token
        self.is_in_group = is_in_group
        self.limits = CallLimits()
        self._network: Callable[[Request], str] = Proxies(settings).network_of
        self.list_guests = ListGuests()
        secure = urlsplit(settings.url).scheme == "https"
        self.cookie = "__Host-seat" if secure else "seat"
        self.secure = secure
        self.artist = Artist()
        self._drawn: OrderedDict[tuple[int, int, str], asyncio.Task[bytes | None]] = OrderedDict()
        """The last pictures, by the card's address and number, and the language: a whole room asks for the same one."""
        self._last: OrderedDict[int, tuple[str, dict[str, Any]]] = OrderedDict()
        """The id of a session's last act or change of its room, and the answer, of those who acted last."""

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return all routes."""

        async def act(request: Request) -> Response:
            return await self._act(request, inbox)

        async def open_table(request: Request) -> Response:
            return await self._open(request, inbox)

        async def room(request: Request) -> Response:
            return await self._room(request, inbox)

        posts: dict[str, Endpoint] = {
            "door": self._door,
            "enter": self._enter,
            "open": open_table,
            "app": self._app,
            "screen": self._screen,
            "pair": self._pair,
            "look": self._look,
            "stream": self._stream,
            "act": act,
            "room": room,
        }
        gets: dict[str, Endpoint] = {
            "me": self._me,
            "network": self._seen_from,
            "stream": self._stream,
            "words": self._words,
            "picture": self._picture,
        }
        pages = {
            "/": "guest",
            "/t": "guest",
            "/tv": "tv",
            "/app": "app",
            "/t/{link:path}": "guest",
            "/tv/{link:path}": "tv",
        }
        served = [(path, "GET", self._page_of(name)) for path, name in pages.items()]
        served.append(("/seat/static/{path:path}", "GET", self._file))
        served += [(f"/seat/{name}", "POST", self._guarded(call, own_origin=True)) for name, call in posts.items()]
        served += [(f"/seat/{name}", "GET", self._guarded(call)) for name, call in gets.items()]
        host = urlsplit(self.settings.url).hostname or ""
        own = [f"[{host}]" if ":" in host else host, "127.0.0.1", "localhost", "*.localhost"]
        known = [Middleware(TrustedHostMiddleware, allowed_hosts=own, www_redirect=False)]
        return [Route(path, call, methods=[method], middleware=known) for path, method, call in served]

    # Pages and files

    def _page_of(self, name: str) -> Endpoint:
        headers = _framed_by(self.settings.frame_ancestors if name == "app" else self.settings.sandboxes)

        async def show(request: Request) -> Response:
            if (meant := _meant(request)) is not None:
                return RedirectResponse(meant, headers=headers)
            html = page_html(name, _browser_language(request)).encode()
            return _kept(request, html, "text/html", headers | {"Vary": "Accept-Encoding, Accept-Language"})

        return show

    async def _file(self, request: Request) -> Response:
        name = request.path_params["path"]
        found = static_file(name)
        if found is None:
            raise HTTPException(404)
        content = found.encode() if isinstance(found, str) else found.read_bytes()
        headers = _framed_by((), {"default-src": _NONE})  # a short one: each of thirty files carries it
        return _kept(request, content, mimetypes.guess_type(name)[0], headers)

    # Checks of every request

    def _guarded(self, call: Endpoint, *, own_origin: bool = False) -> Endpoint:
        """Wrap an endpoint: only our own pages may call it, and refusals are answered in JSON."""

        async def answer(request: Request) -> Response:
            try:
                self._limit("request", self._network(request))
                if own_origin:
                    self._require_own_origin(request)
                response = await call(request)
            except RefusedRequestError as refused:
                response = self._refusal(request, refused)
            except HTTPException as error:
                name = "too_long" if error.status_code == 413 else "bad_request"  # noqa: PLR2004 - HTTP's own number
                response = self._refusal(request, RefusedRequestError(error.status_code, name))
            except SQLAlchemyError as error:
                if not is_transient(error):
                    raise
                log.warning("a request of a page has to be repeated: %s", reason(error))
                response = self._refusal(request, RefusedRequestError(503, "try_again", 1))
            response.headers.update(_HEADERS)
            response.headers.setdefault("Cache-Control", "no-store")
            return response

        return answer

    def _require_own_origin(self, request: Request) -> None:
        origin, site = request.headers.get("origin", ""), request.headers.get("sec-fetch-site", "same-origin")
        own = {urlsplit(self.settings.url).netloc, request.headers.get("host", "")}
        try:
            theirs = urlsplit(origin).netloc
        except ValueError:
            theirs = ""
        if not theirs or theirs not in own or site != "same-origin":
            raise RefusedRequestError(403, "foreign")

    def _refusal(self, request: Request, refused: RefusedRequestError) -> Response:
        w = catalogue(_browser_language(request))
        headers = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
        said: dict[str, Any] = {"error": refused.name, "text": error_text(refused.name, w)}
        if refused.name == "no_session":
            said["may_open"] = self.settings.tables
        return JSONResponse(said, status_code=refused.status, headers=headers)

    def _limit(self, kind: str, *keys: int | str) -> None:
        for key in keys:
            wait = self.limits.take(kind, key, self.service.now())
            if wait:
                raise RefusedRequestError(429, "too_many", wait)

    def _asks(self, request: Request) -> Callable[[], None]:
        """Return the limit of requests to hosts for the request's network."""
        return partial(self._limit, "ask", self._network(request))

    @contextmanager
    def _guess(self, request: Request) -> Generator[None]:
        """Count a refused request as a guess at a code: with too many its network is told to wait instead."""
        try:
            yield
        except RefusedRequestError as refused:
            if refused.status in (403, 404):
                self._limit("guess", self._network(request))
            raise

    def _token(self, request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" else request.cookies.get(self.cookie, "")

    async def _known(self, request: Request) -> Page | None:
        token = self._token(request)
        return await self.service.run(find_page, token) if token else None

    async def _page(self, request: Request) -> Page:
        page = await self._known(request)
        if page is None:
            replaced = await self.service.run(was_replaced, self._token(request))
            raise RefusedRequestError(401, "seat_moved" if replaced else "no_session")
        return page

    # Sessions

    async def _door(self, request: Request) -> Response:
        asked = await _asked(request)
        code, key, own = (_word(asked, name, required=name == "code") for name in ("code", "key", "seat"))
        seen = await self.service.run(entering.title_at, code, key) if key else None
        if seen is None:  # a guess at a code, or at a person's own key
            self._limit("guess", self._network(request))
        if own:
            mine = await self.service.run(seats.seat_of_key, code, own)
        else:
            mine = await self.service.run(seats.lost_seat, self._token(request), code)
        absent = [] if mine else await self.service.run(seats.absent_at, code)
        if seen is None and (mine or not own):  # there is a table with this code, and the door asks again and again
            self.limits.give_back("guess", self._network(request))
        return JSONResponse(
            {
                "title": "" if seen is None else _title(seen, catalogue(_browser_language(request))),
                "absent": [_seat(seat) for seat in absent],
                "mine": None if mine is None else _seat(mine),
            }
        )

    async def _enter(self, request: Request) -> Response:
        self._limit("join", self._network(request))
        asked = await _asked(request)
        if "seat" in asked or "claims" in asked:
            return await self._return(request, asked)
        network, code, key = self._network(request), _word(asked, "code"), _word(asked, "key", required=False)
        is_guess = not key or await self.service.run(entering.title_at, code, key) is None
        if is_guess:
            self._limit("guess", network)
        page, token = await self.service.run(
            entering.enter,
            await self._known(request),
            code=code,
            key=key,
            name=_name(asked),
            face=_face(asked),
            language=_word(asked, "language", required=False) or ENGLISH,
            limit=self._asks(request),
        )
        if is_guess:  # there is a table with this code, whose host answers
            self.limits.give_back("guess", network)
        self.streams.wake_lanes(await self.service.run(hosts.tell_hosts))
        return await self._state(page, cookie=token)

    async def _return(self, request: Request, asked: dict[str, Any]) -> Response:
        """Open a seat by its player's own link, or ask the others whether it is the visitor's."""
        network = self._network(request)
        self._limit("guess", network)
        known, code = await self._known(request), _word(asked, "code")
        language = _word(asked, "language", required=False) or ENGLISH
        if "seat" in asked:
            page, token, lanes = await self.service.run(
                seats.take_seat, known, code=code, key=_word(asked, "seat"), language=language
            )
            self.streams.wake_lanes(lanes)
            return await self._state(page, cookie=token)
        player = asked["claims"]
        if type(player) is not int or not is_person(player) or player >= LARGEST:
            raise RefusedRequestError(400, "bad_request")
        old = self._token(request)
        back = await self.service.run(seats.come_back, old, code=code, player=player, language=language)
        if back is not None:
            page, token, lanes = back
            self.streams.wake_lanes(lanes)
            return await self._state(page, cookie=token)
        page, new = await self.service.run(
            seats.claim_seat, known, code=code, player=player, language=language, limit=self._asks(request)
        )
        self.streams.wake_lanes(await self.service.run(hosts.tell_hosts))
        return await self._state(page, cookie=new)

    async def _open(self, request: Request, inbox: InboxWorker) -> Response:
        if not self.settings.tables:
            raise RefusedRequestError(403, "no_tables")
        self._limit("open", self._network(request))
        asked = await _asked(request)
        known = await self._known(request)
        language = _word(asked, "language", required=False) or ENGLISH
        page, token = await self.service.run(
            entering.open_room, known, name=_name(asked), face=_face(asked), language=language
        )
        span = MOST_ADDRESS - LEAST_ADDRESS
        place = Place(NAME, -(LEAST_ADDRESS + secrets.randbelow(span)))
        await self._handled(inbox, page, f"open:{place.address}", {"act": "open"}, place=place.address)
        return await self._state(await self.service.run(entering.settle_in, page, place), cookie=token)

    async def _app(self, request: Request) -> Response:
        self._limit("join", self._network(request))
        asked = await _asked(request)
        try:
            launch = read_init_data(_word(asked, "init_data", longest=MOST_BYTES), self.token, self.service.now())
        except InitDataError as error:
            raise RefusedRequestError(403, "old_init_data" if error.is_old else "bad_init_data") from None
        person = launch.person
        self._limit("app", person.address)
        started = launch.start_param.removesuffix(TELEVISION)
        code = _word(asked, "code", required=False).removesuffix(TELEVISION) or started
        group = await self.service.run(entering.group_of, person, code) if code else None
        instance = launch.chat_instance if started.upper() == code.strip().upper() else ""
        in_group = group is not None and await self.is_in_group(group, person.address, instance)
        with self._guess(request):
            page, token = await self.service.run(
                entering.open_app, person, code or None, self._asks(request), in_group=in_group
            )
        self.streams.wake_lanes(await self.service.run(hosts.tell_hosts))
        return await self._state(page, token=token)

    async def _screen(self, request: Request) -> Response:
        self._limit("join", self._network(request))
        asked = await _asked(request)
        with self._guess(request):
            page, token = await self.service.run(
                screens.watch_screen,
                code=_word(asked, "code"),
                key=_word(asked, "key"),
                language=_browser_language(request),
            )
        return await self._state(page, token=token)

    async def _pair(self, request: Request) -> Response:
        await _asked(request)
        page, token = await self.service.run(
            screens.offer_screen,
            await self._known(request),
            language=_browser_language(request),
            site=site_of(self._network(request)),
            limit=partial(self._limit, "pair", self._network(request)),
            pairing=self.pairing,
        )
        return await self._state(page, token=token)

    async def _me(self, request: Request) -> Response:
        return await self._state(await self._page(request))

    async def _seen_from(self, request: Request) -> Response:
        return JSONResponse({"network": self._network(request)})

    async def _look(self, request: Request) -> Response:
        page = await self._page(request)
        asked = await _asked(request)
        with self._guess(request):
            page = await self.service.run(entering.look, page, _word(asked, "code"), self._asks(request))
        return await self._state(page)

    async def _state(self, page: Page, *, cookie: str | None = None, token: str | None = None) -> Response:
        state = await self.service.run(entering.page_state, page)
        seen = state.table
        w = catalogue(page.language)
        response = JSONResponse(
            {
                "state": state.state,
                "why": state.why,
                "text": "" if state.why is None else error_text(state.why, w),
                "kind": page.kind,
                "player": page.player,
                "name": None if page.person is None else page.person.name,
                "language": page.language,
                "table": None if seen is None else seen.table,
                "code": None if seen is None else seen.code,
                "title": "" if seen is None else _title(seen, w),
                "list": state.list_code,
                "tables": [{"table": each.table, "code": each.code, "title": _title(each, w)} for each in state.tables],
                "twice": state.asks_twice,
                "on": state.switched_on,
                "linked": page.linked,
                "claim": None if state.claim is None else {"name": state.claim.name, "number": state.claim.number},
                "pairing": None if state.pairing is None else self._pairing(*state.pairing),
                "may_open": self.settings.tables,
                "now": self.service.now(),
                "token": token,
            }
        )
        if cookie is not None:
            response.set_cookie(
                self.cookie,
                cookie,
                max_age=SESSION_DAYS * 86400,
                path="/",
                secure=self.secure,
                httponly=True,
                samesite="lax",
            )
        return response

    def _pairing(self, code: str, ends: float) -> dict[str, Any]:
        """Return the letters and the QR code by which a host brings a table to a television."""
        link = f"{self.settings.url.rstrip('/')}/t#tv={code}"
        return {"code": code, "ends": ends, "link": link, "qr": _qr(link)}

    async def _room(self, request: Request, inbox: InboxWorker) -> Response:
        page = await self._page(request)
        asked = await _asked(request)
        what, number = _word(asked, "do"), _word(asked, "id", required=False, longest=LONGEST_ID)
        if number and (before := self._before(page, number)) is not None:
            return before
        if what in ("admit", "refuse"):
            knock = {"act": what, "player": asked.get("player")}
            try:
                what_of(knock, "")
            except BadActError:
                raise RefusedRequestError(400, "bad_request") from None
            if await self.service.run(hosts.answers_for_list, page, asked["player"]):
                knock |= {"act": "let_in_room" if what == "admit" else "refuse_room", "room": page.chat}
            await self._answer_knock(inbox, page, number or secrets.token_hex(8), knock)
        if what == "pair":
            self._limit("guess", page.session if page.player is None else page.player, self._network(request))
            self.streams.wake_session(
                await self.service.run(screens.show_on_screen, page, _word(asked, "code", longest=LONGEST_ID))
            )
        own = await self.service.run(seats.keep_seat, page) if what == "keep_seat" else None
        if what in ("admit", "refuse", "show", "pair", "keep_seat"):
            room = await self.service.run(hosts.room_state, page)
        else:
            room = await self.service.run(hosts.change_room, page, what)
        base, w = self.settings.url.rstrip("/"), page_catalogue(page.language)
        key = "" if room.key is None else f"#{room.key}"
        link, to_list = f"{base}/t/{room.code}{key}", f"{base}/t/{room.list_code}{key}"
        to_seat = None if own is None else f"{base}/t/{room.code}#seat={own}"
        return self._answered(
            page,
            number,
            {
                "link": link,
                "screen": None if room.screen_key is None else f"{base}/tv/{room.code}#{room.screen_key}",
                "host": room.host,
                "locked": room.locked,
                "asks_first": room.asks_first,
                "asking": [{"player": player, "name": name} for player, name in room.asking],
                "claims": [claim._asdict() for claim in room.claims],
                "seat": None if to_seat is None else {"link": to_seat, "qr": _qr(to_seat)},
                "qr": _qr(link),
                "list": room.list_code and {"code": room.list_code, "link": to_list, "qr": _qr(to_list)},
                "rules": room.rules
                and {
                    "title": rules_title(room.rules, self.service.config.house_rules, w),
                    "lines": rules_text(room.rules, w),
                },
            },
        )

    async def _answer_knock(self, inbox: InboxWorker, page: Page, number: str, act: dict[str, Any]) -> None:
        """Admit or refuse a guest.

        Raises:
            RefusedRequestError: the player is not the host, or no guest is waiting.
        """
        newest = (await self.service.run(entering.page_state, page)).table
        if newest is not None:
            act |= {"table": newest.table}
        elif "room" not in act:
            raise RefusedRequestError(404, "no_table")
        result = await self._handled(inbox, page, number, act)
        toast = None if result is None else result.toast
        if toast is not None and toast.refusal is RejectionReason.NOT_HOST:
            raise RefusedRequestError(403, "not_host")
        if toast is not None and toast.refusal is not None:  # the answer gives away a reveal that is not shown yet
            raise RefusedRequestError(503, "one_moment", 2)
        if isinstance(toast, ConfirmationNotice) and toast.done is Confirmation.NOBODY_WAITS:
            raise RefusedRequestError(404, "no_guest")

    async def _words(self, request: Request) -> Response:
        language = nearest_language(request.query_params.get("language"), LANGUAGES) or ENGLISH
        w = catalogue(language)
        of_features = {key: text for part in PAGE_PARTS.values() for key, text in part.words(w).items()}
        answer = JSONResponse({**page_words(w), **of_features, "languages": language_names()})
        return _kept(request, bytes(answer.body), answer.media_type, {})

    async def _picture(self, request: Request) -> Response:
        """Return the picture of the card that the page's room shows in a slot."""
        page, slot = await self._page(request), request.query_params.get("slot", "")[:LONGEST_ID]
        self._limit("act", page.session, self._network(request))
        room = page.room
        card = (
            None if room is None else await self.service.database.run(lambda session: card_in_slot(session, room, slot))
        )
        picture = None if card is None else card.notice.picture(catalogue(page.language))
        if card is None or picture is None:
            raise RefusedRequestError(404, "bad_request")
        key = card.address, card.seq, page.language
        if key not in self._drawn:
            self._drawn[key] = asyncio.create_task(self.artist.draw(picture, picture.seconds or ANSWER_SECONDS))
            if len(self._drawn) > MOST_DRAWN:
                self._drawn.popitem(last=False)
        drawn = await asyncio.shield(self._drawn[key])
        if drawn is None:
            self._drawn.pop(key, None)
            raise RefusedRequestError(503, "try_again", 1)
        return Response(drawn, media_type="image/gif" if picture.animated else "image/png")

    # Acts

    async def _act(self, request: Request, inbox: InboxWorker) -> Response:
        page = await self._page(request)
        self._limit("act", page.session, self._network(request))
        act = await _asked(request)
        number = _word(act, "id", longest=LONGEST_ID)
        if (before := self._before(page, number)) is not None:
            return before
        state = await self.service.run(entering.page_state, page)
        if page.person is None or page.room is None or (state.table is None and state.list_code is None):
            raise RefusedRequestError(403, "no_table")
        code = "" if state.table is None else state.table.code
        if page.linked and state.table is not None:
            act = {"table": state.table.table} | act
        try:
            request_at = what_of(act, code), table_of(act)
        except BadActError:
            raise RefusedRequestError(400, "bad_request") from None
        if act["act"] == "open":
            raise RefusedRequestError(400, "bad_request")
        if page.linked:
            await self._require_this_seat(page, *request_at)
        if act["act"] in ("join", "name"):  # each tells the whole room
            self._limit(act["act"], page.session)
        if isinstance(act.get("code"), str):
            if act["code"].strip().upper() != state.list_code:
                self._limit("guess", self._network(request))
            if page.kind == "guest" and page.player is not None:
                site = site_of(self._network(request))
                act["asks"] = self.list_guests.must_ask(act["code"], site, page.player)
        return self._answered(page, number, _answer(await self._handled(inbox, page, number, act, code=code)))

    def _before(self, page: Page, number: str) -> Response | None:
        """Return the answer to a request that the page repeats, or None if it is new."""
        last = self._last.get(page.session)
        return JSONResponse(last[1] | {"repeated": True}) if last is not None and last[0] == number else None

    def _answered(self, page: Page, number: str, answer: dict[str, Any]) -> Response:
        """Answer a request, and remember the answer of one with a number, which may be lost."""
        if number:
            self._last[page.session] = number, answer
            self._last.move_to_end(page.session)
        if len(self._last) > MOST_KEYS:
            self._last.popitem(last=False)
        return JSONResponse(answer)

    async def _require_this_seat(self, page: Page, request: PersonsRequest, table: int | None) -> None:
        """Make sure that a page that was opened for one seat acts at a table of its room, and changes nothing else.

        Raises:
            RefusedRequestError: the act is about something else.
        """
        if not (request.at_one_table and table is not None and await self.service.run(entering.is_here, page, table)):
            raise RefusedRequestError(403, "this_seat")

    async def _handled(
        self,
        inbox: InboxWorker,
        page: Page,
        number: str,
        act: dict[str, Any],
        *,
        code: str = "",
        place: int | None = None,
    ) -> HandleResult | None:
        """Return the result of an act after its commit, or None if it was handled before.

        Raises:
            RefusedRequestError: it is unknown whether the act was handled.
        """
        if page.person is None:
            raise RefusedRequestError(403, "no_table")
        who = page.person
        person = {"channel": who.channel, "address": who.address, "name": who.name}
        person |= {"username": who.username, "language": who.language}
        cause = f"{page.session}:{number}"
        payload = {"who": person, "act": act, "code": code, "place": place}
        if cause in self.source.waiting:  # the page has given up waiting and sent the act again
            raise RefusedRequestError(503, "one_moment", 1)
        waiting: asyncio.Future[HandleResult | None] = asyncio.get_running_loop().create_future()
        self.source.waiting[cause] = waiting
        try:
            begun = await inbox.take(NAME, cause, payload)
            if begun is None:
                return None
            async with asyncio.timeout(ANSWER_SECONDS):
                if await begun is not ProcessingResult.DONE:
                    raise RefusedRequestError(503, "try_again", 1)
                return await waiting
        except TimeoutError:
            raise RefusedRequestError(503, "try_again", 1) from None
        finally:
            del self.source.waiting[cause]

    # Streams

    async def _stream(self, request: Request) -> Response:
        self._limit("stream", self._network(request))
        page = await self._page(request)
        tab = request.query_params.get("tab", "")[:LONGEST_ID]
        stream = self.streams.open(page, tab, self._network(request))
        if stream is None:
            raise RefusedRequestError(429, "too_many", 5)
        return _EventResponse(self.streams, stream)


class _EventResponse(StreamingResponse):
    """A stream's events; the stream is closed when its reader disconnects."""

    def __init__(self, streams: Streams, stream: Stream) -> None:
        headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
        super().__init__(streams.events(stream), media_type="text/event-stream", headers=headers)
        self._leave = partial(streams.leave, stream)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


@lru_cache(maxsize=128)
def _packed(content: bytes) -> tuple[bytes, str]:
    """Return content compressed, and its tag: a weak one, because it is the same for both forms."""
    return gzip.compress(content, 9, mtime=0), f'W/"{sha256(content).hexdigest()[:16]}"'


def _kept(request: Request, content: bytes, media_type: str | None, headers: dict[str, str]) -> Response:
    """Return content that browsers keep, compressed; or 304 if theirs is the same."""
    packed, tag = _packed(content)
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding", "ETag": tag} | headers
    kept = request.headers.get("if-none-match", "").split(",")
    if tag.removeprefix("W/") in (each.strip().removeprefix("W/") for each in kept):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers = packed, headers | {"Content-Encoding": "gzip"}
    return Response(content, headers=headers, media_type=media_type)


def _meant(request: Request) -> str | None:
    """Return the address of a link that a messenger has changed, or None if it is as it was.

    Some write # as %23, or put signs after the code.
    """
    link: str = request.path_params.get("link", "-")
    code, _, fragment = re.sub(r"^(\w*)[^#]*", r"\1", link, flags=re.ASCII).partition("#")
    if link in ("-", code) and link:
        return None
    page = request.url.path.split("/")[1]
    return f"/{page}" + (f"/{code}" if code else "") + (f"#{quote(fragment, safe='=')}" if fragment else "")


def _browser_language(request: Request) -> str:
    return nearest_language(request.headers.get("accept-language", "").partition(",")[0], LANGUAGES) or ENGLISH


def _framed_by(ancestors: Sequence[str], policy: dict[str, str] = _POLICY) -> dict[str, str]:
    """Return the headers of a file that only these addresses may frame."""
    policy = policy | {"frame-ancestors": " ".join(ancestors) or _NONE}
    headers = _HEADERS | {"Content-Security-Policy": "; ".join(map(" ".join, policy.items()))}
    return headers | {"Cache-Control": "no-cache"} | ({} if ancestors else {"X-Frame-Options": "DENY"})


def _qr(link: str) -> list[str]:
    """Return the rows of a link's QR code, dark is 1."""
    return ["".join(map(str, row)) for row in segno.make_qr(link, error="m").matrix]


def _seat(seat: Seat) -> dict[str, Any]:
    return {"player": seat.player, "name": seat.name, "face": None if seat.face is None else seat.face.sign}


def _title(seen: entering.SeenTable, w: Catalogue) -> str:
    return w.say("{name}'s table", name=seen.title) if seen.opened_on_a_page else seen.title


def _answer(result: HandleResult | None) -> dict[str, Any]:
    """Return the page's answer to its act."""
    answer: dict[str, Any] = {"done": True, "text": "", "kind": None, "reason": None, "repeated": result is None}
    toast = None if result is None else result.toast
    if result is not None and (result.repeated or result.ignored):
        answer |= {"done": result.repeated, "repeated": result.repeated}
    if result is None or toast is None:
        return answer
    answer |= {"text": toast_on_page(toast, page_catalogue(result.language or ENGLISH)), "kind": toast.kind}
    if toast.refusal is not None:
        answer |= {"done": False, "reason": toast.refusal.name.lower()}
    elif toast.asks_again:
        answer |= {"done": False, "reason": "tap_again", "explains": toast.takes_time, "seconds": LATEST_SECONDS}
    return answer


async def _asked(request: Request) -> dict[str, Any]:
    """Return the fields of a request, in texts that every database accepts.

    Raises:
        RefusedRequestError: a text has a lone surrogate or a NUL.
    """
    asked = await read_json_object(request, MOST_BYTES)
    texts = [text for text in asked.values() if isinstance(text, str)]
    if any("\0" in text or text != text.encode(errors="ignore").decode() for text in texts):
        raise RefusedRequestError(400, "bad_request")
    return asked


def _word(asked: dict[str, Any], name: str, *, required: bool = True, longest: int = 256) -> str:
    """Return a text of a request.

    Raises:
        RefusedRequestError: it is missing, too long, or no text.
    """
    value = asked.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or not value or len(value) > longest:
        raise RefusedRequestError(400, "bad_request")
    return value


def _name(asked: dict[str, Any]) -> str:
    try:
        return guest_name(_word(asked, "name"))
    except BadActError:
        raise RefusedRequestError(400, "no_name") from None


def _face(asked: dict[str, Any]) -> Face | None:
    try:
        return Face(word) if (word := _word(asked, "face", required=False)) else None
    except ValueError:
        raise RefusedRequestError(400, "bad_request") from None
