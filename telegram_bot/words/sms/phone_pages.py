"""Texts about the phone itself: how to begin, how to stop, how a command is used."""

from __future__ import annotations

from functools import partial

from telegram_bot.service.commands import phone_help
from telegram_bot.service.notices import PhoneMessage, PhoneNotice, StatisticsNotice, StoryNotice, TutorialNotice
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, own_name
from telegram_bot.words.sms.gsm import to_gsm
from telegram_bot.words.sms.layout import Drafts, bid_figure, fixed_text, shorten_name

LONGEST_COMMAND, LONGEST_CALL, LONGEST_LIST = 12, 24, 80


def help_text(w: Catalogue) -> Drafts:
    """How to play and what can be texted."""
    return fixed_text(
        w.say(
            "Bid like 3x4 or text DUDO. {commands}. QUIET 22-8: no texts at night. STOP: none ever.",
            commands=", ".join(command.name.upper() for command in phone_help()),
        )
    )


def tutorial_text(notice: TutorialNotice, w: Catalogue) -> Drafts:
    """The game in one text: there is nothing to tap, and a lesson of many texts would cost too much."""
    how = w.say("Perudo: all hide dice. In turn bid how many of one face lie under all cups, e.g. 3x4, always higher.")
    ones = w.say("Ones are wild.") if notice.rules.wild_ones else ""
    end = w.say("Too high? DUDO. Who is wrong loses.")
    return fixed_text(" ".join(part for part in (how, ones, end) if part))


def phone_text(notice: PhoneNotice, w: Catalogue, code: str = "") -> Drafts:
    """Something about the phone itself. `code`: what answers it if it is a question."""
    return [lambda letters: _said(notice, w, code, letters)]


def _said(notice: PhoneNotice, w: Catalogue, code: str, letters: int) -> str:  # noqa: C901, PLR0911, PLR0912 - one sentence each
    command, books = to_gsm(notice.detail)[:LONGEST_COMMAND], to_gsm(notice.detail)[:LONGEST_LIST]
    name = shorten_name(notice.detail, letters) or "Perudo"
    match notice.word:
        case PhoneMessage.HINT:
            return w.say(
                "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
            )
        case PhoneMessage.WHO:
            return w.say(
                "Perudo, a dice game among friends. Text JOIN and a friend's code to play, or NEW for a table. "
                "STOP ends all texts."
            )
        case PhoneMessage.STOPPED:
            return w.say("Perudo: you will get no more texts. Text START to come back.")
        case PhoneMessage.RESUMED:
            return w.say("Perudo: welcome back. Text ? for help, STOP to stop.")
        case PhoneMessage.ASK_START:
            return w.say(
                "Perudo: do you want texts again? If so, text START {code}. If that was not you, do nothing.", code=code
            )
        case PhoneMessage.ASK_UNLINK:
            return w.say("Shall this phone play for {name} no longer? If so, text UNLINK {code}.", name=name, code=code)
        case PhoneMessage.ASK_LINK:
            return _ask_link(notice, w, code, letters)
        case PhoneMessage.WRONG_CODE:
            return w.say("That is not the code of my last question. After many wrong ones none counts until tomorrow.")
        case PhoneMessage.TOO_OLD:
            return w.say(
                "Your text took very long to arrive, so nothing happened. Text STATUS to see where things stand."
            )
        case PhoneMessage.LIMIT:
            return w.say("Those were all texts for today. You can still text moves; answers come again tomorrow.")
        case PhoneMessage.TALK_LIMIT:
            return w.say("That is all I answer today. The other texts of the day are for your dice and your turns.")
        case PhoneMessage.NEEDS_CODE:
            return w.say(
                "Which one? Text {command} and the code, like {command} ABC234.",
                command=command,
            )
        case PhoneMessage.MEANT:
            return w.say("Did you mean {call}? Text {call}", call=to_gsm(notice.detail)[:LONGEST_CALL])
        case PhoneMessage.LANGUAGES:
            return w.say(
                "Text {command} and one of: {languages}.",
                command=command,
                languages=", ".join(map(own_name, LANGUAGES)),
            )
        case PhoneMessage.QUIET_HOW:
            return w.say("Text QUIET and the hours of your night, like QUIET 22-8, or QUIET OFF.")
        case PhoneMessage.VERBOSE_HOW:
            return w.say("Text VERBOSE ON for every bid by text, VERBOSE OFF for only what you need.")
        case PhoneMessage.CLOCK_HOW:
            return w.say("Text CLOCK and the time for a turn: 5M, 15M, 1H, 6H, 24H, or OFF.")
        case PhoneMessage.KICK_HOW:
            return w.say("Text KICK and a name, or their place in the list of names, like KICK 2.")
        case PhoneMessage.BOTS_HOW:
            return w.say("Text BOTS and how many computer players shall sit down, like BOTS 2.")
        case PhoneMessage.NAME_HOW:
            return w.say("Text NAME and what the others shall call you, like NAME Gran.")
        case PhoneMessage.STIR_HOW:
            return w.say("Text STIR and any word, like STIR llama, and it goes into the dice.")
        case PhoneMessage.BOOK_HOW:
            return w.say("Text BOOK and one of: {books}.", books=books)


def story_text(notice: StoryNotice, w: Catalogue) -> Drafts:
    """The story of a game: the boldest bluff, the best call, and each player's luck, as far as they fit."""
    story = notice.story
    names = [name or w.say("somebody") for name in notice.names]
    places = sorted(range(len(names)), key=lambda seat: story.seats[seat].place)

    def draft(letters: int, *, told: int, calls: int) -> str:
        parts = []
        for label, call in ((w.say("Boldest bluff"), story.bluff), (w.say("Best call"), story.best))[:calls]:
            if call is not None:
                word = {"bid": "", "dudo": w.say("Dudo!") + " ", "calza": w.say("Calza!") + " "}
                said = word[call.call] + bid_figure(call.quantity, call.face)
                parts.append(f"{label}: {shorten_name(names[call.seat], letters)}, {said}")
        luck = ", ".join(
            f"{shorten_name(names[seat], letters)} {story.seats[seat].luck:+.1f}" for seat in places[:told]
        )
        parts.append(w.say("Luck in dice: {luck}", luck=luck))
        return ". ".join(parts) + "."

    return [
        partial(draft, told=told, calls=calls) for told, calls in ((len(names), 2), (len(names), 1), (4, 1), (3, 0))
    ]


def _ask_link(notice: PhoneNotice, w: Catalogue, code: str, letters: int) -> str:
    asker = shorten_name(notice.asker, letters) or w.say("Somebody")
    if before := shorten_name(notice.detail, letters):
        return w.say(
            "{asker} on Telegram wants this phone, which plays for {name}. To allow it, text LINK {code}.",
            asker=asker,
            name=before,
            code=code,
        )
    return w.say(
        "{asker} on Telegram wants to play by this phone. To allow it, text LINK {code}. "
        "If that was not you, do nothing.",
        asker=asker,
        code=code,
    )


def statistics_text(notice: StatisticsNotice, w: Catalogue) -> Drafts:
    """How the person plays: games, dudo, calza, bluffs."""
    if not notice.games:
        return fixed_text(w.say("No finished game yet. Text NEW to open a table."))
    parts = [w.count("{n} game", "{n} games", notice.games) + ", " + w.say("{wins} won", wins=notice.wins)]
    for said, part, whole in (
        ("Dudo {share}%", notice.dudos_right, notice.dudos),
        ("calza {share}%", notice.calzas_right, notice.calzas),
    ):
        if whole:
            parts.append(said.format(share=round(100 * part / whole)))
    if notice.bids:
        parts.append(w.say("bluffs {share}%", share=round(100 * notice.bluffs / notice.bids)))
    if notice.rating is not None:
        parts.append(w.say("rating {rating}", rating=notice.rating))
    return [lambda letters: f"{shorten_name(notice.name, letters)}: {', '.join(parts)}."]
