"""The stories of the films: frames, and between them what people do.

A line with `>` has acts: methods of `Scene` or its `GameDriver`, and what they are given. Three lines are a frame: a
person or page, the place there, and a pattern that the place shows; the caption; the contents, for a reader who sees no
picture. A place is `group`, `private`, `texts`, `page`, `photo` (the file itself), `all` (every phone), or `now`: what
is open, with its toasts and alerts. A chat is shown to its newest message or, with `up to`, to the last one that fits.

Codes and dice follow from a film's seed: if another game is played, a frame waits in vain for what it should show.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

TELEVISION: Final = "Television"
PLACE: Final = re.compile("(.+?), (group|private|texts|page|photo|all|now)( up to)?: (.+)")
PLACES: Final = {
    "group": "The group on {}'s phone: ",
    "private": "{}'s private chat: ",
    "texts": "{}'s telephone: ",
    "now": "The group on {}'s phone: ",
}
"""The words for a place in the contents of a picture."""


Act: TypeAlias = tuple[str, tuple[str, ...]]
"""The name of a method of `Scene` or its driver, and what it is given."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture: where it is taken, and what it shows."""

    file: str
    name: str
    place: str
    up_to: bool
    shows: str
    caption: str
    contents: str


@dataclass(frozen=True, slots=True)
class Film:
    """A story, and where it takes place."""

    name: str
    given: dict[str, str]
    story: tuple[Act | Frame, ...]

    @property
    def frames(self) -> list[Frame]:
        return [each for each in self.story if isinstance(each, Frame)]


def _film(text: str) -> Film:
    heading, *lines = text.strip().splitlines()
    name, _, settings = heading.partition(": ")
    return Film(name, dict(each.partition(" ")[::2] for each in settings.split("; ")), tuple(_story(name, iter(lines))))


def _story(name: str, lines: Iterator[str]) -> Iterator[Act | Frame]:
    number = 0
    for line in lines:
        if line.startswith("> "):
            for act in line[2:].split(" / "):
                verb, _, given = act.partition(": ")
                yield verb, tuple(given.split("; ")) if given else ()
            continue
        found = PLACE.fullmatch(line)
        assert found is not None, line
        who, place, up_to, shows = found.groups()
        number += 1
        file = f"{name}.png" if place == "all" else f"film/{name}-{number}.{'gif' if place == 'photo' else 'png'}"
        caption, contents = next(lines).strip(), PLACES.get(place, "").format(who) + next(lines).strip()
        yield Frame(file, who, place, bool(up_to), shows, caption, contents)


STORIES: Final = """
# private: seed 12
> gather
Ana, group: 3. 🐳 Cy
    the lobby: Ana may start
    the lobby with three players, the rules, Join and Start
> begin
Bo, private: You open
    Bo opens the round
    five dice as a picture, and buttons for bids
> bid: 2
Cy, private: Your turn
    Cy may raise, doubt, or say *calza*
    dice, Bo's bid, higher bids and a red button Dudo
> bid: 1 / show: Bo; group / dudo
Bo, now: Ana doubts Cy's
    Ana doubts Cy's bid: the group reads it first
    Dudo! Ana doubts Cy's bid, cups up
> sees: Ana in the group; Round 2
Ana, group up to: Ana loses a die
    the dice: Ana loses one
    all dice as a picture, those that count lit, and the count; Ana loses a die
Cy, private: round 2
    Cy has seen the call and the dice here too, then the next board
    Dudo, all dice as a picture, then Cy's new dice

# invited: seed 6; people Ana Bo; with_pages
> open
Bo, group: who's in
    in Telegram: tap *Join*
    an invitation: Perudo, who's in, with a button Join
> visit: A phone's browser; /t/{code} / fill: A phone's browser; Your name; Zoe
A phone's browser, page: Your name
    by a link: choose a name and an animal
    A phone's browser: a field for the name, twenty animals, Come in

# ephemeral: seed 38; bot_is_admin
> open / tap: Bo Cy in the group; Join / begin
Ana, group: You open
    Ana's dice and bids, which only Ana sees
    a message marked Only you see this, with dice and bids
Bo, group: Your dice
    Bo sees other dice, and waits for Ana
    Bo's own dice, no bids

# alert: seed 7
> open / tap: Bo Cy in the group; Join / begin
Bo, group: My dice
    Bo opens with the buttons that all see
    the table, bids, My dice, Open the bot
> click: Bo; group; My dice
Bo, now: Your dice
    *My dice*: an alert for Bo alone
    an alert with Your dice, It's your turn
> dismiss / bid: 2 / bid: 1 / click: Ana; group; Dudo!
Ana, now: once more
    Ana taps *Dudo*, which asks before it counts
    Dudo? If you're sure, tap it once more

# inline: seed 10
> say: Ana in the group; /settings / tap: Ana in the group; In the text field
> say: Bo in the group; /settings / tap: Bo in the group; In the text field
> say: Cy in the group; /settings / tap: Cy in the group; In the text field / open
> tap: Bo Cy in the group; Join / begin
Bo, group: My turn
    Bo taps *My turn*
    the table with My turn and My dice
> click: Bo; group; My turn
Bo, group: Your dice
    Bo's dice, and bids, the likeliest first
    a list over the text field with Your dice, then bids
> type: Bo; three fiv / choose: Bo / type: Cy; four fi
Cy, group: 4 fives
    Cy types *four fi*
    the list with Cy's dice, and one bid, four fives
> choose: Cy
Cy, group: Cy: 4
    a bid is the player's own message
    two bids as messages by Bo and Cy via the bot

# texts: seed 8; people Ana Bo; with_phone
> gather
Ana, group: Or text
    the code in the lobby
    the lobby says Or text JOIN and a code to a number
> text: JOIN {code} Gran / sees: Ana in the group; Gran / begin / bid
Gran, texts: Your turn
    Gran has joined, and it is her turn
    her dice, the standing bid, what to text
> text: four threes
Ana, group: Gran: 4
    she texts *four threes*: the group sees it
    Gran's bid, four threes
> dudo
Gran, texts: doubted
    Gran reads the end of the round
    how many there were, Gran loses a die, the next dice

# voice: seed 12
> say: Ana; /start; /settings / tap: Ana; Read to me aloud / say: Bo; /start; /settings
> tap: Bo; Read to me aloud / say: Cy; /start; /settings / tap: Cy; Read to me aloud / open
> tap: Bo Cy in the group; Join / begin
Bo, private: You open
    Bo's dice are read to Bo alone
    dice, bids, and a voice note of the bot
> speak: Bo; three fours
Bo, private: Did you say this
    Bo says *three fours*: one tap, and it counts
    the player's own voice note, Did you say this, a button with three fours, Not that
> tap: Bo; 3 × 4️⃣
Bo, group: 🎙 .* said 3
    the group reads the bid and its player
    a microphone, Bo said three fours
> bid: 1 / speak: Ana; liar
Ana, private: Did you say this
    Ana says *liar*: dudo is always asked about
    the player's voice note, Did you say this, a button Dudo
> tap: Ana; Dudo!
Ana, private: round 2
    the end of the round is read aloud, and written
    Ana loses a die, the next dice, and voice notes of the bot

# web-seat: seed 4; people Ana; with_pages
> gather
Ana, private: this is your table
    *Open the table* in the host's private chat
    the lobby with a button Open the table
> click: Ana; private; Open the table / page: Play as a guest
> fill: Play as a guest; The table's code; {code} / fill: Play as a guest; Your name; Cy
> press: Play as a guest; Come in
Ana's phone, page: would like to come in
    Ana's seat: Cy has typed the table's code
    Ana's seat: Cy would like to come in, Let in, Not now
> press: Ana's phone; Let in / see: Play as a guest; At the table: 2 of 6
> press: Ana's phone; Start / at_once: Ana's phone / press: Ana's phone; Lift the cup
> press: Play as a guest; Lift the cup; Bid / press: Ana's phone; Bid
Play as a guest, page: Your turn
    Cy's turn: the cup is lifted
    Cy's seat: Ana's bid, Cy's five dice, the next bid, Dudo, Calza

# party: seed 4; people Ana; with_pages
> page: Television
Television, page: types these letters
    the television's letters
    A television: four letters and a QR code
> page: Play as a guest / fill: Play as a guest; Your name; Mum
Play as a guest, page: Open a table
    Mum opens a table, and types them
    Mum's phone: her name, Open a table, or a code
> press: Play as a guest; Open a table / read_letters / press: Play as a guest; Television
> fill: Play as a guest; The letters on the television; {letters}
Television, page: Scan to join
    the lobby on the television: how to play, the code to scan
    A television: Mum sits at the table, how to play in four steps, a QR code
> press: Play as a guest; Classic; Short / visit: Dad; /t/{code} / fill: Dad; Your name; Dad
> press: Dad; Come in / press: Play as a guest; Let in; Computer players; Add one
> see: Television; At the table: 3 of 6 / press: Play as a guest; Start / press: Dad; We know it
> press: Play as a guest; Lift the cup; 2 / see: Play as a guest; Dudo!
Television, page: Dudo|dudo
    a practice round first, until Mum taps *We know it*
    A television: a practice round, the bid of the bot's friend, What do you do?, and three cups
> press: Play as a guest; We know it / press: Dad; Bid / press: Play as a guest; Lift the cup
Television, page: Mum('s turn| opens)|MUM('S TURN| OPENS)
    for the whole room: Mum's turn
    A television: Mum's turn, in large letters, and the cups of three players
> play_until: Television; text=loses a die / press: Play as a guest; No way!
Television, page: No way!
    the end of a round: Mum shouts
    A television: all dice, those that count lit, who loses a die, and No way! at Mum's seat
> play_until: Television; .ghosts p
Television, page: ghost
    Mum is out: as a ghost she guesses every call
    A television: the dice of a round, Mum's ghost over the felt, and whether it knew
> play_until: Television; .beat
Television, page: Best liar|Best nose|Unluckiest|The turning point
    after the game, a ceremony
    A television: a title in large letters, a player's face, and what the player did
> play_until: Television; .chart
Television, page: Play again
    the finale
    A television: a trophy, the winner, the places, the story of the game, a QR code for the next one

# one-table: seed 19; people Ana Bo; height 1000; with_phone
> gather / text: JOIN {code} Gran / sees: Ana in the group; Gran / begin / bid / text: dudo
> sees: Ana in the group; Round 2 / text: 3x4 / sees: Ana; round 2(?s:.*)Your turn
> show: Ana; private / show: Bo; group
All phones, all: Gran loses a die
    Gran has doubted, Gran has lost a die, and it is Ana's turn
    One table: Ana's private chat with her dice and bids, the group on Bo's phone, and the texts of Gran, who doubted

# lobby: seed 6; height 1000
> gather / tap: Ana; Players
Ana, private: who else should play
    *Players*, in the host's private chat
    four levels of computer players, Fill the table, and a button to remove each player
> tap: Ana; Back; Rules
Ana, private: how shall we play
    *Rules*: five tables and the twists
    the twists, a sentence for each, and buttons: Classic, Short, Slow, two rulebooks, the twists, Each rule
> tap: Ana; Each rule
Ana, private: to change one
    *Each rule*: what differs is bold
    every option with its value, and how to change one
> say: Bo; /settings
Bo, private: How would you like
    `/settings`, in the private chat
    ways to see one's dice, switches, and folders for dice and language

# tournament: seed 5; people Ana Bo Cy Dee Eve Fay Gus Hal; height 900; with_pages
> say: Ana Bo Cy Dee Eve Fay Gus Hal; /start / open / visit: Television; /t/{code} / fill: Television; Your name; Oma
> press: Television; Come in / see: Television; I've asked the host / say: Ana in the group; /stop
> visit: Television; /tv/{code}#{key} / say: Ana in the group; /tournament
> sees: Ana in the group; Several tables at once / tap: Bo Cy Dee Eve Fay Gus Hal in the group; Join
Ana, group: 8/40
    the list in the group
    the list of eight people, the rules, Join, Leave, Start
> tap: Ana in the group; Start / stage: stage 1; 25
Ana, group: (Ana|Bo|Cy|Dee|Eve|Fay|Gus|Hal) [1-4]
    all tables, in one message
    two tables, and how many dice each player has
Television, page: stage 1
    the television: the table with the fewest dice is large
    A television: one table large, the other one small, how many dice each player has
> stage: stage 1 / stage: grand final
Ana, group up to: wins the tournament
    after the final: one picture of all stages and places, to forward
    both stages with everyone's place, who won, and the best bluff

# practice: seed 5; people Ana
> say: Ana; /start
Ana, private: Practise alone
    the first word
    the bot greets Ana: Learn in two minutes, Practise alone
> tap: Ana; Practise alone; What would you do?
Ana, private: I would say
    *What would you do?*
    the coach names one call, why, its risk, and a button that says it

# end: seed 9; people Ana Bo
> gather / tap: Ana; Rules; Short; Each rule; Shake the dice / tap: Ana in the group; 🍀 / begin
> finish
Ana, group up to: wins!
    the winner; the dice are checked
    the winner, the places, achievements, Dice checked, Play again
> tap: Ana in the group; More; Tell the story
Ana, group: 📖
    *Tell the story*
    a chart, the boldest bluff, where it was decided, luck and skill
> tap: Ana in the group; Check the dice
Ana, group: 🔐
    *Check the dice*
    the file of the game, what was shaken in, how to verify it
> tap: Ana in the group; Best reveals
Ana, photo: The best reveals
    *Best reveals*: an animation to forward
    Three reveals, one after the other: bids, cups that lift, the count, and who did what
"""
FILMS: Final = tuple(map(_film, STORIES.split("\n# ")[1:]))
