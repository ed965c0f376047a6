"""Who wants what: hands an intent to the table it concerns, and serves itself what concerns none."""

from __future__ import annotations

from contextlib import suppress

from sqlmodel import col, select

from perudo_core import Reason
from telegram_bot.service import members
from telegram_bot.service.announcer import Announcer
from telegram_bot.service.handlers import phones
from telegram_bot.service.handlers.chats import knock, lose, move_chat
from telegram_bot.service.handlers.game import AtTable
from telegram_bot.service.handlers.lobby import open_direct, open_lobby, play_again
from telegram_bot.service.intents import (
    AskForLink,
    BotStanding,
    ChooseLanguage,
    ChooseQuiet,
    ChooseTable,
    ChooseVerbose,
    ChooseView,
    CloseDirect,
    ForeignButton,
    Intent,
    Join,
    JoinChat,
    LeaveChat,
    LinkPhone,
    Misread,
    MoveChat,
    OpenDirect,
    OpenLobby,
    OpenRoom,
    PlayAgain,
    Reopened,
    SeeHelp,
    SeeRules,
    SeeSettings,
    UnlinkPhone,
    Unmask,
)
from telegram_bot.service.notices import (
    DeniedNotice,
    Done,
    DoneNotice,
    Envelope,
    HelpNotice,
    RulesNotice,
    SettingsNotice,
    Toast,
    UnmaskNotice,
    WelcomeNotice,
)
from telegram_bot.service.replies import answer, denied_notice, say
from telegram_bot.service.table_lookup import ask_which, find
from telegram_bot.service.typed_words import heard
from telegram_bot.service.unit_of_work import Work, read, remembered
from telegram_bot.storage.models import (
    TEXTING,
    Chat,
    DirectMessages,
    Player,
    PrivateView,
)
from telegram_bot.tables.events import Denial, DeniedError
from telegram_bot.tables.model import Status

AWAKE_SECONDS = 3600
"""How long somebody who has texted is taken to be awake."""


class Desk:
    """Serves one intent inside one transaction."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.language = work.house.language
        """What the person is answered in."""

    def serve(self, intent: Intent) -> Toast | None:
        """Do what is asked, and tell the person."""
        player = self.work.player(intent.who)
        self._wake(intent, player)
        self._knock(intent)
        intent = self._heard(intent, player)
        try:
            toast = self._serve(intent, player)
        except DeniedError as denied:
            toast = answer(self.work, intent, player, denied_notice(denied))
        # Not after any other error: it may have ended the transaction, and must be seen as what it is.
        self.language = self.work.language_for(player)
        return toast

    def _heard(self, intent: Intent, player: Player) -> Intent:
        if intent.typed is None:
            return intent
        row = None
        with suppress(DeniedError):
            row = find(self.work, intent, player)
        return heard(self.work, intent, player, row)

    def refuse(self, intent: Intent, why: Denial) -> Toast | None:
        """Tell the person why nothing is done."""
        player = self.work.player(intent.who)
        self.language = self.work.language_for(player)
        return answer(self.work, intent, player, DeniedNotice(denial=why))

    def _serve(  # noqa: C901, PLR0911, PLR0912 - one case per wish
        self, intent: Intent, player: Player
    ) -> Toast | None:
        what = intent.what
        match what:
            case OpenLobby():
                open_lobby(self.work, intent, player, what)
                return None
            case PlayAgain():
                return play_again(self.work, intent, player)
            case SeeHelp() if intent.who.channel == TEXTING and not self.work.live_rows_of(player):
                say(self.work, intent, player, WelcomeNotice(name=player.name))
                return None
            case SeeHelp():
                say(self.work, intent, player, HelpNotice(private=intent.where is None))
                return None
            case SeeSettings():
                say(self.work, intent, player, self._settings(intent, player))
                return None
            case ChooseView(view=view):
                if view is PrivateView.TEXT and player.phone is None:
                    raise DeniedError(Denial.NO_LINK)
                player.view = view
                return answer(self.work, intent, player, DoneNotice(done=Done.VIEW_CHOSEN, view=view))
            case ChooseLanguage(language=language, to_all=to_all):
                return self._choose_language(intent, player, language, to_all=to_all)
            case Unmask(wish=wish):
                self._unmask(intent, player, stop=wish == "stop")
                return None
            case ForeignButton():
                raise DeniedError(Denial.UNKNOWN_OPTION)
            case OpenRoom():
                phones.open_room(self.work, intent, player)
                return None
            case ChooseTable(code=code):
                return phones.choose_table(self.work, intent, player, code)
            case AskForLink():
                phones.ask_for_link(self.work, intent, player)
                return None
            case LinkPhone():
                return phones.link_phone(self.work, intent, player, what)
            case UnlinkPhone():
                return phones.unlink_phone(self.work, intent, player)
            case ChooseVerbose(on=on):
                return phones.choose_verbose(self.work, intent, player, on=on)
            case ChooseQuiet():
                return phones.choose_quiet(self.work, intent, player, what)
            case OpenDirect():
                open_direct(self.work, intent, player, what)
                return None
            case CloseDirect():
                player.direct = DirectMessages.REFUSED
                return None
            case LeaveChat():
                return self._leave_chat(intent, player)
            case JoinChat(addresses=addresses):
                if intent.where is not None:
                    members.came(self.work, intent.where, addresses)
                return None
            case Reopened():
                return None
            case BotStanding() | MoveChat():
                self._chat_changed(intent, player, what)
                return None
            case Misread(suggestion=None) if intent.who.channel == TEXTING:
                return self._not_understood(intent, player)
            case Misread(suggestion=suggestion):
                notice = DeniedNotice(denial=Denial.ILLEGAL, reason=Reason.BID_MALFORMED, suggestion=suggestion)
                return answer(self.work, intent, player, notice)
            case SeeRules():
                return self._see_rules(intent, player)
            case _:
                return self._at_table(intent, player)

    def _wake(self, intent: Intent, player: Player) -> None:
        """Who texts in their quiet hours is awake: what waited for the morning comes at once, and more for a while."""
        if intent.who.channel == TEXTING:
            player.awake_until = self.work.now + AWAKE_SECONDS
        if intent.who.channel == TEXTING and player.quiet is not None:
            self.work.release(f"{TEXTING}:{intent.who.address}")

    def _knock(self, intent: Intent) -> None:
        """Whatever is heard from a place where the bot could not write is worth another try."""
        if intent.where is None or isinstance(intent.what, BotStanding | MoveChat | LeaveChat):
            return
        place = self.work.place(intent.where)
        if place is not None:
            knock(self.work, place)

    # At a table

    def _at_table(self, intent: Intent, player: Player) -> Toast | None:
        try:
            row = find(self.work, intent, player)
        except DeniedError as denied:
            if denied.denial is Denial.WHICH_TABLE:
                ask_which(self.work, intent, player)
                return None
            if denied.denial is Denial.NO_TABLE and intent.who.channel == TEXTING and not isinstance(intent.what, Join):
                say(self.work, intent, player, WelcomeNotice(name=player.name))
                return None
            raise
        return AtTable(self.work, row, intent, player).serve()

    def _not_understood(self, intent: Intent, player: Player) -> Toast | None:
        """Say what can be said: by text there is nothing to tap, and no group to talk to."""
        try:
            row = find(self.work, intent, player)
        except DeniedError as denied:
            if denied.denial is Denial.WHICH_TABLE:
                ask_which(self.work, intent, player)
                return None
            say(self.work, intent, player, WelcomeNotice(name=player.name))
            return None
        AtTable(self.work, row, intent, player).not_understood()
        return None

    # People and chats

    def _choose_language(self, intent: Intent, player: Player, language: str | None, *, to_all: bool) -> Toast | None:
        """Speak another language from now on, to the person or in the group; what stands open is said again in it."""
        if to_all and intent.where is not None:
            chat = self.work.chat(intent.where)
            row = self.work.live_row_in(chat)
            if row is not None and read(row).seat_of(player.id or 0) is None:
                raise DeniedError(Denial.NOT_SEATED)
            chat.chosen_language = language
            self.work.session.flush()
            if row is not None:
                announcer, table = Announcer(self.work, row, chat), read(row)
                (announcer.lobby if table.status is Status.LOBBY else announcer.round)(table)
            return answer(
                self.work,
                intent,
                player,
                DoneNotice(done=Done.GROUP_LANGUAGE_CHOSEN, speaks=self.work.language_of(chat)),
            )
        player.chosen_language = language
        self.work.session.flush()
        return answer(
            self.work, intent, player, DoneNotice(done=Done.LANGUAGE_CHOSEN, speaks=self.work.language_for(player))
        )

    def _unmask(self, intent: Intent, player: Player, *, stop: bool) -> None:
        if intent.where is None:
            return
        row = self.work.live_row_in(self.work.chat(intent.where)) if stop else None
        if stop and row is None:
            raise DeniedError(Denial.NO_TABLE)
        say(self.work, intent, player, UnmaskNotice(table=None if row is None else row.id))

    def _leave_chat(self, intent: Intent, player: Player) -> Toast | None:
        """Remember it; the tables are left one by one: see `several`."""
        if intent.where is not None:
            members.left(self.work, intent.where, player)
        return None

    def _chat_changed(self, intent: Intent, player: Player, what: BotStanding | MoveChat) -> None:
        if intent.where is None:
            return
        if isinstance(what, MoveChat):
            move_chat(self.work, intent.where.channel, intent.where.address, what.address)
            return
        if not what.present or not what.can_write:
            lose(self.work, intent.where.channel, intent.where.address)
            return
        group = self.work.chat(intent.where)
        if what.arrived:
            group.language = group.language or self.work.language_for(player)
        query = select(Chat).where(Chat.channel == intent.where.channel, Chat.address == intent.where.address)
        places = self.work.session.exec(query.order_by(col(Chat.id))).all()
        was_lost = any(chat.lost_at is not None for chat in places)
        for chat in places:
            chat.ephemeral = what.can_whisper
            knock(self.work, chat)
        if what.arrived and not was_lost:
            self.work.send(
                Envelope(
                    channel=group.channel,
                    chat=group.address,
                    language=self.work.language_of(group),
                    notice=HelpNotice(private=False),
                )
            )

    # Answers

    def _settings(self, intent: Intent, player: Player) -> SettingsNotice:
        chat = None if intent.where is None else self.work.chat(intent.where)
        house = self.work.house
        rules, clock = (house.rules, house.clock) if chat is None else remembered(chat, house)
        return SettingsNotice(
            view=PrivateView(player.view),
            private=intent.where is None,
            rules=rules,
            clock=clock,
            speaks=self.work.language_for(player) if chat is None else self.work.language_of(chat),
            chosen=(player if chat is None else chat).chosen_language is not None,
            texting=bool(self.work.house.numbers),
            phone=player.phone is not None,
        )

    def _see_rules(self, intent: Intent, player: Player) -> Toast | None:
        try:
            rules = read(find(self.work, intent, player)).rules
        except DeniedError as denied:
            if denied.denial is Denial.WHICH_TABLE:
                ask_which(self.work, intent, player)
                return None
            rules = self._settings(intent, player).rules
        say(self.work, intent, player, RulesNotice(rules=rules))
        return None
