"""Tables without a chat, and linking a phone to a person."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import delete, null, or_, update
from sqlmodel import Session, col

from telegram_bot import notices as n
from telegram_bot.intents.intents import Intent, Person, Place
from telegram_bot.intents.request import Arguments, Codes, Command, HelpLines, Scope, TellsNothing, texted
from telegram_bot.intents.slots import hand_slot
from telegram_bot.repositories.repositories import join_code_of, load_table, new_code
from telegram_bot.screens.surface_notices import lobby_notice
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.handlers.table_context import (
    TableContext,
    has_own_name,
    new_lobby,
    require_may_host,
    require_same_person,
    take_name,
)
from telegram_bot.service.outbox_dedupe import drop_waiting
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import LaneName, LinkCode, NoticeStatus, OutboxEntry, Player, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status

LINK_SECONDS = 15 * 60
"""How long a code can link a phone, in seconds."""


@dataclass(frozen=True, slots=True)
class OpenPrivateLobby(PersonRequest):
    """Open a table without a chat: people join by code, and all messages are private.

    `name`: the player's name from now on, if given.
    """

    only_asks = True
    commands = (texted("new", "open a table for phones, and get its code", example="Ana"),)

    name: str | None = None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Open a table without a chat; a person with an open one gets its code again.

        Raises:
            RejectedError: another person sits at a table with this phone, or no table can be opened.
        """
        require_same_person(uow, player, self.name)
        own_chat = uow.ensure_chat(Place(intent.who.channel, -intent.who.address, title=player.name))
        running = uow.live_table_in(own_chat)
        if running is None:
            require_may_host(uow, player, own_chat)
            if has_own_name(intent, player):
                take_name(uow, player, self.name)
            row, step = new_lobby(uow, own_chat, player)
            uow.commit_step(row, None, step)
            return
        table = load_table(running)
        if table.status is not Status.LOBBY:
            raise RejectedError(RejectionReason.TABLE_EXISTS)
        notice = lobby_notice(TableOutbox(uow, running, own_chat).facts(table))
        say(uow, player, notice.model_copy(update={"to_host": True, "asks_name": player.nameless}), at=intent)


@dataclass(frozen=True, slots=True)
class ChooseTable(PersonRequest):
    """Choose the table of the person's private words."""

    code: str

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> n.Toast | None:
        row = next((row for row in uow.live_tables_of(player) if join_code_of(row) == self.code.upper()), None)
        if row is None:
            raise RejectedError(RejectionReason.NO_TABLE)
        player.focus = row.id
        return answer(
            uow, intent, player, n.ConfirmationNotice(done=n.Confirmation.TABLE_CHOSEN, title=uow.chat_of(row).title)
        )


@dataclass(frozen=True, slots=True)
class RequestPhoneLink(TellsNothing, PersonRequest):
    """Ask for a code that the person's phone can text to play for them."""

    commands = (
        Command(
            name="link",
            scope=Scope.CHATS,
        ),
    )

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Create a code that links a phone; an earlier code becomes void."""
        if not uow.config.numbers or uow.traits(intent.who.channel).linkable:
            raise RejectedError(RejectionReason.NO_TEXTING)
        if intent.where is not None:
            raise RejectedError(RejectionReason.IN_PRIVATE)
        uow.session.exec(delete(LinkCode).where(col(LinkCode.player_id) == player.id))
        code = new_code(uow.rng)
        uow.session.add(LinkCode(code=code, player_id=player.id, expires_at=uow.now + LINK_SECONDS))
        say(uow, player, n.LinkCodeNotice(code=code, numbers=uow.config.numbers), at=intent)


def _is_link_code(session: Session, code: str, now: float) -> bool:
    found = session.get(LinkCode, code)
    return found is not None and found.expires_at > now


@dataclass(frozen=True, slots=True)
class LinkPhone(PersonRequest):
    """Let this phone play for the person who asked for the code."""

    commands = (
        Command(
            name="link",
            scope=Scope.TEXT,
            arguments=Arguments.CODE,
            codes=Codes(_is_link_code),
            example="234567",
            help=HelpLines(guide="play for someone in Telegram, who gets the code from the bot there (`/link`)"),
        ),
    )

    code: str
    confirmed: bool = False

    def handle(self, uow: UnitOfWork, intent: Intent, phone: Player) -> n.Toast | None:
        """Link a phone to the person who asked for the code. The phone must have left its own tables first.

        A phone without proof of its sender is asked first, with the name of the person who asked for the code.
        """
        if not uow.traits(intent.who.channel).linkable:
            raise RejectedError(RejectionReason.NO_TEXTING)
        found = uow.session.get(LinkCode, self.code.upper())
        if found is None or found.expires_at <= uow.now:
            raise RejectedError(RejectionReason.LINK_EXPIRED)
        owner = uow.player_by_id(found.player_id)
        if phone.id != owner.id and uow.live_tables_of(phone):
            raise RejectedError(RejectionReason.STILL_SEATED)
        linked = phone.channel != intent.who.channel
        if phone.id != owner.id and not (self.confirmed or intent.sender_proof):
            before_it = phone.name if linked else ""
            say(
                uow,
                phone,
                n.PhoneNotice(word=n.PhoneMessage.ASK_LINK, detail=before_it, link=self.code, asker=owner.name),
                at=intent,
            )
            return None
        if phone.id != owner.id and linked:
            phone.phone = None  # it was linked to another person before
            _drop_elsewhere(uow, LaneName(intent.who.channel, intent.who.address), ())
            uow.session.flush()
        before = owner.phone
        owner.phone = intent.who.address
        owner.view = PrivateView.TEXT
        uow.session.delete(found)
        uow.session.flush()
        toast = answer(uow, intent, owner, n.ConfirmationNotice(done=n.Confirmation.LINKED, title=owner.name))
        _hand_over(uow, intent, owner, before)
        return toast


@dataclass(frozen=True, slots=True)
class UnlinkPhone(TellsNothing, PersonRequest):
    """Let the phone play for itself again."""

    commands = (
        Command(
            name="unlink",
            scope=Scope.CHATS | Scope.TEXT,
            help=HelpLines(guide="end the link: the phone plays for itself again"),
        ),
    )

    confirmed: bool = False

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> n.Toast | None:
        """End the link between a phone and a person; a phone without proof of its sender is asked first."""
        if player.phone is None:
            raise RejectedError(RejectionReason.NO_LINK)
        if not (self.confirmed or intent.sender_proof):
            say(uow, player, n.PhoneNotice(word=n.PhoneMessage.ASK_UNLINK, detail=player.name), at=intent)
            return None
        before, player.phone = player.phone, None
        if player.view == PrivateView.TEXT:
            player.view = PrivateView.AUTO
        uow.session.flush()
        toast = answer(uow, intent, player, n.ConfirmationNotice(done=n.Confirmation.UNLINKED, title=player.name))
        _hand_over(uow, intent, player, before)
        return toast


def _hand_over(uow: UnitOfWork, intent: Intent, player: Player, phone: int | None) -> None:
    """Show the person their dice at every table where they play on, and their legal calls on their turn.

    `phone`: the phone where they played until now; it gets a message, unless the request came from it. Waiting notices
    to the old place are dropped: their dice would reach another person. The deadline remains, unless the turn was not
    shown yet: then the clock waits for the new message.
    """
    channel = uow.channels.linkable
    old = None if phone is None or channel is None else LaneName(channel, phone)
    if old is not None and old != LaneName(intent.who.channel, intent.who.address):
        told = n.ConfirmationNotice(done=n.Confirmation.UNLINKED, title=player.name)
        say(uow, player, told, at=Person(old.channel, old.chat, player.name))
    rows = uow.live_tables_of(player)
    if old is not None:
        _drop_elsewhere(uow, old, [row.id for row in rows])
    for row in rows:
        if not row.live:
            continue
        context = TableContext(uow, row, intent, player)
        _drop_waiting(uow, player, old, row.id)
        seat = context.table.seat_of(context.player_id)
        if seat is None or not context.table.in_play(seat) or context.table.game is None:
            continue
        outbox = TableOutbox(uow, row, context.chat)
        uow.mark_table(row.id)  # the board of before loses its buttons
        if context.return_if_away():
            continue  # taking the seat back has sent the dice
        outbox.send_hand(context.table, seat, news=True)


def _drop_elsewhere(uow: UnitOfWork, phone: LaneName, tables: Collection[int]) -> None:
    """Drop a phone's waiting notices about other tables: suspended ones, which send no new notices, and closed ones."""
    uow.session.execute(
        update(OutboxEntry)
        .where(
            col(OutboxEntry.lane) == phone,
            col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.HELD)),
            col(OutboxEntry.table_id).is_not(None),
            col(OutboxEntry.table_id).not_in(tables),
        )
        .values(status=NoticeStatus.SUPERSEDED, done_at=uow.now, notice=null())
    )


def _drop_waiting(uow: UnitOfWork, player: Player, phone: LaneName | None, table: int) -> None:
    """Drop the waiting notices to the old place."""
    old = col(OutboxEntry.slot) == hand_slot(player.id)
    if phone is not None:
        old = or_(old, col(OutboxEntry.lane) == phone)
    drop_waiting(uow.session, table, old, uow.now)
