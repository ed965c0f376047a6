"""The notices about finished games: a story, the card with a highlight, an evening's reel, answers to requests."""

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from html import escape
from typing import Final, Literal, NotRequired

from babel.numbers import format_decimal
from typing_extensions import TypedDict

from telegram_bot.features.story.analysis import SILENCE, GameStory, StoryCall
from telegram_bot.features.story.reel import ReelReveal
from telegram_bot.features.story.significance import Measure, Tell
from telegram_bot.notices import AboutTable, FeatureToast, GameOverNotice, LinksToBot, PageFormat, Picture, PublicNotice
from telegram_bot.notices.card_parts import plain_lines
from telegram_bot.notices.card_types import CalledBidField
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import COMPUTER_MARK
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import picture_labels
from telegram_bot.words.dice import bid_figure, call_label, die
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import BLANK, Format, Line, Medium, html
from telegram_bot.words.phrases import plain_name


class FigureField(TypedDict):
    """A number of a player's card, with its label."""

    label: str
    n: str


class OwnField(TypedDict):
    """The card of a player."""

    title: str
    why: str
    figures: list[FigureField]
    share: str
    share_key: str
    copied: str


class BeatDieField(TypedDict):
    """A die of a beat, and whether it counts for the bid."""

    face: int
    counts: bool


class BeatField(TypedDict):
    """A beat of the ceremony."""

    about: str
    seat: int
    title: str
    text: str
    bid: NotRequired[CalledBidField]
    dice: NotRequired[list[BeatDieField]]


class StoryFields(TypedDict):
    """The story of a game."""

    lines: list[str]
    course_title: str
    course: list[list[int]]
    names: list[str]
    faces: list[str | None]
    colours: tuple[int, ...]
    places: list[int]
    beats: list[BeatField]
    own: list[OwnField]


class WonderField(TypedDict):
    """The highlight of a game."""

    title: str
    sentence: str
    bid: CalledBidField | None


class BluffFields(TypedDict):
    """The highlight, within the card of the end of a game."""

    wonder: WonderField


class ReelFields(TypedDict):
    """The reel, whose animation the page asks for."""

    title: str
    lines: list[str]
    share: str


class StoryNotice(AboutTable, PublicNotice):
    """The story of a finished game: the course of the dice, what stands out, luck against skill."""

    kind: Literal["story"] = "story"
    card_slot = "story"
    story: GameStory
    names: tuple[str, ...]
    """By seat; "" for a hidden or forgotten player."""
    faces: tuple[Face | None, ...] = ()
    """By seat; in notices of release 1.0 empty."""
    colours: tuple[int, ...] = ()
    """By seat, as on pages; empty in a notice of release 1.0."""
    theme: Literal["dark", "light"] = "dark"
    """The theme of the picture."""
    tell: Tell | None = None
    """Shown in the room only: neither in chats nor by text message."""
    told: tuple[BluffCard, ...] = ()
    """The calls that the end of the game, and its reel, have told: the words and the picture leave them out."""

    @property
    def untold(self) -> GameStory:
        """The story without the calls that were told."""
        found = {"bluff": self.story.bluff, "best": None if self.story.best == self.story.bluff else self.story.best}
        told = {name: call is not None and any(map(call.is_on, self.told)) for name, call in found.items()}
        return self.story.model_copy(update={name: None if told[name] else call for name, call in found.items()})

    def lines(self, f: Format) -> list[Line]:
        """Return the highlights, then luck and skill of each player."""
        return self._all(f, [])

    def in_room(self, f: Format) -> str:
        """Return the same in HTML for readers in the room, with the tell."""
        return html(self._all(f, self._tell(f)))

    def on_picture(self, f: Format) -> str:
        """Return in HTML what the picture tells."""
        return html([*self._highlights(f), *self._figures(f)])

    def beside_picture(self, f: Format) -> str:
        """Return in HTML what the picture does not tell: the turning point and the tell."""
        return html([*self._turning_point(f), *self._tell(f)])

    def _all(self, f: Format, tell: list[Line]) -> list[Line]:
        lines = [*self._highlights(f), *self._turning_point(f)]
        end = [BLANK] if len(lines) > 2 else []  # noqa: PLR2004 - the title
        return [*lines, *end, *tell, *self._figures(f)]

    def _tell(self, f: Format) -> list[Line]:
        if self.tell is None:
            return []
        told = tell_sentence(self.tell, story_names(self, f.w), f.w)
        return [Line(escape(told, quote=False), rank=None, sign="👀")]

    def _strong_names(self, f: Format) -> list[str]:
        return [f.strong(name) for name in f.names([name or f.w.say("someone") for name in self.names])]

    def _highlights(self, f: Format) -> list[Line]:
        w, story, names = f.w, self.untold, self._strong_names(f)
        lines = [Line("<b>" + w.say("The story of this game") + "</b>", rank=None, sign="📖"), BLANK]
        if story.bluff is not None:
            lines.append(Line(w.say("Boldest bluff that held: {what}", what=_call(story.bluff, names, f)), 1, "🎭"))
        if story.best is not None:
            lines.append(Line(w.say("Best call: {what}", what=_call(story.best, names, f)), 2, "🎯"))
        if story.steady is not None:
            steady = f"{names[story.steady]}, {_rounds(self, w)}"
            lines.append(Line(w.say("Nerves of steel: {what}", what=steady), None, "🧊"))
        return lines

    def _turning_point(self, f: Format) -> list[Line]:
        w, story = f.w, self.story
        if story.decider is None:
            return []
        what = _call(story.decider, self._strong_names(f), f)
        expert = _expert(story.instead, w, _wild_by(story.decider))
        return [Line(w.say("The turning point: {what}", what=what), None, "🏁"), Line(expert, rank=None)]

    def _figures(self, f: Format) -> list[Line]:
        w, story, names = f.w, self.story, self._strong_names(f)
        places = sorted(range(len(names)), key=lambda seat: story.seats[seat].place)[:MOST_PLAYERS]
        if f.medium is Medium.TEXT:
            lucky = [f"{names[seat]} {signed(story.seats[seat].luck, w)}" for seat in places]
            return [Line(w.say("Luck in dice: {luck}", luck=", ".join(lucky)))]
        figures = story_figures(self, w)
        lines = [Line(w.say("Luck and skill, in dice:"), sign="⚖️")]
        for seat in places:
            luck, skill = figures[seat]
            both = w.say("luck {luck}, skill {skill}", luck=luck, skill=skill)
            lines.append(Line(f"{story.seats[seat].place}. {names[seat]}: {both}"))
        return lines

    def on_page(self, page: PageFormat) -> tuple[Literal["story"], StoryFields]:
        """Return the sentences, the dice of each player after each round, the ceremony, each player's card."""
        w = page.w
        return "story", {
            "lines": plain_lines(self.in_room(Format(w, Medium.CHAT)).split("\n")),
            "course_title": w.say("Dice, round by round"),
            "course": [list(dice) for dice in self.story.course],
            "names": story_names(self, w),
            "faces": [face and face.sign for face in self.faces],
            "colours": seat_colours(self),
            "places": [seat.place for seat in self.story.seats],
            "beats": beats(self, w),
            "own": own_cards(self, w),
        }

    def picture(self, w: Catalogue) -> Picture:
        """Return the course of a game, what stands out, luck and skill."""
        names, figures = story_names(self, w), story_figures(self, w)
        return Picture(partial(_draw_story, self, names, figures, story_labels(self, w)))


class BluffCardNotice(AboutTable, LinksToBot, PublicNotice):
    """The highlight of a finished game: the picture of its end."""

    kind: Literal["bluff_card"] = "bluff_card"
    card_slot = "over"
    is_drawn = True
    table: int = 0
    """In a notice of release 1.0 it is 0."""
    card: BluffCard
    name: str

    @property
    def tells(self) -> frozenset[tuple[str, str]]:
        return frozenset({(self.name, self.card.feat)})

    def lines(self, f: Format) -> list[Line]:
        """Return the sentence of a card, where its picture is not shown."""
        return [Line(escape(bluff_card_sentence(self.card, self.name, f.w), quote=False), rank=None, sign="🎲")]

    def on_page(self, page: PageFormat) -> tuple[Literal[""], BluffFields]:
        card = self.card
        wonder: WonderField = {
            "title": page.w.say("It happened at Perudo"),
            "sentence": bluff_card_sentence(card, self.name, page.w),
            "bid": {"quantity": card.quantity, "face": card.face} if card.quantity else None,
        }
        return "", {"wonder": wonder}

    def picture(self, w: Catalogue) -> Picture:
        title, sentence, link = (
            w.say("It happened at Perudo"),
            bluff_card_sentence(self.card, self.name, w),
            bot_link(self),
        )
        return Picture(partial(_draw_card, self.card, title, sentence, link))


class ReelNotice(AboutTable, LinksToBot, PublicNotice):
    """The best reveals of an evening, in an animation to be forwarded."""

    kind: Literal["reel"] = "reel"
    card_slot = "reel"
    reveals: tuple[ReelReveal, ...]

    def lines(self, f: Format) -> list[Line]:
        """Return the sentences of a reel and the bot's link: in chats, to be forwarded."""
        lines = [Line("<b>" + reel_title(f.w) + "</b>", rank=None, sign="🎬"), BLANK]
        lines += [Line(escape(sentence, quote=False), rank=None) for sentence in reel_sentences(self, f.w)]
        return [*lines, BLANK, Line(bot_link(self), rank=None)] if self.bot else lines

    def on_page(self, page: PageFormat) -> tuple[Literal["reel"], ReelFields]:
        """Return the sentences of the reel; the page asks for its animation."""
        w = page.w
        return "reel", {"title": reel_title(w), "lines": reel_sentences(self, w), "share": w.say("Share the reel")}

    def picture(self, w: Catalogue) -> Picture:
        """Return the reveals of a reel, one after the other."""
        title, sentences, link = reel_title(w), reel_sentences(self, w), bot_link(self)
        draw = partial(_draw_reel, self, title, sentences, picture_labels(w), link)
        return Picture(draw, animated=True, seconds=REEL_SECONDS)


class StoryAnswer(StrEnum):
    """The answers to a request for a story or a reel."""

    TOLD = "told"
    ABOVE = "above"
    UNKNOWN = "unknown"
    TOO_LONG = "too_long"
    LATER = "later"
    REEL_ABOVE = "reel_above"
    NO_REEL = "no_reel"


class StoryAnswerNotice(AboutTable, FeatureToast):
    """Answers the person who asked for a story or a reel."""

    kind: Literal["story_answer"] = "story_answer"
    answer: StoryAnswer

    def lines(self, f: Format) -> list[Line]:
        """Return the answer to a request for a story or a reel."""
        return [Line(f.w.say(_ANSWERS[self.answer]))]


MOST_PLAYERS: Final = 10
"""The maximum number of players in the words, the best first."""


_ANSWERS: Final = {
    StoryAnswer.TOLD: mark("Here it comes!"),
    StoryAnswer.ABOVE: mark("The story is in the chat already. Scroll up a little!"),
    StoryAnswer.UNKNOWN: mark("I couldn't work out this game's story. Ask again in a minute."),
    StoryAnswer.TOO_LONG: mark("That game was too long for a story."),
    StoryAnswer.LATER: mark("A game's story comes when the game is over."),
    StoryAnswer.REEL_ABOVE: mark("The reel is in the chat already. Scroll up a little!"),
    StoryAnswer.NO_REEL: mark("No one got away with anything yet. One more game!"),
}


def game_over_lines(_: GameOverNotice, f: Format) -> list[Line]:
    """At the end of a game by text message, the words for another game and for the story; chats have a button."""
    if f.medium is not Medium.TEXT:
        return []
    return [Line(f.w.say("Text AGAIN for another, STORY for how it went."))]


def seat_colours(notice: StoryNotice) -> tuple[int, ...]:
    """Return the colours of the seats in the chart."""
    return notice.colours or tuple(range(len(notice.names)))


def story_names(notice: StoryNotice, w: Catalogue) -> list[str]:
    """Return the shown names; a hidden or forgotten player is someone."""
    return [plain_name(name) if name else w.say("someone") for name in notice.names]


def story_figures(notice: StoryNotice, w: Catalogue) -> list[tuple[str, str]]:
    """Return the luck and the skill of each seat, as shown."""
    return [(signed(seat.luck, w), signed(seat.skill, w)) for seat in notice.story.seats]


def _expert(instead: str | None, w: Catalogue, wild_by: str | None) -> str:
    if instead is None:
        return w.say("The expert would have called the same.")
    if instead == SILENCE:
        return w.say("The expert would have kept quiet.")
    return w.say("The expert's call: {call}", call=call_label(instead, w, wild_by))


def reel_title(w: Catalogue) -> str:
    """Return the title of a reel."""
    return w.say("The best reveals of the evening")


def reel_sentences(notice: ReelNotice, w: Catalogue) -> list[str]:
    """Return a sentence for each reveal of a reel."""
    return [bluff_card_sentence(reveal.card, reveal.name, w, spoken=reveal.spoken) for reveal in notice.reveals]


def bot_link(notice: LinksToBot) -> str:
    """Return the bot's link, short enough for a picture."""
    return f"t.me/{notice.bot}" if notice.bot else ""


def bluff_card_sentence(card: BluffCard, name: str, w: Catalogue, *, spoken: bool = False) -> str:
    """Return the event in plain text, in words that a picture can show."""
    name = plain_name(name)
    if card.feat is Feat.COMEBACK:
        return w.say("{name} had one die left against {others}, and won.", name=name, others=str(card.total - 1))
    bid = bid_figure(card.quantity, card.face, w.with_dice(DiceStyle.WORDS))
    match card.feat:
        case Feat.BLUFF if spoken:
            return w.say("{name} said {bid} out loud with none of them, and got away with it.", name=name, bid=bid)
        case Feat.BLUFF:
            return w.say("{name} bid {bid} with none of them, and got away with it.", name=name, bid=bid)
        case Feat.CALZA:
            values = {"name": name, "bid": bid, "chance": str(card.chance)}
            return w.say("{name} called calza on {bid}: exactly right, at a chance of {chance}%.", **values)
        case Feat.DUDO:
            values = {"name": name, "bid": bid, "chance": str(card.chance)}
            return w.say("{name} doubted {bid} at a chance of {chance}%, and was right.", **values)


def story_labels(notice: StoryNotice, w: Catalogue) -> tuple[str, ...]:
    """Return the words in the picture, in the order of its labels."""
    return (
        w.say("The story of this game"),
        w.say("Dice, round by round"),
        w.say("Boldest bluff that held"),
        w.say("Best call"),
        w.say("Nerves of steel"),
        _rounds(notice, w),
        w.say("Luck"),
        w.say("Skill"),
        w.say("chance {chance}%", chance="{chance}"),
        w.say("Dudo!"),
        w.say("Calza!"),
    )


def signed(dice: float, w: Catalogue) -> str:
    """Return a number of dice with its sign, except for zero."""
    rounded = round(dice, 1)
    shown = str(format_decimal(abs(rounded), format="0.0", locale=w.language.replace("-", "_")))
    return {-1: "\N{MINUS SIGN}", 0: "", 1: "+"}[(rounded > 0) - (rounded < 0)] + shown


def _rounds(notice: StoryNotice, w: Catalogue) -> str:
    return w.count("{n} round with one die", "{n} rounds with one die", notice.story.steady_rounds)


def _wild_by(call: StoryCall) -> str | None:
    """Return what gives a wild one its sign, as in the game; any rulebook does."""
    return "" if call.ones_wild else None


def _call(call: StoryCall, names: list[str], f: Format) -> str:
    """Return the player and the call; if there is room, the player's dice and its probability."""
    w, bid = f.w, f.bid(call.quantity, call.face, _wild_by(call))
    said = bid
    if call.call != "bid":
        said = (w.say("Dudo!") if call.call == "dudo" else w.say("Calza!")) + f" ({bid})"
    if f.medium is Medium.TEXT:
        return f"{names[call.seat]}, {said}"
    likely = w.say("chance {chance}%", chance=str(call.chance))
    dice = " ".join(die(face, w, _wild_by(call)) for face in call.dice)
    return w.say("{name}, {said}, with {dice} ({likely})", name=names[call.seat], said=said, dice=dice, likely=likely)


UNLUCKY: Final = -0.5
"""In dice: a player with more luck than this is not unlucky."""


class Title(StrEnum):
    """A player's title in this game."""

    FOX = "fox"
    GAMBLER = "gambler"
    HOUND = "hound"
    NERVES = "nerves"
    LUCKY = "lucky"
    UNLUCKY = "unlucky"
    EXPERT = "expert"
    SPORT = "sport"


_TITLES: Final = {
    Title.FOX: (mark("The Fox"), mark("You bluffed, and they believed you.")),
    Title.GAMBLER: (mark("The Gambler"), mark("You bluffed, and they knew.")),
    Title.HOUND: (mark("The Bloodhound"), mark("You smell a fib from across the table.")),
    Title.NERVES: (mark("Iron Nerves"), mark("One die left, and no panic.")),
    Title.LUCKY: (mark("The Lucky Star"), mark("The dice love you.")),
    Title.UNLUCKY: (mark("The Black Cat"), mark("The dice owe you one.")),
    Title.EXPERT: (mark("The Professor"), mark("You know the odds by heart.")),
    Title.SPORT: (mark("The Good Sport"), mark("Without you it's only dice.")),
}
LEAST: Final = 0.5
"""The least measure for a title; players without one are good sports."""


def titles_of(story: GameStory) -> list[Title]:
    """Return the title of each seat. Only one player at a table has it: the one whom it fits best."""
    measured = sorted(
        (
            (measure, title, seat)
            for seat in range(len(story.seats))
            for title, measure in _measures(story, seat).items()
        ),
        key=lambda each: -each[0],
    )
    given: dict[int, Title] = {}
    for measure, title, seat in measured:
        if measure >= LEAST and seat not in given and title not in given.values():
            given[seat] = title
    return [given.get(seat, Title.SPORT) for seat in range(len(story.seats))]


def _measures(story: GameStory, seat: int) -> dict[Title, float]:
    """Return how well each title fits a seat; 1 is a very good game. The card's figures never contradict a title."""
    own = story.seats[seat]
    caught, wrong = own.bluffs - own.bluffs_through, own.doubts - own.right_doubts
    return {
        Title.FOX: own.bluffs_through / 6 if own.bluffs_through > caught else 0,
        Title.GAMBLER: caught / 3 if caught > own.bluffs_through else 0,
        Title.HOUND: own.right_doubts / 5 if own.right_doubts > wrong else 0,
        Title.NERVES: story.steady_rounds / 3 if story.steady == seat else 0,
        Title.LUCKY: own.luck / 3,
        Title.UNLUCKY: -own.luck / 3,
        Title.EXPERT: own.skill / 2 if own.right_doubts >= wrong else 0,
    }


def own_cards(notice: StoryNotice, w: Catalogue) -> list[OwnField]:
    """Return the card of each seat's player: title, three numbers, and a text to share."""
    return [_own_card(notice.story, seat, title, w) for seat, title in enumerate(titles_of(notice.story))]


def _own_card(story: GameStory, seat: int, of: Title, w: Catalogue) -> OwnField:
    own, (title, why) = story.seats[seat], map(w.say, _TITLES[of])
    figures = {
        w.say("Bluffs that held"): w.say("{n} of {all}", n=str(own.bluffs_through), all=str(own.bluffs)),
        w.say("Right calls"): w.say("{n} of {all}", n=str(own.right_doubts), all=str(own.doubts)),
        w.say("Luck, in dice"): signed(own.luck, w),
    }
    lines = [w.say("At Perudo I was: {title}", title=title), *(f"{label}: {n}" for label, n in figures.items())]
    return {
        "title": title,
        "why": why,
        "figures": [{"label": label, "n": n} for label, n in figures.items()],
        "share": "\n".join(["🎲 " + lines[0], *lines[1:]]),
        "share_key": w.say("Share my card"),
        "copied": w.say("Copied. Show it to your friends!"),
    }


def beats(notice: StoryNotice, w: Catalogue) -> list[BeatField]:
    """Return the beats in order; one with nothing to tell is left out."""
    story, names = notice.story, [name.removeprefix(COMPUTER_MARK) for name in story_names(notice, w)]
    unlucky = min(range(len(names)), key=lambda seat: story.seats[seat].luck)
    found: list[BeatField] = []
    if (call := story.bluff) is not None:
        values = _values(call, names, w)
        found.append(
            _beat("liar", call, w.say("Best liar"), w.say("{name} bid {bid}, and got away with it.", **values))
        )
    if (call := story.best) is not None:
        found.append(_beat("nose", call, w.say("Best nose"), _right(call, names, w)))
    if story.seats[unlucky].luck <= UNLUCKY:
        luck = -story.seats[unlucky].luck
        told = w.count(
            "Bad luck cost {name} {dice} die.",
            "Bad luck cost {name} {dice} dice.",
            w.form_of(round(luck, 1)),
            name=names[unlucky],
            dice=signed(luck, w).removeprefix("+"),
        )
        found.append({"about": "unlucky", "seat": unlucky, "title": w.say("Unluckiest"), "text": _sentence(told)})
    if (call := story.decider) is not None:
        found.append(_beat("decider", call, w.say("The turning point"), _wrong(call, names, w)))
    if (tell := notice.tell) is not None:
        found.append(
            {"about": "tell", "seat": tell.seat, "title": w.say("A tell"), "text": tell_sentence(tell, names, w)}
        )
    return found


def tell_sentence(tell: Tell, names: Sequence[str], w: Catalogue) -> str:
    """Return what the player does over a lie."""
    name = names[tell.seat]
    if tell.measure is Measure.LIFTS:
        if tell.more:
            return w.say("{name} lifts the cup more often over a lie.", name=name)
        return w.say("{name} lifts the cup less often over a lie.", name=name)
    if not tell.more:
        return w.say("{name} is quicker with a lie than with the truth.", name=name)
    if tell.twice:
        return w.say("{name} takes at least twice as long over a lie.", name=name)
    return w.say("{name} takes longer over a lie than over the truth.", name=name)


def _beat(about: str, call: StoryCall, title: str, told: str) -> BeatField:
    counted = {call.face, 1} if call.ones_wild else {call.face}
    return {
        "about": about,
        "seat": call.seat,
        "title": title,
        "text": _sentence(told),
        "bid": {"quantity": call.quantity, "face": call.face},
        "dice": [{"face": face, "counts": face in counted} for face in call.dice],
    }


def _right(call: StoryCall, names: list[str], w: Catalogue) -> str:
    values = _values(call, names, w)
    match call.call:
        case "bid":
            return w.say("{name} bid {bid}, and there they were.", **values)
        case "dudo":
            return w.say("{name} doubted {bid}, and was right.", **values)
        case "calza":
            return w.say("{name} called calza on {bid}, and was right.", **values)


def _wrong(call: StoryCall, names: list[str], w: Catalogue) -> str:
    values = _values(call, names, w)
    match call.call:
        case "bid":
            return w.say("{name} bid {bid}, and was caught.", **values)
        case "dudo":
            return w.say("{name} doubted {bid}, and was wrong.", **values)
        case "calza":
            return w.say("{name} called calza on {bid}, and was wrong.", **values)


def _values(call: StoryCall, names: list[str], w: Catalogue) -> dict[str, str]:
    bid = bid_figure(call.quantity, call.face, w.with_dice(DiceStyle.WORDS))
    return {"name": names[call.seat], "bid": bid}


def _sentence(told: str) -> str:
    """Return it with a capital: a hidden player is "someone"."""
    return told[:1].upper() + told[1:]


REEL_SECONDS: Final = 30.0
"""How long a reel may be drawn: it has sixty pictures."""


# The first drawing imports Pillow: most commands of the bot draw nothing.


def _draw_story(
    notice: StoryNotice, names: Sequence[str], figures: Sequence[tuple[str, str]], labels: tuple[str, ...]
) -> bytes:
    from telegram_bot.features.story.story_picture import StoryLabels, story_picture  # noqa: PLC0415

    colours, labelled = seat_colours(notice), StoryLabels(*labels)
    return story_picture(notice.untold, names, colours, labelled, notice.theme, figures=figures, faces=notice.faces)


def _draw_card(card: BluffCard, title: str, sentence: str, link: str) -> bytes:
    from telegram_bot.features.story.moment_pictures import card_picture  # noqa: PLC0415

    return card_picture(card, title, sentence, link)


def _draw_reel(notice: ReelNotice, title: str, sentences: Sequence[str], labels: tuple[str, str], link: str) -> bytes:
    from telegram_bot.features.story.moment_pictures import reel_animation  # noqa: PLC0415
    from telegram_bot.pictures.reveal import RevealLabels  # noqa: PLC0415

    return reel_animation([each.view for each in notice.reveals], title, sentences, RevealLabels(*labels), link)
