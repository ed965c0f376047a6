"""Handle the lobby: opening, joining, the host's choices, the start."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from sqlmodel import Session, col, select

from perudo_core.agents import Level
from telegram_bot import notices as n
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import (
    Arguments,
    AtAnyStep,
    Codes,
    Command,
    Fits,
    HelpLines,
    Scope,
    TellsNothing,
    Who,
    texted,
)
from telegram_bot.registry import Registry
from telegram_bot.repositories import membership
from telegram_bot.repositories.next_game import count_waiting, join_or_leave_list, leave_list
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import send_away
from telegram_bot.screens.routes import Routes
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import OFFER_SLOT, TableOutbox
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.queries import IdentifyAdmin
from telegram_bot.service.handlers.table_context import (
    TableContext,
    has_own_name,
    new_lobby,
    require_may_host,
    require_same_person,
    seat_for,
    take_name,
)
from telegram_bot.service.hooks import call_hook
from telegram_bot.service.table_lookup import find_named_table, has_dice_anywhere, require_revealed
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, Player
from telegram_bot.storage.phone_models import EVERYBODY, TextTally, day_of
from telegram_bot.tables import computer_players, lobby_rules, sleepers
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange
from telegram_bot.tables.handovers import awaited_by, owned_by
from telegram_bot.tables.house_rules import QuickChoice, classic_rules, quick_table
from telegram_bot.tables.model import CloseReason, Status, Table
from telegram_bot.tables.play import SOONEST_SECONDS
from telegram_bot.words.languages import mark
from telegram_bot.words.lobby_options import LOBBY_OPTIONS, is_unrated


@dataclass(frozen=True, slots=True)
class OpenLobby(PersonRequest):
    """Open a lobby in the place; `ephemeral_allowed`: whether ephemeral messages may be sent there at any time."""

    buttons = (Button("open"),)
    acts = (Act("open"),)
    commands = (
        Command(
            name="perudo",
            aliases=("newgame",),
            scope=Scope.CHATS,
            anonymous=IdentifyAdmin("open"),
            help=HelpLines(
                group_menu=mark("open a table, or show it again"), help_page=mark("open a table in your group")
            ),
        ),
        Command(name="start", scope=Scope.GROUP, anonymous=IdentifyAdmin("open")),
    )

    ephemeral_allowed: bool | None = None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Open a lobby in the group, or show the existing table again."""
        if intent.where is None:
            say(uow, player, n.WelcomeNotice(name=player.name, titles=_titles(uow, player)), at=intent)
            return
        chat = uow.ensure_chat(intent.where)
        chat.ephemeral_replies = True  # a refused private route may work for a new table
        if self.ephemeral_allowed is not None:
            chat.ephemeral = self.ephemeral_allowed
        running = uow.live_table_in(chat)
        if running is not None:
            table, outbox = load_table(running), TableOutbox(uow, running, chat)
            outbox.show_at_bottom(table)
            if table.status is Status.PLAYING and table.seat_of(player.id) is None:
                _offer_next_game(outbox, table)
            return
        row, step = new_lobby(uow, chat, player)
        uow.commit_step(row, None, step)


def end_without_people(uow: UnitOfWork, row: GameTable) -> bool:
    """Close a practice game whose person is out and wants another; False: it is no such game."""
    table = load_table(row)
    if not table.practice or not table.without_people:
        return False
    uow.commit_step(row, table, lobby_rules.close(table, CloseReason.EMPTY))
    return True


@dataclass(frozen=True, slots=True)
class PlayAgain(PersonRequest):
    """Open a new lobby with the people of a finished game, and with the person who asks.

    `code` names the room of a person who may read it, if the place does not.
    """

    at_one_table = True
    about_last_table = True
    buttons = (Button("again"),)
    acts = (Act("again"),)
    commands = (texted("again", "open a new lobby with the same people, after a game"),)

    code: str | None = None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> n.Toast | None:
        """Open a lobby for the players of the last game, whose host stays host; or sit down in an open one.

        A person who has watched the last game sits down as well, until its evening is over.

        Raises:
            RejectedError: a game runs there, or the person was not in the last one, or was sent out of it.
        """
        if intent.table is None:
            at = [load_table(row).status for row in uow.live_tables_of(player)]
            still = RejectionReason.STILL_RUNNING if Status.PLAYING in at else RejectionReason.TABLE_EXISTS
            raise RejectedError(still if at else RejectionReason.NO_TABLE)
        old = uow.table_by_code(self.code) if self.code else None
        if old is None or old.id != intent.table:
            old = find_named_table(uow, intent, intent.table, player)
        if load_table(old).going_on:
            raise RejectedError(RejectionReason.NO_TABLE)
        chat = uow.chat_of(old)
        running = uow.live_table_in(chat)
        if running is not None and not end_without_people(uow, running):
            context = TableContext(uow, running, intent, player)
            if context.table.status is not Status.LOBBY:
                raise RejectedError(RejectionReason.TABLE_EXISTS)
            return _play_along(context)
        finished, watcher = load_table(old), None
        if finished.seat_of(player.id) is None:  # a rejection commits: no row may be written before it
            if player.id in finished.kicked:
                raise RejectedError(RejectionReason.SENT_OUT)
            if not uow.evening_goes_on(old):
                raise RejectedError(RejectionReason.NOT_SEATED)
            watcher = seat_for(uow, player)
        if intent.where is not None:
            membership.mark_joined(uow, intent.where, (player.address,))
        require_may_host(uow, player, chat)
        gone = membership.players_who_left(uow, chat)
        people = [each for each in lobby_rules.staying(finished, gone) if each.computer is None]
        if watcher is not None and len(people) >= finished.max_seats:
            raise RejectedError(RejectionReason.FULL, number=finished.max_seats)
        row, new = uow.new_table(chat)
        waiting, unrated = count_waiting(uow, chat, finished), is_unrated(finished.options)
        step = lobby_rules.rematch(
            finished,
            new,
            player.id,
            moment=uow.moment,
            gone=gone,
            waiting=waiting,
            unrated=unrated,
            watcher=watcher,
        )
        if step.table.practice:
            started = lobby_rules.start(step.table, player.id, moment=uow.moment)
            uow.commit_step(row, None, step.then(started))
            return None
        uow.commit_step(row, None, step)
        if intent.where is not None:
            return None
        if intent.answered_by == "toast" and not uow.traits(intent.source).reads_rooms:
            return n.ConfirmationNotice(done=n.Confirmation.OPENED_AGAIN, title=chat.title)
        return None if step.table.host == player.id else answer(uow, intent, player, _plays_along(step.table))


def _play_along(context: TableContext) -> n.Toast | None:
    """Count a person who wants to play again too, and seat them if they have no seat; the host may be late."""
    is_new = context.table.seat_of(context.player.id) is None
    with context.seat_returned():
        seat = seat_for(context.uow, context.player)
        step = lobby_rules.play_along(context.table, seat, moment=context.uow.moment)
        context.save(step)
    if context.intent.where is not None and context.intent.answered_by != "toast":
        return None
    by_page = context.uow.traits(context.intent.source).reads_rooms
    done = _joined(context) if is_new and not by_page else _plays_along(step.table)
    return answer(context.uow, context.intent, context.player, done)


def _plays_along(table: Table) -> n.ConfirmationNotice:
    host = next((seat.name for seat in table.seats if seat.player == table.host), "")
    return n.ConfirmationNotice(done=n.Confirmation.PLAYS_ALONG, title=host)


@dataclass(frozen=True, slots=True)
class RequestNextGame(PersonRequest):
    """Ask for a message when a lobby opens in the group; the second time, leave the list."""

    buttons = (Button("next"),)

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> n.Toast | None:
        """Put the person on the group's list, or remove them.

        Raises:
            RejectedError: a private chat has no list.
        """
        if intent.where is None:
            raise RejectedError(RejectionReason.NO_TABLE)
        listed = join_or_leave_list(uow, uow.ensure_chat(intent.where), player)
        done = n.Confirmation.NEXT_GAME if listed else n.Confirmation.NO_NEXT_GAME
        reachable = player.direct == DirectMessages.OPEN
        return answer(uow, intent, player, n.ConfirmationNotice(done=done, reachable=reachable))


@dataclass(frozen=True, slots=True)
class LeaveNextGames(PersonRequest):
    """Leave the list of a group (by its row's id) from the message about a lobby."""

    buttons = (Button("no_next={chat}"),)

    chat: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> n.Toast | None:
        leave_list(uow, self.chat, player)
        return answer(uow, intent, player, n.ConfirmationNotice(done=n.Confirmation.NO_NEXT_GAME))


@dataclass(frozen=True, slots=True)
class StartPrivateChat(TellsNothing, PersonRequest):
    """Report that the person opened a private chat with the bot: direct messages work from now on.

    `code` names a table to join immediately; `greeted` is False if the person said nothing.
    """

    commands = (Command(name="start", scope=Scope.PRIVATE, arguments=Arguments.PARSED),)

    code: str | None = None
    greeted: bool = True

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Greet the person, and seat them at the table of their link; `multi_table` has sent the dice of games."""
        player.direct = DirectMessages.OPEN
        uow.session.flush()
        require_revealed(uow, intent, player, self.code)
        joined = _join_by_code(uow, intent, player, self.code) if self.code is not None else False
        if self.greeted and not joined and not has_dice_anywhere(uow, player):
            say(uow, player, n.WelcomeNotice(name=player.name, titles=_titles(uow, player)), at=intent)


def _is_table_code(session: Session, code: str, _now: float) -> bool:
    """Return True if a table has this code, or had it."""
    return session.exec(select(GameTable.id).where(col(GameTable.code) == code)).first() is not None


@dataclass(frozen=True, slots=True)
class Join(AtAnyStep, TableRequest):
    """Take a seat; `code` names the table if the place does not. `name`: the player's name from now on.

    `player`: the player (by the players' own id) for whom the person plays on in a running game.
    """

    buttons = (Button("join"), Button("play_for={player}"))
    acts = (Act("join"), Act("play_for", "player"))
    commands = (
        Command(name="join", scope=Scope.CHATS),
        Command(
            name="join",
            scope=Scope.TEXT,
            arguments=Arguments.CODE,
            codes=Codes(_is_table_code, lambda code: n.PhoneNotice(word=n.PhoneMessage.UNKNOWN_CODE, detail=code)),
            example="ABC234 Ana",
            help=HelpLines(guide="take a seat; the lobby shows the code, the name is up to you"),
        ),
    )

    code: str | None = None
    name: str | None = None
    player: int = 0

    def handle(self, context: TableContext) -> n.Toast | None:
        """Take a seat in the lobby, or a sleeper's seat; a seated player without a name only gets the name.

        A player whose language is unknown gets the table's language.
        """
        uow, player, name = context.uow, context.player, self.name
        require_same_person(uow, player, name)
        if name is not None and player.nameless and context.table.seat_of(context.player_id) is not None:
            context.rename_seat(name)
            done = n.ConfirmationNotice(done=n.Confirmation.SETTING_CHOSEN, setting="name", title=name)
            return answer(uow, context.intent, player, done)
        if context.intent.who.language_is_guess and context.player.channel == context.intent.who.channel:
            context.player.language = context.uow.language_of(context.chat)
        name = name if has_own_name(context.intent, player) else None
        if context.table.status is Status.PLAYING:
            if not self.player and _offers_next_game(context):
                return None
            return context.take_seat(self.player, name)
        step = lobby_rules.join(context.table, seat_for(uow, player, name), moment=uow.moment)
        take_name(uow, player, name)
        context.save(step)
        done = _joined(context)
        if context.intent.where is None or context.intent.answered_by == "toast":
            return answer(context.uow, context.intent, context.player, done)
        return None


def _joined(context: TableContext) -> n.ConfirmationNotice:
    uow, player = context.uow, context.player
    return n.ConfirmationNotice(
        done=n.Confirmation.JOINED,
        title=context.chat.title,
        in_group=uow.traits(context.chat.channel).shared_chats and context.chat.channel != uow.channels.rooms,
        nameless=player.nameless,
        reachable=player.direct == DirectMessages.OPEN or uow.traits(context.intent.source).reads_rooms,
    )


def _offers_next_game(context: TableContext) -> bool:
    """Offer a newcomer in the group what is open to them; False if the person has a seat, or reads no keys there."""
    table, chat = context.table, context.chat
    known = (table.seat_of, partial(awaited_by, table), partial(owned_by, table))
    in_group = context.intent.where is not None and chat.channel != context.uow.channels.rooms
    if not in_group or any(find(context.player_id) is not None for find in known):
        return False
    _offer_next_game(TableOutbox(context.uow, context.row, chat), table)
    return True


def _offer_next_game(outbox: TableOutbox, table: Table) -> None:
    """Offer spectators the seats of sleepers, and a message about the next game, at the end of the chat."""
    if not table.spectated:
        before, table = table, table.replace(spectated=True)
        outbox.uow.commit_step(outbox.row, before, TableChange(table))
        outbox.uow.mark_table(table.id)
    seats = tuple((table.seats[seat].player, table.seats[seat].name) for seat in sleepers.takeable(table))
    offer = n.NextGameOfferNotice(table=table.id, seats=seats)
    withdraw(outbox.uow, outbox.chat, OFFER_SLOT, about=outbox)  # an earlier one is above the words of this person
    say(outbox.uow, outbox.chat, offer, about=outbox, slot=OFFER_SLOT)


def _join_by_code(uow: UnitOfWork, intent: Intent, player: Player, code: str) -> bool:
    """Take the seat of a link; a player who sits there already only opened the private chat."""
    row = uow.table_by_code(code.upper())
    if row is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    if load_table(row).seat_of(player.id) is not None:
        return False
    Join().handle(TableContext(uow, row, intent, player))
    return True


def _titles(uow: UnitOfWork, player: Player) -> tuple[str, ...]:
    return tuple(uow.chat_of(row).title for row in uow.live_tables_of(player))


@dataclass(frozen=True, slots=True)
class Kick(AtAnyStep, TableRequest):
    """Remove a player (by the players' own id) from the lobby, for the host only."""

    buttons = (Button("kick={player}"),)
    acts = (Act("kick", "player"),)

    player: int

    def handle(self, context: TableContext) -> None:
        """Remove a player from the lobby; a player who does not see the lobby's chat is told in private."""
        step = lobby_rules.kick(context.table, context.player_id, self.player, moment=context.uow.moment)
        context.save(step)
        if self.player in step.table.kicked:
            send_away(context.uow.session, context.chat.id, self.player, context.uow.now)
        outbox = TableOutbox(context.uow, context.row, context.chat)
        sent_out = n.ConfirmationNotice(done=n.Confirmation.SENT_OUT, title=context.chat.title)
        outbox.say_elsewhere([self.player], sent_out)


@dataclass(frozen=True, slots=True)
class KickNamed(AtAnyStep, TableRequest):
    """Remove a player from the lobby by name, or by place in the list, for the host only."""

    fits = Fits.LOBBY
    commands = (
        texted(
            "kick",
            "send someone out of the lobby, by name or by their place in the list (`KICK 2`)",
            who=Who.HOST,
            example="Bo",
        ),
    )

    name: str

    def handle(self, context: TableContext) -> None:
        """Remove the named player from the lobby.

        A place in the list is another player's after each change, so the host is asked first.
        """
        kick = Kick(lobby_rules.player_named(context.table, self.name))
        if not self.name.isdecimal():
            kick.handle(context)
            return
        lobby_rules.kick(context.table, context.player_id, kick.player, moment=context.uow.moment)  # or a rejection
        named = next(seat.name for seat in context.table.seats if seat.player == kick.player)
        question = n.PhoneNotice(word=n.PhoneMessage.ASK_KICK, detail=named, player=kick.player, table=context.table.id)
        say(context.uow, context.player, question, at=context.intent)


@dataclass(frozen=True, slots=True)
class OpenMenu(AtAnyStep, TableRequest):
    """Open a menu of the host's private message, by the channel's name for it, or the main menu if that is None."""

    buttons = (Button("menu=main", menu=None), Button("menu={menu}"))

    menu: str | None

    def handle(self, context: TableContext) -> n.Toast | None:
        """Open a menu; a button in the group, of an earlier version, leads to the private chat."""
        step = lobby_rules.consider(context.table, context.player_id, moment=context.uow.moment)
        context.row.menu = self.menu
        if context.intent.where is not None:
            context.table = step.table
            TableOutbox(context.uow, context.row, context.chat).show_menu_again(context.player)
            return n.ConfirmationNotice(done=n.Confirmation.CHOICES_IN_PRIVATE)
        context.save(step)
        return None


@dataclass(frozen=True, slots=True)
class AddComputers(AtAnyStep, TableRequest):
    """Add computer players, for the host only; without a `count`, as many as there is room for."""

    fits = Fits.LOBBY
    buttons = (Button("fill", count=None), Button("bot={level}"), Button("engine={engine}"))
    acts = (Act("computers", "count", "level", "engine"),)
    commands = (texted("bots", "have computer players sit down, in the lobby", who=Who.HOST, example="2"),)

    count: int | None = 1
    level: Level = Level.REGULAR
    engine: str = ""
    """The name of an operator's program in place of a level."""

    def handle(self, context: TableContext) -> None:
        """Add computer players; the lobby, which shows them, stays in its menu."""
        uow, table, by = context.uow, context.table, context.player_id
        if self.engine and self.engine not in uow.config.engines:
            raise RejectedError(RejectionReason.NOBODY)
        context.save(computer_players.add(table, by, self.count, self.level, self.engine, moment=uow.moment))


@dataclass(frozen=True, slots=True)
class ChangeComputer(AtAnyStep, TableRequest):
    """Change a computer player (by its number as a player) to the next level or character, for the host only."""

    acts = (Act("computer", "player", "trait"),)

    player: int
    trait: Literal["level", "character"]

    def handle(self, context: TableContext) -> None:
        """Change a computer player to its next level or character."""
        uow, table, by = context.uow, context.table, context.player_id
        context.save(computer_players.change(table, by, self.player, self.trait, moment=uow.moment))


@dataclass(frozen=True, slots=True)
class ChangeOption(AtAnyStep, TableRequest):
    """Set one of the lobby's options: a rule, the rulebook, the turn clock, an option of a feature.

    `value` is written as in a file. If it is None, the option changes to its next value.
    """

    fits = Fits.LOBBY
    buttons = (Button("set={option}__{value}"), Button("set={option}"))
    acts = (Act("option", "option", "value"),)
    commands = (
        texted("book", "choose the rulebook, in the lobby", who=Who.HOST, example="azteca"),
        texted(
            "clock",
            "choose the turn clock, in the lobby: `5M`, `15M`, `1H`, `6H`, `24H` or `OFF`",
            who=Who.HOST,
            example="6H",
            scope=Scope.CHATS | Scope.TEXT,
        ),
    )

    option: str
    value: str | None = None

    def handle(self, context: TableContext) -> n.Toast | None:
        """Set one of the lobby's options, or change it to its next value."""
        table, by, config = context.table, context.player_id, context.uow.config
        option, value = self.option, self.value
        moment = context.uow.moment
        rules, clock = None, None
        match option, value:
            case "house", str(key):
                rules = next((house.rules for house in config.house_rules if house.key == key), None)
            case "quick_table", str(choice) if choice in set(QuickChoice):
                classic = classic_rules(config.house_rules)
                rules, clock = quick_table(QuickChoice(choice), classic, config.clock, config.night)
        if rules is not None:
            step = lobby_rules.choose_rules(table, by, rules, clock, moment=moment)
        elif option in LOBBY_OPTIONS:
            options = LOBBY_OPTIONS[option].chosen(table.options, value)
            step = lobby_rules.choose_options(table, by, options, unrated=is_unrated(options), moment=moment)
        else:
            step = lobby_rules.change_option(table, by, option, value, moment=moment)
        if option in ("rulebook", "house", "quick_table", "twist"):
            done = n.ConfirmationNotice(
                done=n.Confirmation.RULES_CHOSEN, rules=step.table.rules, clock=clock, house_rules=config.house_rules
            )
        else:
            done = n.ConfirmationNotice(
                done=n.Confirmation.OPTION_CHANGED,
                option=option,
                rules=step.table.rules,
                clock=step.table.clock,
                value=LOBBY_OPTIONS[option].value_in(step.table.options) if option in LOBBY_OPTIONS else None,
            )
        context.save(step)
        # A text message is not answered twice: the lobby that follows says it.
        is_paid = context.uow.traits(context.intent.source).paid
        return done if is_paid else answer(context.uow, context.intent, context.player, done)


@dataclass(frozen=True, slots=True)
class AskOption(AtAnyStep, TableRequest):
    """Ask for a value of one of the lobby's options: the host has written one that it does not have."""

    fits = Fits.LOBBY

    option: str

    def handle(self, context: TableContext) -> n.Toast | None:
        """Name all values, in the words that the host may write."""
        notice = n.RejectionNotice(reason=RejectionReason.UNKNOWN_OPTION, option=self.option)
        return answer(context.uow, context.intent, context.player, notice)


WARNED_SECONDS = 600
"""How long after the warning a host may begin a game for which the day's texts may not last, in seconds."""


@dataclass(frozen=True, slots=True)
class Start(AtAnyStep, TableRequest):
    """Begin the game."""

    fits = Fits.LOBBY
    buttons = (Button("start"),)
    acts = (Act("start"),)
    commands = (texted("go", "start the game at a table for phones", who=Who.HOST),)

    def handle(self, context: TableContext) -> n.Toast | None:
        uow = context.uow
        lobby_rules.require_may_start(context.table, context.player_id, moment=uow.moment)
        for name, comes_before in BEFORE_START.items():
            if (told := call_hook(uow, name, context.table.id, partial(comes_before, context), None)) is not None:
                return answer(uow, context.intent, context.player, told)
        step = lobby_rules.start(context.table, context.player_id, moment=uow.moment)
        context.save(step)
        return n.ConfirmationNotice(done=n.Confirmation.STARTED)


def _warn_of_texts(context: TableContext) -> n.RejectionNotice | None:
    """Warn the host if the day's texts may not last for the game, once unless some phone gets none."""
    short = text_shortage(context.uow, context.table, context.chat)
    if short is None or (_was_warned(context) and not short.none_for_some):
        return None
    context.table = context.table.replace(warned_at=context.uow.now)
    return n.RejectionNotice(
        reason=RejectionReason.TEXTS_USED_UP if short.none_for_some else RejectionReason.TEXTS_SHORT,
        number=short.phones,
        texts=(short.needed, short.left),
    )


BEFORE_START: Final = Registry[str, Callable[[TableContext], n.Toast | None]](
    "what comes before a game", {"texts": _warn_of_texts}
)
"""By name: a function that may change the table, and returns the host's answer if the game does not begin now."""


def _was_warned(context: TableContext) -> bool:
    """Return True if the host has seen the warning about the day's texts, and has not just tapped twice."""
    warned_at = context.table.warned_at
    soonest = SOONEST_SECONDS if context.intent.answered_by == "toast" else 0
    return warned_at is not None and soonest <= context.uow.now - warned_at <= WARNED_SECONDS


USUAL_DICE: Final = 5


def texts_needed(players: int, dice: int = USUAL_DICE) -> int:
    """Return about how many texts a phone gets in a game; `benchmarks.sms_cost` measured five dice each."""
    return round((4 * players + 12) * dice / USUAL_DICE)


@dataclass(frozen=True, slots=True)
class TextShortage:
    """The texts that the phones of a game need today, and those that are left for them."""

    phones: int
    needed: int
    left: int
    none_for_some: bool
    """Whether some phone cannot get even its first dice."""


def text_shortage(uow: UnitOfWork, table: Table, chat: Chat) -> TextShortage | None:
    """Return the shortage of texts for a game of this table, or None if the limits suffice, or no player texts."""
    players = uow.players_by_id(table.people)
    needed = {
        phone: texts_needed(len(table.seats), table.rules.starting_dice)
        for player in players.values()
        if (phone := _phone_of(uow, player, chat)) is not None
    }
    if not needed:
        return None
    caps, spent = uow.config.text_caps, _spent_today(uow, table, needed)
    total = sum(needed.values())
    in_all = [
        caps.per_day - spent.get(EVERYBODY, (0, 0))[0] if caps.per_day else total,
        caps.per_table - spent.get(f"table:{table.id}", (0, 0))[0] if caps.per_table else total,
        (caps.spend - spent.get(EVERYBODY, (0, 0))[1]) // caps.cost if caps.spend and caps.cost else total,
    ]
    left_in_all = max(min(in_all), 0)
    if left_in_all < total:
        return TextShortage(len(needed), total, left_in_all, none_for_some=left_in_all < len(needed))
    left = {phone: max(caps.per_phone - spent.get(f"phone:{phone}", (0, 0))[0], 0) for phone in needed}
    short = [phone for phone in needed if caps.per_phone and left[phone] < needed[phone]]
    if not short:
        return None
    return TextShortage(
        len(short),
        sum(needed[phone] for phone in short),
        sum(left[phone] for phone in short),
        none_for_some=any(not left[phone] for phone in short),
    )


def _phone_of(uow: UnitOfWork, player: Player, chat: Chat) -> int | None:
    """Return the address of the player's texts, or None if they get none."""
    to = Routes.about(uow, chat).to(player).to
    return to.chat if to is not None and uow.traits(to.channel).paid else None


def _spent_today(uow: UnitOfWork, table: Table, phones: dict[int, int]) -> dict[str, tuple[int, int]]:
    scopes = [EVERYBODY, f"table:{table.id}", *(f"phone:{phone}" for phone in phones)]
    query = select(TextTally).where(TextTally.day == day_of(uow.now), col(TextTally.scope).in_(scopes))
    return {tally.scope: (tally.texts, tally.cost) for tally in uow.session.exec(query)}
