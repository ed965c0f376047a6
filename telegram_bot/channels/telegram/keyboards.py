"""Build inline keyboards. They depend only on the bids and on the reader's own dice, so they reveal no dice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from telegram_bot.channels.telegram.buttons import (
    CODE,
    DANGER,
    KEYS_A_ROW,
    PRIMARY,
    SUCCESS,
    Button,
    Rows,
    SeatPages,
    button,
    rows_of,
    start_link,
)
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.channels.telegram.lobby_keyboard import lobby_keyboard
from telegram_bot.registry import Registry
from telegram_bot.service import intents as i
from telegram_bot.service import notices as n
from telegram_bot.service.intents import SettingValue
from telegram_bot.service.requests import read_button
from telegram_bot.service.switches import SWITCHES
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.faces import Face
from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue, language_names
from telegram_bot.words.dice import bid_figure, call_label, die
from telegram_bot.words.phrases import plain_name
from telegram_bot.words.replies import VIEW_LABELS

LIKELY_BIDS: Final = 5
"""Together with the key to all other bids they fill two rows."""
ANIMALS_A_ROW: Final = 5
LANGUAGES_A_ROW: Final = 3
MAX_BUTTONS: Final = 90
VIEW_SIGNS: Final = {
    PrivateView.AUTO: "✨",
    PrivateView.EPHEMERAL: "👁",
    PrivateView.DIRECT: "📮",
    PrivateView.ALERT: "🔔",
    PrivateView.INLINE: "⌨️",
    PrivateView.TEXT: "📱",
}


KEYS: Final = Registry[type, Callable[[Any, Catalogue], Rows]]("the buttons below notices of features")


ADDED_KEYS: Final = Registry[type, Sequence[Callable[[Any, Catalogue, str], Rows]]]("the buttons that features add")
"""By the type of a notice of the base game: buttons of features below its own; they may need the bot's name."""


def keyboard(notice: n.Notice, w: Catalogue, *, bot: str, inline: bool = False) -> Rows:
    """Return the buttons under a notice; most notices have none. `inline`: whether the bot has inline mode."""
    added = (keys(notice, w, bot) for keys in ADDED_KEYS.get(type(notice), ()))
    return [*_keyboard(notice, w, bot=bot, inline=inline), *(row for rows in added for row in rows)]


def _keyboard(notice: n.Notice, w: Catalogue, *, bot: str, inline: bool) -> Rows:
    match notice:
        case n.LobbyNotice():
            return lobby_keyboard(notice, w)
        case n.TableNotice():
            return table_keyboard(notice, w, bot=bot, inline=inline)
        case n.HandNotice():
            return hand_keyboard(notice, w)
        case n.HeardNotice():
            return _heard_keyboard(notice, w)
        case n.FeatureNotice():
            keys = KEYS.get(type(notice))
            return [] if keys is None else keys(notice, w)
        case n.BidsNotice():
            if notice.private:
                return bid_rows(notice.view, w, notice.face, dice=notice.dice)
            return _bids_for_all(notice.view, w, notice.face)
        case n.GameOverNotice(view=view) if not view.going_on:
            return [[button("🔁 " + w.say("Play again"), data_of(i.PlayAgain(), view.table), SUCCESS)]]
        case n.GuestNotice(what="knock", table=table, asking=asking):
            everyone = button("🚪 " + w.say("Let all in"), data_of(i.AnswerKnock(0, admit=True), table), SUCCESS)
            each = [
                [
                    button(
                        "🚪 " + (plain_name(name) if len(asking) > 1 else w.say("Let in")),
                        data_of(i.AnswerKnock(player, admit=True), table),
                        SUCCESS,
                    ),
                    button(w.say("Not now"), data_of(i.AnswerKnock(player, admit=False), table)),
                ]
                for player, name in asking
            ]
            return [[everyone], *each] if len(asking) > 1 else each
        case n.AwayNotice():
            return [[button("🙋 " + w.say("I'm back"), data_of(i.ReturnToSeat(), notice.table), SUCCESS)]]
        case n.PausedNotice():
            return [[button("▶️ " + w.say("Go on"), data_of(i.ReturnToSeat(), notice.table), SUCCESS)]]
        case n.IdentifyAdminNotice(table=None):
            return [[button("🎲 " + w.say("Open a table"), data_of(i.OpenLobby()), SUCCESS)]]
        case n.IdentifyAdminNotice(table=table) if table is not None:
            return [[button("🛑 " + w.say("Close the table"), data_of(i.Stop(confirmed=True), table), DANGER)]]
        case n.NextGameOfferNotice():
            return [[button("🔔 " + w.say("Tell me about the next game"), data_of(i.RequestNextGame()))]]
        case n.NextGameNotice(code=code):
            return [[{"text": "🙋 " + w.say("Join"), "url": start_link(bot, CODE + code)}]]
        case n.SettingsNotice():
            return settings_keyboard(notice, w, inline=inline)
        case n.WhichTableNotice():
            return [
                [button(plain_name(choice.title), data_of(typed_request(notice.word), choice.table, choice.step))]
                for choice in notice.choices
            ]
        case n.ConfirmNotice(about="leave", table=table, player=player):
            leave = button(
                "🚪 " + w.say("Leave the game"), data_of(i.Leave(confirmed=True, asked=player), table), DANGER
            )
            return [[leave, button("🪑 " + w.say("Stay"), data_of(i.PlayOn(player), table), SUCCESS)]]
        case n.ConfirmNotice(table=table, player=player):
            close = button(
                "🛑 " + w.say("Close the table"), data_of(i.Stop(confirmed=True, asked=player), table), DANGER
            )
            return [[close, button("▶️ " + w.say("Play on"), data_of(i.PlayOn(player), table), SUCCESS)]]
        case _:
            return []


def seat_rows(notice: n.Notice, w: Catalogue, pages: SeatPages, *, bot: str, registered: bool) -> Rows:
    """Buttons that open the player's web seat, below the others; `registered`: whether groups can open it.

    Telegram accepts the seat's own address in private chats only.
    """
    seat = {"text": "🪑 " + w.say("Open my seat")}
    television = {"text": "📺 " + w.say("Television")}
    match notice:
        case n.ListNotice(list_code=code) if registered and code:
            return [[television | {"url": pages.link(bot, code + "_tv")}]]
        case n.LobbyNotice(menu=None, view=lobby) if registered:
            return [[television | {"url": pages.link(bot, lobby.code + "_tv")}]]
        case n.LobbyNotice(menu="table", to_host=True, view=lobby):
            page = pages.page(lobby.code)
            return [[seat | {"web_app": {"url": page}}, television | {"web_app": {"url": page + "_tv"}}]]
        case n.LobbyNotice(menu="table", view=lobby) if registered:
            link = pages.link(bot, lobby.code)
            return [[seat | {"url": link}, television | {"url": link + "_tv"}]]
        case n.TableNotice(seat=None, view=view) if (
            registered and view.code and not (view.paused or notice.unreachable)
        ):
            return [[seat | {"url": pages.link(bot, view.code)}]]
        case n.HandNotice(board=True, called=None, view=hand) if hand.table.code:
            return [[seat | {"web_app": {"url": pages.page(hand.table.code)}}]]
        case n.GuestNotice(what="admitted", code=code):
            return [[seat | {"web_app": {"url": pages.page(code)}}]]
        case _:
            return []


def table_keyboard(notice: n.TableNotice, w: Catalogue, *, bot: str, inline: bool = False) -> Rows:
    """Return the buttons under the table's message, with the bids if the player on turn has no private keyboard."""
    view = notice.view
    if view.paused:
        return [[button("▶️ " + w.say("Go on"), data_of(i.ReturnToSeat(), view.table), SUCCESS)]]
    if notice.own_chat or notice.seat is not None:
        return []
    types = inline and notice.in_text_field
    rows = [[{"text": "⌨️ " + w.say("My turn"), "switch_inline_query_current_chat": ""}]] if types else []
    rows += _bids_for_all(view, w, None) if notice.shared and not types else _table_rows(view, w)
    if notice.unreachable:
        rows.append([{"text": "📮 " + w.say("Open the bot"), "url": start_link(bot)}])
    return rows


def _bids_for_all(view: TableView, w: Catalogue, face: int | None) -> Rows:
    """Return the bids in a message that all players see."""
    calls = _calls(view, w, calza=view.calza)
    return [*_raise_rows(view, w, face), *calls, [_my_dice(view, w)]]


def _table_rows(view: TableView, w: Catalogue) -> Rows:
    """Return the buttons of a table whose player on turn has the bids in private."""
    calza = [_calza_key(view, w)] if view.calza else []
    return [[_my_dice(view, w), *calza]]


def _my_dice(view: TableView, w: Catalogue) -> Button:
    return button("🎲 " + w.say("My dice"), data_of(i.SeeDice(), view.table))


def hand_keyboard(notice: n.HandNotice, w: Catalogue) -> Rows:
    """Return a player's private buttons: bids on their turn, and calza while they may call it."""
    hand = notice.view
    if hand.on_turn:
        return bid_rows(hand.table, w, None, dice=hand.dice, calza=hand.may_calza)
    return [[_calza_key(hand.table, w)]] if hand.may_calza else []


def bid_rows(
    view: TableView, w: Catalogue, face: int | None, *, dice: Sequence[int] = (), calza: bool | None = None
) -> Rows:
    """Buttons for legal bids only: the best directly, the others by face; below them dudo and calza.

    `dice`: the reader's own, if only they see the buttons.
    """
    return [*_raise_rows(view, w, face, dice), *_calls(view, w, calza=view.calza if calza is None else calza)]


def _calls(view: TableView, w: Catalogue, *, calza: bool) -> Rows:
    """Dudo and calza side by side, as far as the rules allow them."""
    dudo = button("🗣 " + w.say("Dudo!"), data_of(i.CallDudo(), view.table, view.step), DANGER)
    row = [dudo] * view.dudo + [_calza_key(view, w)] * calza
    return [row] if row else []


def _calza_key(view: TableView, w: Catalogue) -> Button:
    """Calza: a plain key, half as wide as the screen or as the word, which asks a beginner before it counts."""
    return button("🎯 " + w.say("Calza?"), data_of(i.CallCalza(), view.table, view.step))


def _raise_rows(view: TableView, w: Catalogue, face: int | None, dice: Sequence[int] = ()) -> Rows:
    match face:
        case None:
            return _likely_rows(view, w, dice)
        case n.ANY_FACE:
            return _face_rows(view, w)
        case _:
            return _quantity_rows(view, face, w)


def _bid(view: TableView, quantity: int, face: int, w: Catalogue, style: str | None = None) -> Button:
    data = data_of(i.MakeBid(quantity, face), view.table, view.step)
    return button(bid_figure(quantity, face, w, view.wild_by), data, style)


def _likely_rows(view: TableView, w: Catalogue, dice: Sequence[int]) -> Rows:
    """Return the best bids, the best raise highlighted, and the way to all others."""
    quick = offered_bids(view, dice)[:LIKELY_BIDS]
    common = quick[0] if view.bids and quick else None
    keys = [_bid(view, *bid, w, PRIMARY if bid == common else None) for bid in quick]
    if len(view.raises) > len(quick):
        every = data_of(i.SeeBids(n.ANY_FACE), view.table, view.step)
        keys.append(button(w.say("more…"), every))
    return rows_of(keys, KEYS_A_ROW)


def _face_rows(view: TableView, w: Catalogue) -> Rows:
    """Return the faces of the legal bids."""
    faces = sorted({face for _, face in view.raises})
    keys = [
        button(f"{die(face, w, view.wild_by)} …", data_of(i.SeeBids(face), view.table, view.step)) for face in faces
    ]
    return [*rows_of(keys, KEYS_A_ROW), [_back(view, w)]]


def _quantity_rows(view: TableView, face: int, w: Catalogue) -> Rows:
    bids = [bid for bid in view.raises if bid[1] == face][:MAX_BUTTONS]
    return [*rows_of((_bid(view, *bid, w) for bid in bids), KEYS_A_ROW), [_back(view, w)]]


def _back(view: TableView, w: Catalogue) -> Button:
    return button("⬅️ " + w.say("Back"), data_of(i.SeeBids(None), view.table, view.step))


def settings_keyboard(notice: n.SettingsNotice, w: Catalogue, *, inline: bool = False) -> Rows:
    """Return the settings of the person, or of the group in which they ask."""
    if notice.faces:
        signs = {face: face.sign for face in Face}
        back = button("⬅️ " + w.say("Back"), data_of(i.SeeSettings()))
        return [*rows_of(_choices("face", notice.face, signs, to_all=False), ANIMALS_A_ROW), [back]]
    to_all = not notice.private
    views = {
        view: f"{sign} {w.say(VIEW_LABELS[view])}"
        for view, sign in VIEW_SIGNS.items()
        if (view is not PrivateView.INLINE or inline) and (view is not PrivateView.TEXT or notice.phone)
    }
    rows = rows_of(_choices("view", notice.view, views, to_all=False), 1)
    rows += [[each] for each in _switches(notice, w)]
    if notice.face is not None:
        rows += [[button(f"{notice.face.sign} {w.say('Your animal')} …", data_of(i.SeeSettings(faces=True)))]]
    styles = {style: bid_figure(5, 4, w.with_dice(style)) for style in DiceStyle}
    rows += [_choices("dice_style", notice.dice_style, styles, to_all=to_all)]
    if notice.pictures is not None:
        pictures = {True: "🖼 " + w.say("Dice as pictures"), False: "🔤 " + w.say("Dice as text")}
        rows += [_choices("pictures", notice.pictures, pictures, to_all=to_all)]
    chosen = notice.speaks if notice.chosen else None
    rows += rows_of(_choices("chosen_language", chosen, language_names(), to_all=to_all), LANGUAGES_A_ROW)
    return [*rows, _choices("chosen_language", chosen, {None: "✨ " + w.say("Automatic")}, to_all=to_all)]


def _choices(name: str, chosen: SettingValue, labels: Mapping[Any, str], *, to_all: bool) -> list[Button]:
    """Return a button for each value of a setting, by its label."""
    return [
        button(("✅ " if value == chosen else "") + label, data_of(i.Choose(name, value, to_all)))
        for value, label in labels.items()
    ]


def _switches(notice: n.SettingsNotice, w: Catalogue) -> Iterator[Button]:
    """Yield a button for each switch that is offered and has a label."""
    to_all = not notice.private
    for name, is_on in notice.switches.items():
        switch = SWITCHES.get(name)
        words = None if switch is None else switch.words(to_all=to_all)
        if switch is not None and words is not None and words.label:
            label = " ".join(("✅" if is_on else "▫️", *filter(None, [switch.sign]), w.say(words.label)))
            yield button(label, data_of(i.Choose(name, not is_on, to_all)))


def typed_request(word: str) -> i.PersonRequest:
    """Return the request of a word that was typed at a table, or of a call as `perudo_core` writes it."""
    request = read_button(f"bid={word}" if word[0].isdigit() else word, at_table=True)
    return i.UnknownChoice() if request is None else request


def _heard_keyboard(notice: n.HeardNotice, w: Catalogue) -> Rows:
    """Return the recognised calls, for their speaker; the first is highlighted if the recogniser is sure."""
    if notice.answered:
        return []

    def said(rank: int, call: str) -> Button:
        data = data_of(i.AnswerNote(notice.player, call, rank), notice.table, notice.step)
        likely = notice.sure and rank == 1
        label = call_label(call, w, notice.wild_by)
        return button(f"✅ {label}" if likely else label, data, SUCCESS if likely else None)

    guesses = [said(rank, call) for rank, call in enumerate(notice.guesses, start=1)]
    no = button("✖️ " + w.say("Not that"), data_of(i.AnswerNote(notice.player, None), notice.table, notice.step))
    return [guesses[:1], guesses[1:], [no]] if notice.sure and guesses[1:] else [guesses, [no]]
