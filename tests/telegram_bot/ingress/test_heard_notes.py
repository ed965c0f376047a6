"""A voice note is recognised before its step: real files from a real server, decoded by the real child process."""

import asyncio
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pydantic import JsonValue, SecretStr
from telegram import Bot

from perudo_core import Bid, Dudo
from telegram_bot.channels.telegram.channel import TelegramChannel
from telegram_bot.channels.telegram.heard_notes import (
    LARGEST_BYTES,
    LONGEST_SECONDS,
    MOST_WAITING,
    NOTES_AT_ONCE,
    HeardNotes,
    VoiceRecognition,
)
from telegram_bot.channels.telegram.http_client import BotApiRequest
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.intents.intents import HeardNote
from telegram_bot.observability import metrics
from telegram_bot.service.note_context import BURST
from telegram_bot.settings import Settings
from telegram_bot.side_process import BusyError
from telegram_bot.storage.database import in_background
from telegram_bot.storage.models import InboxEntry
from telegram_bot.tables.events import RejectionReason
from telegram_bot.voice.decode import Decoder
from telegram_bot.voice.meanings import Guess, Heard, Spoken, VoiceCommand
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from telegram_sandbox.faults import Fault
from test_support.voice_notes import voice_note
from tests.telegram_bot.channels.telegram.scripted_bot_api import TOKEN, ScriptedBotApi
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import until
from tests.telegram_bot.ingress.conftest import GROUP, Json, an_inbox, arrive, tapped, written

NOTE = voice_note(1)
MOST = NOTES_AT_ONCE + MOST_WAITING + 20
LATER = 1000
"""Above the causes that the harness has used."""
ME = {"id": 1, "is_bot": True, "first_name": "Perudo"}


@dataclass
class ScriptedRecogniser:
    """Recognises the call that a test sets, once the test permits it; the other parts are real."""

    says: Heard = field(default_factory=lambda: Heard("ask", (Guess(Bid(0, 5, 4), -1.0), Guess(Dudo(0), -3.0))))
    done: asyncio.Event = field(default_factory=asyncio.Event)
    """Set unless a test makes the note wait."""
    busy: bool = False
    languages: tuple[str, ...] = ("en",)
    heard: list[tuple[int, str, frozenset[Spoken]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.done.set()

    def can_hear(self, language: str) -> bool:
        return language in self.languages

    async def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        if self.busy:
            raise BusyError
        self.heard.append((len(pcm), language, frozenset(legal)))
        await self.done.wait()
        return self.says


@dataclass
class Listening:
    """Ana, Bo and Cy in a game, and an inbox that hears their notes."""

    harness: GroupHarness
    sandbox: RunningSandbox
    recogniser: ScriptedRecogniser
    inbox: InboxWorker

    def note(
        self, number: int = 1, name: str = "Ana", content: bytes = NOTE, *, seconds: int = 2, size: int | None = None
    ) -> Json:
        file = self.sandbox.world.keep_file("voice", content, "audio/ogg", "voice.oga")
        bot = {**ME, "id": self.sandbox.world.settings.bot_id}
        update = written(LATER + number, name, "")
        update["message"] |= {
            "message_id": number,
            "reply_to_message": {"message_id": 1, "date": 1, "chat": GROUP, "from": bot},
            "voice": {
                "file_id": file.file_id,
                "file_unique_id": file.file_unique_id,
                "duration": seconds,
                "file_size": len(content) if size is None else size,
            },
        }
        del update["message"]["text"]
        return update

    async def hears(self, *updates: Json) -> list[RejectionReason]:
        await arrive(self.inbox, *updates)
        await self.inbox.idle()
        return self.denials()

    def denials(self) -> list[RejectionReason]:
        return [notice.reason for notice in self.harness.notices("rejection")]

    def downloads(self) -> int:
        return len(self.sandbox.world.calls.named("getFile"))


@pytest.fixture
async def listening(harness: GroupHarness) -> AsyncIterator[Listening]:
    recogniser, request = ScriptedRecogniser(), BotApiRequest(NOTES_AT_ONCE, largest_answer=LARGEST_BYTES)
    async with running_sandbox(SandboxSettings(port=0, flood_limits=False)) as sandbox:
        files = Bot(sandbox.token, base_url=sandbox.bot_base_url, base_file_url=sandbox.file_base_url, request=request)
        await request.initialize()
        async with an_inbox(harness, sandbox, VoiceRecognition(recogniser, Decoder(), 6, files)) as inbox:
            await harness.game("22222", "33333", "44444", sent=True)
            yield Listening(harness, sandbox, recogniser, inbox)
        await request.shutdown()


def counted(outcome: str) -> float:
    return metrics.REGISTRY.get_sample_value("perudo_voice_notes_total", {"outcome": outcome}) or 0


async def test_a_note_is_downloaded_decoded_heard_and_asked(listening: Listening) -> None:
    before = counted("ask")
    assert await listening.hears(listening.note()) == []
    ((length, language, legal),) = listening.recogniser.heard
    assert length / 2 / 16000 == pytest.approx(1, abs=0.05)
    assert language == "en"
    assert Bid(0, 3, 4) in legal
    assert set(VoiceCommand) - {VoiceCommand.CONFIRM} < legal
    assert VoiceCommand.CONFIRM not in legal, "nothing was heard before"
    assert Dudo(0) not in legal, "there is no bid yet"
    (question,) = listening.harness.notices("heard")
    assert question.guesses == ("5x4",), "what is not legal is not asked"
    assert counted("ask") == before + 1


async def test_while_a_note_is_heard_a_clock_waits_and_taps_in_the_same_group_do_not(listening: Listening) -> None:
    harness, recogniser = listening.harness, listening.recogniser
    recogniser.done.clear()
    ends = harness.table().running.ends
    assert ends is not None
    harness.pass_time(ends - harness.now - 0.1)
    await arrive(listening.inbox, listening.note())
    await until(lambda: bool(recogniser.heard))
    await harness.run_deadlines(2)
    assert harness.table().step == 0
    await arrive(listening.inbox, tapped(LATER + 2, "Ana", f"g:1:{harness.table().step}:bid=3x4"))
    await until(lambda: harness.table().step == 1)
    recogniser.done.set()
    await listening.inbox.idle()
    assert listening.denials() == [RejectionReason.STALE], "the note is late, and says so"
    assert harness.notices("heard") == []


async def test_of_thirty_notes_at_once_a_few_are_heard_and_the_person_is_told_once(listening: Listening) -> None:
    notes = [listening.note(number) for number in range(1, 31)]
    assert await listening.hears(*notes) == [RejectionReason.TOO_FAST]
    assert len(listening.recogniser.heard) == listening.downloads() == BURST
    assert listening.harness.table().step == 0


async def test_while_more_notes_are_held_than_may_wait_a_tap_is_answered(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    server = ScriptedBotApi(holds="getFile")
    listener = await server.listen()
    bot, files = (
        Bot(TOKEN, f"http://127.0.0.1:{server.port}/bot", request=BotApiRequest(NOTES_AT_ONCE, read_timeout=600))
        for _ in range(2)
    )
    await asyncio.gather(bot.request.initialize(), files.request.initialize())
    notes = HeardNotes(harness.service, VoiceRecognition(ScriptedRecogniser(), Decoder(), 0, files))
    intent = harness.intent("Ana", i.VoiceNote("F", 1, 1000))
    asked = [asyncio.create_task(notes.look_up(intent)) for _ in range(MOST)]
    refused = MOST - NOTES_AT_ONCE - MOST_WAITING
    await until(lambda: sum(task.done() for task in asked) == refused and server.held == NOTES_AT_ONCE, seconds=60)
    told = [task.result() for task in asked if task.done()]
    assert told == [HeardNote(outcome=i.NoteOutcome.TROUBLE).model_dump(mode="json")] * refused
    await TelegramSender(bot).answer("tap", None, None)
    assert [method for method, _ in server.calls] == ["answerCallbackQuery"]
    for task in asked:  # their time is up
        task.cancel()
    await asyncio.wait(asked)
    assert server.held == NOTES_AT_ONCE, "those that waited are not downloaded any more"
    later = asyncio.create_task(notes.look_up(intent))
    await until(lambda: server.held == NOTES_AT_ONCE + 1)
    later.cancel()
    server.closing.set()
    await asyncio.gather(bot.request.shutdown(), files.request.shutdown())
    listener.close()


def test_downloads_share_no_connection_with_the_answers_to_taps(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, hears_voice=True)
    channel = TelegramChannel(Settings(token=SecretStr("424242:a-token-that-is-long-enough")), harness.service)
    assert channel.hearing is not None
    assert channel.hearing.files.request is not channel.bot.request


async def test_what_a_note_asks_lets_others_first(listening: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    database, seen = listening.harness.service.database, set[bool]()
    run = database.run

    async def watched(work: Any) -> Any:
        seen.add(in_background.get())
        return await run(work)

    for update in (listening.note(), tapped(LATER + 2, "Ana", "g:1:0:bid=3x4")):
        arrived = (str(update["update_id"]), update)
        (received,) = await listening.harness.service.inbox_store.store_all("telegram", [arrived])
        monkeypatch.setattr(database, "run", watched)
        await asyncio.create_task(listening.inbox.sources["telegram"].job_for(received).act())
        monkeypatch.setattr(database, "run", run)
        assert seen == {"message" in update}
        seen.clear()


TOO_LONG, NO_SOUND = RejectionReason.NOTE_TOO_LONG, RejectionReason.NOTE_WITHOUT_SOUND


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ({"seconds": LONGEST_SECONDS + 1}, TOO_LONG),
        ({"size": LARGEST_BYTES + 1}, TOO_LONG),
        ({"content": NOTE + bytes(LARGEST_BYTES), "size": 4000}, TOO_LONG),
        ({"content": b"no sound", "size": 0}, NO_SOUND),
    ],
    ids=["too long", "too large", "larger than it said", "text"],
)
async def test_too_much_or_no_note_is_not_heard(
    listening: Listening, file: dict[str, Any], why: RejectionReason
) -> None:
    assert await listening.hears(listening.note(**file)) == [why]
    assert listening.recogniser.heard == []


async def test_a_strangers_note_is_not_downloaded_and_a_late_or_refused_one_is_trouble(
    listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = listening.note()
    note["message"]["from"] = {"id": 999, "is_bot": False, "first_name": "Zoe"}
    assert await listening.hears(note) == []
    assert (listening.downloads(), listening.harness.envelopes()) == (0, [])
    before = counted("trouble")
    listening.recogniser.busy = True
    assert await listening.hears(listening.note(2)) == [RejectionReason.NOTE_TROUBLE]
    monkeypatch.setattr("telegram_bot.voice.decode.SECONDS", 0)
    assert await listening.hears(listening.note(3)) == [RejectionReason.NOTE_TROUBLE]
    assert counted("trouble") == before + 2


async def test_without_ears_for_the_language_it_is_said_once_and_nothing_is_downloaded(listening: Listening) -> None:
    listening.recogniser.languages = ("it",)
    await listening.hears(listening.note(1), listening.note(2, "Bo"))
    async with an_inbox(listening.harness, listening.sandbox) as deaf:
        await arrive(deaf, listening.note(3))
        await deaf.idle()
    assert listening.denials() == [RejectionReason.NOTE_NOT_HEARD_HERE]
    assert listening.downloads() == 0


async def test_no_sound_and_no_token_is_logged_or_stored(
    listening: Listening, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    marked = NOTE + b"A-TUNE-THAT-NOBODY-KEEPS" * 40
    await listening.hears(listening.note(1, content=marked), listening.note(2, "Bo", content=b"SECRET-TUNE"))
    listening.sandbox.world.faults.add(Fault("refuse", "getFile"), times=1)
    await listening.hears(listening.note(3, content=marked))
    assert listening.recogniser.heard
    ours = [record for record in caplog.records if record.name.startswith("telegram_bot")]
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in ours)
    rows = [*listening.harness.rows(InboxEntry), *listening.harness.envelopes()]
    stored = str([row.model_dump() for row in rows])
    for secret in ("TUNE", "OggS", listening.sandbox.token, listening.sandbox.token.partition(":")[2]):
        assert secret not in logged + stored


async def test_a_fact_of_another_version_is_trouble_and_no_bid(listening: Listening) -> None:
    enrichers = listening.inbox.sources["telegram"].enrichment.enrichers  # type: ignore[attr-defined]
    enricher = next(each for each in enrichers if isinstance(each, HeardNotes))
    facts: list[JsonValue] = [None, {"outcome": "louder"}, {"guesses": ["5x4"]}, "5x4", []]
    for fact in facts:
        intent = enricher.add_fact(listening.harness.intent("Ana", i.VoiceNote("F", 1, 1)), fact)
        assert isinstance(intent.request, i.VoiceNote)
        assert intent.request.heard is not None
        assert intent.request.heard.guesses == ()
