"""Turn words into requests. Typed ones are parsed in the languages of player and table; spoken ones are recognised."""

from contextlib import suppress
from dataclasses import replace

from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Fits, Request
from telegram_bot.repositories.repositories import join_code_of, load_table
from telegram_bot.service.handlers.game_requests import (
    CallCalza,
    CallDudo,
    ConfirmCall,
    FailedNote,
    MakeBid,
    OtherRecording,
    SayCalls,
)
from telegram_bot.service.handlers.lobby_requests import AskOption, ChangeOption
from telegram_bot.service.handlers.phone_requests import ChooseTable
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus, UnparsedText
from telegram_bot.service.table_lookup import find_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.events import RejectedError
from telegram_bot.tables.model import Status
from telegram_bot.tables.play import STALE_AFTER_SECONDS, heard_calls


def resolve_voice_note(uow: UnitOfWork, intent: i.Intent, note: i.VoiceNote) -> tuple[i.Intent, Request] | None:
    """Return the intent with the recognised request, or None without one, if no answer is needed."""
    heard = note.heard or i.HeardNote(outcome=i.NoteOutcome.TROUBLE)
    in_group = intent.where is not None
    match heard.outcome:
        case i.NoteOutcome.IGNORED:
            return None
        case i.NoteOutcome.NOBODY if in_group:
            return None
        case i.NoteOutcome.UNHEARD if in_group:
            return None
        case i.NoteOutcome.NOBODY | i.NoteOutcome.UNHEARD:  # the table explains why
            request: Request = SayCalls((), sure=False)
        case i.NoteOutcome.HEARD if heard.guesses and heard.guesses[0] in i.SPOKEN_REQUESTS and note.overheard:
            return None  # the players talk to each other
        case i.NoteOutcome.HEARD if heard.guesses and heard.guesses[0] in i.SPOKEN_REQUESTS:
            request = SeeDice() if heard.guesses[0] == i.DICE else SeeStatus()
        case i.NoteOutcome.HEARD if heard.guesses and heard.guesses[0] == i.CONFIRM:
            request = ConfirmCall(spoken=True)
            intent = replace(intent, table=heard.table, step=heard.step)
        case i.NoteOutcome.HEARD if heard.guesses:
            calls = tuple(word for word in heard.guesses if word not in (*i.SPOKEN_REQUESTS, i.CONFIRM))
            request = SayCalls(calls, heard.sure, note.message)
            intent = replace(intent, table=heard.table, step=heard.step)
        case why:
            if in_group and (note.overheard or _own_table_here(uow, intent) is None):
                return None
            request = FailedNote(why)
    return replace(intent, request=request), request


def _own_table_here(uow: UnitOfWork, intent: i.Intent) -> tuple[Player, GameTable] | None:
    """Return the person and their table in the place, as far as people know, or None if there is none.

    Talk makes no row.
    """
    player = uow.find_player(intent.who.channel, intent.who.address)
    chat = None if player is None or intent.where is None else uow.find_chat(intent.where)
    if player is None or chat is None:
        return None
    return next(((player, row) for row in uow.live_tables_of(player) if row.chat_id == chat.id), None)


def resolve_words(uow: UnitOfWork, intent: i.Intent) -> tuple[i.Intent, Request | i.ChatUpdate] | None:
    """Return the intent with the meaning of its words, typed or spoken.

    Return None if they are only talk.
    """
    match intent.request:
        case i.TypedText() as typed:
            return _resolve_typed_text(uow, intent, typed)
        case i.VoiceNote() as note:
            return resolve_voice_note(uow, intent, note)
        case OtherRecording() as recording:
            # A round video or music: in a group only players of this table get an answer.
            return None if intent.where is not None and _own_table_here(uow, intent) is None else (intent, recording)
        case request:
            return intent, request


def _resolve_typed_text(uow: UnitOfWork, intent: i.Intent, typed: i.TypedText) -> tuple[i.Intent, Request] | None:
    if typed.overheard and not _is_on_turn(uow, intent):
        return None
    if typed.table_code:
        intent, request = _at_own_table(uow, intent, typed)
    else:
        request = _meaning(uow, intent, typed)
    if uow.traits(intent.who.channel).paid:
        uow.texted = typed.text
    if typed.overheard and not isinstance(request, MakeBid):
        return None
    is_talk = typed.may_be_talk and request == UnparsedText(None)
    return replace(intent, request=request, answered_by="nothing" if is_talk else intent.answered_by), request


def _at_own_table(uow: UnitOfWork, intent: i.Intent, typed: i.TypedText) -> tuple[i.Intent, Request]:
    """Return the call at the person's table with a code; other words only choose the table."""
    player, choice = uow.ensure_player(intent.who), ChooseTable(typed.table_code)
    row = next((row for row in uow.live_tables_of(player) if join_code_of(row) == typed.table_code), None)
    if row is None:
        return intent, choice
    there = replace(intent, table=row.id)
    request = _meaning(uow, there, typed)
    if not isinstance(request, MakeBid | CallDudo | CallCalza):
        return intent, choice
    player.focus = row.id
    return there, request


def _meaning(uow: UnitOfWork, intent: i.Intent, typed: i.TypedText) -> Request:
    player = uow.ensure_player(intent.who)
    table, spoken = None, None
    with suppress(RejectedError):
        row = find_table(uow, intent, player, fits=Fits.TURN)
        table = load_table(row) if uow.unrevealed(row) is None else None
        spoken = uow.language_of(uow.chat_of(row))
    most_dice = None if table is None or table.game is None else table.game.max_quantity
    private = table if intent.where is None else None
    standing = None if private is None or private.game is None else private.game.current_bid
    to_beat = None if standing is None else (standing.quantity, standing.face)
    offered = () if private is None else heard_calls(private, player.id, now=uow.now)
    parse = uow.parse_text
    request = (
        None
        if parse is None
        else parse(typed.text, uow.language_for(player), spoken, most_dice, to_beat, private=private is not None)
    )
    if isinstance(request, AskOption | ChangeOption) and (table is None or table.status is not Status.LOBBY):
        request = None
    number = typed.text.strip(" .):!")
    if len(offered) > 1 and number in map(str, range(1, len(offered) + 1)):
        request = ConfirmCall(choice=int(number))
    elif isinstance(request, ConfirmCall) and len(offered) != 1:
        request = None
    if request is None:
        return UnparsedText(None if typed.may_be_talk else typed.suggestion)
    return request


def _is_on_turn(uow: UnitOfWork, intent: i.Intent) -> bool:
    """Return True if the game in this place waited for the person when they typed."""
    here = _own_table_here(uow, intent)
    row = None if here is None else uow.table_by_id(here[1].id)
    if here is None or row is None or uow.unrevealed(row) is not None:
        return False
    player, table = here[0], load_table(row)
    turn, since = None if table.game is None else table.game.turn, table.turn_since - STALE_AFTER_SECONDS
    in_time = intent.said_at is None or intent.said_at >= since
    return turn is not None and table.seats[turn].player == player.id and in_time
