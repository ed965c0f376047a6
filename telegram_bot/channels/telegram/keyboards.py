"""Build inline keyboards. They depend on the bids alone, so they reveal nothing about anybody's dice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from perudo_core import PRESETS
from telegram_bot.channels.telegram import callback_data
from telegram_bot.service import notices as n
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.lobby import CLOCK_CHOICES, HOUSE_OPTIONS
from telegram_bot.tables.model import OnTimeout
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import LobbyView, TableView
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, own_name
from telegram_bot.words.chat.lobby import LobbyPage, page_of
from telegram_bot.words.dice import bid_figure, die
from telegram_bot.words.phrases import duration, on_timeout_label, plain_name
from telegram_bot.words.rules import option_label, option_value_label, preset_label

Button = dict[str, Any]
Rows = list[list[Button]]

PRIMARY: Final = "primary"
SUCCESS: Final = "success"
DANGER: Final = "danger"
BIDS_A_ROW: Final = 3
OPENING_BIDS_A_ROW: Final = 5
FACES_A_ROW: Final = 6
QUANTITIES_A_ROW: Final = 5
LANGUAGES_A_ROW: Final = 3
OPTIONS_A_ROW: Final = 2
MAX_BUTTONS: Final = 90
SUGGESTED_QUANTITIES: Final = 3
FACES: Final = range(1, 7)


def keyboard(  # noqa: C901, PLR0911, PLR0912 - one case per notice
    notice: n.Notice, w: Catalogue, *, bot: str, inline: bool = False
) -> Rows:
    """The rows of buttons under a notice; most notices have none. `inline`: whether the bot has inline mode."""
    match notice:
        case n.LobbyNotice():
            return lobby_keyboard(notice, w, bot=bot)
        case n.TableNotice():
            return table_keyboard(notice, w, bot=bot, inline=inline)
        case n.HandNotice():
            return hand_keyboard(notice, w)
        case n.BidsNotice():
            rows = bid_rows(notice.view, w, notice.face)
            return rows if notice.private else [*rows, *_table_rows(notice.view, w)]
        case n.GameOverNotice():
            return _over_rows(notice.view, w)
        case n.AwayNotice():
            return [[_button("🙋 " + w.say("I am back"), callback_data.game(notice.table, 0, "back"), SUCCESS)]]
        case n.PausedNotice():
            return [[_button("▶️ " + w.say("Go on"), callback_data.game(notice.table, 0, "back"), SUCCESS)]]
        case n.IdentifyAdminNotice(table=None):
            return [[_button("🎲 " + w.say("Open a table"), callback_data.person("open"), SUCCESS)]]
        case n.IdentifyAdminNotice(table=table) if table is not None:
            return [[_button("🛑 " + w.say("Close the table"), callback_data.lobby(table, "stop"), DANGER)]]
        case n.SettingsNotice():
            return settings_keyboard(notice, w, inline=inline)
        case n.WhichTableNotice():
            return [[_button(plain_name(choice.title), _word_data(choice, notice.word))] for choice in notice.choices]
        case n.ConfirmLeaveNotice():
            return [
                [
                    _button(
                        "🚪 " + w.say("Leave the game"),
                        callback_data.game(notice.table, 0, "quit", notice.player),
                        DANGER,
                    )
                ]
            ]
        case _:
            return []


def _button(text: str, data: str, style: str | None = None) -> Button:
    button = {"text": text, "callback_data": data}
    return button if style is None else button | {"style": style}


def _rows(buttons: Iterable[Button], width: int) -> Rows:
    flat = list(buttons)
    return [flat[start : start + width] for start in range(0, len(flat), width)]


def lobby_keyboard(notice: n.LobbyNotice, w: Catalogue, *, bot: str) -> Rows:
    """The lobby's current page of buttons."""
    view = notice.view
    table = view.table
    back = [_button("⬅️ " + w.say("Back"), callback_data.lobby(table, "menu", LobbyPage.MAIN))]
    match page_of(notice):
        case LobbyPage.RULEBOOK:
            return [*([_book(view, book, w)] for book in PRESETS), back]
        case LobbyPage.OPTIONS:
            return [*_option_rows(view, w), back]
        case LobbyPage.CLOCK:
            return [*_clock_rows(view, w), back]
        case LobbyPage.KICK:
            return [*_rows(_kick_buttons(view), 2), back]
        case LobbyPage.MAIN:
            return _main_rows(view, w, bot=bot)


def _main_rows(view: LobbyView, w: Catalogue, *, bot: str) -> Rows:
    table = view.table
    rows = [
        [
            _button("🙋 " + w.say("Join"), callback_data.lobby(table, "join"), SUCCESS),
            _button("🚪 " + w.say("Leave"), callback_data.lobby(table, "leave")),
        ],
        [{"text": "📮 " + w.say("Join and get dice in private"), "url": join_link(bot, view.code)}],
        [
            _button("📖 " + w.say("Rulebook"), callback_data.lobby(table, "menu", LobbyPage.RULEBOOK)),
            _button("⚙️ " + w.say("Options"), callback_data.lobby(table, "menu", LobbyPage.OPTIONS)),
        ],
        [_button("⏱ " + w.say("Clock"), callback_data.lobby(table, "menu", LobbyPage.CLOCK))],
    ]
    if len(view.seats) > 1:
        rows[-1].append(_button("👋 " + w.say("Remove a player"), callback_data.lobby(table, "menu", LobbyPage.KICK)))
    if len(view.seats) >= view.min_seats:
        rows.append([_button("▶️ " + w.say("Start"), callback_data.lobby(table, "start"), PRIMARY)])
    return rows


def _book(view: LobbyView, book: str, w: Catalogue) -> Button:
    mark = "✅ " if book == view.rules.preset else ""
    return _button(mark + preset_label(book, w), callback_data.lobby(view.table, "book", book))


def _kick_buttons(view: LobbyView) -> list[Button]:
    return [
        _button("🚪 " + plain_name(seat.name), callback_data.lobby(view.table, "kick", seat.player), DANGER)
        for seat in view.seats
        if seat.player != view.host
    ]


def _over_rows(view: GameOverView, w: Catalogue) -> Rows:
    rows = [[_button("🔁 " + w.say("Play again"), callback_data.lobby(view.table, "again"), SUCCESS)]]
    if view.secret is not None:
        rows.append([_button("🔐 " + w.say("Check the dice"), callback_data.lobby(view.table, "record"))])
    return rows


def join_link(bot: str, code: str) -> str:
    """A link that opens the private chat with the bot and takes a seat."""
    return f"https://t.me/{bot}?start=j_{code}"


def open_link(bot: str) -> str:
    """A link that opens the private chat with the bot."""
    return f"https://t.me/{bot}?start=play"


def _option_rows(view: LobbyView, w: Catalogue) -> Rows:
    """Options that are on or off stand in pairs; one with a value to read has its row to itself."""
    with_value = [name for name in HOUSE_OPTIONS if not isinstance(getattr(view.rules, name), bool)]
    switches = [name for name in HOUSE_OPTIONS if name not in with_value]
    return [
        *([_option(view, name, w)] for name in with_value),
        *_rows((_option(view, name, w) for name in switches), OPTIONS_A_ROW),
    ]


def _option(view: LobbyView, name: str, w: Catalogue) -> Button:
    value = getattr(view.rules, name)
    if isinstance(value, bool):
        text = ("✅ " if value else "▫️ ") + option_label(name, w)
    else:
        text = w.say("{option}: {value}", option=option_label(name, w), value=option_value_label(name, value, w))
    return _button(text, callback_data.lobby(view.table, "option", name))


def _clock_rows(view: LobbyView, w: Catalogue) -> Rows:
    times = (
        _button(
            ("✅ " if seconds == view.clock.seconds else "") + (duration(seconds, w) if seconds else w.say("Off")),
            callback_data.lobby(view.table, "clock", seconds),
        )
        for seconds in CLOCK_CHOICES
    )
    choices = (
        _button(
            ("✅ " if choice is view.clock.on_timeout else "") + on_timeout_label(choice, w),
            callback_data.lobby(view.table, "timeout", choice),
        )
        for choice in OnTimeout
    )
    return [*_rows(times, 3), *_rows(choices, 1)]


def table_keyboard(notice: n.TableNotice, w: Catalogue, *, bot: str, inline: bool = False) -> Rows:
    """The buttons under the table's message, with the bids if the player on turn has no private keyboard."""
    view = notice.view
    if view.paused:
        return [[_button("▶️ " + w.say("Go on"), callback_data.game(view.table, view.step, "back"), SUCCESS)]]
    shared = notice.shared and not (inline and notice.in_text_field)
    rows = [[{"text": "⌨️ " + w.say("My turn"), "switch_inline_query_current_chat": ""}]] if inline else []
    rows += bid_rows(view, w, None) if shared else []
    rows += _table_rows(view, w, shared=shared)
    if notice.unreachable:
        rows.append([{"text": "📮 " + w.say("Open the bot"), "url": open_link(bot)}])
    return rows


def _table_rows(view: TableView, w: Catalogue, *, shared: bool = True) -> Rows:
    first = [_button("🎲 " + w.say("My dice"), callback_data.game(view.table, view.step, "dice"))]
    if not shared:
        first.append(_button("✍️ " + w.say("Bid here"), callback_data.game(view.table, view.step, "here")))
    rows = [first]
    if not shared and view.calza:
        rows.append([_button("🎯 " + w.say("Calza!"), callback_data.game(view.table, view.step, "calza"), SUCCESS)])
    return rows


def hand_keyboard(notice: n.HandNotice, w: Catalogue) -> Rows:
    """A player's private buttons: the bids on their turn, and calza whenever they may call it."""
    hand = notice.view
    if hand.on_turn:
        return bid_rows(hand.table, w, None, calza=hand.may_calza)
    if hand.may_calza:
        return [_call_row(hand.table, w, dudo=False, calza=True)]
    return []


def bid_rows(view: TableView, w: Catalogue, face: int | None, *, calza: bool | None = None) -> Rows:
    """Buttons for legal bids only: common raises directly, other raises by face first, then dudo and calza."""
    calls = _call_row(view, w, dudo=view.dudo, calza=view.calza if calza is None else calza)
    rows = _suggested_rows(view, w) if face is None else _quantity_rows(view, face, w)
    return [*rows, calls] if calls else rows


def _bid(view: TableView, quantity: int, face: int, w: Catalogue, style: str | None = None) -> Button:
    data = callback_data.game(view.table, view.step, "bid", f"{quantity}x{face}")
    return _button(bid_figure(quantity, face, w, view.wild_by), data, style)


def suggested_bids(view: TableView) -> list[tuple[int, int]]:
    """The most common raises: the lowest legal bid on each face, then some higher bids on the same face."""
    legal = list(view.raises)
    standing = view.standing
    if standing is None:
        return opening_bids(view)
    chosen = []
    chosen += [bid for bid in legal if bid[1] == standing.face][:SUGGESTED_QUANTITIES]
    for other in FACES:
        if other != standing.face:
            chosen += [bid for bid in legal if bid[1] == other][:1]
    return chosen


def opening_bids(view: TableView) -> list[tuple[int, int]]:
    """Two rows of usual opening bids: about one die for each player."""
    players = sum(not seat.out for seat in view.seats)
    usual = (max(1, players - 1), max(2, players))
    return [bid for bid in view.raises if bid[0] in usual] or list(view.raises[: 2 * FACES_A_ROW])


def _suggested_rows(view: TableView, w: Catalogue) -> Rows:
    quick = suggested_bids(view)
    width = BIDS_A_ROW if view.bids else OPENING_BIDS_A_ROW
    style = PRIMARY if view.bids else None
    rows = _rows((_bid(view, *bid, w, style if bid == quick[0] else None) for bid in quick), width)
    others = sorted({face for quantity, face in view.raises if (quantity, face) not in quick})
    if others:
        faces = [
            _button(f"{die(face, w, view.wild_by)} …", callback_data.game(view.table, view.step, "face", face))
            for face in others
        ]
        rows += _rows(faces, FACES_A_ROW)
    return rows


def _quantity_rows(view: TableView, face: int, w: Catalogue) -> Rows:
    bids = [bid for bid in view.raises if bid[1] == face][:MAX_BUTTONS]
    back = _button("⬅️ " + w.say("Back"), callback_data.game(view.table, view.step, "faces"))
    return [*_rows((_bid(view, *bid, w) for bid in bids), QUANTITIES_A_ROW), [back]]


def _call_row(view: TableView, w: Catalogue, *, dudo: bool, calza: bool) -> list[Button]:
    row = []
    if dudo:
        row.append(_button("🗣 " + w.say("Dudo!"), callback_data.game(view.table, view.step, "dudo"), DANGER))
    if calza:
        row.append(_button("🎯 " + w.say("Calza!"), callback_data.game(view.table, view.step, "calza"), SUCCESS))
    return row


def settings_keyboard(notice: n.SettingsNotice, w: Catalogue, *, inline: bool = False) -> Rows:
    """The ways to see one's dice, and the automatic choice."""
    labels = {
        PrivateView.AUTO: "✨ " + w.say("Whatever works"),
        PrivateView.EPHEMERAL: "👁 " + w.say("In the group, for my eyes only"),
        PrivateView.DIRECT: "📮 " + w.say("In our private chat"),
        PrivateView.ALERT: "🔔 " + w.say("When I tap My dice"),
    }
    if inline:
        labels[PrivateView.INLINE] = "⌨️ " + w.say("In the text field")
    if notice.phone:
        labels[PrivateView.TEXT] = "📱 " + w.say("By text message")
    views = [
        [_button(("✅ " if view is notice.view else "") + label, callback_data.person("view", view))]
        for view, label in labels.items()
    ]
    return [*views, *_dice_rows(notice, w), *_language_rows(notice, w)]


def _dice_rows(notice: n.SettingsNotice, w: Catalogue) -> Rows:
    """A button for each dice style, which shows a die in it."""
    word = "dice" if notice.private else "dice_to_all"
    buttons = (
        _button(
            ("✅ " if style is notice.dice_style else "") + bid_figure(5, 4, w.with_dice(style)),
            callback_data.person(word, style),
        )
        for style in DiceStyle
    )
    return [list(buttons)]


def _language_rows(notice: n.SettingsNotice, w: Catalogue) -> Rows:
    """A button for each language, in its own name; in a private chat it sets the person's, in a group the group's."""
    word = "speak" if notice.private else "speak_to_all"
    chosen = notice.speaks if notice.chosen else callback_data.AUTOMATIC

    def choice(language: str, label: str) -> Button:
        return _button(("✅ " if language == chosen else "") + label, callback_data.person(word, language))

    by_name = _rows((choice(language, own_name(language).capitalize()) for language in LANGUAGES), LANGUAGES_A_ROW)
    return [*by_name, [choice(callback_data.AUTOMATIC, "✨ " + w.say("Automatic"))]]


def _word_data(choice: n.TableChoice, word: str) -> str:
    if "x" in word and word[0].isdigit():
        return callback_data.game(choice.table, choice.step, "bid", word)
    if word == "stop":
        return callback_data.lobby(choice.table, word)
    return callback_data.game(choice.table, choice.step, word)
