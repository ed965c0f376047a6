"""The words of a finished game's story: the caption of its picture, with the same content."""

from html import escape
from typing import Final

from babel.numbers import format_decimal

from telegram_bot.features.story.analysis import SILENCE, StoryCall
from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryAnswer, StoryAnswerNotice, StoryNotice
from telegram_bot.notices import GameOverNotice, LinksToBot
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure, call_label, die
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import BLANK, Format, Line, Medium
from telegram_bot.words.phrases import plain_name

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


def answer_lines(notice: StoryAnswerNotice, f: Format) -> list[Line]:
    """Return the answer to a request for a story or a reel."""
    return [Line(f.w.say(_ANSWERS[notice.answer]))]


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


def story_lines(notice: StoryNotice, f: Format) -> list[Line]:
    """Return the highlights, then luck and skill of each player."""
    w, story = f.w, notice.story
    names = [f.strong(name) for name in f.names([name or w.say("someone") for name in notice.names])]
    lines = [Line("<b>" + w.say("The story of this game") + "</b>", rank=None, sign="📖"), BLANK]
    if story.bluff is not None:
        lines.append(Line(w.say("Boldest bluff that held: {what}", what=_call(story.bluff, names, f)), 1, "🎭"))
    if story.best is not None:
        lines.append(Line(w.say("Best call: {what}", what=_call(story.best, names, f)), 2, "🎯"))
    if story.steady is not None:
        steady = f"{names[story.steady]}, {_rounds(notice, w)}"
        lines.append(Line(w.say("Nerves of steel: {what}", what=steady), None, "🧊"))
    if story.decider is not None:
        lines.append(Line(w.say("The turning point: {what}", what=_call(story.decider, names, f)), None, "🏁"))
        lines.append(Line(_expert(story.instead, w, _wild_by(story.decider)), rank=None))
    if len(lines) > 2:  # noqa: PLR2004 - the title
        lines.append(BLANK)
    places = sorted(range(len(names)), key=lambda seat: story.seats[seat].place)[:MOST_PLAYERS]
    if f.medium is Medium.TEXT:
        lucky = [f"{names[seat]} {signed(story.seats[seat].luck, w)}" for seat in places]
        return [*lines, Line(w.say("Luck in dice: {luck}", luck=", ".join(lucky)))]
    figures = story_figures(notice, w)
    lines.append(Line(w.say("Luck and skill, in dice:"), sign="⚖️"))
    for seat in places:
        luck, skill = figures[seat]
        both = w.say("luck {luck}, skill {skill}", luck=luck, skill=skill)
        lines.append(Line(f"{story.seats[seat].place}. {names[seat]}: {both}"))
    return lines


def _expert(instead: str | None, w: Catalogue, wild_by: str | None) -> str:
    if instead is None:
        return w.say("The expert would have called the same.")
    if instead == SILENCE:
        return w.say("The expert would have kept quiet.")
    return w.say("The expert's call: {call}", call=call_label(instead, w, wild_by))


def bluff_card_lines(notice: BluffCardNotice, f: Format) -> list[Line]:
    """Return the sentence of a card, and the bot's link: in chats, to be forwarded."""
    link = bot_link(notice)
    sentence = Line(escape(bluff_card_sentence(notice.card, notice.name, f.w), quote=False), rank=None, sign="🎲")
    return [sentence, BLANK, Line(link, rank=None)] if link else [sentence]


def reel_lines(notice: ReelNotice, f: Format) -> list[Line]:
    """Return the sentences of a reel and the bot's link: in chats, to be forwarded."""
    lines = [Line("<b>" + reel_title(f.w) + "</b>", rank=None, sign="🎬"), BLANK]
    lines += [Line(escape(sentence, quote=False), rank=None) for sentence in reel_sentences(notice, f.w)]
    return [*lines, BLANK, Line(bot_link(notice), rank=None)] if notice.bot else lines


def reel_title(w: Catalogue) -> str:
    """Return the title of a reel."""
    return w.say("The best reveals of the evening")


def reel_sentences(notice: ReelNotice, w: Catalogue) -> list[str]:
    """Return a sentence for each reveal of a reel."""
    return [bluff_card_sentence(reveal.card, reveal.name, w) for reveal in notice.reveals]


def bot_link(notice: LinksToBot) -> str:
    """Return the bot's link, short enough for a picture."""
    return f"t.me/{notice.bot}" if notice.bot else ""


def bluff_card_sentence(card: BluffCard, name: str, w: Catalogue) -> str:
    """Return the event in plain text, in words that a picture can show."""
    name = plain_name(name)
    if card.feat is Feat.COMEBACK:
        return w.say("{name} was down to one die of {total}, and won the game.", name=name, total=str(card.total))
    bid = bid_figure(card.quantity, card.face, w.with_dice(DiceStyle.WORDS))
    match card.feat:
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
