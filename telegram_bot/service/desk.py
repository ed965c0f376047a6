"""Who wants what: finds the table an intent concerns; serves what concerns no table itself."""

from __future__ import annotations

from contextlib import suppress

from sqlmodel import col, select

from perudo_core import Reason
from telegram_bot.service import members, phones
from telegram_bot.service.announce import Announcer
from telegram_bot.service.at_table import AtTable
from telegram_bot.service.chats import finish, knock, lose, move_chat
from telegram_bot.service.hearing import heard
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
    Choice,
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
    WhichTableNotice,
)
from telegram_bot.service.replies import answer, denied_notice, say, word_of
from telegram_bot.service.seating import may_host, new_lobby
from telegram_bot.service.several import plays_somewhere
from telegram_bot.service.showing import show_again
from telegram_bot.service.visit import Visit
from telegram_bot.service.work import Work, read, remembered
from telegram_bot.storage.rows import (
    TEXTING,
    Chat,
    DirectMessages,
    GameTable,
    Player,
    PrivateView,
    SentMessage,
)
from telegram_bot.tables import lobby
from telegram_bot.tables.happenings import Denial, DeniedError
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
            row = self._find(intent, player)
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
                return self._open_lobby(intent, player, what)
            case PlayAgain():
                return self._play_again(intent, player)
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
                return self._open_direct(intent, player, what)
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

    # Finding the table

    def _find(self, intent: Intent, player: Player) -> GameTable:
        """The table an intent concerns: named by its button, its place, its reply, or the only one where they sit."""
        if intent.table is not None:
            return self._named(intent, intent.table, player)
        if isinstance(intent.what, Join) and intent.what.code is not None:
            row = self.work.row_by_code(intent.what.code)
            if row is None:
                raise DeniedError(Denial.NO_TABLE)
            return row
        if intent.where is not None:
            chat = self.work.chat(intent.where)
            row = self.work.live_row_in(chat)
            if row is None:
                raise DeniedError(Denial.NO_TABLE)
            return row
        rows = self.work.live_rows_of(player) or self.work.suspended_rows_of(player)
        if not rows:
            raise DeniedError(Denial.NO_TABLE)
        if len(rows) > 1:
            in_focus = next((row for row in rows if row.id == player.focus), None)
            chosen = self._replied_to(intent, player, rows) or in_focus
            if chosen is None:
                raise DeniedError(Denial.WHICH_TABLE)
            rows = [chosen]
        row = self.work.table_row(rows[0].id or 0)
        if row is None:
            raise DeniedError(Denial.NO_TABLE)
        return row

    def _named(self, intent: Intent, table: int, player: Player, *, locked: bool = True) -> GameTable:
        """The table that a button names. Buttons can be forged: it answers in its own chat, or to its own people."""
        row = self.work.table_row(table) if locked else self.work.table_as_it_was(table)
        if row is None:
            raise DeniedError(Denial.NO_TABLE)
        chat = self.work.chat_of(row)
        if intent.where is None:
            known = self.work.sits(table, player)
        else:
            known = (intent.where.channel, intent.where.address) == (chat.channel, chat.address)
        if not known:
            raise DeniedError(Denial.NO_TABLE)
        return row

    def _replied_to(self, intent: Intent, player: Player, rows: list[GameTable]) -> GameTable | None:
        if intent.replied_message is None:
            return None
        query = select(SentMessage.table_id).where(
            SentMessage.chat == player.address, SentMessage.message == intent.replied_message
        )
        tables = set(self.work.session.exec(query))
        return next((row for row in rows if row.id in tables), None)

    def _ask_which(self, intent: Intent, player: Player) -> Toast | None:
        choices = []
        for row in self.work.live_rows_of(player):
            table = read(row)
            title = self.work.chat_of(row).title
            choices.append(Choice(table=table.id, step=table.step, title=title, code=row.code))
        say(self.work, intent, player, WhichTableNotice(choices=tuple(choices), word=word_of(intent)))
        return None

    # At a table

    def _at_table(self, intent: Intent, player: Player) -> Toast | None:
        try:
            row = self._find(intent, player)
        except DeniedError as denied:
            if denied.denial is Denial.WHICH_TABLE:
                return self._ask_which(intent, player)
            if denied.denial is Denial.NO_TABLE and intent.who.channel == TEXTING and not isinstance(intent.what, Join):
                say(self.work, intent, player, WelcomeNotice(name=player.name))
                return None
            raise
        return AtTable(self.work, row, intent, player).serve()

    def _not_understood(self, intent: Intent, player: Player) -> Toast | None:
        """Say what can be said: by text there is nothing to tap, and no group to talk to."""
        try:
            row = self._find(intent, player)
        except DeniedError as denied:
            if denied.denial is Denial.WHICH_TABLE:
                return self._ask_which(intent, player)
            say(self.work, intent, player, WelcomeNotice(name=player.name))
            return None
        AtTable(self.work, row, intent, player).not_understood()
        return None

    def _open_lobby(self, intent: Intent, player: Player, what: OpenLobby) -> Toast | None:
        if intent.where is None:
            say(self.work, intent, player, WelcomeNotice(name=player.name, titles=self._titles(player)))
            return None
        chat = self.work.chat(intent.where)
        chat.ephemeral_replies = True  # what was refused once is worth another try with a new table
        if what.can_whisper is not None:
            chat.ephemeral = what.can_whisper
        running = self.work.live_row_in(chat)
        if running is not None:
            show_again(Visit(self.work, running, intent, player))
            return None
        row, step = new_lobby(self.work, chat, player)
        finish(self.work, row, None, step)
        return None

    def _play_again(self, intent: Intent, player: Player) -> Toast | None:
        if intent.table is None:
            raise DeniedError(Denial.NO_TABLE)
        old = self._named(intent, intent.table, player, locked=False)
        chat = self.work.chat_of(old)
        running = self.work.live_row_in(chat)
        if running is not None:
            table = read(running)
            if table.status is Status.LOBBY and table.seat_of(player.id or 0) is None:
                return AtTable(self.work, running, intent, player).join()
            raise DeniedError(Denial.TABLE_EXISTS)
        if read(old).seat_of(player.id or 0) is None:
            raise DeniedError(Denial.NOT_SEATED)  # a denial commits: no row may be written before it
        if intent.where is not None:
            members.came(self.work, intent.where, (player.address,))
        may_host(self.work, player)
        gone = members.gone_from(self.work, chat)
        row = self.work.new_row(chat)
        step = lobby.rematch(
            read(old),
            row.id or 0,
            row.code,
            player.id or 0,
            gone=gone,
            now=self.work.now,
            pace=self.work.pace,
            secret=self.work.new_secret(),
        )
        finish(self.work, row, None, step)
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

    def _titles(self, player: Player) -> tuple[str, ...]:
        return tuple(self.work.chat_of(row).title for row in self.work.live_rows_of(player))

    def _open_direct(self, intent: Intent, player: Player, what: OpenDirect) -> Toast | None:
        """Greet, and seat the person where their link says; the dice of games that run are there: see `several`."""
        player.direct = DirectMessages.OPEN
        self.work.session.flush()
        joined = self._join_by_code(intent, player, what.code) if what.code is not None else False
        if what.greeted and not joined and not plays_somewhere(self.work, player):
            say(self.work, intent, player, WelcomeNotice(name=player.name, titles=self._titles(player)))
        return None

    def _join_by_code(self, intent: Intent, player: Player, code: str) -> bool:
        """Take the seat that a link offers; a player who sits there already only opened the private chat."""
        row = self.work.row_by_code(code.upper())
        if row is None:
            raise DeniedError(Denial.NO_TABLE)
        if read(row).seat_of(player.id or 0) is not None:
            return False
        AtTable(self.work, row, intent, player).join()
        return True

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
            rules = read(self._find(intent, player)).rules
        except DeniedError as denied:
            if denied.denial is Denial.WHICH_TABLE:
                return self._ask_which(intent, player)
            rules = self._settings(intent, player).rules
        say(self.work, intent, player, RulesNotice(rules=rules))
        return None
