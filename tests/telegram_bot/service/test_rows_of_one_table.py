"""Every wish there is, by a player of several tables, and which tables' rows PostgreSQL saw each transaction touch."""

from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from typing import Any, Final, get_args

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import QueryContext
from sqlmodel import Session

from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.service import intents as i
from telegram_bot.service.envelope import MessageRef
from telegram_bot.service.intents import ChatWritable, DeadlineReached, LanePaused, NoteOutcome, OutageEnded
from telegram_bot.service.requests import REQUESTS
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import DiceStyle, GameTable, PrivateView
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.tables.views import PredictedCall
from tests.telegram_bot.conftest import AUTO_CLOCK, ONLY_POSTGRESQL, GroupHarness

OF_A_TABLE: Final = ("sitting", "game_action", "sent_message", "outbox")
ROWS: Final = {"game_table": "id"} | dict.fromkeys(OF_A_TABLE, "table_id")

MAY_CROSS: Final = {
    "BotMembershipChanged": "the topics of a group that was lost have a table each",
    "ChatMoved": "and so have those of a group that moved: all of it follows in one transaction",
    "LinkPhone": "the place where a person plays changes once, and their turns at all tables go with it",
    "UnlinkPhone": "the same, when the link ends",
    "clocks begin anew": "after an outage, some tables at a time",
    "old games are pruned": "the outbox forgets old notices some hundred at a time, whatever table they were of",
    "a lane rests": "a chat that is told to wait holds up the turns of every table that speaks there",
}
"""The exceptions. They lock tables in the order of their numbers, and come out the same when they are repeated."""


FUNCTION: Final = """
CREATE FUNCTION audit_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit VALUES (pg_current_xact_id(), COALESCE(NEW.{column}, OLD.{column}));
    RETURN NULL;
END $$
"""


class RowAudit:
    """Row by row, what each transaction wrote and locked, as the server's own triggers saw it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.locked: list[set[int]] = [set()]
        with database.transaction() as session:
            run = session.connection().exec_driver_sql
            run("CREATE TABLE audit (tx xid8, number int)")
            for name, column in ROWS.items():
                run(FUNCTION.format(name=name, column=column))
                run(
                    f"CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON {name}"
                    f" FOR EACH ROW EXECUTE FUNCTION audit_{name}()"
                )
        event.listen(Session, "after_begin", self._began)
        event.listen(GameTable, "load", self._loaded)
        event.listen(GameTable, "refresh", self._loaded)

    def close(self) -> None:
        event.remove(Session, "after_begin", self._began)
        event.remove(GameTable, "load", self._loaded)
        event.remove(GameTable, "refresh", self._loaded)

    def _began(self, *_: Any) -> None:
        self.locked.append(set())

    def _loaded(self, row: GameTable, context: QueryContext, _attributes: Any = None) -> None:
        statement = getattr(context.compile_state, "select_statement", None)
        if getattr(statement, "_for_update_arg", None) is not None and row.id is not None:
            self.locked[-1].add(row.id)

    def begin(self) -> None:
        self.locked = [set()]
        with self.database.engine.begin() as connection:
            connection.execute(text("DELETE FROM audit"))

    def most_tables(self) -> int:
        """The most tables whose rows one transaction wrote or locked since `begin`."""
        query = text("SELECT count(DISTINCT number) FROM audit GROUP BY tx ORDER BY 1 DESC LIMIT 1")
        with self.database.engine.connect() as connection:
            written = connection.execute(query).scalar() or 0
        return max(written, *map(len, self.locked))


@pytest.fixture
def audit(database: Database) -> Iterator[RowAudit]:
    audit = RowAudit(database)
    yield audit
    audit.close()


class Evening:
    """Ana hosts in both topics of a forum and in another group, Bo and Cy play everywhere; a lobby is open as well."""

    def __init__(self, harness: GroupHarness, number: int) -> None:
        self.harness = harness
        self.forum = -1000 * number - 1
        self.tables: list[int] = []
        self.lobby = 0

    async def begin(self) -> None:
        harness = self.harness
        for place in (
            i.Place("telegram", self.forum, 1, "Forum"),
            i.Place("telegram", self.forum, 2, "Forum"),
            i.Place("telegram", self.forum - 1, 0, "Others"),
            i.Place("telegram", self.forum - 2, 0, "Lobby"),
        ):
            harness.group = place
            await harness.lobby("Ana", "Bo", "Cy")
            number = max(row.id for row in harness.rows(GameTable))
            self.tables.append(number)
            if place.title != "Lobby":
                await harness.tap("Ana", i.Start(), table=number)
        self.lobby = self.tables.pop()
        harness.group = i.Place("telegram", self.forum, 1, "Forum")

    def on_turn(self) -> str:
        game = self.harness.table(self.tables[0]).game
        assert game is not None
        assert game.turn is not None
        return self.harness.table(self.tables[0]).seats[game.turn].name

    def code(self) -> str:
        return self.harness.table(self.lobby).code


CHOICES: Final[dict[str, i.SettingValue]] = {
    "view": PrivateView.SHARED,
    "asks_twice": True,
    "dice_style": DiceStyle.SIGNS,
    "pictures": False,
    "animations": False,
    "aloud": True,
    "trusts_voice": True,
    "chosen_language": "es",
    "hidden": True,
    "quiet": QuietHours(0, 480, "UTC"),
    "name": "Bo",
}


def example_intents(evening: Evening) -> dict[type, list[tuple[i.What, dict[str, Any]]]]:
    """Every kind of wish, in the forms that may concern a table, with where and by whom."""
    first, lobby, me = evening.tables[0], evening.lobby, evening.harness.player("Bo").id
    here: dict[str, Any] = {"table": first, "by": "toast"}
    there: dict[str, Any] = {"table": lobby, "by": "toast", "where": i.Place("telegram", evening.forum - 2)}
    private: dict[str, Any] = {"where": None}
    step = {"step": evening.harness.table(first).step, "who": evening.on_turn()}
    return {
        i.OpenLobby: [(i.OpenLobby(), {}), (i.OpenLobby(ephemeral_allowed=True), {"who": "Dee"})],
        i.Join: [(i.Join(), there | {"who": "Dee"}), (i.Join(evening.code()), private | {"who": "Eve"})],
        i.Leave: [(i.Leave(), here), (i.Leave(confirmed=True), here), (i.Leave(), there)],
        i.Kick: [(i.Kick(me), there | {"who": "Ana"})],
        i.KickNamed: [(i.KickNamed("Bo"), there | {"who": "Ana"})],
        i.OpenMenu: [(i.OpenMenu("options"), there | {"who": "Ana"})],
        i.ChangeOption: [
            (i.ChangeOption(option, value), there | {"who": "Ana"})
            for option, value in (
                *(("calza", None), ("hints", None), ("rulebook", "azteca"), ("house", "classic")),
                *(("quick_table", "short"), ("clock", "60"), ("on_timeout", "lose_die"), ("predictions", "start")),
            )
        ],
        i.Choose: [
            *((i.Choose(name, value), private) for name, value in CHOICES.items() if i.SETTINGS[name].person),
            *((i.Choose(name, value, True), {}) for name, value in CHOICES.items() if i.SETTINGS[name].group),
        ],
        i.Start: [(i.Start(), there | {"who": "Ana"})],
        i.Stop: [
            (i.Stop(), here | {"who": "Ana"}),
            (i.Stop(confirmed=True), here | {"who": "Ana"}),
            (i.Stop(is_admin=True), there),
        ],
        i.PlayOn: [(i.PlayOn(), here | {"tapped": MessageRef(7)})],
        i.PlayAgain: [(i.PlayAgain(), here)],
        i.RequestNextGame: [(i.RequestNextGame(), {"who": "Dee", "by": "toast"})],
        i.MakeBid: [(i.MakeBid(2, 3), here | step), (i.MakeBid(2, 3), private)],
        i.CallDudo: [(i.CallDudo(), here | step)],
        i.CallCalza: [(i.CallCalza(), here | step)],
        i.ReturnToSeat: [(i.ReturnToSeat(), here)],
        i.SeeDice: [(i.SeeDice(), here), (i.SeeDice(), {}), (i.SeeDice(), private)],
        i.BidHere: [(i.BidHere(), here | step | {"reply_handle": "query"})],
        i.SeeBids: [(i.SeeBids(3), here | step | {"tapped": MessageRef(7)})],
        i.SeeStatus: [(i.SeeStatus(), {}), (i.SeeStatus(), private)],
        i.SealDice: [(i.SealDice(), there)],
        i.StirDice: [(i.StirDice("🍀"), there)],
        i.SeeRecord: [(i.SeeRecord(), here)],
        i.SeeRules: [(i.SeeRules(), {}), (i.SeeRules(), private)],
        i.SeeHelp: [(i.SeeHelp(), {})],
        i.SeeSettings: [(i.SeeSettings(), {})],
        i.SeeStatistics: [(i.SeeStatistics(), {}), (i.SeeStatistics(), private)],
        i.SeeLeague: [(i.SeeLeague(), {})],
        i.OpenPrivateLobby: [(i.OpenPrivateLobby(), private)],
        i.ChooseTable: [(i.ChooseTable(evening.code()), private)],
        i.RequestPhoneLink: [(i.RequestPhoneLink(), private)],
        i.LinkPhone: [(i.LinkPhone("ABCDEF"), private)],
        i.UnlinkPhone: [(i.UnlinkPhone(), private)],
        i.VoiceNote: [(i.VoiceNote("file", 2, 4000), private)],
        i.SayCalls: [(i.SayCalls(("2x3",), sure=False), private)],
        i.AnswerNote: [(i.AnswerNote(1, "2x3", 1), private | step | {"tapped": MessageRef(7)})],
        i.ConfirmCall: [(i.ConfirmCall(), private)],
        i.FailedNote: [(i.FailedNote(NoteOutcome.TOO_LONG), private)],
        i.OtherRecording: [(i.OtherRecording(), private)],
        i.StartPrivateChat: [
            (i.StartPrivateChat(), private),
            (i.StartPrivateChat(evening.code()), private | {"who": "Fay"}),
        ],
        i.PrivateChatBlocked: [(i.PrivateChatBlocked(), private)],
        i.MemberLeft: [(i.MemberLeft(), {"by": "nothing"})],
        i.MembersJoined: [(i.MembersJoined((101, 102)), {"by": "nothing"})],
        i.BotMembershipChanged: [
            (i.BotMembershipChanged(present=False, ephemeral_allowed=False), {"by": "nothing"}),
            (i.BotMembershipChanged(present=True, ephemeral_allowed=True), {"by": "nothing"}),
        ],
        i.TopicReopened: [(i.TopicReopened(), {"by": "nothing"})],
        i.ChatMoved: [(i.ChatMoved(evening.forum - 10**9), {"by": "nothing"})],
        i.UnparsedText: [(i.UnparsedText("2x3"), private)],
        i.TypedText: [
            (i.TypedText("2x3"), private),
            (i.TypedText("nice", may_be_talk=True), {"replied_to": MessageRef(77)}),
            (i.TypedText("2x3", may_be_talk=True, overheard=True), {}),
        ],
        i.UnknownChoice: [(i.UnknownChoice(), here)],
        i.PostedElsewhere: [(i.PostedElsewhere(), private), (i.PostedElsewhere(first, 0), private)],
        i.AddComputers: [(i.AddComputers(), there | {"who": "Ana"})],
        i.ChangeComputer: [(i.ChangeComputer(me, "level"), there | {"who": "Ana"})],
        i.AnswerKnock: [(i.AnswerKnock(me, admit=True), here | {"who": "Ana"})],
        i.Practise: [(i.Practise(1), private), (i.Practise(), private | {"who": "Fay"})],
        i.TakeTutorial: [(i.TakeTutorial(), private)],
        i.WatchEnd: [(i.WatchEnd(), here)],
        i.PlayDaily: [(i.PlayDaily(), {}), (i.PlayDaily(call="dudo"), private)],
        i.AskCoach: [(i.AskCoach(), here | step)],
        i.PredictCall: [(i.PredictCall(PredictedCall.DUDO), here | step | {"who": "Dee"})],
        i.TellStory: [(i.TellStory(), here)],
        i.IdentifyAdmin: [(i.IdentifyAdmin("stop"), {}), (i.IdentifyAdmin("open"), {})],
    }


def wishes() -> tuple[type, ...]:
    return (*(request.type for request in REQUESTS), *get_args(i.ChatUpdate), i.TypedText, i.VoiceNote)


async def evenings(harness: GroupHarness) -> Callable[[], Awaitable[Evening]]:
    numbers = count(1)

    async def another() -> Evening:
        evening = Evening(harness, next(numbers))
        await evening.begin()
        return evening

    return another


@ONLY_POSTGRESQL
async def test_no_wish_holds_rows_of_two_tables(database: Database, audit: RowAudit) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    another = await evenings(harness)
    evening = await another()
    assert set(example_intents(evening)) == set(wishes()), "a new kind of wish belongs here"
    crossing: dict[str, int] = {}
    touched = 0
    for kind in wishes():
        for form in range(len(example_intents(evening)[kind])):
            what, more = example_intents(evening)[kind][form]
            name = more.pop("who", "Bo")
            audit.begin()
            await harness.say(name, what, **more)
            most = audit.most_tables()
            touched += most > 0
            if most > 1:
                crossing[kind.__name__] = most
            if kind in (i.Stop, i.Leave, i.MemberLeft, i.BotMembershipChanged, i.ChatMoved, i.Kick, i.Start):
                evening = await another()
    assert touched > 30, "most wishes concern a table"
    assert crossing.keys() <= MAY_CROSS.keys(), crossing
    assert {"BotMembershipChanged", "ChatMoved"} <= crossing.keys(), "the audit sees what crosses"


@ONLY_POSTGRESQL
async def test_nor_does_the_house_itself_but_for_what_it_says_so_of(database: Database, audit: RowAudit) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    another = await evenings(harness)
    evening = await another()
    harness.now += AUTO_CLOCK.seconds + 1

    async def deadlines() -> None:
        for table in (*evening.tables, evening.lobby):
            await harness.service.handle(DeadlineReached(table))

    async def forgotten() -> None:
        await PersonDeletion(harness.service).leave(harness.player("Cy").id)

    async def pruned() -> None:
        harness.now += 40 * DAY_SECONDS
        for _ in range(10):
            await deadlines()
        for table in evening.tables:
            await harness.tap("Ana", i.Stop(is_admin=True, confirmed=True), table=table, where=None)
        harness.now += 40 * DAY_SECONDS
        await Pruning(database, lambda: harness.now, keep_games_days=30).run()

    async def lane_rests() -> None:
        await harness.service.handle(LanePaused("telegram:102", harness.now + 9))

    async def begin_anew() -> None:
        await database.run(lambda session: harness.service.outages.begin(session, since=0, whole=True))
        await harness.service.handle(OutageEnded())

    async def found_again() -> None:
        await harness.service.handle(ChatWritable("telegram", evening.forum, 1))

    acts: dict[str, Callable[[], Awaitable[None]]] = {
        "deadlines": deadlines,
        "a lane rests": lane_rests,
        "clocks begin anew": begin_anew,
        "a topic can be written to again": found_again,
        "somebody is taken from their tables": forgotten,
        "old games are pruned": pruned,
    }
    crossing: dict[str, int] = {}
    for name, act in acts.items():
        audit.begin()
        await act()
        if (most := audit.most_tables()) > 1:
            crossing[name] = most
    assert crossing.keys() <= MAY_CROSS.keys(), crossing
    assert "clocks begin anew" in crossing
