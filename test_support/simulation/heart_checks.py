"""Checks of every evening of the heart: each yields a sentence for each fault that it finds."""

import logging
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from math import inf
from pathlib import Path
from typing import Final

from sqlmodel import Session, col, select

from telegram_bot import notices as n
from telegram_bot.delivery.reconcile import COMPARE_AGAIN_SECONDS
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.screens.wants import Want, wants_of
from telegram_bot.storage.models import GameTable, RoundEnd, SentMessage
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from test_support.simulation import checks
from test_support.simulation.heart import Check, Evening, Program, play
from test_support.simulation.heart_messenger import Sent, same_content

WAITS_AT_MOST: Final = 5.0
EXPECTED: Final = ("notice %s was not accepted", "the messages of table")
"""The errors in the log of the simulated messenger's own answer, and of words that `break_words` breaks."""
THE_END: Final = 0
"""In place of the number of a round."""


def _facts(evening: Evening, session: Session) -> Iterator[tuple[GameTable, Facts]]:
    uow = evening.worker.service.unit_of_work(session, "check")
    for row in session.exec(select(GameTable).order_by(col(GameTable.id))):
        facts = read_facts(uow, row.id)
        assert facts is not None
        yield row, facts


def _worded(evening: Evening, session: Session) -> Iterator[tuple[GameTable, Facts]]:
    """Yield the tables whose words do not raise: until something changes, the messages of others stay as they are."""
    for row, facts in _facts(evening, session):
        compared_at = evening.broken_until.get(row.id, -inf) + COMPARE_AGAIN_SECONDS
        if evening.loop_time >= compared_at + WAITS_AT_MOST and facts.table.suspension is None:
            yield row, facts


def nothing_waits(evening: Evening, session: Session) -> Iterator[str]:
    yield from checks.nothing_waits(evening.worker.service, session, WAITS_AT_MOST)


def shown_is_wanted(evening: Evening, session: Session) -> Iterator[str]:
    """At rest each message is as its reader should see it."""
    service = evening.worker.service
    for row, facts in _worded(evening, session):
        for reader in () if facts.chat.lost_at is not None else (TABLES_CHAT, *facts.people):
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
    if same_content(notice, want.notice):
        return None
    a, b = notice.model_dump(), want.notice.model_dump()
    fields = [f"{name}: {a[name]!s:.300} wanted {b.get(name)!s:.300}" for name in a if a[name] != b.get(name)]
    return f"shows {notice.kind}, wanted {want.notice.kind}: {', '.join(fields)}"


def the_player_on_turn_is_asked(evening: Evening, session: Session) -> Iterator[str]:
    """At rest the player to call has a message with the bids."""
    for row, facts in _worded(evening, session):
        table, game = facts.table, facts.table.game
        if table.status is not Status.PLAYING or game is None or game.turn is None or table.paused:
            continue
        seat = table.seats[game.turn]
        player = facts.player(seat.player)
        if seat.away or player is None or facts.unrevealed is not None or player.address in evening.messenger.blocked:
            continue
        chats = evening.messenger.chats.items()
        mine = [each for (_, chat), shown in chats if chat in (player.address, facts.chat.address) for each in shown]
        if not any(_asks(message.envelope.notice, table) for message in mine):
            yield f"{seat.name} is on turn at table {row.id}, step {table.step}, and was not asked"


def _asks(notice: n.Notice, table: Table) -> bool:
    asks = notice.view.on_turn if isinstance(notice, n.HandNotice) else isinstance(notice, n.TableNotice | n.BidsNotice)
    return asks and notice.keyed_at == (table.id, table.step)


def records_replay(_: Evening, session: Session) -> Iterator[str]:
    yield from checks.records_replay(session)


def rounds_are_shown_once(evening: Evening, session: Session) -> Iterator[str]:
    """Check that the dice of each round are shown in the table's chat.

    In each chat they are shown once, and so is the end of the game, unless a send had an unknown end.
    """
    shown = defaultdict[tuple[int, int], dict[tuple[str, int, int | None], list[Sent]]](lambda: defaultdict(list))
    for sent in evening.messenger.log:
        notice, to = sent.envelope.notice, sent.envelope
        if isinstance(notice, n.RevealNotice | n.GameOverNotice):
            number = notice.view.round if isinstance(notice, n.RevealNotice) else THE_END
            shown[notice.view.table, number][to.channel, to.chat, to.receiver].append(sent)
    for (table, number), places in shown.items():
        for place, sends in places.items():
            unknown = {sent.number for sent in sends if not sent.known}
            known = {sent.number for sent in sends} - unknown
            if len(known) > 1 and not (known | unknown) & evening.deleted:
                what = f"round {number}" if number != THE_END else "the end"
                yield f"{what} of table {table} is shown {len(known)} times in {place}"
    for row, facts in _facts(evening, session):
        if not facts.shared or facts.table.practice or facts.chat.lost_at is not None:
            continue
        here = {
            facts.chat.address,
            *(chat for (id_, _), places in shown.items() if id_ == row.id for _, chat, _ in places),
        }
        for end in session.exec(select(RoundEnd).where(RoundEnd.table_id == row.id)):
            number = int(end.view["round"])
            if end.seen_at is None:
                yield f"the dice of round {number} of table {row.id} count as hidden at rest"
            elif (
                not any(chat < 0 for _, chat, _ in shown[row.id, number])
                and (row.id, number) not in evening.uncertain_rounds
                and not evening.uncertain_chats & here
            ):
                yield f"the dice of round {number} of table {row.id} were never shown in its chat"


def the_group_learns_first(evening: Evening, session: Session) -> Iterator[str]:
    """Check that the table's group is shown the dice of each round before a private chat is told of its end."""
    if evening.uncertain_chats:
        return
    rounds = defaultdict[int, dict[int, int]](dict)
    for end in session.exec(select(RoundEnd)):
        rounds[end.table_id][end.deal] = int(end.view["round"])
    in_groups = {row.id for row, facts in _facts(evening, session) if facts.shared and not facts.table.practice}
    shown = set(evening.uncertain_rounds)
    for sent in evening.messenger.log:
        match sent.envelope.notice:
            case n.RevealNotice(view=view):
                table, told = view.table, {view.round}
            case n.HandNotice(view=hand, deal=deal, called=None):
                table = hand.table.table
                told = {each for ended, each in rounds[table].items() if ended < deal}
            case n.GameOverNotice(view=over):
                table, told = over.table, set(rounds[over.table].values())
            case _:
                continue
        if sent.envelope.chat < 0 and sent.envelope.receiver is None:
            if isinstance(sent.envelope.notice, n.RevealNotice):
                shown |= {(table, each) for each in told}
        elif table in in_groups:
            for each in sorted({(table, each) for each in told} - shown):
                yield f"{sent.envelope.notice.kind} tells {sent.envelope.chat} of round {each[1]} of table {table}"


def who_is_asked_reads_it_last(evening: Evening, _: Session) -> Iterator[str]:
    """Check that a board in a private chat that begins to ask is the newest message there."""
    newest: dict[int, tuple[int, bool]] = {}
    asking: dict[int, bool] = {}
    for sent in evening.messenger.log:
        chat, notice = sent.envelope.chat, sent.envelope.notice
        if chat < 0 or sent.envelope.channel != "telegram" or isinstance(notice, n.BidsNotice):
            continue  # the player of a `BidsNotice` looks through the bids of a board that asks
        # For one who is away the bot plays: they are sent no new board.
        asks = (
            isinstance(notice, n.HandNotice)
            and notice.view.on_turn
            and not notice.view.table.seats[notice.view.seat].away
        )
        if sent.is_new:
            newest[chat] = sent.number, sent.known
        elif asks and not asking.get(sent.number, False):
            last, known = newest.get(chat, (sent.number, True))
            if known and last > sent.number and last not in evening.deleted:
                yield f"{chat} is asked by an edit of message {sent.number}, above message {last}"
        asking[sent.number] = asks


def nothing_failed(evening: Evening, _: Session) -> Iterator[str]:
    """Check that no error was logged, no task of a worker ended, and no key on turn was refused."""
    yield from (*evening.failures, *evening.broken_invitations)
    for line in evening.log.lines:
        if line.levelno >= logging.ERROR and not str(line.msg).startswith(EXPECTED):
            yield f"logged: {line.getMessage()} {line.exc_info and line.exc_info[1]!r:.300}"


def left_games_end(evening: Evening, session: Session) -> Iterator[str]:
    """Every table that people leave alone is over after a while."""
    for row, facts in _facts(evening, session):
        if row.live:
            table = facts.table
            state = f"{table.paused=} {table.suspension=} {table.step=} {row.due_at=}"
            yield f"table {row.id} is still {row.status}: {state}"


AT_THE_END: Final[tuple[Check, ...]] = (
    *(nothing_waits, shown_is_wanted, rounds_are_shown_once, nothing_failed, left_games_end),
)
AT_REST: Final[tuple[Check, ...]] = (
    *(
        *AT_THE_END[:-1],
        the_player_on_turn_is_asked,
        records_replay,
        the_group_learns_first,
        who_is_asked_reads_it_last,
    ),
)


def played(program: Program, empty: Path) -> tuple[list[str], list[Evening]]:
    """Play a program, twice if dice change in it; return what did not hold, and the evenings."""
    if program.has("change_dice"):
        return early_differences(program, empty)
    evening = play(program, empty, AT_REST, AT_THE_END)
    return evening.found, [evening]


def early_differences(program: Program, empty: Path) -> tuple[list[str], list[Evening]]:
    """Play an evening twice, with other dice of the others.

    Return how they differ to their reader before the reveal, and both.
    """
    reader = next(act.args[0] for act in program.acts if act.name == "change_dice")
    both = [play(program, empty, (), (), variant=variant) for variant in (1, 2)]
    differences = (
        f"nothing_early: {reader} sees a difference before the dice are shown: {one} | {other}"
        for one, other in zip_longest(*(_seen(evening, reader) for evening in both))
        if one != other
    )
    return list(differences)[:3], both


def _seen(evening: Evening, reader: str) -> list[str]:
    """Return all that a person is shown and answered from the change of the dice until their reveal in the group."""
    table, number = evening.changed_round
    if not table:
        return []
    address = evening.person(reader).address
    sent, answered = evening.changed_at
    seen = [(at, f"{result.toast!r}") for at, who, result in evening.answers[answered:] if who == reader]
    end = inf
    for each in evening.messenger.log[sent:]:
        notice, to = each.envelope.notice, each.envelope
        shown = to.model_dump_json()
        if isinstance(notice, n.RevealNotice):
            shown = "an animation"  # its picture has the dice, which its reader sees when it has played
            if (notice.view.table, notice.view.round) == (table, number):
                end = min(end, each.at + ANIMATION_SECONDS * notice.animated)
        if to.chat == address or (to.chat < 0 and to.receiver in (None, address)):
            seen.append((each.at, f"{each.number} {shown}"))
    return [f"{at:.3f} {what}" for at, what in sorted(seen) if at < end]
