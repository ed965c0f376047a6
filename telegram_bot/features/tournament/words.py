"""The words of a tournament: the group's message in each phase, the answers to taps, the news of each person."""

from html import escape
from typing import Final, assert_never

from telegram_bot.features.tournament.notices import (
    BracketNotice,
    DiceFileNotice,
    EntrantsNotice,
    HurryNotice,
    Phase,
    PlaceNotice,
    SealsNotice,
    SeatLine,
    StageResultNotice,
    TableLine,
    TelevisedRevealNotice,
    TelevisedRoundNotice,
    TournamentAnswer,
    TournamentAnswerNotice,
    TournamentNotice,
)
from telegram_bot.features.tournament.stages import FEWEST, LATE_TABLE, MOST
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import MEDALS
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.lines import BLANK, Format, Line, Medium
from telegram_bot.words.phrases import folded, plain_name, titled, verify_command

_GOES_ON: Final = "✅"
_OUT: Final = "☠️"


def tournament_lines(notice: TournamentNotice, f: Format) -> list[Line]:
    """Return the group's message."""
    return [line._replace(rank=None) for line in _lines(notice, f)]


def _lines(notice: TournamentNotice, f: Format) -> list[Line]:
    w, names = f.w, [f.name(name) for name in notice.names]
    title = Line(f.strong(w.say("Tournament")), sign="🏆")
    match notice.phase:
        case Phase.OPEN:
            return [title, *_list(notice, names, f)]
        case Phase.TABLES:
            stage = w.say("Tournament, stage {stage}", stage=str(notice.stage))
            lines = [Line(f.strong(stage), sign="🏆"), BLANK, *(_table(table, f) for table in notice.tables), BLANK]
            lines.append(Line(w.say("The best half of each table goes on. Everyone plays in their chat with me.")))
            return lines if notice.late is None else [*lines, late_line(notice.late, f)]
        case Phase.FINAL_WAITS:
            finalists = w.say("The finalists: {names}", names=", ".join(names))
            waits = w.say("The grand final begins here when the game in this group has ended.")
            return [title, Line(finalists, sign="🏁"), Line(waits, sign="⏳")]
        case Phase.FINAL:
            finalists = w.say("The grand final, here in the group: {names}", names=", ".join(names))
            return [title, Line(finalists, sign="🏁")]
        case Phase.OVER:
            won = f.strong(w.say("{name} wins the tournament!", name=names[0] if names else w.say("someone")))
            places = [Line(name, sign=_sign(at, slept=at in notice.slept)) for at, name in enumerate(names)]
            return [Line(won, sign="🏆"), *places, *_out(notice, f)]
        case Phase.CLOSED:
            return [title, Line(w.say("This tournament was closed. /tournament opens another one."))]
        case _:
            assert_never(notice.phase)


def _sign(at: int, *, slept: bool) -> str:
    """Return a medal, or the number of the place."""
    return MEDALS[at] if at < len(MEDALS) and not slept else f"{at + 1}."


def _out(notice: TournamentNotice, f: Format) -> list[Line]:
    """Return the people who did not come to the final, by their last stage."""
    return [
        Line(f.w.say("Out in stage {stage}: {names}", stage=str(stage), names=", ".join(map(f.name, names))), sign=_OUT)
        for stage, names in notice.out
    ]


def _list(notice: TournamentNotice, names: list[str], f: Format) -> list[Line]:
    w = f.w
    book = rules_title(notice.rules, notice.house_rules, w, in_full=False)
    lines = [
        Line(w.say("Several tables at once, played in private. The best meet here in the grand final.")),
        Line(f"{len(names)}/{MOST}: {', '.join(names) or '…'}", sign="👥"),
        Line(w.say("Rules: {rules}", rules=f.foreign(book)), sign="📖"),
    ]
    if notice.computers:
        lines.append(Line(w.say("Computer players fill the smaller tables."), sign="🤖"))
    if len(names) < FEWEST:
        missing = w.count(
            "{n} more person, and it can start.", "{n} more people, and it can start.", FEWEST - len(names)
        )
        lines.append(Line(missing, sign="⏳"))
    else:
        lines.append(Line(w.say("{name} can start it now.", name=f.name(notice.host or notice.names[0])), sign="▶️"))
    if f.medium is not Medium.CHAT:
        return lines
    if notice.asking:
        asked = w.count(
            "{n} person would like to join. {name} decides: tap People.",
            "{n} people would like to join. {name} decides: tap People.",
            notice.asking,
            name=f.name(notice.host),
        )
        lines.append(Line(asked, sign="✋"))
    private = w.say("First time here? Tap Join, and our private chat opens. Press Start there, and you're in.")
    lines.append(Line(private, sign="💬"))
    if notice.numbers and notice.code:
        numbers = ", ".join(notice.numbers)
        text = w.say("Or text TOURNAMENT {code} to {numbers}.", code=notice.code, numbers=numbers)
        lines.append(Line(text, sign="📱"))
    return lines


def entrants_lines(notice: EntrantsNotice, f: Format) -> list[Line]:
    """Return the people who ask, or the question whether to close the list."""
    w = f.w
    lines = [Line(titled(notice.title), rank=None)]
    if notice.closing:
        return [*lines, Line(w.say("Close the list? Then this tournament doesn't take place."), sign="🛑")]
    if notice.asking:
        names = ", ".join(f.name(name) for _, name in notice.asking)
        lines.append(Line(w.say("They would like to join the tournament: {names}", names=names), sign="✋"))
    else:
        lines.append(Line(w.say("No one is waiting for your answer."), sign="👥"))
    if notice.people or notice.asking:
        lines.append(Line(w.say("Anyone you remove or refuse can't join this list again."), rank=None))
    return lines


def late_line(names: tuple[str, ...], f: Format) -> Line:
    """Return how people join who come late; `names`: the people who wait for a table."""
    w = f.w
    if not names:
        return Line(w.say("Late? {least} more people make another table: tap Join.", least=str(LATE_TABLE)), sign="🏃")
    waiting = w.count(
        "{names}: {n} more person makes another table.",
        "{names}: {n} more people make another table.",
        LATE_TABLE - len(names),
        names=", ".join(map(f.name, names)),
    )
    return Line(waiting, sign="🏃")


def table_title(number: int, w: Catalogue) -> str:
    """Return the name of a table of a stage."""
    return w.say("Table {number}", number=str(number))


def _table(table: TableLine, f: Format) -> Line:
    number = f.strong(table_title(table.number, f.w))
    return Line(f"{number} · " + " · ".join(_seat(seat, table, f) for seat in table.seats))


def _seat(seat: SeatLine, table: TableLine, f: Format) -> str:
    mark = _OUT if seat.is_out(over=table.over) else _GOES_ON if table.over else str(seat.dice)
    return f"{f.name(seat.name)} {mark}"


def televised_lines(notice: TelevisedRoundNotice | TelevisedRevealNotice, f: Format) -> list[Line]:
    """Return the table's name; pages show the table itself."""
    return [Line(table_title(notice.number, f.w))]


def stage_result_lines(notice: StageResultNotice, f: Format) -> list[Line]:
    """Return whether the person goes on."""
    w = f.w
    if notice.goes_on:
        on = w.say("You go on! Your next game comes by itself when all tables have ended.")
        return [Line(titled(notice.title), rank=None), Line(on, sign="✅")]
    if not notice.played:
        alone = w.say("No one else came late, so there's no table for you this time. The group shows how it goes on.")
        return [Line(titled(notice.title), rank=None), Line(alone, sign="🏃")]
    out = w.say(
        "You're out of the tournament after stage {stage}. The group shows how it goes on.", stage=str(notice.stage)
    )
    return [Line(titled(notice.title), rank=None), Line(out, sign="☠️")]


def place_lines(notice: PlaceNotice, f: Format) -> list[Line]:
    """Return the person's place, with a line for the prize."""
    w = f.w
    if notice.place == 1 and not notice.slept:
        won = w.say(
            "You win the tournament of {people} people! The cup is yours until the next one.", people=str(notice.people)
        )
        return [Line(titled(notice.title), rank=None), Line(f.strong(won), sign="🏆")]
    place = w.say(
        "The tournament is over. Your place: {place} of {people}.", place=str(notice.place), people=str(notice.people)
    )
    if notice.place <= len(MEDALS) and notice.slept:
        prize, sign = w.say("No medal this time: you missed all your turns. Next time, play them yourself!"), "💤"
    elif notice.place <= len(MEDALS):
        prize, sign = w.say("A medal for you: so close!"), MEDALS[notice.place - 1]
    elif notice.finalist:
        prize, sign = w.say("You sat in the grand final: tell your grandchildren."), "🎖"
    elif notice.place <= notice.people / 2:
        prize, sign = w.say("Better than most: the others read you badly."), "👏"
    else:
        prize, sign = w.say("The dice owe you something next time."), "🎲"
    return [Line(titled(notice.title), rank=None), Line(place, sign="🏁"), Line(prize, sign=sign)]


def bracket_lines(notice: BracketNotice, f: Format) -> list[Line]:
    """Return the winner, the best bluff, and the bot's link."""
    lines = [Line(titled(notice.title), rank=None), Line(escape(bracket_winner(notice, f.w), quote=False), sign="🏆")]
    if notice.bluff is not None:
        lines.append(Line(escape(bracket_bluff(notice, f.w), quote=False), rank=None, sign="🎭"))
    link = bracket_link(notice)
    return [*lines, BLANK, Line(link, rank=None)] if link else lines


def bracket_winner(notice: BracketNotice, w: Catalogue) -> str:
    """Return one sentence in plain text."""
    return w.say("{name} won against {others} people.", name=plain_name(notice.winner), others=str(notice.people - 1))


def bracket_bluff(notice: BracketNotice, w: Catalogue) -> str:
    """Return the best bluff in plain text; empty if there is none."""
    if notice.bluff is None:
        return ""
    bid = bid_figure(notice.bluff.quantity, notice.bluff.face, w.with_dice(DiceStyle.WORDS))
    values = {"name": plain_name(notice.bluffer), "bid": bid}
    return w.say("The night's best bluff: {name} bid {bid} with none of them, and got away with it.", **values)


def bracket_stages(notice: BracketNotice, w: Catalogue) -> tuple[str, ...]:
    """Return the headings of the stages; a stage of one table is the final."""
    return tuple(
        w.say("The grand final") if len(tables) == 1 else w.say("Stage {stage}", stage=str(stage))
        for stage, tables in enumerate(notice.stages, start=1)
    )


def bracket_link(notice: BracketNotice) -> str:
    """Return the bot's link, short enough for a picture."""
    return f"t.me/{notice.bot}" if notice.bot else ""


def seals_lines(notice: SealsNotice, f: Format) -> list[Line]:
    """Say that the dice of the tables are fixed, with the seals folded below."""
    w = f.w
    sealed = w.say("All dice of these tables are fixed now, under seal. After the final you can check them.")
    if f.medium is not Medium.CHAT:
        return [Line(sealed, rank=None, sign="🔒")]
    seals = (f"{seal.number} · {seal.code} · <code>{seal.commitment}</code>" for seal in notice.seals)
    return [Line(sealed, rank=None, sign="🔒"), Line(folded(w.say("The seals by table"), *seals), rank=None)]


def dice_file_lines(notice: DiceFileNotice, f: Format) -> list[Line]:
    """Return the result of the bot's own check, and how to repeat it."""
    w = f.w
    if notice.failed:
        codes = ", ".join(notice.failed)
        said = "⚠️ " + w.say("The check failed: the dice of these tables don't fit their seals: {codes}", codes=codes)
    else:
        said = "✅ " + w.say("All {number} games: every roll was fixed before the first bid.", number=str(notice.games))
    command = verify_command(notice.name)
    curious = w.say(
        "For the curious: on a computer, {command} checks every roll. Compare its seals with those in the group.",
        command=command,
    )
    return [Line(said, rank=None), Line(folded(curious), rank=None)]


def hurry_lines(notice: HurryNotice, f: Format) -> list[Line]:
    """Return how long a turn lasts from now on."""
    w = f.w
    waits = w.say(
        "Other tables wait for yours: from now on a turn lasts {seconds} seconds.", seconds=str(notice.seconds)
    )
    return [Line(titled(notice.title), rank=None), Line(waits, sign="⏱")]


def answer_lines(notice: TournamentAnswerNotice, f: Format) -> list[Line]:
    """Return the answer to a tap."""
    return [Line(_answer(notice, f))]


def _answer(notice: TournamentAnswerNotice, f: Format) -> str:
    w = f.w
    match notice.answer:
        case TournamentAnswer.JOINED:
            return w.say("You're in! Your table will come to you in private.")
        case TournamentAnswer.LATE:
            return w.say("You're in! Your table starts when {least} latecomers are here.", least=str(LATE_TABLE))
        case TournamentAnswer.ALREADY_JOINED:
            return w.say("You're on the list already.")
        case TournamentAnswer.LISTED:
            return w.count(
                "You're on the list, with no one else yet. The host starts it in the group.",
                "You're on the list of {n} people. The host starts it in the group.",
                notice.number,
            )
        case TournamentAnswer.WAITS:
            return w.say("You're in! Your next game comes by itself.")
        case TournamentAnswer.IS_OUT:
            return w.say("You're out of this tournament. The group shows how it goes on.")
        case TournamentAnswer.NEEDS_CODE:
            return w.say("Text TOURNAMENT and the code of the list in the group, or TOURNAMENT OFF to leave it.")
        case TournamentAnswer.NO_SUCH_CODE:
            return w.say("I know no tournament with this code. Look at the list in the group again.")
        case TournamentAnswer.OPEN_PRIVATE_CHAT:
            return w.say("First open our private chat and press Start there. Then tap here again.")
        case TournamentAnswer.PRIVATE_CHAT_IS_OPEN:
            return w.say("Our chat is open! Now write /tournament in your group, or tap Join there.")
        case TournamentAnswer.FULL:
            return w.say("The tournament is full: {number} people take part.", number=str(notice.number))
        case TournamentAnswer.BEGUN:
            return w.say("This tournament has begun: nothing can be changed any more. The group shows how it goes on.")
        case TournamentAnswer.OVER:
            return w.say("This tournament is over. /tournament in the group opens another one.")
        case TournamentAnswer.LEFT:
            return w.say("You're off the list.")
        case TournamentAnswer.WITHDRAWN:
            return w.say("You play no further in this tournament.")
        case TournamentAnswer.PLAYING:
            return w.say("Your game is still on. To leave it, write /leave in our private chat, or text LEAVE.")
        case TournamentAnswer.NOT_JOINED:
            return w.say("You're not on the list.")
        case TournamentAnswer.TOO_FEW:
            return w.count(
                "{n} of the {least} people needed for a tournament is here. With fewer, play at one table: /perudo",
                "{n} of the {least} people needed for a tournament are here. With fewer, play at one table: /perudo",
                notice.number,
                least=str(FEWEST),
            )
        case TournamentAnswer.NOT_HOST:
            return w.say("Only {name} can do that.", name=f.name(notice.name))
        case TournamentAnswer.BUSY:
            return w.say("The game in this group hasn't ended yet. Then the final begins by itself.")
        case TournamentAnswer.STARTED:
            return w.say("It begins!")
        case TournamentAnswer.CHANGED:
            return w.say("Done.")
        case TournamentAnswer.FILE_ABOVE:
            return w.say("The file is above already. Scroll up a little!")
        case TournamentAnswer.ASKED:
            return w.say("I've asked the host of the list. You'll hear from me when they let you in.")
        case TournamentAnswer.MANY_ASK:
            return w.say("Many people are asking the host at the moment. Please try again in a few minutes.")
        case TournamentAnswer.REMOVED:
            return w.say("The host decides about this list, and you're not on it. The next tournament has a new one.")
        case TournamentAnswer.CLOSED:
            return w.say("The list was closed: this tournament doesn't take place.")
        case TournamentAnswer.SHOWN_IN_PRIVATE:
            return w.say("I've sent you the list in our private chat.")
        case TournamentAnswer.FILE_GONE:
            return w.say("The games of this tournament aren't stored any more.")
        case _:
            assert_never(notice.answer)
