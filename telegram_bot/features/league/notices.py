"""The notices of the league: statistics, ratings, answers, and the parts of the start and the end of a game."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, Literal, Self

from typing_extensions import TypedDict
from wcwidth import clip, ljust, width

from perudo_core.agents import Character, Level
from telegram_bot.notices import FeatureNotice, LobbyNotice, PageFormat, StartedNotice
from telegram_bot.statistics.achievements import ACHIEVEMENTS, EMOJI, FEATS
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import ComputerPlayer, FrozenModel
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import BLANK, Format, Line
from telegram_bot.words.phrases import character_label, computer_label, folded, level_label, percentage, plain_name


class Rival(FrozenModel):
    """An opponent whom a player has often met, with the number of games in which each ended before the other."""

    name: str
    ahead: int
    behind: int


class StatisticsNotice(FeatureNotice):
    """One person's statistics."""

    kind: Literal["statistics"] = "statistics"
    name: str
    own: bool
    """Whether the person asked for their own."""
    hidden: bool = False
    games: int = 0
    wins: int = 0
    streak: int = 0
    best_streak: int = 0
    bids: int = 0
    bluffs: int = 0
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0
    rating: int | None = None
    """None after too few games."""
    rivals: tuple[Rival, ...] = ()
    achievements: tuple[str, ...] = ()

    def lines(self, f: Format) -> list[Line]:
        w, lines = f.w, [Line(f"<b>{f.name(self.name)}</b>", sign="📊")]
        if not self.games:
            none_yet = w.say("No finished game yet. Send /perudo to open a table. Practice games don't count.")
            return [*lines, Line(none_yet)]
        games = w.count("{n} game", "{n} games", self.games)
        won = percentage(self.wins, self.games, w)
        played = w.count("{games}, {n} won ({share})", "{games}, {n} won ({share})", self.wins, games=games, share=won)
        lines += [BLANK, Line(played, sign="🎲")]
        if self.best_streak:
            in_a_row = w.say("Won in a row: {now}, at best {best}", now=str(self.streak), best=str(self.best_streak))
            lines.append(Line(in_a_row, rank=4, sign="🔥"))
        if self.dudos:
            right = w.say("Dudo: {share} right", share=percentage(self.dudos_right, self.dudos, w))
            lines.append(Line(f"{right} ({self.dudos})", rank=1, sign="🗣"))
        if self.calzas:
            right = w.say("Calza: {share} right", share=percentage(self.calzas_right, self.calzas, w))
            lines.append(Line(f"{right} ({self.calzas})", rank=1, sign="🎯"))
        if self.bids:
            bluffs = w.say("Bluffs: {share} of all bids", share=percentage(self.bluffs, self.bids, w))
            lines.append(Line(bluffs, rank=2, sign="🎭"))
        if self.rating is not None:
            lines.append(Line(w.say("Rating: {rating}", rating=str(self.rating)), rank=3, sign="⭐"))
        else:
            left = GAMES_BEFORE_SHOWN - self.games
            unrated = w.count("Rating: after one more game", "Rating: after {n} more games", left)
            lines.append(Line(unrated, rank=5, sign="⭐"))
        if self.rivals:
            lines.append(BLANK)
        lines += [
            Line(f"{f.name(rival.name)} {f.strong(f'{rival.ahead}:{rival.behind}')}", rank=6, sign="🆚")
            for rival in self.rivals
        ]
        if self.achievements:
            lines += [BLANK, Line(_achievements(self.achievements, w), rank=None)]
        if self.hidden:
            hidden = w.say("Leagues leave you out. /hide off shows you again.")
            lines += [BLANK, Line(f"<i>{hidden}</i>", rank=5)]
        return lines


class ComputerRow(FrozenModel):
    """The results of the computer players of one level and character."""

    computer: ComputerPlayer
    rating: int
    games: int
    wins: int


class ComputerRatingsNotice(FeatureNotice):
    """The ratings of computer players, the best first."""

    kind: Literal["computer_ratings"] = "computer_ratings"
    rows: tuple[ComputerRow, ...]
    unrated: int = 0
    """The number of kinds without enough games for a rating."""
    beaten: tuple[ComputerPlayer, ...] | None = None
    """The kinds that the reader has finished ahead of, the weakest first, or None if others read it too."""

    def lines(self, f: Format) -> list[Line]:
        """Return the ratings of computer players, with the won and played games of each kind."""
        w = f.w
        lines = ["🤖 <b>" + w.say("How computer players do") + "</b>", ""]
        lines += [
            f"<b>{row.rating}</b> {computer_label(row.computer, w)} ({row.wins}/{row.games})" for row in self.rows
        ]
        if self.beaten is not None:
            lines = [*_ladder(self.beaten, w), "", *lines]
        if self.unrated:
            lines.append(
                w.count("{n} kind has played too few games.", "{n} kinds have played too few games.", self.unrated)
            )
        if not (self.rows or self.unrated):
            lines.append(w.say("No computer player has finished a game yet. Send me /practise in private."))
        else:
            lines += [
                "",
                "<i>" + w.say("Rating, level, character, games won of played, from the tenth game on.") + "</i>",
            ]
        return [Line(line, rank=None) for line in lines]


class LeagueRow(FrozenModel):
    """One player of a league."""

    rank: int
    name: str
    face: Face | None = None
    points: int
    wins: int
    games: int
    rating: int | None


class LeagueNotice(FeatureNotice):
    """A group's league in one month."""

    kind: Literal["league"] = "league"
    title: str
    year: int
    month: int
    rows: tuple[LeagueRow, ...]
    champion: str | None = None
    """The leader at the end of the month before."""

    def lines(self, f: Format) -> list[Line]:
        w = f.w
        lines = [f"🏆 <b>{escape(plain_name(self.title), quote=False)}</b> · {self.month}/{self.year}"]
        if self.rows:
            table = "\n".join(_league_row(row) for row in self.rows)
            lines += ["", f"<pre>{table}</pre>", w.say("Points · games won of played · rating")]
            lines.append("<i>" + w.say("A point for each player whom you finish ahead of.") + "</i>")
        else:
            lines += ["", w.say("No game was finished this month. /perudo opens a table.")]
        if self.champion is not None:
            lines += ["", "👑 " + w.say("Last month: {name}", name=escape(plain_name(self.champion), quote=False))]
        lines += ["", "🤖 " + w.say("Computer players have a list of their own: /league bots")]
        return [Line(line, rank=None) for line in lines]


class AchievementView(FrozenModel):
    """A new achievement at the end of a game."""

    name: str
    key: str


class EveningScore(FrozenModel):
    """The number of the evening's games that a player has won."""

    name: str
    wins: int


class ScoreField(TypedDict):
    """A player's wins of the evening."""

    name: str
    wins: int


class AchievementField(TypedDict):
    """A new achievement."""

    name: str
    text: str


class EveningFields(TypedDict):
    """The score of the evening, within the card of the end of a game."""

    evening: list[ScoreField]
    achievements: list[AchievementField]


class EveningNotice(FeatureNotice):
    """At the end of a game: new achievements, and the score of the evening."""

    kind: Literal["evening"] = "evening"
    card_slot = "over"
    achievements: tuple[AchievementView, ...] = ()
    """The new achievements that are announced now."""
    evening: tuple[EveningScore, ...] = ()
    """The players with their wins of the evening here, the best first; empty after the first game."""

    def without(self, told: frozenset[tuple[str, str]]) -> Self:
        """Return it without the achievements that the highlight of the game tells."""
        untold = (each for each in self.achievements if (each.name, FEATS.get(each.key)) not in told)
        return self.model_copy(update={"achievements": tuple(untold)})

    def lines(self, f: Format) -> list[Line]:
        """Say which achievements are new and how the evening stands, at the end of a game."""
        lines, words = [], achievement_words(f.w)
        for each in self.achievements:
            if each.key in words:
                title, deed = words[each.key]
                lines.append(Line(f"{f.name(each.name)}: {f.strong(title)} ({deed})", rank=None, sign=EMOJI[each.key]))
        if self.evening:
            score = " · ".join(f"{f.name(each.name)} {each.wins}" for each in self.evening)
            lines.append(Line(f.w.say("So far today: {score}", score=score), rank=None, sign="🌙"))
        return lines

    def on_page(self, page: PageFormat) -> tuple[Literal[""], EveningFields]:
        words = achievement_words(page.w)
        return "", {
            "evening": [{"name": score.name, "wins": score.wins} for score in self.evening],
            "achievements": [
                {"name": plain_name(each.name), "text": words[each.key][0]}
                for each in self.achievements
                if each.key in words
            ],
        }


class RivalMemory(FrozenModel):
    """How often a player doubted a computer player in the last game that both finished."""

    rival: str
    name: str
    doubts: int


class MemoriesNotice(FeatureNotice):
    """At the start of a game: what computer players remember."""

    kind: Literal["memories"] = "memories"
    memories: tuple[RivalMemory, ...]

    def lines(self, f: Format) -> list[Line]:
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
            for memory in self.memories
        ]


NAME_COLUMNS: Final = 10
"""With the other columns it makes 28, fewer than the narrowest phones show."""
_ISOLATES: Final = "\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}"


def _achievements(keys: tuple[str, ...], w: Catalogue) -> str:
    """Return the number of achievements, folded: the titles, and the deed for each."""
    words = achievement_words(w)
    lines = [f"{EMOJI[key]} <b>{words[key][0]}</b>: {words[key][1]}" for key in keys if key in words]
    title = "🏅 " + w.say("{had} of {all} achievements", had=str(len(lines)), all=str(len(ACHIEVEMENTS)))
    return folded(title, *lines)


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


def _league_row(row: LeagueRow) -> str:
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


def guests_lines(notice: LobbyNotice | StartedNotice, f: Format) -> list[Line]:
    """Say that the games of guests count for no league, if guests play."""
    guests = [seat.guest for seat in notice.view.seats]
    if not any(guests):
        return []
    all_guests = f.w.say("You play as guests, so this game counts for no league.")
    return [Line(all_guests if all(guests) else f.w.say("Guests don't count in the league."), rank=None, sign="👤")]


def achievement_words(w: Catalogue) -> dict[str, tuple[str, str]]:
    """Title and deed of each achievement, by its key."""
    return {
        "first_win": (w.say("Beginner's luck"), w.say("won a first game")),
        "unharmed": (w.say("Teflon"), w.say("won without losing a die")),
        "comeback": (w.say("Back from the dead"), w.say("won after being down to one die")),
        "photo_finish": (w.say("Photo finish"), w.say("won with one die left")),
        "three_in_a_row": (w.say("Hat-trick"), w.say("won three games in a row")),
        "five_in_a_row": (w.say("Runaway train"), w.say("won five games in a row")),
        "rain_at_last": (w.say("Rain at last"), w.say("won after ten games without a win")),
        "honest": (w.say("Honest soul"), w.say("won without a single bluff")),
        "born_liar": (w.say("Born liar"), w.say("won, and half of the bids were bluffs")),
        "pacifist": (w.say("Pacifist"), w.say("won without ever doubting anyone")),
        "autopilot": (w.say("Autopilot"), w.say("won while the bot played some turns")),
        "poker_face": (w.say("Poker face"), w.say("bluffed five times in a game, never caught")),
        "tall_tale": (w.say("Tall tale"), w.say("got away with a bluff of eight dice")),
        "pants_on_fire": (w.say("Pants on fire"), w.say("was caught with a bid four dice too high")),
        "on_the_dot": (w.say("On the dot"), w.say("two doubted bids in a game held exactly")),
        "word_of_honour": (w.say("Word of honour"), w.say("doubted four times in a game, and never lied")),
        "lie_detector": (w.say("Lie detector"), w.say("doubted four times in a game, always right")),
        "fine_nose": (w.say("Fine nose"), w.say("smelled a rat at the very first bid")),
        "by_a_hair": (w.say("By a hair"), w.say("caught three bids that were one die short")),
        "trust_issues": (w.say("Trust issues"), w.say("doubted four true bids in a game")),
        "way_off": (w.say("Way off"), w.say("doubted a bid with three dice to spare")),
        "bullseye": (w.say("Bullseye"), w.say("called an exact calza")),
        "robin_hood": (w.say("Robin Hood"), w.say("called two exact calzas in a game")),
        "blind_archer": (w.say("Blind archer"), w.say("missed three calzas in a game")),
        "lizard": (w.say("Lizard"), w.say("grew two lost dice back in a game")),
        "five_alike": (w.say("Five alike"), w.say("rolled five dice of one face")),
        "bouncer": (w.say("Bouncer"), w.say("showed three players the door")),
        "snowball": (w.say("Snowball"), w.say("lost a die in four rounds in a row")),
        "fortress": (w.say("Fortress"), w.say("eight rounds in a row without losing a die")),
        "auction": (w.say("Going, going, gone"), w.say("ended a round of twelve bids")),
        "marathon": (w.say("Marathon"), w.say("played a game of 25 rounds")),
        "early_night": (w.say("Early night"), w.say("first one out at a table of four or more")),
        "wooden_spoon": (w.say("Wooden spoon"), w.say("came last three times in a row")),
        "regular": (w.say("The usual, please"), w.say("played ten games")),
        "furniture": (w.say("Part of the furniture"), w.say("played a hundred games")),
    }
