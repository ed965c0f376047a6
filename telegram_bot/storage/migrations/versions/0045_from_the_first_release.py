"""A database of release 1.0.0 becomes one of today; its running games go on.

Readers of tables come: their messages are compared with those that they should see. The rows of their waiting messages
are closed, and these readers are due. The messages of running tables get the keys that they would have, so that a
reader is not sent a message that they have read. Waiting answers to what a person asked or chose are dropped: their
forms have changed, and the person can ask again.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0001"
branch_labels = None
depends_on = None

AFTER_ALL_TURNS: Final = 10**6
TABLES_CHAT: Final = 0
TABLES: Final = sa.table(
    "game_table", *map(sa.column, ("id", "live", "status")), sa.column("state", sa.JSON()), sa.column("page")
)
OUTBOX: Final = sa.table(
    "outbox",
    *map(sa.column, ("id", "lane", "table_id", "turn", "slot", "supersedable", "status", "not_before", "created_at")),
    *map(sa.column, ("done_at", "waits_for", "after_deal", "urgency", "passing", "again", "awaited")),
    sa.column("notice", sa.JSON(none_as_null=True)),
)
UNSENT: Final = OUTBOX.c.status.in_(("pending", "sending", "held"))
SENT: Final = sa.table(
    "sent_message",
    *map(sa.column, ("table_id", "slot", "receiver", "frozen")),
    sa.column("key", sa.JSON()),
)


def upgrade() -> None:
    _renew_people_and_chats()
    _renew_pages()
    _renew_results()
    _create_tournaments()
    _create_readers_and_ends()
    states: dict[int, Any] = dict(op.get_bind().execute(sa.select(TABLES.c.id, TABLES.c.state)).all())
    for table, state in states.items():
        op.get_bind().execute(TABLES.update().where(TABLES.c.id == table).values(state=with_values_by_name(state)))
    waiting = _renew_what_waits(states)
    _give_keys(*_close_what_readers_compare(waiting, states), states)
    op.drop_index("ix_outbox_waits_for", "outbox")
    for name in ("waits_for", "attempts"):
        op.drop_column("outbox", name)
    _drop_what_one_process_knows()


def _flag(name: str, *, usual: bool = False) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.true() if usual else sa.false())


def _time(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float(), nullable=False, server_default="0")


def _json(name: str, usual: str) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(), nullable=False, server_default=usual)


def _reference(table: str, *, is_key: bool = False, index: bool = True) -> sa.Column[int]:
    refers = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", sa.Integer(), refers, primary_key=is_key, nullable=False, index=index)


def _where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def _add(table: str, *columns: sa.Column[Any]) -> None:
    for column in columns:
        op.add_column(table, column)


# Schema


def _renew_people_and_chats() -> None:
    for name in ("player", "chat"):
        _add(name, _json("switched_on", "[]"))
        rows = sa.table(name, sa.column("aloud", sa.Boolean()), sa.column("switched_on", sa.JSON()))
        op.get_bind().execute(rows.update().where(rows.c.aloud).values(switched_on=["aloud"]))
        op.drop_column(name, "aloud")
    _add("player", _flag("tips", usual=True), _json("tips_told", "[]"), sa.Column("last_tip", sa.JSON(), nullable=True))
    _add("player", _flag("named"), sa.Column("face", sa.String(), nullable=True))
    for name in ("verbose", "window_open"):
        op.drop_column("player", name)
    _add("chat", _time("plays_since"))
    # The evening of a running table began with this table. Codes of older tables end.
    began = "(SELECT created_at FROM game_table WHERE chat_id = chat.id AND live)"
    op.execute(sa.text(f"UPDATE chat SET plays_since = COALESCE({began}, 0)"))  # noqa: S608 - no words from outside
    _add("next_game_request", _time("told_at"))


def _renew_pages() -> None:
    op.create_table(
        "web_entry",
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True, index=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("seat_key", sa.String(), nullable=True, index=True),
        _time("seat_key_at"),
        sa.Column("claimed", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False, server_default="0"),
        _json("votes", "{}"),
    )
    op.execute(
        sa.text(
            "INSERT INTO web_entry (chat_id, player_id, answer, at)"
            " SELECT chat_id, player_id, 'admitted', MAX(seen_at) FROM web_session"
            " WHERE admitted AND chat_id IS NOT NULL AND player_id IS NOT NULL GROUP BY chat_id, player_id"
        )
    )
    op.drop_column("web_session", "admitted")
    _add("web_session", _time("admitted_at"), _time("pairing_ends"), _flag("replaced"))
    _add("web_session", sa.Column("pairing_code", sa.String(), nullable=True))
    _add("web_session", sa.Column("shown_chat_id", sa.Integer(), nullable=True))
    _add("web_session", sa.Column("linked_at", sa.Float(), nullable=True))
    op.create_index("ix_web_session_pairing_code", "web_session", ["pairing_code"], unique=True)
    op.create_index("ix_web_session_shown_chat_id", "web_session", ["shown_chat_id"])
    # Links without a date are disabled: their evening is unknown.
    op.drop_table("web_room")
    op.create_table(
        "web_room",
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), primary_key=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("screen_key", sa.String(), nullable=False),
        sa.Column("made_at", sa.Float(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.Column("door_changed", sa.Boolean(), nullable=False),
        sa.Column("host_told", sa.JSON(), nullable=False),
        sa.Column("host_told_at", sa.Float(), nullable=False),
        sa.Column("times_told", sa.Integer(), nullable=False),
        sa.Column("asks_first", sa.Boolean(), nullable=True),
    )


def _renew_results() -> None:
    """Rows about a person are deleted with them; guesses are about a round, and those of running games are deleted."""
    for table in ("award", "daily_decision", "player_statistics"):
        name = f"fk_{table}_player_id_player"
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(name, type_="foreignkey")
            batch.create_foreign_key(name, "player", ["player_id"], ["id"], ondelete="CASCADE")
    op.drop_table("prediction")
    op.create_table(
        "prediction",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        _reference("player", is_key=True),
        sa.Column("deal", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("guess", sa.String(), nullable=False),
        sa.Column("knew", sa.Boolean(), nullable=True),
        sa.Column("haunts", sa.Integer(), nullable=True),
    )


def _create_tournaments() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("chat"),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("computers", sa.Boolean(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.Float(), nullable=False),
        sa.Column("code", sa.String(), nullable=True),
        sa.Column("televised", sa.Integer(), nullable=True),
        sa.Column("host_id", sa.Integer(), sa.ForeignKey("player.id", ondelete="SET NULL"), nullable=True),
        _time("host_at"),
        sa.Index("ix_tournament_code", "code", unique=True),
        sa.Index("uq_tournament_live_chat", "chat_id", unique=True, **_where("live")),
    )
    op.create_table(
        "tournament_entrant",
        _reference("tournament", is_key=True, index=False),
        _reference("player", is_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("out", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("standing", sa.String(), nullable=False, server_default="in"),
        _time("asked_at"),
    )
    op.create_table(
        "tournament_table",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        _reference("tournament"),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False),
        sa.Column("dice", sa.JSON(), nullable=True),
    )


def _create_readers_and_ends() -> None:
    op.create_table(
        "round_end",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("deal", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("cups_at", sa.Float(), nullable=False),
        sa.Column("dice_at", sa.Float(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=True),
        sa.Column("view", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("awake", sa.JSON(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("over", sa.JSON(), nullable=True),
        sa.Column("parts", sa.JSON(), nullable=False),
        _json("reveal_parts", "[]"),
        sa.Index("ix_round_end_unseen", "table_id", **_where("seen_at IS NULL")),
    )
    op.create_table(
        "reader",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("player_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("due_at", sa.Float(), nullable=True),
        sa.Column("since", sa.Float(), nullable=True),
        sa.Column("marks", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("asked_again", sa.Integer(), nullable=False),
        sa.Column("given_up", sa.JSON(), nullable=False),
        sa.Index("ix_reader_due", "lane", "due_at", **_where("due_at IS NOT NULL")),
    )
    _add("game_table", sa.Column("started_parts", sa.JSON(), nullable=True))
    _add("game_table", sa.Column("others_changes", sa.Integer(), nullable=False, server_default="0"))
    _add("outbox", sa.Column("urgency", sa.Integer(), nullable=False, server_default="2"))
    _add("outbox", _flag("passing"), _flag("again"), _flag("surface"))
    _add("outbox", sa.Column("awaited", sa.String()), sa.Column("after_deal", sa.Integer(), nullable=True))
    _add("sent_message", _json("key", "[]"), _flag("frozen"), sa.Column("asked", sa.JSON(), nullable=True))


def _drop_what_one_process_knows() -> None:
    """The process that plays counts its sends in memory, and no other one claims an update."""
    op.drop_table("lane")
    rate = sa.table("rate", sa.column("key"))
    op.execute(rate.delete().where(rate.c.key.endswith(":bot", autoescape=True)))
    op.drop_column("inbox", "claimed_until")


# The states of tables


TIMERS: Final = {"interrupt_at": "interruptions", "review_at": "review"}
FLAGS: Final = {
    "spoken": "spoken",
    "shared_at": "shared",
    "ephemeral_sent_at": "ephemeral_sent",
    "waited_for_note": "waited_for_note",
}
LISTS: Final = ("first_taps", "help_given")
CLAIMS: Final = ("claims", "claims_close")
CLOCK: Final = {"clock_ends": "ends"} | {name: name for name in ("reminder_at", "retell_at", "think_at")}


def with_values_by_name(old: Mapping[str, Any]) -> dict[str, Any]:
    """A table: options and timers by name, the clock and the suspension, and together what the next call forgets.

    Notes of an earlier step had no effect any more. The options that allow hints keep a game out of leagues.
    """
    new = with_options(old)
    times = {timer: new.pop(name, None) for name, timer in TIMERS.items()}
    noted = {name: [each for each in new.pop(name, ()) if each["step"] == old["step"]] for name in LISTS}
    step = {
        "timed_out": new.pop("timed_out", None),
        **{flag: new.pop(name, None) == old["step"] for name, flag in FLAGS.items()},
        **{name: [{key: each[key] for key in each if key != "step"} for each in noted[name]] for name in LISTS},
        **{name: new.pop(name) for name in CLAIMS},
    }
    clock = {name: new.pop(flat) for flat, name in CLOCK.items()} | {"since": new["turn_since"]}
    suspended_at, probe_at = new.pop("suspended_at"), new.pop("probe_at")
    suspension = None if suspended_at is None else {"since": suspended_at, "probe_at": probe_at}
    for name in ("review_round", "reveal_at"):
        new.pop(name, None)
    unrated = {"unrated": True} if allows_hints(new) else {}
    timers = {name: at for name, at in times.items() if at is not None}
    return new | unrated | {"timers": timers, "this_step": step, "running": clock, "suspension": suspension}


def with_options(old: Mapping[str, Any]) -> dict[str, Any]:
    """A table, or the view of a lobby: the options by name, without usual values."""
    new = dict(old)
    hints, predictions = new.pop("hints", False), new.pop("predictions", "once_out")
    return new | {
        "options": ({"hints": "on"} if hints else {})
        | ({"predictions": predictions} if predictions != "once_out" else {})
    }


def allows_hints(view: Mapping[str, Any]) -> bool:
    """Whether a table, or a view of one, has the option."""
    return bool(view.get("options", {}).get("hints") == "on")


# Waiting notices


ASKS, ENDS, _, TOLD, IDLE = range(5)
URGENCIES: Final = {
    **dict.fromkeys(("table", "hand", "bids", "reminder"), ASKS),
    **dict.fromkeys(("call", "reveal", "game_over", "paused", "resumed"), ENDS),
    "opened_reveal": IDLE,
}
ANSWERS: Final = ("confirmation", "rejection", "settings")
KEYS: Final = {"edit": [], "newest": [], "replace": [0]}


def _renew_what_waits(states: Mapping[int, Mapping[str, Any]]) -> list[Any]:
    """Write the notices that wait in today's form, and the ends of rounds with unseen dice; return the old rows."""
    connection, ends = op.get_bind(), dict[tuple[int, int], dict[str, Any]]()
    reveals, waiting = dict[int, int](), []
    for row in connection.execute(sa.select(OUTBOX).where(UNSENT).order_by(OUTBOX.c.id)).all():
        here = OUTBOX.c.id == row.id
        if not isinstance(row.notice, dict) or not isinstance(row.notice.get("notice"), dict):
            continue
        if row.notice["notice"].get("kind") in ANSWERS:
            connection.execute(OUTBOX.delete().where(here))
            continue
        state = states.get(row.table_id)
        notice = renewed(row.notice["notice"], with_options(state)["options"] if state else {})
        waiting.append(row)
        said = columns_of(row.notice, notice, row.slot) | {"notice": with_key(row.notice) | {"notice": notice}}
        if said["awaited"] == "reveal" and row.slot.startswith("deal:"):
            reveals[row.id] = int(row.slot.rpartition(":")[2])
            if state is not None and row.status != "held":
                ends[row.table_id, reveals[row.id]] = _end(row, notice, state, reveals[row.id])
        if row.waits_for in reveals:
            said["after_deal"] = reveals[row.waits_for]
        connection.execute(OUTBOX.update().where(here).values(said))
    if ends:
        names = tuple(next(iter(ends.values())))
        values = ", ".join(f":{name}" for name in names)
        add = f"INSERT INTO round_end ({', '.join(names)}) VALUES ({values})"  # noqa: S608 - constant names
        connection.execute(sa.text(add), list(ends.values()))
    return waiting


def _end(row: Any, notice: dict[str, Any], state: Mapping[str, Any], deal: int) -> dict[str, Any]:
    """The end of a round that its table's chat has not seen: the table must not answer before the dice are seen."""
    is_last = deal >= state["deals"] - (state["status"] == "playing")
    return {
        "table_id": row.table_id,
        "deal": deal,
        "at": row.created_at,
        "cups_at": row.not_before,
        "dice_at": max(row.not_before, state["reveal_at"]) if is_last else row.not_before,
        "view": json.dumps(notice["view"] | {"reaction": None}),
        "awake": "[]",
        "shared": notice.get("shared", False),
        "parts": "[]",
    }


def with_key(old: Mapping[str, Any]) -> dict[str, Any]:
    """A waiting notice, which said by its mode whether it edits a message."""
    new = {name: value for name, value in old.items() if name != "mode"}
    return new | {"key": KEYS.get(old["mode"]), "edit_only": old["mode"] == "edit_existing"}


def columns_of(envelope: Mapping[str, Any], notice: Mapping[str, Any], slot: str | None) -> dict[str, Any]:
    """How a waiting notice is sent from now on."""
    kind = str(notice.get("kind"))
    is_calm = kind == "round_over" and not notice.get("shared")
    urgency = IDLE if is_calm else URGENCIES.get(kind, TOLD)
    shows_end = kind in ("call", "reveal") and slot is not None
    return {
        "urgency": ASKS if envelope.get("reply_handle") is not None else urgency,
        "passing": kind in ("reaction", "spoken"),
        "supersedable": slot is not None and envelope.get("mode") != "edit_existing",
        "again": kind in ("hand", "table", "record", "story") or (kind == "reveal" and slot is not None),
        "awaited": "probe" if kind == "resumed" else kind if shows_end else None,
    }


def renewed(old: Any, options: Mapping[str, str]) -> Any:
    """A notice or a part of it; the views of a game contain the options of its lobby."""
    if isinstance(old, list):
        return [renewed(each, options) for each in old]
    if not isinstance(old, dict):
        return old
    new = {name: renewed(value, options) for name, value in old.items()}
    if "predictable" in new:
        del new["predictable"]
        new["options"] = options
    if new.get("kind") in ("lobby", "started"):
        new["view"] = with_options(new["view"])
    if new.get("kind") == "lobby" and "page" in new:
        new["menu"] = new.pop("page")
    if "coached" in new:
        new["practice"] = new.pop("coached") and not allows_hints(new)
    if new.get("kind") == "started":
        memories = new.pop("memories", ())
        new["parts"] = [{"kind": "memories", "memories": memories}] if memories else []
    return _with_parts(new) if new.get("kind") == "game_over" else new


def _with_parts(over: dict[str, Any]) -> dict[str, Any]:
    """The end of a game: what features added to it becomes parts of theirs."""
    evening = {"achievements": over.pop("achievements", ()), "evening": over.pop("evening", ())}
    prophets, passed, over["view"] = over.pop("prophets", ()), over.pop("dice_checked", False), dict(over["view"])
    stirs, secret = over["view"].pop("stirs", ()), over["view"].get("secret")
    parts: list[dict[str, Any]] = [{"kind": "evening", **evening}] if any(evening.values()) else []
    parts += [{"kind": "prophets", "prophets": prophets}] if prophets else []
    if stirs and secret is not None and over.get("seat") is None:
        parts.append({"kind": "dice_check", "passed": passed, "secret": secret, "stirs": stirs})
    return over | {"parts": parts}


# Readers


Waiting = dict[tuple[int, str], tuple[str, str]]
"""The kind of notice and the mode of what waits for each slot of a table."""


def _close_what_readers_compare(
    waiting: Sequence[Any], states: Mapping[int, Mapping[str, Any]]
) -> tuple[Waiting, Waiting]:
    """Make the readers of waiting messages due; return what waited for them in their chats, and for hands in groups."""
    in_chats, in_groups, readers, closed = Waiting(), Waiting(), dict[tuple[int, int], dict[str, Any]](), []
    for row in waiting:
        reader = _reader_of(row, states)
        kind, mode = row.notice["notice"]["kind"], row.notice["mode"]
        if reader is None or kind in ("opened_reveal", "reaction") or mode == "target":
            continue
        closed.append({"row": row.id})
        which = row.table_id, row.slot
        into = in_groups if row.slot.startswith("hand:") and row.lane.startswith("telegram:-") else in_chats
        into[which] = kind, "replace" if "replace" in (into.get(which, ("", ""))[1], mode) else mode
        due = readers.setdefault((row.table_id, reader), {"since": row.created_at, "turn": None, "again": 0})
        due["lane"], due["turn"] = row.lane, due["turn"] if row.turn is None else row.turn
        due["again"] += int(row.slot.startswith("lobby:") and mode == "replace")
    add = sa.text(
        "INSERT INTO reader (table_id, player_id, lane, due_at, since, marks, turn, asked_again, given_up)"
        " VALUES (:table, :player, :lane, :since, :since, 1, :turn, :again, '{}')"
    )
    for (table, player), values in readers.items():
        op.get_bind().execute(add, {"table": table, "player": player, **values})
    if closed:
        close = "UPDATE outbox SET status = 'superseded', notice = NULL, done_at = created_at WHERE id = :row"
        op.get_bind().execute(sa.text(close), closed)
    return in_chats, in_groups


def _reader_of(row: Any, states: Mapping[int, Mapping[str, Any]]) -> int | None:
    """The reader of a table's message in Telegram: the table's chat or a player, or None for what is said once."""
    if not row.table_id or row.table_id < 0 or row.slot is None or not row.lane.startswith("telegram:"):
        return None
    name, _, player = row.slot.partition(":")
    if row.slot in ("lobby", "over", "closed") or name == "deal":
        return TABLES_CHAT
    is_menu = name == "lobby" and row.table_id in states and states[row.table_id]["status"] == "lobby"
    in_private = name == "reveal" and not row.lane.startswith("telegram:-")
    return int(player) if is_menu or in_private or name == "hand" else None


def _give_keys(in_chats: Waiting, in_groups: Waiting, states: Mapping[int, Mapping[str, Any]]) -> None:
    live = op.get_bind().execute(sa.select(TABLES.c.id).where(TABLES.c.live)).scalars().all()
    for row in op.get_bind().execute(sa.select(SENT.c.table_id, SENT.c.slot, SENT.c.receiver)).all():
        if row.table_id not in live:
            key, frozen = ([0, 0] if "lobby:" in row.slot else []), False
        else:
            which, state = (row.table_id, row.slot), states[row.table_id]
            key, frozen = _key(row.slot, state, in_chats.get(which))
            if row.slot.startswith("hand:") and row.receiver is not None:
                key = [0, *_key_in_group(row.slot, state, in_groups.get(which, ("", None))[1])]
        here = (SENT.c.table_id == row.table_id, SENT.c.slot == row.slot)
        op.get_bind().execute(SENT.update().where(*here).values(key=key, frozen=frozen))


def _key(slot: str, state: Mapping[str, Any], waiting: tuple[str, str] | None) -> tuple[list[int], bool]:
    """The key of a message and whether it is history. `waiting`: what would have edited or replaced it."""
    kind, mode = waiting or ("", "")
    deals, name = state["deals"], slot.partition(":")[0]
    if name == "deal":
        is_over = slot != f"deal:{deals}" or kind in ("call", "reveal")
        return [0, int(is_over and mode != "replace")], is_over and waiting is None
    if name == "reveal":
        return [0, deals - 1 - (waiting is not None)], True
    if name == "hand":
        return _key_of_board(slot, state, is_old=mode == "replace")
    is_history = name == "lobby" and state["status"] == "playing" and waiting is None
    return [0] if "hand:" in slot else [0, 0], is_history


def _key_of_board(slot: str, state: Mapping[str, Any], *, is_old: bool) -> tuple[list[int], bool]:
    """The key of a player's board. `is_old`: the board of the running round waits to replace it."""
    if is_old:
        return [0, state["deals"] - 1, 0], False
    player = int(slot.partition(":")[2])
    seat = next((seat for seat, sitting in enumerate(state["seats"]) if sitting["player"] == player), None)
    if state["game"] is not None and seat is not None and seat in state["game"]["eliminated"]:
        return [0, AFTER_ALL_TURNS], True
    return [0, state["deals"], 0], False


def _key_in_group(slot: str, state: Mapping[str, Any], waiting: str | None) -> list[int]:
    """The key of a hand: a hand with bids has that of a turn. `waiting`: the mode of what would change it."""
    if waiting == "replace":
        return [state["deals"] - 1, 0]
    turn = None if state["game"] is None else state["game"]["turn"]
    is_asked = turn is not None and slot == f"hand:{state['seats'][turn]['player']}"
    return [state["deals"], state["step"] if is_asked or waiting is not None else 0]
