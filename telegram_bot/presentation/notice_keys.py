"""The keys of each notice. They depend only on the bids and on the reader's own dice, so they reveal no dice."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, assert_never

from telegram_bot import notices as n
from telegram_bot.notices import SettingsFolder
from telegram_bot.notices.settings import VIEW_LABELS
from telegram_bot.presentation.features import EXTENSIONS
from telegram_bot.presentation.keys import KEYS_A_ROW, Key, Keys, Style, rows_of
from telegram_bot.presentation.lobby_keys import lobby_keys
from telegram_bot.screens.switches import SWITCHES
from telegram_bot.service.handlers.ending import Leave, PlayOn, Stop
from telegram_bot.service.handlers.game_requests import AnswerNote, CallCalza, CallDudo, MakeBid, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import (
    Join,
    LeaveNextGames,
    OpenLobby,
    PlayAgain,
    RequestNextGame,
    StartPrivateChat,
)
from telegram_bot.service.handlers.pages import AnswerKnock, AnswerVisitor, EndPages
from telegram_bot.service.handlers.queries import SeeBids, SeeDice, SeeMore
from telegram_bot.service.handlers.reroll import ShowDice
from telegram_bot.service.handlers.settings import Choose, SeeSettings, SettingValue
from telegram_bot.service.requests import typed_request
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables.events import Handover
from telegram_bot.tables.faces import Face
from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue, language_names
from telegram_bot.words.chat.game_words import showing_label
from telegram_bot.words.dice import bid_figure, call_label, die
from telegram_bot.words.phrases import plain_name, table_name

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


def keys_of(notice: n.Notice, w: Catalogue, *, inline: bool = False) -> Keys:
    """Return the keys of a notice, those of features last; most notices have none.

    `inline`: whether the reader's chat has lists over the text field.
    """
    added = (each.keys(notice, w) for each in EXTENSIONS.get(type(notice), ()) if each.keys is not None)
    rest = [row for rows in added for row in rows]
    if isinstance(notice, n.GameOverNotice):
        return _game_over_keys(notice, rest, w)
    return [*_keys_of(notice, w, inline=inline), *rest]


def _game_over_keys(notice: n.GameOverNotice, added: Keys, w: Catalogue) -> Keys:
    """Return *Play again* and *More*, or all keys after a tap on it."""
    asks = notice.view.asks_again
    again = [Key(w.say("Play again"), PlayAgain(), sign="🔁", style=Style.SUCCESS)] if asks else []
    rest = [*added, *([[_next_games(w)]] if asks and notice.in_group else [])]
    if notice.unfolded:
        return [row for row in (again, *rest) if row]
    more = [Key(w.say("More"), SeeMore())] if rest and notice.unfolded is not None else []
    return [row for row in ([*again, *more],) if row]


def _keys_of(notice: n.Notice, w: Catalogue, *, inline: bool) -> Keys:
    match notice:
        case n.LobbyNotice():
            return lobby_keys(notice, w)
        case n.TableNotice():
            return _table_keys(notice, w, inline=inline)
        case n.HandNotice():
            return _hand_keys(notice, w)
        case n.HeardNotice():
            return _heard_keys(notice, w)
        case n.BidsNotice():
            if notice.private:
                return _bid_rows(notice.view, w, notice.face, dice=notice.dice)
            return _bids_for_all(notice.view, w, notice.face)
        case n.GuestNotice(what="knock", room=room, asking=asking, claims=claims):
            answer = partial(AnswerVisitor, room) if room else AnswerKnock
            everyone = Key(w.say("Let all in"), answer(0, admit=True), sign="🚪", style=Style.SUCCESS)
            each = [
                [
                    Key(
                        plain_name(name) if len(asking) > 1 else w.say("Let in"),
                        answer(player, admit=True),
                        sign="🚪",
                        style=Style.SUCCESS,
                    ),
                    Key(w.say("Not now"), answer(player, admit=False)),
                ]
                for player, name in asking
            ]
            theirs = [
                [
                    Key(
                        w.say("It's {name}", name=plain_name(claim.name)),
                        AnswerKnock(claim.player, admit=True),
                        sign="📱",
                        style=Style.SUCCESS,
                    ),
                    Key(w.say("No"), AnswerKnock(claim.player, admit=False)),
                ]
                for claim in claims
            ]
            return [*theirs, *([[everyone]] if len(asking) > 1 else []), *each]
        case n.SeatOpenedNotice():
            return [[Key(w.say("That wasn't me"), EndPages(), sign="🚫", style=Style.DANGER)]]
        case n.AwayNotice(misses_left=0) | n.PausedNotice():
            return [[_im_back(w)]]
        case n.IdentifyAdminNotice(table=None):
            return [[Key(w.say("Open a table"), OpenLobby(), sign="🎲", style=Style.SUCCESS)]]
        case n.IdentifyAdminNotice():
            return [[Key(w.say("Close the table"), Stop(confirmed=True), sign="🛑", style=Style.DANGER)]]
        case n.NextGameOfferNotice():
            return [*([_play_for(player, name, w)] for player, name in notice.seats), [_next_games(w)]]
        case n.SeatHandoverNotice(what=Handover.TAKEN):
            return [[_im_back(w)]]
        case n.SeatHandoverNotice(what=Handover.RETURNED):
            return [[_next_games(w)]]
        case n.NextGameNotice(code=code, chat=chat):
            join = Key(w.say("Join"), StartPrivateChat(code), sign="🙋", in_private=True)
            return [[join], [Key(w.say("Don't tell me any more"), LeaveNextGames(chat), sign="🔕")]]
        case n.SettingsNotice():
            return _settings_keys(notice, w, inline=inline)
        case n.WhichTableNotice():
            return [[_table_choice(notice, choice, w)] for choice in notice.choices]
        case n.ConfirmNotice(about="leave", player=player):
            leave = Key(w.say("Leave the game"), Leave(confirmed=True, asked=player), sign="🚪", style=Style.DANGER)
            return [[leave, Key(w.say("Stay"), PlayOn(player), sign="🪑", style=Style.SUCCESS)]]
        case n.ConfirmNotice(player=player):
            close = Key(w.say("Close the table"), Stop(confirmed=True, asked=player), sign="🛑", style=Style.DANGER)
            return [[close, Key(w.say("Play on"), PlayOn(player), sign="▶️", style=Style.SUCCESS)]]
        case _:
            return []


def _table_choice(notice: n.WhichTableNotice, choice: n.TableChoice, w: Catalogue) -> Key:
    call = "" if notice.call is None else f": {call_label(notice.call, w, choice.wild_by)}"
    label = plain_name(table_name(choice.title, w)) + call
    return Key(label, typed_request(notice.word), at=(choice.table, choice.step))


def _table_keys(notice: n.TableNotice, w: Catalogue, *, inline: bool) -> Keys:
    """Return the keys under the table's message, with the bids if the player to call has no private keyboard."""
    view = notice.view
    if view.paused:
        return [[_im_back(w)]]
    if notice.own_chat or notice.seat is not None:
        return []
    types = inline and notice.in_text_field
    rows = [[Key(w.say("My turn"), sign="⌨️", opens_list=True)]] if types else []
    rows += _bids_for_all(view, w, None) if notice.shared and not types else _table_rows(view, w)
    if notice.unreachable:
        rows.append([Key(w.say("Open the bot"), StartPrivateChat(), sign="📮", in_private=True)])
    return rows


def _bids_for_all(view: TableView, w: Catalogue, face: int | None) -> Keys:
    """Return the bids in a message that all players see."""
    calls = _calls(view, w, calza=view.calza)
    return [*_raise_rows(view, w, face), *calls, [_my_dice(w)]]


def _table_rows(view: TableView, w: Catalogue) -> Keys:
    """Return the buttons of a table whose player on turn has the bids in private."""
    calza = [_calza_key(w)] if view.calza else []
    return [[_my_dice(w), *calza]]


def _next_games(w: Catalogue) -> Key:
    return Key(w.say("Tell me about new games"), RequestNextGame(), sign="🔔")


def _play_for(player: int, name: str, w: Catalogue) -> Key:
    label = w.say("Play on for {name}", name=plain_name(name))
    return Key(label, Join(player=player), sign="🙋", style=Style.SUCCESS)


def _im_back(w: Catalogue) -> Key:
    return Key(w.say("I'm back"), ReturnToSeat(), sign="🙋", style=Style.SUCCESS)


def _my_dice(w: Catalogue) -> Key:
    return Key(w.say("My dice"), SeeDice(), sign="🎲")


def _hand_keys(notice: n.HandNotice, w: Catalogue) -> Keys:
    """Return a player's private buttons: bids on their turn, calza while they may call it, a roll after their bid."""
    hand = notice.view
    if hand.on_turn:
        return _bid_rows(hand.table, w, None, dice=hand.dice, calza=hand.may_calza)
    shows = [[Key(showing_label(hand, w), ShowDice(), sign="👐")]] if hand.may_show else []
    return [*([[_calza_key(w)]] if hand.may_calza else []), *shows]


def _bid_rows(
    view: TableView, w: Catalogue, face: int | None, *, dice: Sequence[int] = (), calza: bool | None = None
) -> Keys:
    """Buttons for legal bids only: the best directly, the others by face; below them dudo and calza.

    `dice`: the reader's own, if only they see the buttons.
    """
    return [*_raise_rows(view, w, face, dice), *_calls(view, w, calza=view.calza if calza is None else calza)]


def _calls(view: TableView, w: Catalogue, *, calza: bool) -> Keys:
    """Dudo and calza side by side, as far as the rules allow them."""
    dudo = Key(w.say("Dudo!"), CallDudo(), sign="🗣", style=Style.DANGER)
    row = [dudo] * view.dudo + [_calza_key(w)] * calza
    return [row] if row else []


def _calza_key(w: Catalogue) -> Key:
    """Calza: a plain key, half as wide as the screen or as the word, which asks a beginner before it counts."""
    return Key(w.say("Calza?"), CallCalza(), sign="🎯")


def _raise_rows(view: TableView, w: Catalogue, face: int | None, dice: Sequence[int] = ()) -> Keys:
    match face:
        case None:
            return _likely_rows(view, w, dice)
        case n.ANY_FACE:
            return _face_rows(view, w)
        case _:
            return _quantity_rows(view, face, w)


def _bid(view: TableView, quantity: int, face: int, w: Catalogue, style: Style | None = None) -> Key:
    return Key(bid_figure(quantity, face, w, view.wild_by), MakeBid(quantity, face), style=style)


def _likely_rows(view: TableView, w: Catalogue, dice: Sequence[int]) -> Keys:
    """Return the best bids, the best raise highlighted, and the way to all others."""
    quick = offered_bids(view, dice)[:LIKELY_BIDS]
    common = quick[0] if view.bids and quick else None
    keys = [_bid(view, *bid, w, Style.PRIMARY if bid == common else None) for bid in quick]
    if len(view.raises) > len(quick):
        keys.append(Key(w.say("more…"), SeeBids(n.ANY_FACE)))
    return rows_of(keys, KEYS_A_ROW)


def _face_rows(view: TableView, w: Catalogue) -> Keys:
    """Return the faces of the legal bids."""
    faces = sorted({face for _, face in view.raises})
    keys = [Key(f"{die(face, w, view.wild_by)} …", SeeBids(face)) for face in faces]
    return [*rows_of(keys, KEYS_A_ROW), [_back(w)]]


def _quantity_rows(view: TableView, face: int, w: Catalogue) -> Keys:
    bids = [bid for bid in view.raises if bid[1] == face][:MAX_BUTTONS]
    return [*rows_of((_bid(view, *bid, w) for bid in bids), KEYS_A_ROW), [_back(w)]]


def _back(w: Catalogue) -> Key:
    return Key(w.say("Back"), SeeBids(None), sign="⬅️")


def _settings_keys(notice: n.SettingsNotice, w: Catalogue, *, inline: bool) -> Keys:
    """Return the settings of the person, or of the group in which they ask."""
    to_all = not notice.private
    styles = {style: bid_figure(5, 4, w.with_dice(style)) for style in DiceStyle}
    match notice.folder:
        case SettingsFolder.ANIMALS:
            signs = {face: face.sign for face in Face}
            inside = rows_of(_choices("face", notice.face, signs, to_all=False), ANIMALS_A_ROW)
        case SettingsFolder.DICE:
            inside = rows_of(_choices("dice_style", notice.dice_style, styles, to_all=to_all), KEYS_A_ROW)
            if notice.pictures is not None:
                pictures = {True: "🖼 " + w.say("Dice as pictures"), False: "🔤 " + w.say("Dice as text")}
                inside += rows_of(_choices("pictures", notice.pictures, pictures, to_all=to_all), KEYS_A_ROW)
        case SettingsFolder.LANGUAGE:
            chosen = notice.speaks if notice.chosen else None
            inside = rows_of(_choices("chosen_language", chosen, language_names(), to_all=to_all), LANGUAGES_A_ROW)
            if notice.chosen:
                inside += [_choices("chosen_language", chosen, {None: "✨ " + w.say("Automatic")}, to_all=to_all)]
        case SettingsFolder.ALL:
            return _all_settings(notice, styles[notice.dice_style], w, inline=inline)
        case _:
            assert_never(notice.folder)
    return [*inside, [Key(w.say("Back"), SeeSettings(), sign="⬅️")]]


def _all_settings(notice: n.SettingsNotice, dice: str, w: Catalogue, *, inline: bool) -> Keys:
    """Return the choices of each part, and a key for each folder that names its present choice."""
    views = {
        view: f"{sign} {w.say(VIEW_LABELS[view])}"
        for view, sign in VIEW_SIGNS.items()
        if (view is not PrivateView.INLINE or inline) and (view is not PrivateView.TEXT or notice.phone)
    }
    rows = rows_of(_choices("view", notice.view, views, to_all=False), 1)
    rows += [[each] for each in _switches(notice, w)]
    if notice.face is not None:
        animal = f"{notice.face.sign} " + w.say("Your animal") + " …"
        rows += [[Key(animal, SeeSettings(SettingsFolder.ANIMALS))]]
    dice = w.context_say("menu", "Dice") + f": {dice} …"
    language = w.say("Language") + f": {language_names()[notice.speaks]} …"
    return [
        *rows,
        [Key(dice, SeeSettings(SettingsFolder.DICE), sign="🎲")],
        [Key(language, SeeSettings(SettingsFolder.LANGUAGE), sign="🌐")],
    ]


def _choices(name: str, chosen: SettingValue, labels: Mapping[Any, str], *, to_all: bool) -> list[Key]:
    """Return a button for each value of a setting, by its label."""
    return [
        Key(label, Choose(name, value, to_all), sign="✅" if value == chosen else "") for value, label in labels.items()
    ]


def _switches(notice: n.SettingsNotice, w: Catalogue) -> Iterator[Key]:
    """Yield a button for each switch that is offered and has a label."""
    to_all = not notice.private
    for name, is_on in notice.switches.items():
        switch = SWITCHES.get(name)
        words = None if switch is None else switch.words(to_all=to_all)
        if switch is not None and words is not None and words.label:
            label = " ".join(("✅" if is_on else "▫️", *filter(None, [switch.sign]), w.say(words.label)))
            yield Key(label, Choose(name, not is_on, to_all))


def _heard_keys(notice: n.HeardNotice, w: Catalogue) -> Keys:
    """Return the recognised calls, for their speaker; the first is highlighted if the recogniser is sure."""
    if notice.answered:
        return []

    def said(rank: int, call: str) -> Key:
        likely = notice.sure and rank == 1
        label = call_label(call, w, notice.wild_by)
        answer = AnswerNote(notice.player, call, rank)
        return Key(label, answer, sign="✅" if likely else "", style=Style.SUCCESS if likely else None)

    guesses = [said(rank, call) for rank, call in enumerate(notice.guesses, start=1)]
    no = Key(w.say("Not that"), AnswerNote(notice.player, None), sign="✖️")
    return [guesses[:1], guesses[1:], [no]] if notice.sure and guesses[1:] else [guesses, [no]]
