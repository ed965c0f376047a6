"""The words of statistics, leagues and achievements: short lines and a narrow table, which no phone wraps."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from wcwidth import clip, ljust, width

from perudo_core.agents import Character, Level
from telegram_bot.features.league import notices as n
from telegram_bot.features.league.achievement_words import achievement_words
from telegram_bot.notices import LobbyNotice, StartedNotice
from telegram_bot.statistics.achievements import ACHIEVEMENTS, EMOJI
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN
from telegram_bot.tables.model import ComputerPlayer
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import BLANK, Format, Line
from telegram_bot.words.phrases import character_label, computer_label, folded, level_label, percentage, plain_name

NAME_COLUMNS: Final = 10
"""With the other columns it makes 28, fewer than the narrowest phones show."""
_ISOLATES: Final = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"


def statistics_lines(notice: n.StatisticsNotice, f: Format) -> list[Line]:
    """Return a player's statistics."""
    w, lines = f.w, [Line(f"<b>{f.name(notice.name)}</b>", sign="📊")]
    if not notice.games:
        none_yet = w.say("No finished game yet. Send /perudo to open a table. Practice games don't count.")
        return [*lines, Line(none_yet)]
    games = w.count("{n} game", "{n} games", notice.games)
    won = percentage(notice.wins, notice.games, w)
    played = w.count("{games}, {n} won ({share})", "{games}, {n} won ({share})", notice.wins, games=games, share=won)
    lines += [BLANK, Line(played, sign="🎲")]
    if notice.best_streak:
        in_a_row = w.say("Won in a row: {now}, at best {best}", now=str(notice.streak), best=str(notice.best_streak))
        lines.append(Line(in_a_row, rank=4, sign="🔥"))
    if notice.dudos:
        right = w.say("Dudo: {share} right", share=percentage(notice.dudos_right, notice.dudos, w))
        lines.append(Line(f"{right} ({notice.dudos})", rank=1, sign="🗣"))
    if notice.calzas:
        right = w.say("Calza: {share} right", share=percentage(notice.calzas_right, notice.calzas, w))
        lines.append(Line(f"{right} ({notice.calzas})", rank=1, sign="🎯"))
    if notice.bids:
        bluffs = w.say("Bluffs: {share} of all bids", share=percentage(notice.bluffs, notice.bids, w))
        lines.append(Line(bluffs, rank=2, sign="🎭"))
    if notice.rating is not None:
        lines.append(Line(w.say("Rating: {rating}", rating=str(notice.rating)), rank=3, sign="⭐"))
    else:
        left = GAMES_BEFORE_SHOWN - notice.games
        unrated = w.count("Rating: after one more game", "Rating: after {n} more games", left)
        lines.append(Line(unrated, rank=5, sign="⭐"))
    if notice.rivals:
        lines.append(BLANK)
    lines += [
        Line(f"{f.name(rival.name)} {f.strong(f'{rival.ahead}:{rival.behind}')}", rank=6, sign="🆚")
        for rival in notice.rivals
    ]
    if notice.achievements:
        lines += [BLANK, Line(_achievements(notice.achievements, w), rank=None)]
    if notice.hidden:
        hidden = w.say("Leagues leave you out. /hide off shows you again.")
        lines += [BLANK, Line(f"<i>{hidden}</i>", rank=5)]
    return lines


def _achievements(keys: tuple[str, ...], w: Catalogue) -> str:
    """Return the number of achievements, folded: the titles, and the deed for each."""
    words = achievement_words(w)
    lines = [f"{EMOJI[key]} <b>{words[key][0]}</b>: {words[key][1]}" for key in keys if key in words]
    title = "🏅 " + w.say("{had} of {all} achievements", had=str(len(lines)), all=str(len(ACHIEVEMENTS)))
    return folded(title, *lines)


def league_lines(notice: n.LeagueNotice, f: Format) -> list[Line]:
    """Return a group's league of one month."""
    w = f.w
    lines = [f"🏆 <b>{escape(plain_name(notice.title), quote=False)}</b> · {notice.month}/{notice.year}"]
    if notice.rows:
        table = "\n".join(_league_row(row) for row in notice.rows)
        lines += ["", f"<pre>{table}</pre>", w.say("Points · games won of played · rating")]
        lines.append("<i>" + w.say("A point for each player who is out before you.") + "</i>")
    else:
        lines += ["", w.say("No game was finished this month. /perudo opens a table.")]
    if notice.champion is not None:
        lines += ["", "👑 " + w.say("Last month: {name}", name=escape(plain_name(notice.champion), quote=False))]
    lines += ["", "🤖 " + w.say("Computer players have a list of their own: /league bots")]
    return [Line(line, rank=None) for line in lines]


def computer_ratings_lines(notice: n.ComputerRatingsNotice, f: Format) -> list[Line]:
    """Return the ratings of computer players, with the won and played games of each kind."""
    w = f.w
    lines = ["🤖 <b>" + w.say("How computer players do") + "</b>", ""]
    lines += [f"<b>{row.rating}</b> {computer_label(row.computer, w)} ({row.wins}/{row.games})" for row in notice.rows]
    if notice.beaten is not None:
        lines = [*_ladder(notice.beaten, w), "", *lines]
    if notice.unrated:
        lines.append(
            w.count("{n} kind has played too few games.", "{n} kinds have played too few games.", notice.unrated)
        )
    if not (notice.rows or notice.unrated):
        lines.append(w.say("No computer player has finished a game yet. Send me /practise in private."))
    else:
        lines += ["", "<i>" + w.say("Rating, level, character, games won of played, from the tenth game on.") + "</i>"]
    return [Line(line, rank=None) for line in lines]


def _ladder(beaten: Sequence[ComputerPlayer], w: Catalogue) -> Iterator[str]:
    """Yield the levels with the characters that a person has finished ahead of, and the next one to beat."""
    yield "🪜 <b>" + w.say("Your ladder") + "</b>"
    for level in Level:
        kinds = [character_label(each.character, w) for each in beaten if each.level is level]
        yield f"{'✅' if len(kinds) == len(Character) else '▫️'} {level_label(level, w)}: {', '.join(kinds) or '-'}"
    rungs = (ComputerPlayer(level=level, character=character) for level in Level for character in Character)
    following = next((each for each in rungs if each not in beaten), None)
    if following is not None:
        yield w.say("Next: finish ahead of a computer player like this: {kind}.", kind=computer_label(following, w))


def _league_row(row: n.LeagueRow) -> str:
    """Return one line of 28 columns: ` 1 Ana         12   3/7 1523`."""
    name = escape(_in_columns(row.name if row.face is None else f"{row.face.sign} {row.name}"), quote=False)
    rating = "" if row.rating is None else row.rating
    return f"{row.rank:>2} {name} {row.points:>3} {f'{row.wins}/{row.games}':>5} {rating:>4}".rstrip()


def _in_columns(name: str) -> str:
    """Return a name in exactly `NAME_COLUMNS` columns; some scripts and emoji take two columns a sign."""
    shown = "".join(character for character in plain_name(name) if character not in _ISOLATES)
    if width(shown) > NAME_COLUMNS:
        shown = f"{clip(shown, 0, NAME_COLUMNS - 1).rstrip()}…"
    return ljust(shown, NAME_COLUMNS)


def evening_lines(notice: n.EveningNotice, f: Format) -> list[Line]:
    """Say which achievements are new and how the evening stands, at the end of a game."""
    lines, words = [], achievement_words(f.w)
    for each in notice.achievements:
        if each.key in words:
            title, deed = words[each.key]
            lines.append(Line(f"{f.name(each.name)}: {f.strong(title)} ({deed})", rank=None, sign=EMOJI[each.key]))
    if notice.evening:
        score = " · ".join(f"{f.name(each.name)} {each.wins}" for each in notice.evening)
        lines.append(Line(f.w.say("So far today: {score}", score=score), rank=None, sign="🌙"))
    return lines


def memories_lines(notice: n.MemoriesNotice, f: Format) -> list[Line]:
    """Return the memories of computer players, at the start of a game."""
    return [
        Line(
            f.w.count(
                "{rival} remembers: {name}, you doubted me once last time.",
                "{rival} remembers: {name}, you doubted me {n} times last time.",
                memory.doubts,
                rival=f.name(memory.rival),
                name=f.name(memory.name),
            ),
            rank=None,
        )
        for memory in notice.memories
    ]


def guests_lines(notice: LobbyNotice | StartedNotice, f: Format) -> list[Line]:
    """Say that the games of guests count for no league, if guests play."""
    guests = [seat.guest for seat in notice.view.seats]
    if not any(guests):
        return []
    all_guests = f.w.say("You play as guests, so this game counts for no league.")
    return [Line(all_guests if all(guests) else f.w.say("Guests play for no league."), rank=None, sign="👤")]
