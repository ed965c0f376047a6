"""Handle the requests of people about the tournament of their group: they join, ask its host, or lead it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sqlmodel import Session, col, func, select

from perudo_core import Rules
from telegram_bot.features.tournament.board import (
    GATHERED_SECONDS,
    entrants_of,
    host_of,
    is_in_group,
    may_come_late,
    show,
    show_at_bottom,
    televise,
)
from telegram_bot.features.tournament.draw import FEWEST, MOST, seats_at_a_table
from telegram_bot.features.tournament.notices import EntrantsNotice, Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.stages import (
    FEWEST_AT_A_TABLE,
    begin_final,
    draw_stage,
    end_questions,
    load_tournament,
    offer_seats,
    seat_late,
    tell,
    watch,
    withdraw,
)
from telegram_bot.features.tournament.tables import (
    Entrant,
    StageTable,
    Standing,
    Tournament,
    subject_of,
    tournament_about,
)
from telegram_bot.intents.config import lobby_defaults
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import Arguments, Codes, Command, HelpLines, Request, Scope
from telegram_bot.notices import Toast
from telegram_bot.parsing.joining import name_in, split_code
from telegram_bot.parsing.on_off import on_or_off
from telegram_bot.repositories import membership
from telegram_bot.repositories.repositories import new_code
from telegram_bot.repositories.room_access import LEAST_WAIT_SECONDS, MOST_ASKING, is_let_in, let_member_in
from telegram_bot.screens.posting import Urgency
from telegram_bot.screens.routes import own_address
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.handlers.table_context import TableContext, has_own_name, take_name
from telegram_bot.service.requests import write_link
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, Player
from telegram_bot.tables.house_rules import BOOKS
from telegram_bot.words.languages import mark, mark_in_context

FORSAKEN_SECONDS: Final = 12 * 3600
"""After so long without a change, a list that has not started makes room for a new one."""
HOST_ALONE_SECONDS: Final = 600
"""After so long without an act of the host, everyone on the list has the host's rights."""


@dataclass(frozen=True, slots=True)
class OpenTournament(PersonRequest):
    """Open a tournament in the group, or show the running one again at the end of the chat."""

    buttons = (Button("tournament"),)
    commands = (
        Command(
            name="tournament",
            scope=Scope.CHATS,
            help=HelpLines(
                group_menu=mark("a tournament for 7 to 40 people, with a grand final"),
                help_page=mark("a tournament for 7 to 40 people, with a grand final"),
            ),
        ),
    )

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Open a tournament in the group, or show the running one again; in private, note that the bot may write there.

        The person is the host of a new tournament; its list begins with them, if the bot can write to them in private.
        """
        if intent.where is None:
            player.direct = DirectMessages.OPEN
            return _answer(uow, intent, player, TournamentAnswer.PRIVATE_CHAT_IS_OPEN)
        chat = uow.ensure_chat(intent.where)
        running = uow.session.exec(
            select(Tournament.id).where(Tournament.chat_id == chat.id, col(Tournament.live))
        ).first()
        tournament = None if running is None else load_tournament(uow, running)
        if tournament is not None and tournament.live:
            if tournament.phase != Phase.OPEN or uow.now - tournament.changed_at < FORSAKEN_SECONDS:
                if tournament.phase == Phase.FINAL_WAITS:  # the bot may have been away from the group
                    begin_final(uow, tournament)
                show_at_bottom(uow, tournament)
                return None
            close(uow, tournament)
            uow.session.flush()
        chat.language = uow.language_for(player)
        uow.begin_evening(chat)
        choices, (usual, _clock) = _rules_offered(uow), lobby_defaults(chat, uow.config)
        rules = usual if _fit_every_table(usual) else choices[0]
        code = new_code(uow.rng)
        while _number_of(uow.session, code) is not None:
            code = new_code(uow.rng)
        opened = Tournament(chat_id=chat.id, code=code, rules=rules.to_dict(), changed_at=uow.now, host_id=player.id)
        opened.host_at = uow.now
        uow.session.add(opened)
        uow.session.flush()
        if _is_reached(uow, player):
            add(uow, opened, player.id)
        show(uow, opened)
        return None


def _read_text(words: str, _: str | None) -> Request:
    if on_or_off(words) is False:
        return LeaveTournament()
    code, behind = split_code(words)
    return JoinTournament(code=code or None, name=name_in(behind) if code else None)


@dataclass(frozen=True, slots=True)
class JoinTournament(PersonRequest):
    """Take part; by text message in the tournament with a code, and with a name from now on.

    `asks`: whether the host is asked even about a person whom they let into their room.
    """

    buttons = (Button("enter={tournament}"),)
    links = (Button("tournament_{code}"),)
    acts = (Act("enter", "code", "asks"),)
    commands = (
        Command(
            name="tournament",
            scope=Scope.TEXT,
            arguments=Arguments.CODE,
            codes=Codes(
                lambda session, code, _: _number_of(session, code) is not None,
                lambda _: TournamentAnswerNotice(answer=TournamentAnswer.NO_SUCH_CODE),
            ),
            example="ABC234 Ana",
            reader=_read_text,
            words=mark_in_context("typed", "tournament, the tournament"),
            help=HelpLines(
                guide="join a group's tournament, by its list's code; alone: its state; `TOURNAMENT OFF`: leave it"
            ),
        ),
    )

    tournament: int = 0
    code: str | None = None
    name: str | None = None
    asks: bool = False

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Put the person on the list, if the bot can write to them in private; a code names the list from elsewhere.

        With a code, the host is asked about a person whom they have not let into the group's room.
        """
        if intent.where is None and self.code is None:
            return _tell_state(uow, intent, player)
        if intent.where is not None:
            membership.mark_joined(uow, intent.where, (player.address,))
        elif intent.source == player.channel:
            player.direct = DirectMessages.OPEN
        tournament = _named(uow, intent, self.tournament) if self.code is None else _with_code(uow, self.code)
        if self.code is not None and (tournament is None or _has_left(uow, player, tournament)):
            return _answer(uow, intent, player, TournamentAnswer.NO_SUCH_CODE)
        if tournament is None or not tournament.live:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        take_name(uow, player, self.name if has_own_name(intent, player) else None)
        entrant = uow.session.get(Entrant, (tournament.id, player.id))
        asks = self.code is not None and (self.asks or not _is_let_in(uow, player, tournament))
        if entrant is not None and (asks or entrant.standing != Standing.ASKS):
            return _answer(uow, intent, player, _standing_of(entrant))
        late = may_come_late(uow, tournament)
        if tournament.phase != Phase.OPEN and not late:
            return _answer(uow, intent, player, TournamentAnswer.BEGUN)
        if len(entrants_of(uow, tournament)) >= MOST:
            return _answer(uow, intent, player, TournamentAnswer.FULL, MOST)
        if not _is_reached(uow, player):
            if intent.where is not None:
                let_member_in(uow.session, tournament.chat_id, player.id, uow.now)
            again = write_link(JoinTournament(code=tournament.code))
            said = TournamentAnswerNotice(answer=TournamentAnswer.OPEN_PRIVATE_CHAT, start=again)
            return answer(uow, intent, player, said)
        if asks:
            return _answer(uow, intent, player, ask(uow, tournament, player))
        add(uow, tournament, player.id)
        if late:
            seat_late(uow, tournament)
            offer_seats(uow, tournament)
        return _changed(uow, intent, player, tournament, TournamentAnswer.LATE if late else TournamentAnswer.JOINED)


@dataclass(frozen=True, slots=True)
class TakeFreeSeat(PersonRequest):
    """Play on for a player who is away, as a person who came late."""

    buttons = (Button("free_seat={tournament}_{at}_{player}"),)

    tournament: int
    at: int
    """The table."""
    player: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Give the person the seat from the next round on, if they are on the list and have had no table."""
        tournament = load_tournament(uow, self.tournament)
        entry, row = uow.session.get(StageTable, self.at), uow.table_by_id(self.at)
        if tournament is None or entry is None or row is None or entry.tournament_id != self.tournament or entry.over:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        entrant = uow.session.get(Entrant, (tournament.id, player.id))
        if entrant is None or entrant.standing != Standing.IN:
            return _answer(uow, intent, player, TournamentAnswer.NOT_JOINED)
        if entrant.table_id is not None:
            return _answer(uow, intent, player, TournamentAnswer.ALREADY_JOINED)
        return TableContext(uow, row, intent, player).take_seat(self.player)


@dataclass(frozen=True, slots=True)
class LeaveTournament(PersonRequest):
    """Stop taking part; by text message in the person's only tournament."""

    buttons = (Button("withdraw={tournament}"),)
    acts = (Act("withdraw"),)

    tournament: int = 0

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Remove the person from the list, or from the stages to come; refuse that to a person at a table."""
        tournament = _named(uow, intent, self.tournament) if self.tournament else _joined(uow, player)
        if tournament is None and not self.tournament:
            return _answer(uow, intent, player, TournamentAnswer.NOT_JOINED)
        if tournament is None or not tournament.live:
            return _answer(uow, intent, player, TournamentAnswer.OVER)
        entrant = uow.session.get(Entrant, (tournament.id, player.id))
        if entrant is None or entrant.out or entrant.standing == Standing.REMOVED:
            return _answer(uow, intent, player, TournamentAnswer.NOT_JOINED)
        if entrant.table_id is None:
            withdraw(uow, tournament, player.id)
            if entrant.standing == Standing.IN and not entrants_of(uow, tournament):
                close(uow, tournament)
            return _changed(uow, intent, player, tournament, TournamentAnswer.LEFT)
        if _plays(uow, player, entrant):
            return _answer(uow, intent, player, TournamentAnswer.PLAYING)
        withdraw(uow, tournament, player.id)
        if tournament.phase == Phase.FINAL_WAITS:
            begin_final(uow, tournament)
        return _changed(uow, intent, player, tournament, TournamentAnswer.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class WatchTable(PersonRequest):
    """Watch another table of the stage, once the person's own game is over."""

    acts = (Act("watch"),)

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show the table on the person's page, which guesses there as that of any ghost."""
        tournament = _joined(uow, player)
        entrant = None if tournament is None else uow.session.get(Entrant, (tournament.id, player.id))
        if tournament is None or entrant is None or entrant.standing != Standing.IN:
            return _answer(uow, intent, player, TournamentAnswer.NOT_JOINED)
        if not _plays(uow, player, entrant) and watch(uow, tournament, player):
            return None
        return _tell_state(uow, intent, player)


@dataclass(frozen=True, slots=True)
class ChangeTournamentRules(PersonRequest):
    """Choose the next rulebook, for the host, before the draw."""

    buttons = (Button("next_rules={tournament}"),)

    tournament: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Choose the rules after the present ones: the house rules of the installation, then the rulebooks."""
        tournament = _named(uow, intent, self.tournament)
        refusal = _refusal(uow, player, tournament)
        if tournament is None or refusal is not None:
            return refusal
        choices, rules = _rules_offered(uow), Rules.from_dict(tournament.rules)
        following = choices.index(rules) + 1 if rules in choices else 0
        tournament.rules = choices[following % len(choices)].to_dict()
        return _changed(uow, intent, player, tournament, TournamentAnswer.CHANGED, unfolded=True)


def _rules_offered(uow: UnitOfWork) -> list[Rules]:
    houses = [house.rules for house in uow.config.house_rules if _fit_every_table(house.rules)]
    return [*houses, *(rules for rules in map(Rules.preset, BOOKS) if rules not in houses)]


def _fit_every_table(rules: Rules) -> bool:
    """Return True if two and three people can play by the rules: a final, or the tables of a draw, may have no more."""
    return rules.min_seats <= FEWEST_AT_A_TABLE < seats_at_a_table(rules)


@dataclass(frozen=True, slots=True)
class FillTournament(PersonRequest):
    """Let computer players fill the smaller tables, or not any more, for the host, before the draw."""

    buttons = (Button("computers={tournament}"),)

    tournament: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Let computer players fill the smaller tables, or not any more."""
        tournament = _named(uow, intent, self.tournament)
        refusal = _refusal(uow, player, tournament)
        if tournament is None or refusal is not None:
            return refusal
        tournament.computers = not tournament.computers
        return _changed(uow, intent, player, tournament, TournamentAnswer.CHANGED, unfolded=True)


@dataclass(frozen=True, slots=True)
class StartTournament(PersonRequest):
    """Draw the tables, for the host; begin a final that waits, for anyone in the group."""

    buttons = (Button("draw={tournament}"),)

    tournament: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Draw the tables of the first stage; or begin a final that has waited for the end of a game in the group."""
        tournament = _named(uow, intent, self.tournament)
        if tournament is not None and tournament.phase == Phase.FINAL_WAITS:
            begun = begin_final(uow, tournament)
            if not begun:
                return _answer(uow, intent, player, TournamentAnswer.BUSY)
            return _changed(uow, intent, player, tournament, TournamentAnswer.STARTED)
        refusal = _refusal(uow, player, tournament)
        if tournament is None or refusal is not None:
            return refusal
        joined = len(entrants_of(uow, tournament))
        if joined < FEWEST:
            return _answer(uow, intent, player, TournamentAnswer.TOO_FEW, joined)
        draw_stage(uow, tournament)
        televise(uow, tournament)
        return _changed(uow, intent, player, tournament, TournamentAnswer.STARTED)


@dataclass(frozen=True, slots=True)
class SeeAllKeys(PersonRequest):
    """Show all keys below the list, until it changes; the host's choices leave them there."""

    only_asks = True
    buttons = (Button("more_of={tournament}"),)

    tournament: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        tournament = _named(uow, intent, self.tournament)
        if tournament is None or tournament.phase != Phase.OPEN:
            return _answer(uow, intent, player, TournamentAnswer.OVER if tournament is None else TournamentAnswer.BEGUN)
        show(uow, tournament, unfolded=True)
        return None


def _named(uow: UnitOfWork, intent: Intent, number: int) -> Tournament | None:
    """Return the tournament that a button names, or None if this group has no such tournament."""
    tournament = load_tournament(uow, number)
    return tournament if tournament is not None and is_in_group(uow, intent, tournament) else None


def _with_code(uow: UnitOfWork, code: str) -> Tournament | None:
    number = _number_of(uow.session, code)
    return None if number is None else load_tournament(uow, number)


def _number_of(session: Session, code: str) -> int | None:
    return session.exec(select(Tournament.id).where(Tournament.code == code)).one_or_none()


def _joined(uow: UnitOfWork, player: Player) -> Tournament | None:
    """Return the newest running tournament of the person."""
    query = select(Tournament.id).join(Entrant, col(Entrant.tournament_id) == col(Tournament.id))
    mine = query.where(Entrant.player_id == player.id, Entrant.standing != Standing.REMOVED, col(Tournament.live))
    number = uow.session.exec(mine.order_by(col(Tournament.id).desc()).limit(1)).first()
    return None if number is None else load_tournament(uow, number)


def _tell_state(uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
    """Tell a person who names no tournament the state of theirs, or how to join one."""
    tournament = _joined(uow, player)
    entrant = None if tournament is None else uow.session.get(Entrant, (tournament.id, player.id))
    if tournament is None or entrant is None:
        return _answer(uow, intent, player, TournamentAnswer.NEEDS_CODE)
    if entrant.out or entrant.standing != Standing.IN:
        return _answer(uow, intent, player, _standing_of(entrant))
    if tournament.phase == Phase.OPEN:
        return _answer(uow, intent, player, TournamentAnswer.LISTED, len(entrants_of(uow, tournament)))
    if entrant.table_id is None:
        return _answer(uow, intent, player, TournamentAnswer.LATE)
    playing = _plays(uow, player, entrant)
    return _answer(uow, intent, player, TournamentAnswer.PLAYING if playing else TournamentAnswer.WAITS)


def _standing_of(entrant: Entrant) -> TournamentAnswer:
    """Return the answer to a person who is on the list, asks, or was removed."""
    match entrant.standing:
        case Standing.ASKS:
            return TournamentAnswer.ASKED
        case Standing.REMOVED:
            return TournamentAnswer.REMOVED
    return TournamentAnswer.IS_OUT if entrant.out else TournamentAnswer.ALREADY_JOINED


def _is_let_in(uow: UnitOfWork, player: Player, tournament: Tournament) -> bool:
    """Return True for the host, and for people whom the host or a link has let into the group's room."""
    host, group = host_of(uow, tournament), uow.session.get_one(Chat, tournament.chat_id)
    return (host is not None and host.id == player.id) or is_let_in(uow.session, group, player.id)


def _plays(uow: UnitOfWork, player: Player, entrant: Entrant) -> bool:
    return any(row.id == entrant.table_id for row in uow.live_tables_of(player))


def _has_left(uow: UnitOfWork, player: Player, tournament: Tournament) -> bool:
    return player.id in membership.players_who_left(uow, uow.session.get_one(Chat, tournament.chat_id))


def _is_reached(uow: UnitOfWork, player: Player) -> bool:
    """Return True if the bot can write to the person: by text message, on a guest's page, in an open private chat."""
    traits = uow.traits(own_address(uow, player).channel)
    return traits.reads_rooms or not traits.shared_chats or player.direct == DirectMessages.OPEN


def _refusal(uow: UnitOfWork, player: Player, tournament: Tournament | None) -> Toast | None:
    """Return the answer to a person who may not change or start the tournament, or None if they may."""
    if tournament is None or not tournament.live:
        return TournamentAnswerNotice(answer=TournamentAnswer.OVER)
    if tournament.phase != Phase.OPEN:
        return TournamentAnswerNotice(answer=TournamentAnswer.BEGUN)
    host = host_of(uow, tournament)
    if host is not None and player.id == host.id:
        return None
    entrant = uow.session.get(Entrant, (tournament.id, player.id))
    if entrant is None or entrant.standing != Standing.IN:
        return TournamentAnswerNotice(answer=TournamentAnswer.NOT_JOINED)
    if host is not None and uow.now - tournament.host_at < HOST_ALONE_SECONDS:
        return TournamentAnswerNotice(answer=TournamentAnswer.NOT_HOST, name=host.name)
    return None


def _changed(
    uow: UnitOfWork,
    intent: Intent,
    player: Player,
    tournament: Tournament,
    said: TournamentAnswer,
    *,
    unfolded: bool = False,
) -> Toast | None:
    host = host_of(uow, tournament)
    tournament.changed_at = uow.now
    if host is not None and host.id == player.id:
        tournament.host_at = uow.now
    show(uow, tournament, unfolded=unfolded)
    return _answer(uow, intent, player, said)


def _answer(uow: UnitOfWork, intent: Intent, player: Player, said: TournamentAnswer, number: int = 0) -> Toast | None:
    guest = uow.traits(own_address(uow, player).channel).reads_rooms
    said_to = TournamentAnswerNotice(answer=said, number=number, guest=guest, nameless=player.nameless)
    return answer(uow, intent, player, said_to)


SHOWN_REMOVED: Final = 10
"""How many removed people the host can let in again."""


def add(uow: UnitOfWork, tournament: Tournament, player: int, standing: Standing = Standing.IN) -> None:
    """Put a person at the end of the list, or of the people who ask."""
    last = select(func.max(Entrant.number)).where(Entrant.tournament_id == tournament.id)
    number = (uow.session.exec(last).one() or 0) + 1
    entrant = uow.session.get(Entrant, (tournament.id, player))
    if entrant is None:
        entrant = Entrant(tournament_id=tournament.id, player_id=player, number=number)
        uow.session.add(entrant)
    entrant.number, entrant.standing, entrant.asked_at = number, standing, uow.now
    uow.session.flush()


def ask(uow: UnitOfWork, tournament: Tournament, player: Player) -> TournamentAnswer:
    """Ask the host about a person; one private message lists all people who ask."""
    asking = entrants_of(uow, tournament, Standing.ASKS)
    if len(asking) >= MOST_ASKING:
        if uow.now < asking[0].asked_at + LEAST_WAIT_SECONDS:
            return TournamentAnswer.MANY_ASK
        uow.session.delete(asking[0])
    add(uow, tournament, player.id, Standing.ASKS)
    host = host_of(uow, tournament)
    if host is not None:
        show_entrants(uow, tournament, host, edit_only=bool(asking))
    show(uow, tournament, gathered=GATHERED_SECONDS)
    return TournamentAnswer.ASKED


def close(uow: UnitOfWork, tournament: Tournament) -> None:
    """Close a list: the tournament does not take place. Other channels than the group's do not show the list."""
    tournament.phase, tournament.live = Phase.CLOSED, False
    channel = uow.session.get_one(Chat, tournament.chat_id).channel
    for each in entrants_of(uow, tournament):
        if uow.player_by_id(each.player_id).channel != channel:
            tell(uow, each.player_id, TournamentAnswer.CLOSED)
    end_questions(uow, tournament, TournamentAnswer.CLOSED)
    show(uow, tournament)


def show_entrants(
    uow: UnitOfWork, tournament: Tournament, reader: Player, *, edit_only: bool = False, closing: bool = False
) -> None:
    """Show a person the people on the list, in a private chat with buttons if they have opened one."""
    if reader.direct != DirectMessages.OPEN or not uow.traits(reader.channel).buttons:
        return
    group, host = uow.session.get_one(Chat, tournament.chat_id), host_of(uow, tournament)
    listed = {each: entrants_of(uow, tournament, each) for each in Standing}
    players = uow.players_by_id(each.player_id for people in listed.values() for each in people)
    names = {
        standing: [(each.player_id, players[each.player_id].name) for each in people if each.table_id is None]
        for standing, people in listed.items()
    }
    runs = tournament.live
    notice = EntrantsNotice(
        tournament=tournament.id,
        group=group.address,
        title=group.title,
        asking=tuple(names[Standing.ASKS]),
        people=tuple(each for each in names[Standing.IN] if host is None or each[0] != host.id) if runs else (),
        removed=tuple(names[Standing.REMOVED][-SHOWN_REMOVED:]) if runs else (),
        is_open=runs and tournament.phase == Phase.OPEN,
        closing=closing,
    )
    about, slot = subject_of(tournament.id), f"entrants:{reader.id}"
    say(uow, reader, notice, about=about, slot=slot, key=(), edit_only=edit_only, urgency=Urgency.IDLE)


def show_again(uow: UnitOfWork, numbers: Iterable[int]) -> None:
    """Show the running tournaments with these numbers again; the places of one that is over stay as they are."""
    for number in sorted(filter(None, map(tournament_about, numbers))):
        tournament = load_tournament(uow, number)
        if tournament is not None and tournament.live:
            show(uow, tournament)
            if (host := host_of(uow, tournament)) is not None:
                show_entrants(uow, tournament, host, edit_only=True)
