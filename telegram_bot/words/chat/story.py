"""The words of a finished game's story: the caption of its picture, which tells the same without it."""

from html import escape

from babel.numbers import format_decimal

from telegram_bot.service import notices as n
from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.statistics.story import StoryCall
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure, call_label, die
from telegram_bot.words.phrases import plain_name

MOST_PLAYERS = 10
"""How many players the words tell of, the best first."""


def story_names(notice: n.StoryNotice, w: Catalogue) -> list[str]:
    """The names as they are shown; who is not named is somebody."""
    return [plain_name(name) if name else w.say("somebody") for name in notice.names]


def story_text(notice: n.StoryNotice, w: Catalogue) -> str:
    """The story as a message: what stands out, then luck and skill of each player."""
    story, names = notice.story, [f"<b>{escape(name)}</b>" for name in story_names(notice, w)]
    lines = ["📖 <b>" + w.say("The story of this game") + "</b>", ""]
    if story.bluff is not None:
        lines.append("🎭 " + w.say("Boldest bluff that held: {what}", what=_call(story.bluff, names, w)))
    if story.best is not None:
        lines.append("🎯 " + w.say("Best call: {what}", what=_call(story.best, names, w)))
    if story.steady is not None:
        lines.append("🧊 " + w.say("Nerves of steel: {what}", what=f"{names[story.steady]}, {_rounds(notice, w)}"))
    if story.decider is not None:
        lines.append("🏁 " + w.say("It was decided here: {what}", what=_call(story.decider, names, w)))
        lines.append(
            w.say("The expert would have called the same.")
            if story.instead is None
            else w.say("The expert's call: {call}", call=call_label(story.instead, w, None))
        )
    if len(lines) > 2:  # noqa: PLR2004 - the title
        lines.append("")
    lines.append("⚖️ " + w.say("Luck and skill, in dice:"))
    places = sorted(range(len(names)), key=lambda seat: story.seats[seat].place)[:MOST_PLAYERS]
    lines += [
        f"{story.seats[seat].place}. {names[seat]}: "
        + w.say(
            "luck {luck}, skill {skill}",
            luck=signed(story.seats[seat].luck, w),
            skill=signed(story.seats[seat].skill, w),
        )
        for seat in places
    ]
    return "\n".join(lines)


def bluff_card_text(notice: n.BluffCardNotice, w: Catalogue) -> str:
    """The sentence of a card, and the bot's link."""
    return f"🎲 {escape(bluff_card_sentence(notice, w), quote=False)}\n\n{bluff_card_link(notice)}".rstrip()


def bluff_card_link(notice: n.BluffCardNotice) -> str:
    """The bot's link, short enough for a picture."""
    return f"t.me/{notice.bot}" if notice.bot else ""


def bluff_card_sentence(notice: n.BluffCardNotice, w: Catalogue) -> str:
    """What somebody did, in plain text and in words that a picture can show."""
    card, name = notice.card, plain_name(notice.name)
    if card.feat is Feat.COMEBACK:
        return w.say("{name} was down to one die of {total}, and won the game.", name=name, total=card.total)
    bid = bid_figure(card.quantity, card.face, w.with_dice(DiceStyle.WORDS))
    match card.feat:
        case Feat.BLUFF:
            return w.say("{name} bid {bid} with none of them, and got away with it.", name=name, bid=bid)
        case Feat.CALZA:
            values = {"name": name, "bid": bid, "chance": card.chance}
            return w.say("{name} called calza on {bid}: exactly right, at a chance of {chance} %.", **values)
        case Feat.DUDO:
            values = {"name": name, "bid": bid, "chance": card.chance}
            return w.say("{name} doubted {bid} at a chance of {chance} %, and was right.", **values)


def story_labels(notice: n.StoryNotice, w: Catalogue) -> tuple[str, ...]:
    """The words in the picture, in the order of its labels."""
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
    """A number of dice with its sign, which zero has not."""
    rounded = round(dice, 1)
    shown = str(format_decimal(abs(rounded), format="0.0", locale=w.language.replace("-", "_")))
    return {-1: "\N{MINUS SIGN}", 0: "", 1: "+"}[(rounded > 0) - (rounded < 0)] + shown


def _rounds(notice: n.StoryNotice, w: Catalogue) -> str:
    return w.count("{n} round with one die", "{n} rounds with one die", notice.story.steady_rounds)


def _call(call: StoryCall, names: list[str], w: Catalogue) -> str:
    """Who said what, holding which dice, and how probably it was right."""
    bid = bid_figure(call.quantity, call.face, w)
    said = bid
    if call.call != "bid":
        said = (w.say("Dudo!") if call.call == "dudo" else w.say("Calza!")) + f" ({bid})"
    dice = " ".join(die(face, w) for face in call.dice)
    likely = w.say("chance {chance}%", chance=call.chance)
    return w.say("{name}, {said}, with {dice} ({likely})", name=names[call.seat], said=said, dice=dice, likely=likely)
