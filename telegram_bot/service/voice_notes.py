"""Turn what was heard in a voice note into a wish, in the transaction of its step."""

from __future__ import annotations

from dataclasses import replace

from telegram_bot.service.intents import Intent, OtherRecording, SeeDice, SeeStatus, VoiceNote, Wish
from telegram_bot.service.records import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.service.voice_intents import (
    CONFIRM,
    DICE,
    REQUESTS,
    ConfirmCall,
    FailedNote,
    HeardNote,
    NoteOutcome,
    SayCalls,
)


def resolve_voice_note(uow: UnitOfWork, intent: Intent, note: VoiceNote) -> tuple[Intent, Wish] | None:
    """The intent with what was said. None: nothing was, and nobody needs to be told."""
    heard = note.heard or HeardNote(outcome=NoteOutcome.TROUBLE)
    in_group = intent.where is not None
    match heard.outcome:
        case NoteOutcome.IGNORED:
            return None
        case NoteOutcome.NOBODY if in_group:
            return None
        case NoteOutcome.UNHEARD if in_group:
            return None
        case NoteOutcome.NOBODY | NoteOutcome.UNHEARD:  # the table tells why
            wish: Wish = SayCalls((), sure=False)
        case NoteOutcome.HEARD if heard.guesses and heard.guesses[0] in REQUESTS and note.overheard:
            return None  # the players talk to each other
        case NoteOutcome.HEARD if heard.guesses and heard.guesses[0] in REQUESTS:
            wish = SeeDice() if heard.guesses[0] == DICE else SeeStatus()
        case NoteOutcome.HEARD if heard.guesses and heard.guesses[0] == CONFIRM:
            wish = ConfirmCall()
            intent = replace(intent, table=heard.table, step=heard.step)
        case NoteOutcome.HEARD if heard.guesses:
            calls = tuple(word for word in heard.guesses if word not in (*REQUESTS, CONFIRM))
            wish = SayCalls(calls, heard.sure)
            intent = replace(intent, table=heard.table, step=heard.step)
        case why:
            if in_group and (note.overheard or not sits_here(uow, intent)):
                return None
            wish = FailedNote(why)
    return replace(intent, what=wish), wish


def resolve_recording(uow: UnitOfWork, intent: Intent, what: OtherRecording) -> tuple[Intent, Wish] | None:
    """The intent of somebody who sent a round video or music; None: in a group where they do not play."""
    if intent.where is not None and not sits_here(uow, intent):
        return None
    return intent, what


def sits_here(uow: UnitOfWork, intent: Intent) -> bool:
    """Whether the person sits at the live table of the place. A person without a row gets none."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    chat = None if player is None or intent.where is None else uow.find_chat(intent.where)
    row = None if chat is None else uow.lock_live_table_in(chat)
    return player is not None and row is not None and load_table(row).seat_of(player.id or 0) is not None
