"""Hand each intent to its handler; intents that concern no table are handled here."""

from __future__ import annotations

from contextlib import suppress

from sqlmodel import col, select

from perudo_core import Reason
from telegram_bot.service import members
from telegram_bot.service.handlers import phones, settings
from telegram_bot.service.handlers.chats import lose_chat, move_chat, resume_chat
from telegram_bot.service.handlers.game import TableHandler
from telegram_bot.service.handlers.lobby import open_lobby, play_again, start_private_chat
from telegram_bot.service.intents import (
    BotMembershipChanged,
    ChatMoved,
    ChooseLanguage,
    ChooseQuiet,
    ChooseTable,
    ChooseVerbose,
    ChooseView,
    IdentifyAdmin,
    Intent,
    Join,
    LinkPhone,
    MemberLeft,
    MembersJoined,
    OpenLobby,
    OpenPhoneLobby,
    PlayAgain,
    PrivateChatBlocked,
    RequestPhoneLink,
    SeeHelp,
    SeeRules,
    SeeSettings,
    StartPrivateChat,
    TopicReopened,
    UnknownButton,
    UnlinkPhone,
    UnparsedText,
)
from telegram_bot.service.notices import (
    Confirmation,
    ConfirmationNotice,
    Envelope,
    HelpNotice,
    IdentifyAdminNotice,
    RejectionNotice,
    RulesNotice,
    Toast,
    WelcomeNotice,
)
from telegram_bot.service.replies import answer, rejection_notice, say
from telegram_bot.service.table_lookup import ask_which_table, find_table
from telegram_bot.service.typed_words import parse_typed_words
from telegram_bot.service.unit_of_work import UnitOfWork, load_table
from telegram_bot.storage.models import (
    SMS_CHANNEL,
    Chat,
    DirectMessages,
    Player,
    PrivateView,
)
from telegram_bot.tables.events import RejectedError, RejectionReason

AWAKE_SECONDS = 3600
"""How long somebody who has texted is taken to be awake."""


class Dispatcher:
    """Serves one intent inside one transaction."""

    def __init__(self, uow: UnitOfWork) -> None:
        self.uow = uow
        self.language = uow.config.language
        """What the person is answered in."""

    def dispatch(self, intent: Intent) -> Toast | None:
        """Do what is asked, and tell the person."""
        player = self.uow.ensure_player(intent.who)
        self._mark_awake(intent, player)
        self._resume_chat(intent)
        intent = self._parse_typed_words(intent, player)
        try:
            toast = self._dispatch(intent, player)
        except RejectedError as rejected:
            toast = answer(self.uow, intent, player, rejection_notice(rejected))
        # Not after any other error: it may have ended the transaction, and must be seen as what it is.
        self.language = self.uow.language_for(player)
        return toast

    def _parse_typed_words(self, intent: Intent, player: Player) -> Intent:
        if intent.typed is None:
            return intent
        row = None
        with suppress(RejectedError):
            row = find_table(self.uow, intent, player)
        return parse_typed_words(self.uow, intent, player, row)

    def reject(self, intent: Intent, why: RejectionReason) -> Toast | None:
        """Tell the person why nothing is done."""
        player = self.uow.ensure_player(intent.who)
        self.language = self.uow.language_for(player)
        return answer(self.uow, intent, player, RejectionNotice(denial=why))

    def _dispatch(  # noqa: C901, PLR0911, PLR0912 - one case per wish
        self, intent: Intent, player: Player
    ) -> Toast | None:
        what = intent.what
        match what:
            case OpenLobby():
                open_lobby(self.uow, intent, player, what)
                return None
            case PlayAgain():
                return play_again(self.uow, intent, player)
            case SeeHelp() if intent.who.channel == SMS_CHANNEL and not self.uow.live_tables_of(player):
                say(self.uow, intent, player, WelcomeNotice(name=player.name))
                return None
            case SeeHelp():
                say(self.uow, intent, player, HelpNotice(private=intent.where is None))
                return None
            case SeeSettings():
                say(self.uow, intent, player, settings.settings_notice(self.uow, intent, player))
                return None
            case ChooseView(view=view):
                if view is PrivateView.TEXT and player.phone is None:
                    raise RejectedError(RejectionReason.NO_LINK)
                player.view = view
                return answer(self.uow, intent, player, ConfirmationNotice(done=Confirmation.VIEW_CHOSEN, view=view))
            case ChooseLanguage(language=language, to_all=to_all):
                return settings.choose_language(self.uow, intent, player, language, to_all=to_all)
            case IdentifyAdmin(wish=wish):
                self._identify_admin(intent, player, stop=wish == "stop")
                return None
            case UnknownButton():
                raise RejectedError(RejectionReason.UNKNOWN_OPTION)
            case OpenPhoneLobby():
                phones.open_phone_lobby(self.uow, intent, player)
                return None
            case ChooseTable(code=code):
                return phones.choose_table(self.uow, intent, player, code)
            case RequestPhoneLink():
                phones.request_phone_link(self.uow, intent, player)
                return None
            case LinkPhone():
                return phones.link_phone(self.uow, intent, player, what)
            case UnlinkPhone():
                return phones.unlink_phone(self.uow, intent, player)
            case ChooseVerbose(on=on):
                return settings.choose_verbose(self.uow, intent, player, on=on)
            case ChooseQuiet():
                return settings.choose_quiet(self.uow, intent, player, what)
            case StartPrivateChat():
                start_private_chat(self.uow, intent, player, what)
                return None
            case PrivateChatBlocked():
                player.direct = DirectMessages.REFUSED
                return None
            case MemberLeft():
                return self._leave_chat(intent, player)
            case MembersJoined(addresses=addresses):
                if intent.where is not None:
                    members.mark_joined(self.uow, intent.where, addresses)
                return None
            case TopicReopened():
                return None
            case BotMembershipChanged() | ChatMoved():
                self._chat_changed(intent, player, what)
                return None
            case UnparsedText(suggestion=None) if intent.who.channel == SMS_CHANNEL:
                return self._not_understood(intent, player)
            case UnparsedText(suggestion=suggestion):
                notice = RejectionNotice(
                    denial=RejectionReason.ILLEGAL, reason=Reason.BID_MALFORMED, suggestion=suggestion
                )
                return answer(self.uow, intent, player, notice)
            case SeeRules():
                return self._see_rules(intent, player)
            case _:
                return self._dispatch_to_table(intent, player)

    def _mark_awake(self, intent: Intent, player: Player) -> None:
        """Who texts in their quiet hours is awake: what waited for the morning comes at once, and more for a while."""
        if intent.who.channel == SMS_CHANNEL:
            player.awake_until = self.uow.now + AWAKE_SECONDS
        if intent.who.channel == SMS_CHANNEL and player.quiet is not None:
            self.uow.release_lane(f"{SMS_CHANNEL}:{intent.who.address}")

    def _resume_chat(self, intent: Intent) -> None:
        """Whatever is heard from a place where the bot could not write is worth another try."""
        if intent.where is None or isinstance(intent.what, BotMembershipChanged | ChatMoved | MemberLeft):
            return
        place = self.uow.find_chat(intent.where)
        if place is not None:
            resume_chat(self.uow, place)

    # At a table

    def _dispatch_to_table(self, intent: Intent, player: Player) -> Toast | None:
        try:
            row = find_table(self.uow, intent, player)
        except RejectedError as rejected:
            if rejected.denial is RejectionReason.WHICH_TABLE:
                ask_which_table(self.uow, intent, player)
                return None
            if (
                rejected.denial is RejectionReason.NO_TABLE
                and intent.who.channel == SMS_CHANNEL
                and not isinstance(intent.what, Join)
            ):
                say(self.uow, intent, player, WelcomeNotice(name=player.name))
                return None
            raise
        return TableHandler(self.uow, row, intent, player).serve()

    def _not_understood(self, intent: Intent, player: Player) -> Toast | None:
        """Say what can be said: by text there is nothing to tap, and no group to talk to."""
        try:
            row = find_table(self.uow, intent, player)
        except RejectedError as rejected:
            if rejected.denial is RejectionReason.WHICH_TABLE:
                ask_which_table(self.uow, intent, player)
                return None
            say(self.uow, intent, player, WelcomeNotice(name=player.name))
            return None
        TableHandler(self.uow, row, intent, player).answer_unparsed()
        return None

    # People and chats

    def _identify_admin(self, intent: Intent, player: Player, *, stop: bool) -> None:
        if intent.where is None:
            return
        row = self.uow.lock_live_table_in(self.uow.ensure_chat(intent.where)) if stop else None
        if stop and row is None:
            raise RejectedError(RejectionReason.NO_TABLE)
        say(self.uow, intent, player, IdentifyAdminNotice(table=None if row is None else row.id))

    def _leave_chat(self, intent: Intent, player: Player) -> Toast | None:
        """Remember it; the tables are left one by one: see `multi_table`."""
        if intent.where is not None:
            members.mark_left(self.uow, intent.where, player)
        return None

    def _chat_changed(self, intent: Intent, player: Player, what: BotMembershipChanged | ChatMoved) -> None:
        if intent.where is None:
            return
        if isinstance(what, ChatMoved):
            move_chat(self.uow, intent.where.channel, intent.where.address, what.address)
            return
        if not what.present or not what.can_write:
            lose_chat(self.uow, intent.where.channel, intent.where.address)
            return
        group = self.uow.ensure_chat(intent.where)
        if what.arrived:
            group.language = group.language or self.uow.language_for(player)
        query = select(Chat).where(Chat.channel == intent.where.channel, Chat.address == intent.where.address)
        places = self.uow.session.exec(query.order_by(col(Chat.id))).all()
        was_lost = any(chat.lost_at is not None for chat in places)
        for chat in places:
            chat.ephemeral = what.can_whisper
            resume_chat(self.uow, chat)
        if what.arrived and not was_lost:
            self.uow.enqueue(
                Envelope(
                    channel=group.channel,
                    chat=group.address,
                    language=self.uow.language_of(group),
                    notice=HelpNotice(private=False),
                )
            )

    # Answers

    def _see_rules(self, intent: Intent, player: Player) -> Toast | None:
        try:
            rules = load_table(find_table(self.uow, intent, player)).rules
        except RejectedError as rejected:
            if rejected.denial is RejectionReason.WHICH_TABLE:
                ask_which_table(self.uow, intent, player)
                return None
            rules = settings.settings_notice(self.uow, intent, player).rules
        say(self.uow, intent, player, RulesNotice(rules=rules))
        return None
