"""Handle an intent in one transaction: check the cause, step, save the state, notices and deadline; commit."""

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

from sqlmodel import Session

from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.intents import Intent, ParseText, Place, SystemIntent
from telegram_bot.notices import Toast
from telegram_bot.observability import metrics
from telegram_bot.repositories.repositories import mark_followed, postpone_deadline
from telegram_bot.service.computer_requests import CallRequest, Computation
from telegram_bot.service.dirty_tables import DirtyTables
from telegram_bot.service.dispatcher import act_on, dispatch
from telegram_bot.service.hooks import HookFailedError
from telegram_bot.service.multi_table import serve_at_tables
from telegram_bot.service.outages import Outages
from telegram_bot.service.quotas import QuotaDecision, QuotaGate
from telegram_bot.service.subscribers import SUBSCRIBERS
from telegram_bot.service.typed_words import resolve_words
from telegram_bot.service.unit_of_work import Subscriber, UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.database_clock import DatabaseClock
from telegram_bot.storage.inbox_store import InboxStore, StoredUpdate
from telegram_bot.storage.key_value import KeyValueStore
from telegram_bot.storage.models import DiceStyle, LaneName
from telegram_bot.tables.events import RejectionReason

log = logging.getLogger(__name__)
T = TypeVar("T")
P = ParamSpec("P")

RETRY_SECONDS = 60
"""How long a deadline is postponed after an error, in seconds."""


@dataclass(frozen=True, slots=True)
class HandleResult:
    """The result of an intent: the answer to a tap, and the lanes that now contain notices."""

    toast: Toast | None = None
    lanes: frozenset[LaneName] = frozenset()
    repeated: bool = False
    language: str | None = None
    """The language of the answer."""
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    ignored: bool = False
    """The person is over a limit and knows it: no answer."""
    skipped: bool = False
    """There was no work."""
    call_requests: Sequence[CallRequest] = ()
    """The calls that the worker must compute now; each result becomes a `CallComputed`."""
    computations: Sequence[Computation] = ()
    """The computations of features that the worker must run now; each result becomes a `ComputationDone`."""


class Service:
    """Handles intents, each in its own transaction. Every change of a table goes through here."""

    def __init__(
        self,
        database: Database,
        config: ServiceConfig,
        *,
        rng: random.Random | None = None,
        clock: DatabaseClock | None = None,
        now: Callable[[], float] | None = None,
        parse_text: ParseText | None = None,
        subscribers: Sequence[Subscriber] = SUBSCRIBERS,
    ) -> None:
        self.database = database
        self.config = config
        self.rng = rng or random.SystemRandom()
        if now is None:
            clock = clock or DatabaseClock()
            now = clock.now
        self.now = now
        self.parse_text = parse_text
        self.subscribers = subscribers
        self.inbox_store = InboxStore(database, now)
        self.key_values = KeyValueStore(database, now)
        self.tables = DirtyTables()
        self.outages = Outages(database, now, clock, lambda: self.tables.mark_waiting(self.now()))
        self._failed_hooks = dict[tuple[str, int | None], float]()
        self.given_up = dict[tuple[int, str], str]()
        """See `UnitOfWork.given_up`."""
        self.quota_gate = QuotaGate(config.quotas, now, parse_text, config.channels.linkable)

    async def handle(self, intent: Intent | SystemIntent) -> HandleResult:
        """Handle an intent once: a repeated cause changes nothing."""
        if isinstance(intent, SystemIntent):
            with metrics.STEP_SECONDS.labels(intent.cause).time():
                return await self._step(lambda session: self.handle_within(session, intent))
        with metrics.STEP_SECONDS.labels("intent").time():
            result = await self._step(lambda session: self._handle(session, intent))
        effect = "duplicate" if result.repeated else "ignored" if result.ignored else "acted"
        metrics.UPDATES.labels(intent.source, effect).inc()
        log.debug("acted", extra={"intent": type(intent.request).__name__, "repeated": result.repeated})
        return result

    async def run(self, work: Callable[Concatenate[UnitOfWork, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of a unit of work in one transaction, without an intent; return its result."""
        return await self.database.run(lambda session: work(self.unit_of_work(session, ""), *args, **kwargs))

    async def _step(self, work: Callable[[Session], T]) -> T:
        """Run a transaction; if a feature fails in it, run it again without that feature."""
        while True:
            try:
                return await self.database.run(work)
            except HookFailedError:
                log.info("a step begins again without what has failed")

    def handle_within(self, session: Session, intent: SystemIntent) -> HandleResult:
        """Handle a system intent in a running transaction: delivery marks its message in the same one."""
        uow = self.unit_of_work(session, intent.cause)
        acted = act_on(uow, intent)
        return HandleResult(
            lanes=uow.finish(),
            skipped=not acted,
            call_requests=tuple(uow.call_requests),
            computations=tuple(uow.computations),
        )

    def _handle(self, session: Session, intent: Intent) -> HandleResult:
        if self.inbox_store.mark_done(session, intent.source, intent.cause):
            return HandleResult(repeated=True)
        uow = self.unit_of_work(session, f"{intent.source}:{intent.cause}")
        resolved = resolve_words(uow, intent)
        if resolved is None:
            return HandleResult(ignored=True)
        meant, request = resolved
        decision = self.quota_gate.check(session, intent, request)
        if decision is QuotaDecision.IGNORE:
            return HandleResult(ignored=True)
        if intent.answered_by != "toast":
            mark_followed(session, intent.where, intent.who.address)
        refused: RejectionReason | None = RejectionReason.TOO_FAST
        if decision is QuotaDecision.SERVE:
            refused, meant = None, serve_at_tables(uow, meant)
        toast, language, dice_style = dispatch(uow, meant, request, refused)
        return HandleResult(toast, uow.finish(), language=language, dice_style=dice_style)

    def unit_of_work(self, session: Session, cause: str) -> UnitOfWork:
        """Return a unit of work for one step."""
        return UnitOfWork(
            session=session,
            now=self.now(),
            rng=self.rng,
            config=self.config,
            cause=cause,
            parse_text=self.parse_text,
            subscribers=self.subscribers,
            failed_hooks=self._failed_hooks,
            given_up=self.given_up,
            tables=self.tables,
        )

    async def ignore(self, received: StoredUpdate, talk: Place | None) -> None:
        """Close an update without a request. `talk`: it is a message in this group."""

        def close(session: Session) -> None:
            if not self.inbox_store.mark_done(session, received.source, received.cause) and talk is not None:
                mark_followed(session, talk, 0)

        metrics.UPDATES.labels(received.source, "ignored").inc()
        await self.database.run(close)

    async def postpone(self, table: int) -> None:
        """Postpone a table's deadline that could not be handled."""
        await self.database.run(lambda session: postpone_deadline(session, table, self.now() + RETRY_SECONDS))
