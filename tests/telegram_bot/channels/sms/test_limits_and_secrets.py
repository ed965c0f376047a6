"""The limits of spending, news of a lobby, the cost of a broken gateway, and the places without numbers."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from telegram_bot.channels.sms.budget import Cap, Charge, TextBudget
from telegram_bot.channels.sms.sender import seconds_worth
from telegram_bot.delivery.sender import NotSentError, SlowDownError, UnknownOutcomeError
from telegram_bot.intents.config import TextCaps
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import WelcomeNotice
from telegram_bot.observability import metrics
from telegram_bot.operations.pruning import Pruning
from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import InboxEntry, OutboxEntry, Player
from telegram_bot.storage.phone_models import Phone, TextSent, TextStatus
from test_support.sms_world import ANA, BO, CY, RecordingGateway, SmsWorld, a_game, a_lobby

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
DAY = 86400
HEARD = ("taken", "refused", "not_allowed", "automatic")


async def test_a_phone_gets_no_more_than_its_texts_a_day(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_phone=4))
    await a_game(world)
    await world.text(ANA, "GO")  # the first was answered with a warning
    world.got(BO)
    texts = [text for n in range(6) for text in await world.text(BO, ("?", "STATUS", "DICE")[n % 3])]
    assert len(texts) == 2
    assert "for your dice and your turns" in texts[-1]
    for n in range(12):
        await world.text((ANA, BO, CY)[n % 3], f"{n + 1}x3")
    assert "That was my last text for today." in world.every_text(BO)[-1]
    assert len(world.every_text(BO)) == 4 + 2, "and that it is so"
    world.now += DAY
    assert len(await world.text(BO, "?")) == 1


PLAY = Charge("2026-11-20", phone=1, table=1, segments=1, cost=10)
TALK = replace(PLAY, talk=True)
STRANGER = replace(TALK, table=None, stranger=True)


@pytest.mark.parametrize(
    ("caps", "charge", "most", "cap"),
    [
        (TextCaps(per_phone=4), PLAY, 4, Cap.PHONE),
        (TextCaps(per_phone=4), TALK, 2, Cap.TALK),
        (TextCaps(per_table=8), PLAY, 8, Cap.TABLE),
        (TextCaps(per_table=8), TALK, 4, Cap.TABLE_TALK),
        (TextCaps(per_day=60), replace(PLAY, segments=2), 30, Cap.DAY),
        (TextCaps(per_day=60), TALK, 30, Cap.DAY_TALK),
        (TextCaps(per_day=60), STRANGER, 3, Cap.STRANGERS),
        (TextCaps(spend=400), replace(PLAY, segments=2), 20, Cap.DAY),
        (TextCaps(spend=400), TALK, 20, Cap.DAY_TALK),
        (TextCaps(spend=400), STRANGER, 2, Cap.STRANGERS),
        (TextCaps(spend=100), STRANGER, 1, Cap.STRANGERS),
    ],
)
async def test_a_days_limit_is_so_many_texts_of_which_talk_leaves_half_and_strangers_leave_nearly_all(
    database: Database, caps: TextCaps, charge: Charge, most: int, cap: Cap
) -> None:
    budget = TextBudget(database, caps)
    assert [await budget.take(charge) for _ in range(most + 2)] == [None] * most + [cap] * 2
    await budget.refund(charge)
    assert [await budget.take(charge) for _ in range(2)] == [None, cap]
    assert await budget.take(replace(charge, day="2026-11-21")) is None
    dice = await budget.take(replace(charge, talk=False, stranger=False))
    assert dice is (cap if cap in (Cap.PHONE, Cap.TABLE, Cap.DAY) else None)
    others = await budget.take(replace(charge, phone=2, table=2))
    assert others is (cap if cap in (Cap.DAY, Cap.DAY_TALK, Cap.STRANGERS) else None)


async def test_strangers_spend_nothing_of_the_players_and_their_limit_is_logged_once(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    world = SmsWorld(database, RecordingGateway(cost=80_000), caps=TextCaps(spend=4_000_000))
    strangers = [f"+447400{200000 + n}" for n in range(9)]
    for number, words in zip(strangers, ("hello", "STOP", "?") * 3, strict=True):
        await world.text(number, words)
    assert sum(len(world.every_text(number)) for number in strangers) == 2
    assert caplog.text.count("a day's limit for texts is reached: strangers") == 1
    assert await world.text(ANA, "NEW Ana") != []


async def test_who_texts_without_end_is_not_listened_to(database: Database) -> None:
    world = SmsWorld(database, an_hour=10)
    await world.text(ANA, "NEW")
    texts = [text for n in range(20) for text in await world.text(ANA, ("?", "STATUS")[n % 2])]
    assert len(texts) == 9
    assert len(await world.text(ANA, "STOP")) == 1
    world.now += 3600
    await world.confirm(ANA, "START")
    assert len(await world.text(ANA, "?")) == 1


async def test_a_host_is_told_who_comes_and_goes_once_in_several_minutes_or_in_an_answer(world: SmsWorld) -> None:
    code = await a_lobby(world)
    await world.text(CY, f"JOIN {code} Cy")
    await world.confirm(CY, "LEAVE")
    await world.text(CY, f"JOIN {code} Cy")
    assert world.got(ANA) == []
    await world.pass_time(GATHERED_SECONDS)
    [text] = world.got(ANA)
    assert "Ana, Bo, Cy." in text
    await world.pass_time(GATHERED_SECONDS)
    assert world.got(ANA) == []
    await world.confirm(CY, "LEAVE")
    assert [text.partition(". ")[2][:8] for text in world.got(ANA)] == ["Ana, Bo."]
    await world.text(CY, f"JOIN {code} Cy")
    [text] = await world.text(ANA, "CLOCK 1H")
    assert "Ana, Bo, Cy." in text
    assert "Clock: 1 hour." in text
    for words, seated in (("BOTS 2", "5 players."), ("BOTS 1", "6 players.")):  # while news wait, and after them
        [text] = await world.text(ANA, words)
        assert seated in text
        await world.pass_time(2 * GATHERED_SECONDS)
        assert world.got(ANA) == []


@pytest.mark.parametrize(
    ("troubles", "told"),
    [((NotSentError("status 503"), SlowDownError(1)), [HINT]), ((UnknownOutcomeError("ReadTimeout"),), [])],
    ids=["not sent", "unknown"],
)
async def test_what_could_not_be_sent_goes_later_what_may_have_been_does_not_and_each_is_charged_once(
    database: Database, troubles: tuple[Exception, ...], told: list[str]
) -> None:
    world = SmsWorld(database, RecordingGateway(cost=80_000), caps=TextCaps(spend=100_000))
    for world.air["air"].refuse in troubles:
        assert await world.text(ANA, "hello") == []
    world.air["air"].refuse = None
    world.now += 60
    await world.settle()
    assert world.got(ANA) == told
    assert await world.text(BO, "hello") == []


async def test_texts_are_counted_by_gateway_and_by_what_became_of_them(database: Database) -> None:
    def counted(name: str, **labels: str) -> float:
        return metrics.REGISTRY.get_sample_value(name, labels) or 0.0

    world = SmsWorld(database, RecordingGateway("counted"), caps=TextCaps(per_phone=6))
    await world.text(ANA, "NEW", gateway="counted")
    world.air["counted"].refuse = UnknownOutcomeError("ReadTimeout")
    await world.text(ANA, "?", gateway="counted")
    world.air["counted"].refuse = None
    before = counted("perudo_texts_capped_total", cap="talk")
    for words in ("?", "STATUS", "?"):
        await world.text(ANA, words, gateway="counted")
    await world.client.post("/sms/counted/receipt", content=b"counted-1 delivered")
    await world.client.post("/sms/counted", content=b"malformed")
    await world.text("+79161234567", "hello", gateway="counted")
    sent = len(world.every_text(ANA))
    assert counted("perudo_texts_total", gateway="counted", result="sent") == sent
    assert counted("perudo_texts_total", gateway="counted", result="unknown_outcome") == 1
    assert counted("perudo_texts_capped_total", cap="talk") == before + 2
    assert counted("perudo_text_receipts_total", gateway="counted", status="delivered") == 1
    heard = {result: counted("perudo_texts_heard_total", gateway="counted", result=result) for result in HEARD}
    assert heard == {"taken": 5, "refused": 1, "not_allowed": 1, "automatic": 0}


async def test_receipts_come_in_any_order(world: SmsWorld) -> None:
    await world.text(ANA, "NEW")
    for status in ("delivered", "sent"):
        await world.client.post("/sms/air/receipt", content=f"air-1 {status}".encode())
    await world.client.post("/sms/air/receipt", content=b"unknown delivered")
    [row] = world.rows(TextSent)
    assert row.status == TextStatus.DELIVERED


async def test_a_turns_text_lives_as_long_as_the_turn_and_no_text_beyond_its_use(world: SmsWorld) -> None:
    await a_game(world)
    sent = reversed(world.air["air"].sent)
    assert next(seconds for number, text, seconds in sent if number == ANA and "You open" in text) == 6 * 3600
    hurry = Envelope(channel="sms", chat=1, notice=WelcomeNotice(name="Ana"), expires=1030.0)
    assert seconds_worth(hurry, 1000.0) == 30
    assert seconds_worth(hurry.model_copy(update={"expires": None}), 1000.0) == 4 * 3600


async def test_the_number_stands_nowhere_but_encrypted(
    world: SmsWorld, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], database_url: str
) -> None:
    caplog.set_level("DEBUG")
    await a_game(world)
    world.air["air"].refuse = NotSentError("status 503")
    await world.text(ANA, "3x4")
    world.air["air"].refuse = None
    await world.text(BO, "STOP")
    await world.text("+79161234567", "hello")
    await world.client.post("/sms/air", content=b"malformed +447400123401")
    tried = {hashlib.blake2b(f"{n}x{face}".encode(), digest_size=8).hexdigest() for n in range(9) for face in range(9)}
    assert world.phone(ANA).last_text not in {"", *tried}, "a stolen database does not tell the last text either"
    secrets = [number[3:] for number in (ANA, BO, CY)] + ["9161234567"]
    told = " ".join(text for number in (ANA, BO, CY) for text in world.every_text(number))
    assert not any(secret in told for secret in secrets)
    for kind in (InboxEntry, OutboxEntry, Player, Phone, TextSent):
        for row in world.rows(kind):
            assert not any(secret in repr(row.model_dump()) for secret in secrets)
    captured = capfd.readouterr()
    for secret in secrets:
        assert secret not in caplog.text + captured.out + captured.err
    if database_url.startswith("sqlite:///"):
        file = Path(database_url.removeprefix("sqlite:///"))
        for each in file.parent.glob(f"{file.name}*"):
            raw = each.read_bytes()
            assert not any(secret.encode() in raw for secret in secrets)


async def test_keys_can_be_changed(database: Database) -> None:
    old, new = "o" * 40, "n" * 40
    before = SmsWorld(database, keys=[old])
    await before.text(ANA, "NEW Ana")
    during = SmsWorld(database, keys=[new, old])
    assert await during.phones.reencrypt() == 1
    after = SmsWorld(database, keys=[new])
    assert after.phone(ANA).id == before.rows(Phone)[0].id
    await after.text(ANA, "?", message="later")
    assert len(after.rows(Phone)) == 1
    assert len(after.every_text(ANA)) == 1


async def test_strangers_are_forgotten_and_so_are_numbers_that_opened_tables_and_never_played(world: SmsWorld) -> None:
    async def kept() -> set[str]:
        await world.phones.forget()
        return {world.phones.number_of(phone) for phone in world.rows(Phone)}

    await a_game(world)
    numbers = [f"+447400{300000 + n}" for n in range(3)]
    for number in numbers:
        await world.text(number, "NEW")
        await world.confirm(number, "LEAVE")
    await world.text(numbers[0], "STOP")
    stopped = "+447400399998"
    await world.text(stopped, "STOP")
    await world.text("+447400399999", "hello")
    assert "+447400399999" in await kept()
    world.now += 8 * DAY
    assert await kept() == {ANA, BO, CY, *numbers, stopped}
    await world.text("+447400399999", "hello")
    world.now += 83 * DAY
    await Pruning(world.database, lambda: world.now, config=world.service.config).run()
    assert await kept() & {ANA, BO, CY, *numbers[:2]} == {ANA, BO, CY, numbers[0]}, "players, and who said STOP"
    assert not {player.name for player in world.rows(Player)} & {"Friend 4", "Friend 5"}
