"""Checks of every evening of the heart: each yields a sentence for each fault that it finds."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from math import inf
from pathlib import Path
from typing import Final

from sqlmodel import Session, col, select

from perudo_core import Bid, Calza, Dudo, PerudoError, Recorder, load_action, load_state, new_game
from telegram_bot import notices as n
from telegram_bot.delivery.reconcile import COMPARE_AGAIN_SECONDS
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.screens.wants import Want, wants_of
from telegram_bot.storage.models import (
    GameAction,
    GameTable,
    RoundEnd,
    SentMessage,
)
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from telegram_sandbox.virtual_time import START
from test_support.simulation import checks
from test_support.simulation.heart import ChangeDice, Check, Evening, Program, play
from test_support.simulation.heart_messenger import Message, Sent, same_content

WAITS_AT_MOST: Final = 5.0
THE_END: Final = 0
"""In place of the number of a round."""
ASKED_WITHIN: Final = 1.5
"""Seconds until the player to call is asked, if the messenger is healthy."""


def _facts(evening: Evening, session: Session) -> Iterator[tuple[GameTable, Facts]]:
    uow = evening.worker.service.unit_of_work(session, "check")
    for row in session.exec(select(GameTable).order_by(col(GameTable.id))):
        facts = read_facts(uow, row.id)
        assert facts is not None
        yield row, facts


def _cannot_be_worded(evening: Evening, row: GameTable) -> bool:
    """Return True if the table's words raised: its messages stay as they are until something changes."""
    compared_at = evening.broken_until.get(row.id, -inf) + COMPARE_AGAIN_SECONDS
    return evening.loop_time < compared_at + WAITS_AT_MOST


def nothing_waits(evening: Evening, session: Session) -> Iterator[str]:
    """At rest no update, message, reader or deadline waits."""
    yield from checks.nothing_waits(evening.worker.service, session, WAITS_AT_MOST)


def shown_is_wanted(evening: Evening, session: Session) -> Iterator[str]:
    """At rest each message is as its reader should see it."""
    service = evening.worker.service
    for row, facts in _facts(evening, session):
        if facts.chat.lost_at is not None or facts.table.suspension is not None:
            continue
        if _cannot_be_worded(evening, row):
            continue
        for reader in (TABLES_CHAT, *facts.people):
            is_history = not row.live and not service.readers.of(table=row.id, player=reader)  # it may differ
            for want in wants_of(facts, reader):
                if is_history and session.get(SentMessage, (row.id, want.slot)) is not None:
                    continue
                fault = _difference(evening, session, row, want)
                if fault is not None and (row.id, want.slot) not in service.given_up:
                    yield f"table {row.id} ({facts.table.status}), reader {reader}, {want.slot}: {fault}"


def _difference(evening: Evening, session: Session, row: GameTable, want: Want) -> str | None:
    if want.to.chat in evening.messenger.blocked:
        return None
    known = session.get(SentMessage, (row.id, want.slot))
    if known is None:
        return None if want.edit_only else f"no message, wanted {want.notice.kind}"
    follows = known.key > list(want.key)
    if (known.frozen and (want.frozen or want.edit_only or follows)) or (want.frozen and follows):
        return None  # history
    shown = evening.messenger.chats[want.to.channel, known.chat]
    message = next((each for each in shown if each.number == known.message), None)
    if message is None:
        return f"the message {known.message} is unknown in {known.chat}"
    if message.deleted or (want.once and known.key == list(want.key)):
        return None
    notice = message.envelope.notice
    if isinstance(notice, n.BidsNotice) and notice.keyed_at == want.notice.keyed_at:
        return None  # its player looks through the bids
    if not same_content(notice, want.notice):
        return f"shows {notice.kind}, wanted {want.notice.kind}: {_fields(notice, want.notice)}"
    return None


def _fields(shown: n.Notice, wanted: n.Notice) -> str:
    if type(shown) is not type(wanted):
        return ""
    a, b = shown.model_dump(), wanted.model_dump()
    return ", ".join(f"{name}: {a[name]!s:.300} wanted {b[name]!s:.300}" for name in a if a[name] != b[name])


def the_player_on_turn_is_asked(evening: Evening, session: Session) -> Iterator[str]:
    """At rest the player to call has a message with the bids."""
    for row, facts in _facts(evening, session):
        table = facts.table
        if table.status is not Status.PLAYING or table.game is None or table.game.turn is None:
            continue
        seat = table.seats[table.game.turn]
        player = facts.player(seat.player)
        if _cannot_be_worded(evening, row):
            continue
        if table.paused or table.suspension is not None or seat.away or player is None or facts.unrevealed is not None:
            continue
        asked = [
            message
            for chat, messages in evening.messenger.chats.items()
            for message in messages
            if chat[1] in (player.address, facts.chat.address) and _asks(message, table)
        ]
        hidden = player.address in evening.messenger.blocked or any(message.deleted for message in asked)
        if not asked and not hidden:
            yield f"{seat.name} is on turn at table {row.id}, step {table.step}, and was not asked"


def _asks(message: Message, table: Table) -> bool:
    match message.envelope.notice:
        case n.HandNotice(view=hand):
            return (hand.table.table, hand.table.step, hand.on_turn) == (table.id, table.step, True)
        case n.TableNotice(view=view) | n.BidsNotice(view=view):
            return (view.table, view.step) == (table.id, table.step)
        case _:
            return False


def each_call_counts_once(_: Evening, session: Session) -> Iterator[str]:
    """Check that an update makes at most one call, and that the stored actions lead to the stored game."""
    causes = Counter[tuple[int, str]]()
    for table in session.exec(select(GameTable).order_by(col(GameTable.id))):
        stored = session.exec(
            select(GameAction).where(GameAction.table_id == table.id).order_by(col(GameAction.number))
        ).all()
        actions = [load_action(each.action) for each in stored]
        causes.update(
            (table.id, each.cause)
            for each, action in zip(stored, actions, strict=True)
            if isinstance(action, Bid | Dudo | Calza) and each.cause.startswith(("telegram:", "sms:"))
        )
        state = Table.model_validate(table.state)
        if not actions or state.game is None:
            continue
        recorder = Recorder(new_game(state.rules, state.game.seats))
        try:
            for action in actions:
                recorder.apply(action)
        except PerudoError as error:
            yield f"the actions of table {table.id} are no game: {error!r}"
            continue
        if recorder.state != load_state(table.state["game"]):
            yield f"the actions of table {table.id} do not lead to its state"
    yield from (f"{cause} made {times} calls at table {table}" for (table, cause), times in causes.items() if times > 1)


def rounds_are_shown_once(evening: Evening, session: Session) -> Iterator[str]:
    """Check that the dice of each round are shown in the table's chat.

    In each chat they are shown once, and so is the end of the game, unless a send had an unknown end.
    """
    shown = defaultdict[tuple[str, int, int, int], list[Sent]](list)
    for sent in evening.messenger.log:
        notice = sent.envelope.notice
        if isinstance(notice, n.RevealNotice | n.GameOverNotice):
            number = notice.view.round if isinstance(notice, n.RevealNotice) else THE_END
            shown[sent.envelope.channel, sent.envelope.chat, notice.view.table, number].append(sent)
    for (channel, chat, table, number), sends in shown.items():
        by_receiver = defaultdict[int | None, list[Sent]](list)
        for sent in sends:
            by_receiver[sent.envelope.receiver].append(sent)
        for receiver, each in by_receiver.items():
            messages = {sent.number: True for sent in each}
            messages |= {sent.number: False for sent in each if not sent.known}
            repeated = len(messages) - 1 - sum(not known for known in messages.values())
            if repeated > 0 and not messages.keys() & evening.deleted:
                place = f"{channel}:{chat} to {receiver}"
                what = f"round {number}" if number != THE_END else "the end"
                yield f"{what} of table {table} is shown {len(messages)} times in {place}"
    uncertain = evening.uncertain_chats
    for row, facts in _facts(evening, session):
        if not facts.shared or facts.table.practice or facts.chat.lost_at is not None:
            continue
        here = {facts.chat.address, *(chat for _, chat, table, _ in shown if table == row.id)}
        for end in session.exec(select(RoundEnd).where(RoundEnd.table_id == row.id)):
            number = int(end.view["round"])
            places = [key for key in shown if key[2:] == (row.id, number) and key[1] < 0]
            if end.seen_at is None:
                yield f"the dice of round {number} of table {row.id} count as hidden at rest"
            elif not places and (row.id, number) not in evening.uncertain_rounds and not uncertain & here:
                yield f"the dice of round {number} of table {row.id} were never shown in its chat"


def the_group_learns_first(evening: Evening, session: Session) -> Iterator[str]:
    """Check that the table's group is shown the dice of each round before a private chat is told of its end."""
    rounds = defaultdict[int, dict[int, int]](dict)
    for end in session.exec(select(RoundEnd)):
        rounds[end.table_id][end.deal] = int(end.view["round"])
    in_groups = {row.id for row, facts in _facts(evening, session) if facts.shared and not facts.table.practice}
    shown: set[tuple[int, int]] = set()
    for sent in evening.messenger.log:
        notice, is_shared = sent.envelope.notice, sent.envelope.chat < 0 and sent.envelope.receiver is None
        match notice:
            case n.RevealNotice(view=view):
                table, told = view.table, [view.round]
            case n.HandNotice(view=hand, deal=deal, called=None):
                table, told = (
                    hand.table.table,
                    [each for ended, each in rounds[hand.table.table].items() if ended < deal],
                )
            case n.GameOverNotice(view=over):
                table, told = over.table, list(rounds[over.table].values())
            case _:
                continue
        if is_shared:
            shown.update((table, each) for each in told if isinstance(notice, n.RevealNotice))
        elif table in in_groups and not evening.uncertain_chats:
            early = {(table, each) for each in told} - shown - evening.uncertain_rounds
            yield from (
                f"{notice.kind} tells {sent.envelope.chat} of round {each} of table {table}" for _, each in early
            )


def asked_in_time(evening: Evening, session: Session) -> Iterator[str]:
    """With a healthy messenger, the player to call is asked soon after each bid."""
    if not evening.is_healthy:
        return
    asked: dict[tuple[int, int], float] = {}
    for sent in evening.messenger.log:
        match sent.envelope.notice:
            case n.HandNotice(view=hand) if hand.on_turn:
                asked.setdefault((hand.table.table, hand.table.step), sent.at)
            case n.TableNotice(view=view, shared=True):
                asked.setdefault((view.table, view.step), sent.at)
            case _:
                pass
    for row in session.exec(select(GameTable)):
        step, calls = 0, []
        for action in session.exec(
            select(GameAction).where(GameAction.table_id == row.id).order_by(col(GameAction.number))
        ):
            made = load_action(action.action)
            if isinstance(made, Bid | Dudo | Calza):
                step += 1
                calls.append((step, made, action.at - START))
        for step, made, at in calls:
            if isinstance(made, Bid) and (row.id, step) in asked:
                waited = asked[row.id, step] - at
                if waited > ASKED_WITHIN + evening.house.faults.slowest:
                    yield f"the player after step {step} of table {row.id} was asked {waited:.2f} s late"


def who_is_asked_reads_it_last(evening: Evening, _: Session) -> Iterator[str]:
    """Check that a board in a private chat that begins to ask is the newest message there."""
    newest: dict[tuple[str, int], tuple[int, bool]] = {}
    asking: dict[int, bool] = {}
    for sent in evening.messenger.log:
        if sent.envelope.chat < 0 or sent.envelope.channel != "telegram":
            continue
        if isinstance(sent.envelope.notice, n.BidsNotice):
            continue  # its player looks through the bids of a board that asks
        place, notice = (sent.envelope.channel, sent.envelope.chat), sent.envelope.notice
        asks = isinstance(notice, n.HandNotice) and notice.view.on_turn and not _is_away(notice)
        if sent.is_new:
            newest[place] = sent.number, sent.known
        elif asks and not asking.get(sent.number, False):
            last, known = newest.get(place, (sent.number, True))
            if known and last > sent.number and last not in evening.deleted:
                yield f"{place[1]} is asked by an edit of message {sent.number}, above message {last}"
        asking[sent.number] = asks


def _is_away(notice: n.HandNotice) -> bool:
    """Return True if the bot plays for the reader, who is sent no new board."""
    return notice.view.table.seats[notice.view.seat].away


def invitations_hold(evening: Evening, _: Session) -> Iterator[str]:
    """Check that a key that is shown as an invitation does what it says when it is pressed then."""
    yield from evening.broken_invitations


def nothing_failed(evening: Evening, _: Session) -> Iterator[str]:
    """No error was logged, and no task of a worker ended."""
    yield from evening.failures
    yield from (f"logged: {error}" for error in evening.log.errors)


def left_games_end(evening: Evening, session: Session) -> Iterator[str]:
    """Every table that people leave alone is over after a while."""
    for row, facts in _facts(evening, session):
        if row.live:
            yield (
                f"table {row.id} is still {row.status}: paused {facts.table.paused}, suspended "
                f"{facts.table.suspension}, due {row.due_at}, step {facts.table.step}"
            )


AT_REST: Final[tuple[Check, ...]] = (
    nothing_waits,
    shown_is_wanted,
    the_player_on_turn_is_asked,
    each_call_counts_once,
    rounds_are_shown_once,
    the_group_learns_first,
    asked_in_time,
    who_is_asked_reads_it_last,
    invitations_hold,
    nothing_failed,
)
AT_THE_END: Final[tuple[Check, ...]] = (
    nothing_waits,
    shown_is_wanted,
    rounds_are_shown_once,
    nothing_failed,
    left_games_end,
)


def played(program: Program, empty: Path) -> tuple[list[str], list[Evening]]:
    """Play a program, twice if dice change in it; return what did not hold, and the evenings."""
    if any(isinstance(act, ChangeDice) for act in program.acts):
        found, *both = early_differences(program, empty)
        return found, both
    evening = play(program, empty, AT_REST, AT_THE_END)
    return evening.found, [evening]


def early_differences(program: Program, empty: Path) -> tuple[list[str], Evening, Evening]:
    """Play an evening twice, with other dice of the others.

    Return how they differ to their reader before the reveal, and both.
    """
    reader = next(act.reader for act in program.acts if isinstance(act, ChangeDice))
    one, other = (play(program, empty, (), (), variant=variant) for variant in (1, 2))
    both = zip_longest(_seen(one, reader), _seen(other, reader))
    found = [
        f"nothing_early: {reader} sees a difference before the dice are shown: {a} | {b}" for a, b in both if a != b
    ]
    return found[:3], one, other


def _seen(evening: Evening, reader: str) -> list[str]:
    """Return all that a person is shown and answered from the change of the dice until their reveal in the group."""
    table, number = evening.changed_round
    if not table:
        return []
    person = evening.person(reader)
    sent, answered = evening.changed_at
    seen: list[tuple[float, str]] = []
    end = float("inf")
    for each in evening.messenger.log[sent:]:
        notice = each.envelope.notice
        if isinstance(notice, n.RevealNotice) and (notice.view.table, notice.view.round) == (table, number):
            animated = ANIMATION_SECONDS if notice.animated else 0
            end = min(end, each.at + animated)
        is_mine = each.envelope.chat == person.address or (
            each.envelope.chat < 0 and each.envelope.receiver in (None, person.address)
        )
        # The picture of an animation has the dice, which its reader sees when it has played.
        shown = "an animation" if isinstance(notice, n.RevealNotice) else each.envelope.model_dump_json()
        if is_mine:
            seen.append((each.at, f"{each.number} {shown}"))
    for at, who, result in evening.answers[answered:]:
        if who == reader:
            seen.append((at, f"{result.toast!r}"))
    return [f"{at:.3f} {what}" for at, what in sorted(seen) if at < end]
