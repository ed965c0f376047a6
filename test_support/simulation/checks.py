"""The properties that must always hold, and at rest. Each check yields a sentence for each fault that it finds."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import inf
from typing import Any, Final
from unittest import mock

from sqlmodel import Session, col, select

from perudo_core import Bid, Calza, Dudo
from telegram_bot import notices as n
from telegram_bot.channels.telegram import NAME as TELEGRAM_NAME
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.delivery import outbox
from telegram_bot.delivery.message import Message
from telegram_bot.delivery.sender import SendResult
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.notices.rendering import message_html
from telegram_bot.observability.logging import NUMBER
from telegram_bot.observability.metrics import REGISTRY
from telegram_bot.screens.differences import Difference, differences
from telegram_bot.screens.facts import read_facts
from telegram_bot.screens.wants import wants_of
from telegram_bot.service.handlers.clock import LEASE_SECONDS
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import (
    Chat,
    GameAction,
    GameTable,
    InboxEntry,
    NoticeStatus,
    OutboxEntry,
    Player,
    RoundEnd,
    SentMessage,
)
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import Status, Table, Timings
from telegram_bot.words.catalogue import catalogue
from telegram_sandbox.text.html_mode import parse_html
from telegram_sandbox.virtual_time import START
from test_support import shown_dice
from test_support.replayed_game import BrokenGameError, replay_game, stored_games
from test_support.shown_dice import DIE
from test_support.simulation.people import Page
from test_support.simulation.world import TOKEN, House, keys_of

WAITS_SECONDS: Final = 30.0
"""How long after its time anything may wait at rest."""
LONGEST_WAIT_SECONDS: Final = 10 * 86_400
"""A game whose people are all away waits a day for them, and a game with a clock of days as long as that."""
ASKED_WITHIN_SECONDS: Final = 1.8
"""The goal is 1.5 s; the network needs the rest."""
LEASES_OF_A_CALL: Final = math.ceil(Timings().think_patience_seconds / LEASE_SECONDS)
"""As many workers must end before a computer player's clock does."""
NOTICED_SECONDS: Final = 60.0
"""How long after the last fault a worker may notice that it died, stood still or lost a chat, and begin clocks anew."""
CHAT_SECONDS: Final = 1.0
"""A chat gets one message in this time."""
MINUTE: Final = 61.0
"""The period of a group's limit, with a margin for calls that were on their way."""
DICE: Final = re.compile(DIE)
COUNTED: Final = re.compile(r"Counted \d+")
"""Only the end of a round has it."""
SAID: Final = re.compile(r"\b(?:Ana|Bo|Cy|Dee|Eli|Fay|Gus|Gran|Ugo|Pia|Quin|Rex|Friends)\b")
"""The names of people and of their group, which no line of the log has."""
CALL_KEY: Final = re.compile(r"g:(\d+):(\d+):(bid=\d+x\d|dudo|calza)")
CALLS: Final = ("bid", "dudo", "calza")
EXPECTED: Final = {
    "odd update": re.compile(r"update \d+ is set aside: UnreadableError: "),
    "broken words": re.compile(r"the messages of table \d+ "),
}
"""By fault: the errors in the log that it causes."""
UPDATES: Final = ("telegram:", "sms:")
TIME: Final = re.compile(r"\d?\d:\d\d(?::\d\d)?")


# The database


def records_replay(session: Session) -> Iterator[str]:
    """Each game's record leads to its stored state in the core, its seal holds, and no update made two calls."""
    for game in stored_games(session):
        if (played := game.state.get("game")) is None:
            continue
        # A player may have another name by now.
        seats = [seat | {"name": name} for seat, name in zip(game.state["seats"], played["seats"], strict=True)]
        try:
            replay_game(replace(game, state=game.state | {"seats": seats}))
        except BrokenGameError as error:
            yield f"table {game.table}: {error}"
        calls = Counter(cause for cause, action in game.actions if action["type"] in CALLS)
        for cause, times in calls.items():
            if times > 1 and cause.startswith(UPDATES):
                yield f"{cause} made {times} calls at table {game.table}"


def nothing_waits(service: Service, session: Session) -> Iterator[str]:
    """At rest: no update, notice or reader waits that nothing will wake, and each running game has a next time."""
    for update in session.exec(select(InboxEntry).where(col(InboxEntry.done_at).is_(None))):
        yield f"update {update.cause} is not done: {update.error}"
    now = service.now()
    late = now - WAITS_SECONDS
    open_rows = select(OutboxEntry).where(col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING)))
    for entry in session.exec(open_rows):
        if entry.not_before < late and entry.created_at < late:
            kind = (entry.notice or {}).get("notice", {}).get("kind")
            yield f"notice {entry.id} ({kind}, slot {entry.slot}, after {entry.after_deal}) to {entry.lane} waits"
    for number, since in service.tables.due(late).items():
        if since < late:
            yield f"table {number} is dirty for {now - since:.0f} s"
    for lane, of in service.tables.missing.items():
        for number, missed in of.items():
            if missed.since < late:
                yield f"{lane} waits for {missed.slots} of table {number} for {now - missed.since:.0f} s"
    for table in session.exec(select(GameTable).where(col(GameTable.live), col(GameTable.due_at) < late)):
        yield f"table {table.id} ({table.status}) is due for {now - (table.due_at or now):.0f} s"


def dice_are_shown(session: Session) -> Iterator[str]:
    """Yield each end of a round that the table's chat has never seen."""
    for end in session.exec(select(RoundEnd).where(col(RoundEnd.seen_at).is_(None))):
        yield f"the dice of table {end.table_id}, deal {end.deal}, were never shown"


def games_end(house: House, session: Session, now: float) -> Iterator[str]:
    """Yield each game with a clock, and each lobby, that people left alone, and that nothing will end."""
    for table in session.exec(select(GameTable).where(col(GameTable.live))):
        clock = table.state.get("clock") or {}
        if table.status == Status.LOBBY and not table.state.get("suspension"):
            idle = max(house.plan.timings["lobby_idle_seconds"], 2 * clock.get("seconds", 0)) + WAITS_SECONDS
            noticed = 0 if house.plan.healthy else NOTICED_SECONDS
            if max(now, table.due_at or inf) > max(table.created_at, house.left_at + noticed) + idle:
                yield f"the lobby of table {table.id} is still open"
        if clock.get("seconds") and not now < (table.due_at or 0) <= now + LONGEST_WAIT_SECONDS:
            yield f"table {table.id} still runs ({table.status}, suspended {table.state.get('suspension')})"


def shown_is_wanted(house: House, service: Service, session: Session) -> Iterator[str]:
    """At rest: each message that a reader should see is on the screen in Telegram, with these words.

    Those of a table that is over may be of before a change of settings: they are noted.
    """
    uow = service.unit_of_work(session, "check")
    for row in session.exec(select(GameTable)).all():
        if (facts := read_facts(uow, row.id)) is None:
            continue
        known = {TABLES_CHAT, *facts.people} if row.live else set[int]()
        for reader in known | ({TABLES_CHAT, *facts.people} if row.updated_at > START else set()):
            for each in differences(uow, facts, list(wants_of(facts, reader)), {}):
                want, sent = each.want, session.get(SentMessage, (row.id, each.want.slot))
                if want.to.channel != TELEGRAM_NAME or want.frozen or (row.id, want.slot) in service.given_up:
                    continue
                if (fault := _difference(house, each, sent)) is None:
                    continue
                if sent is None or row.live or reader in known:
                    yield f"{want.slot} of table {row.id} ({row.status}) for reader {reader} {fault}"
                else:
                    house.outdated.add((sent.chat, sent.message))


def _difference(house: House, each: Difference, sent: SentMessage | None) -> str | None:
    if sent is None:
        return f"was never shown: {each.want.notice.kind}"
    if sent.frozen or (each.want.once and sent.key):
        return None
    if sent.receiver is None:
        on_screen = house.world.find_message(sent.chat, sent.message)
    else:
        on_screen = house.world.find_ephemeral(sent.chat, sent.receiver, sent.message)
    if on_screen is None:
        is_missed = (sent.chat, sent.message) not in house.deleted and sent.receiver is None
        return f"is not on the screen: message {sent.message} of {sent.chat}" if is_missed else None
    envelope = each.notification.envelope
    w = catalogue(envelope.language, envelope.dice_style)
    html = message_html(envelope.notice, w) or ""
    seen, should = _timeless(on_screen.text or ""), _timeless(parse_html(html, lambda _: None).text)
    if seen != should:
        return f"shows {seen!r} and should show {should!r}"
    wants = _requests(chain(*keyboard(envelope.notice, w, bot="", inline=True)))
    has = _requests(keys_of(on_screen))
    is_known = has == wants or not has or any(":faces" in each or ":more" in each for each in has)
    return None if is_known else f"has the keys {has} and should have {wants} below {seen!r}"


def _requests(keys: Iterable[dict[str, Any]]) -> list[str]:
    """Return what keys ask the bot for; a player may look through the bids meanwhile."""
    return [key["callback_data"] for key in keys if "callback_data" in key]


def pages_are_up_to_date(house: House, fresh: Sequence[Page]) -> Iterator[str]:
    """At rest: each page that was open all the time shows what the same page shows that is opened now."""
    if house.counts["feature off"]:
        return  # a page that was open keeps what it shows until something changes or it is opened anew
    for page, other in zip([page for page in house.pages if page.reads], fresh, strict=True):
        for slot, card in other.cards.items():
            if (seen := page.cards.get(slot)) != card:
                yield f"the page of {page.name} shows {seen} in {slot}, and opened anew {card}"


def _timeless(words: str) -> str:
    return TIME.sub("…", words.replace("\N{NO-BREAK SPACE}", " ")).strip()


def the_group_learns_first(house: House, session: Session) -> Iterator[str]:
    """Check that a group is shown the dice of each round, and before a private chat is told of its end."""
    rounds = defaultdict[int, dict[int, int]](dict)
    for end in session.exec(select(RoundEnd)):
        rounds[end.table_id][end.deal] = int(end.view["round"])
    groups = select(GameTable.id).join(Chat).where(Chat.channel == TELEGRAM_NAME, Chat.address < 0)
    groups = groups.where(GameTable.created_at > START)  # of older ones the group saw more
    in_groups = set(session.exec(groups))
    shown = set(house.doubtful)
    for to, notice in ((sent.envelope, sent.envelope.notice) for sent in house.sent):
        match notice:
            case n.RevealNotice(view=view):
                table, told = view.table, {view.round}
            case n.HandNotice(view=hand, deal=deal, called=None):
                table = hand.table.table
                told = {each for ended, each in rounds[table].items() if ended < deal}
            case n.GameOverNotice(view=over):
                table, told = over.table, set(rounds[over.table].values())
            case _:
                continue
        if to.chat < 0 and to.receiver is None:
            if isinstance(notice, n.RevealNotice):
                shown |= {(table, each) for each in told}
        elif table in in_groups:
            for each in sorted({(table, each) for each in told} - shown):
                yield f"{notice.kind} tells {to.chat} of round {each[1]} of table {table} before its group"
    for table in sorted(in_groups):
        for number in sorted({number for number in rounds[table].values() if (table, number) not in shown}):
            yield f"the dice of round {number} of table {table} were never shown in its group"


# The house


def who_is_asked_reads_it_last(house: House) -> Iterator[str]:
    """Check that a board in a private chat that begins to ask is the newest message there."""
    newest, asking = dict[int, int](), dict[int, bool]()
    for sent in house.sent:
        chat, notice, number = sent.envelope.chat, sent.envelope.notice, sent.number or 0
        if chat < 0 or sent.envelope.channel != TELEGRAM_NAME or isinstance(notice, n.BidsNotice):
            continue  # the player of a `BidsNotice` looks through the bids of a board that asks
        board = notice.view if isinstance(notice, n.HandNotice) else None
        # For one who is away the bot plays: they are sent no new board.
        asks = board is not None and board.on_turn and not board.table.seats[board.seat].away
        if sent.is_new:
            newest[chat] = number
        elif asks and not asking.get(number, False) and newest.get(chat, number) > number:
            yield f"{chat} is asked by an edit of message {number}, above message {newest[chat]}"
        asking[number] = asks


def log_is_clean(house: House) -> Iterator[str]:
    """No line of the log is an error, or has a token, a number or dice."""
    expected = [EXPECTED[fault] for fault in EXPECTED if fault in house.counts]
    for record in house.log.lines:
        line = record.getMessage()
        if record.levelname in ("ERROR", "CRITICAL") and not any(each.match(line) for each in expected):
            yield f"{record.levelname}: {line} {record.exc_info and record.exc_info[1]!r}"
        if TOKEN.partition(":")[2] in line or NUMBER.search(line) or DICE.search(line) or SAID.search(line):
            yield f"a secret in the log: {line}"


def log_tells_every_move(house: House) -> Iterator[str]:
    """In the log a reader can follow each step of a person to the update that caused it."""
    with house.stored().transaction() as session:
        causes = [cause.partition(":") for cause in session.exec(select(GameAction.cause))]
    updates = {update for source, _, update in causes if source == TELEGRAM_NAME}
    if missing := updates - house.log.acted:
        yield f"the log does not say that updates {sorted(missing)} were acted on"


def metrics_agree(house: House) -> Iterator[str]:
    """Compare the numbers for Prometheus with the database and with what people saw."""
    with house.stored().transaction() as session:
        updates = len(session.exec(select(InboxEntry.id).where(InboxEntry.source == TELEGRAM_NAME)).all())
        sent = len(session.exec(select(OutboxEntry.id).where(OutboxEntry.status == NoticeStatus.SENT)).all())
    answered = sum(tap.answered for tap in house.world.taps.values())
    found = {name: value - house.metrics[name] for name, value in counted().items()}
    wrong = {
        "updates": not found["received"]
        == found["acted"] + found["ignored"]
        <= updates,  # delivery stores some as well
        "failures": bool(found["duplicate"] + found["failed"] + found["dead"]),
        "steps": found["steps"] < found["acted"],
        "taps": found["taps"] != answered,
        "sends": not 0 < found["sends"] <= min(found["seconds of sends"], sent),
    }
    if any(wrong.values()):
        yield f"{updates} updates, {answered} taps and {sent} notices are stored, and the metrics say {found}: {wrong}"


def counted() -> dict[str, float]:
    """Return the metrics since the beginning of this process, which plays many evenings."""
    of_telegram, results = {"source": TELEGRAM_NAME}, ("acted", "ignored", "duplicate", "failed", "dead")
    asked: dict[str, tuple[str, dict[str, str]]] = {
        "received": ("updates_received_total", of_telegram),
        "steps": ("step_seconds_count", {"cause": "intent"}),
        "taps": ("tap_to_answer_seconds_count", {}),
        "sends": ("sends_total", {"channel": TELEGRAM_NAME, "result": "sent"}),
        "seconds of sends": ("send_seconds_count", {"channel": TELEGRAM_NAME}),
        **{each: ("updates_total", of_telegram | {"result": each}) for each in results},
    }
    return {each: REGISTRY.get_sample_value(f"perudo_{name}", labels) or 0.0 for each, (name, labels) in asked.items()}


def only_the_player_on_turn_is_asked(house: House) -> Iterator[str]:
    """In private chats, only the player to call has keys with calls, besides calza, and only those of this turn."""
    with house.stored().transaction() as session:
        tables = {table.id: table for table in house.games()}
        people = {player.id: player.address for player in session.exec(select(Player))}
        open_rows = select(col(OutboxEntry.lane)).where(col(OutboxEntry.status) == NoticeStatus.PENDING)
        changing = {lane.chat for lane in session.scalars(open_rows)}  # `nothing_waits` looks at these
    for message in house.world.messages.values():
        if message.chat_id < 0 or message.chat_id in changing or message.lost:
            continue
        calls = list(filter(None, map(CALL_KEY.fullmatch, _requests(keys_of(message)))))
        if len({found[1] for found in calls}) > 1:
            continue  # the answer to words that may be of several tables: a player's own call, once for each
        for found in calls:
            table = tables.get(int(found[1]))
            turn = None if table is None or table.game is None else table.game.turn
            on_turn = None if table is None or turn is None else people.get(table.seats[turn].player or 0)
            if table is None or table.step != int(found[2]) or (found[3] != "calza" and on_turn != message.chat_id):
                yield f"{message.chat_id} is still asked by {message.text!r}: {found[0]}"


def engines_cost_no_turn(house: House) -> Iterator[str]:
    """Check that an engine that misbehaves has one line in the log."""
    lines = [line.getMessage() for line in house.log.lines]
    told = sum("found no call: " in line and "has died several times" not in line for line in lines)
    if told != (failed := house.counts["engine fails"]):
        yield f"an engine failed {failed} times, and the log says so {told} times"


def computers_call_in_time(house: House) -> Iterator[str]:
    """Check that the bot waits for no call of a computer player until its clock ends, while workers look often.

    A worker that ends meanwhile takes the call with it, and the next one asks when the lease of that call has ended:
    the clock has no time for two leases.
    """
    for line in house.log.lines:
        if "thought about for too long" in line.getMessage():
            patience = line.created - Timings().think_patience_seconds
            if sum(patience <= began <= line.created for began in house.began_at) < LEASES_OF_A_CALL:
                yield f"the call of a computer player was waited for too long, until {line.created:.1f}"


def texts_and_calls_fit(house: House) -> Iterator[str]:
    """No call of the bot is one that the Bot API does not know."""
    for call in house.world.calls.schema_failures:
        yield f"call {call.method}: {call.schema_error}"
    for call in () if "refused for a while" in house.plan.faults else house.world.calls.flood_refusals:
        # A restored backup does not know the messages of the last minute.
        if not any(0 <= call.time - at < MINUTE for at in house.restored_at):
            yield f"the bot is too fast for Telegram: {call}"


def at_rest(house: House) -> Iterator[str]:
    """Yield everything that is wrong when people have left and nothing has gone wrong for a while."""
    try:
        yield from house.failures
        worker = house.workers[0]
        assert worker.app is not None
        service = worker.app.service
        with house.stored().transaction() as session, session.no_autoflush:
            yield from nothing_waits(service, session)
            yield from dice_are_shown(session)
            yield from games_end(house, session, service.now())
            yield from shown_is_wanted(house, service, session)
            yield from records_replay(session)
            if not (house.restored_at or house.counts["chat lost"]):  # else more was shown, or less
                yield from the_group_learns_first(house, session)
            session.rollback()
        yield from log_is_clean(house)
        yield from texts_and_calls_fit(house)
        yield from dice_are_shown_once(house)
        if not (house.plan.release or house.deleted or house.restored_at or unknown_ends(house)):
            yield from who_is_asked_reads_it_last(house)
        if house.plan.healthy:
            if house.plan.release is None:  # else the database has moves of other evenings
                yield from log_tells_every_move(house)
                yield from metrics_agree(house)
            yield from engines_cost_no_turn(house)
            yield from only_the_player_on_turn_is_asked(house)
    except Exception as error:  # noqa: BLE001 - the bot's own functions, which a check uses, failed
        yield f"a check raises {error!r}"


def screens(house: House) -> Counter[tuple[int | str, str]]:
    """Return what everyone has read: chat or phone number, and words of each message, without times."""
    read = Counter[tuple[int | str, str]]()
    here = (one for one in house.world.messages.values() if not one.lost)
    read.update(
        (one.chat_id, _timeless(one.text or "")) for one in here if (one.chat_id, one.message_id) not in house.outdated
    )
    read.update((number, _timeless(words)) for number, words, _ in house.texts)
    return read


# While people play


def unknown_ends(house: House) -> int:
    """Return how many sends may have arrived, by the log, or by a kill: they may be sent again after a restart."""
    return sum("may have arrived" in line.getMessage() for line in house.log.lines) + house.counts["sends at a kill"]


def dice_are_shown_once(house: House) -> Iterator[str]:
    """Each end of a round is one message in each chat, unless a send had an unknown end: by the log, or by a kill."""
    messages = defaultdict[tuple[int, int | None, str], set[int]](set)
    for chat, reader, number, words in house.shown:
        if COUNTED.search(words):
            messages[chat, reader, words].add(number)
    again = [key for key, numbers in messages.items() for _ in range(len(numbers) - 1)]
    why = unknown_ends(house)
    if len(again) > why:
        yield f"{len(again)} ends of rounds were shown again, {why} for a reason: {again}"


Call = tuple[int, int] | str


def call_said(words: str) -> Call | None:
    """Return the call that the words of a key or of an example text name."""
    if (found := re.fullmatch(r"(\d+)x(\d)", words)) is not None:
        return int(found[1]), int(found[2])
    if words.endswith("?"):  # this key asks whether the player is sure
        return None
    return shown_dice.bid(words) or next((word for word in ("dudo", "calza") if word in words.lower()), None)


class Turns:
    """The turns of people: the calls that a key or an example text invited them to, and when they were asked.

    No wait is measured for a player at two tables: both write to the same chat, which gets one message a second.
    A player who blocked the bot is asked when they let it in, and one who asked for something else gets that first.
    """

    def __init__(self, house: House) -> None:
        self.house = house
        self.said: dict[tuple[int, int], tuple[str, int, Call]] = {}
        """By table and step: the first player who accepted an invitation of this turn, their seat and call."""
        self.since: dict[tuple[int, int], float] = {}
        """By table and step: when it began."""
        self.made: dict[tuple[int, int], list[tuple[int, Call]]] = {}
        """By table and step: the calls that ended it, with their seats."""
        self.begun: dict[tuple[int, int], float] = {}
        """The turns of people that began, by table and step: the time at which the table allowed the call."""
        self.waits: list[tuple[float, int, int]] = []
        self._revealed: dict[int, float] = {}
        """By table: when its chat last saw the end of a round."""
        self._answered: dict[int, float] = {}
        """By chat: until when the last message about no table holds up the next one."""
        commit_step, mark_sent = UnitOfWork.commit_step, outbox.mark_sent

        def committed(uow: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
            commit_step(uow, row, before, step)
            if before is None or before.step != step.table.step:
                self._committed(uow, row, before, step)

        def marked(uow: UnitOfWork, sent: Sequence[tuple[Message, SendResult]]) -> None:
            for item, _ in sent:
                self._sent(item.table_id, item.envelope.notice, item.envelope.chat)
            return mark_sent(uow, sent)

        house.accepted = self.accepted
        house.watching.enter_context(mock.patch.object(UnitOfWork, "commit_step", committed))
        house.watching.enter_context(mock.patch.object(outbox, "mark_sent", marked))

    def accepted(
        self, name: str, words: str, *, turn: tuple[int, int] | None = None, texted: float | None = None
    ) -> None:
        """Note that a player says what a key of a table's step, or a text of a time, invites them to, on their turn."""
        call = call_said(words)
        with self.house.stored().transaction() as session:
            for at in self.house.games():
                if at.game is None or at.game.turn is None or at.seats[at.game.turn].away:
                    continue
                player = session.get(Player, at.seats[at.game.turn].player)
                if texted is not None:  # a phone's name is not known to the bot at first
                    is_theirs = (
                        player is not None
                        and player.channel == "sms"
                        and texted > self.since.get((at.id, at.step), inf)
                    )
                else:
                    is_theirs = (at.id, at.step) == turn and player is not None and player.name == name
                is_asked = player is not None and player.asks_twice and call in ("dudo", "calza")
                if is_theirs and call is not None and not is_asked:
                    self.said.setdefault((at.id, at.step), (name, at.game.turn, call))

    def _committed(self, uow: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
        now, table = self.house.loop.time(), step.table
        if before is not None:
            self.made[row.id, before.step] = [
                (each.seat, (each.quantity, each.face) if isinstance(each, Bid) else type(each).__name__.lower())
                for each in step.actions
                if isinstance(each, Bid | Dudo | Calza)
            ]
            self.since[row.id, table.step] = now
        if table.status is Status.PLAYING and table.begun_game.turn is not None:
            seat = table.seats[table.begun_game.turn]
            player = uow.session.get(Player, seat.player)
            if player is not None and not seat.away and len(uow.live_tables_of(player)) == 1:
                allowed = max(table.turn_since, table.show_at or 0) - self.house.wall_time()
                self.begun[row.id, table.step] = now + max(0.0, allowed)

    def _sent(self, table: int | None, notice: Any, chat: int) -> None:
        now = self.house.loop.time()
        if table is None:
            self._answered[chat] = now + CHAT_SECONDS
        elif isinstance(notice, n.RevealNotice):
            self._revealed[table] = now
        elif isinstance(notice, n.HandNotice) and notice.view.on_turn:
            step = notice.view.table.step
            if (began := self.begun.pop((table, step), None)) is not None:
                others = self._revealed.get(table, 0.0), self._answered.get(chat, 0.0), self.house.let_in.get(chat, 0.0)
                self.waits.append((now - max(began, *others), table, step))

    def late(self) -> Iterator[str]:
        """Yield each player who was asked too late although nothing went wrong."""
        for wait, table, step in self.waits:
            if wait > ASKED_WITHIN_SECONDS:
                yield f"table {table}, step {step}: the player on turn was asked after {wait:.1f} s"

    def broken_invitations(self) -> Iterator[str]:
        """Yield each invitation that did not do what it said, although nothing else ended the turn."""
        for turn, (name, seat, call) in self.said.items():
            calls = self.made.get(turn)
            if calls is None or (calls and all(by == seat and made != call for by, made in calls)):
                yield f"{name} was invited to call {call} at table {turn[0]}, step {turn[1]}, and it became {calls}"
