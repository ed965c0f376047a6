"""The stories of the films: frames, and between them what people do.

A line with `>` has acts: methods of `Scene` or its `GameDriver`, and what they are given. Any other line is a frame: a
person or page, the place there, and a pattern that the place shows; the documents describe it. A place is `group`,
`private`, `texts`, `page`, `photo` (the file itself), `all` (every phone), or `now`: what is open, with its toasts and
alerts. A chat is shown to its newest message or, with `up to`, to the last one that fits.

Codes and dice follow from a film's seed: if another game is played, a frame waits in vain for what it should show.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

TELEVISION: Final = "Television"
PLACE: Final = re.compile("(.+?), (group|private|texts|page|photo|all|now)( up to)?: (.+)")

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
    return Film(name, dict(each.partition(" ")[::2] for each in settings.split("; ")), tuple(_story(name, lines)))


def _story(name: str, lines: list[str]) -> Iterator[Act | Frame]:
    number = 0
    for line in lines:
        if found := PLACE.fullmatch(line):
            number += 1
            who, place, up_to, shows = found.groups()
            file = f"{name}.png" if place == "all" else f"film/{name}-{number}.{'gif' if place == 'photo' else 'png'}"
            yield Frame(file, who, place, bool(up_to), shows)
            continue
        for act in line.removeprefix("> ").split(" / "):
            verb, _, given = act.partition(": ")
            yield verb, tuple(given.split("; ")) if given else ()


STORIES: Final = """
# private: seed 12
> gather
Ana, group: 3. 🐳 Cy
> begin
Bo, private: You open
> bid: 2
Cy, private: Your turn
> bid: 1 / show: Bo; group / dudo
Bo, now: Ana doubts Cy's
> sees: Ana in the group; Round 2
Ana, group up to: Ana loses a die
Cy, private: round 2

# invited: seed 6; people Ana Bo; with_pages
> open
Bo, group: who's in
> visit: A phone's browser; /t/{code} / fill: A phone's browser; Your name; Zoe
A phone's browser, page: Your name

# ephemeral: seed 38; bot_is_admin
> open / tap: Bo Cy in the group; Join / begin
Ana, group: You open
Bo, group: Your dice

# alert: seed 7
> open / tap: Bo Cy in the group; Join / begin
Bo, group: My dice
> click: Bo; group; My dice
Bo, now: Your dice
> dismiss / bid: 2 / bid: 1 / click: Ana; group; Dudo!
Ana, now: once more

# inline: seed 10
> say: Ana in the group; /settings / tap: Ana in the group; In the text field
> say: Bo in the group; /settings / tap: Bo in the group; In the text field
> say: Cy in the group; /settings / tap: Cy in the group; In the text field / open
> tap: Bo Cy in the group; Join / begin
Bo, group: My turn
> click: Bo; group; My turn
Bo, group: Your dice
> type: Bo; three fiv / choose: Bo / type: Cy; four fi
Cy, group: 4 fives
> choose: Cy
Cy, group: Cy: 4

# texts: seed 8; people Ana Bo; with_phone
> gather
Ana, group: Or text
> text: JOIN {code} Gran / sees: Ana in the group; Gran / begin / bid
Gran, texts: Your turn
> text: four threes
Ana, group: Gran: 4
> dudo
Gran, texts: doubted

# voice: seed 12
> say: Ana; /start; /settings / tap: Ana; Read to me aloud / say: Bo; /start; /settings
> tap: Bo; Read to me aloud / say: Cy; /start; /settings / tap: Cy; Read to me aloud / open
> tap: Bo Cy in the group; Join / begin
Bo, private: You open
> speak: Bo; three fours
Bo, private: Did you say this
> tap: Bo; 3 × 4️⃣
Bo, group: 🎙 .* said 3
> bid: 1 / speak: Ana; liar
Ana, private: Did you say this
> tap: Ana; Dudo!
Ana, private: round 2

# web-seat: seed 4; people Ana; with_pages
> gather
Ana, private: this is your table
> click: Ana; private; Open the table / page: Play as a guest
> fill: Play as a guest; The table's code; {code} / fill: Play as a guest; Your name; Cy
> press: Play as a guest; Come in
Ana's phone, page: would like to come in
> press: Ana's phone; Let in / see: Play as a guest; At the table: 2 of 6
> press: Ana's phone; Start / at_once: Ana's phone / press: Ana's phone; Lift the cup
> press: Play as a guest; Lift the cup; Bid / press: Ana's phone; Bid
Play as a guest, page: Your turn

# party: seed 4; people Ana; with_pages
> page: Television
Television, page: types these letters
> page: Play as a guest / fill: Play as a guest; Your name; Mum
Play as a guest, page: Open a table
> press: Play as a guest; Open a table / read_letters / press: Play as a guest; Television
> fill: Play as a guest; The letters on the television; {letters}
Television, page: Scan to join
> press: Play as a guest; Classic; Short / visit: Dad; /t/{code} / fill: Dad; Your name; Dad
> press: Dad; Come in / press: Play as a guest; Let in; Computer players; Add one
> see: Television; At the table: 3 of 6 / press: Play as a guest; Start / press: Dad; We know it
> press: Play as a guest; Lift the cup; 2 / see: Play as a guest; Dudo!
Television, page: Dudo|dudo
> press: Play as a guest; We know it / press: Dad; Bid / press: Play as a guest; Lift the cup
Television, page: Mum('s turn| opens)|MUM('S TURN| OPENS)
> play_until: Television; text=loses a die / press: Play as a guest; No way!
Television, page: No way!
> play_until: Television; .ghosts p
Television, page: ghost
> play_until: Television; .beat
Television, page: Best liar|Best nose|Unluckiest|The turning point
> play_until: Television; .chart
Television, page: Play again

# one-table: seed 19; people Ana Bo; height 1000; with_phone
> gather / text: JOIN {code} Gran / sees: Ana in the group; Gran / begin / bid / text: dudo
> sees: Ana in the group; Round 2 / text: 3x4 / sees: Ana; round 2(?s:.*)Your turn
> show: Ana; private / show: Bo; group
All phones, all: Gran loses a die

# lobby: seed 6; height 1000
> gather / tap: Ana; Players
Ana, private: who else should play
> tap: Ana; Back; Rules
Ana, private: how shall we play
> tap: Ana; Each rule
Ana, private: to change one
> say: Bo; /settings
Bo, private: How would you like

# tournament: seed 5; people Ana Bo Cy Dee Eve Fay Gus Hal; height 900; with_pages
> say: Ana Bo Cy Dee Eve Fay Gus Hal; /start / open / visit: Television; /t/{code} / fill: Television; Your name; Oma
> press: Television; Come in / see: Television; I've asked the host / say: Ana in the group; /stop
> visit: Television; /tv/{code}#{key} / say: Ana in the group; /tournament
> sees: Ana in the group; Several tables at once / tap: Bo Cy Dee Eve Fay Gus Hal in the group; Join
Ana, group: 8/40
> tap: Ana in the group; Start / stage: stage 1; 25
Ana, group: (Ana|Bo|Cy|Dee|Eve|Fay|Gus|Hal) [1-4]
Television, page: stage 1
> stage: stage 1 / stage: grand final
Ana, group up to: wins the tournament

# practice: seed 5; people Ana
> say: Ana; /start
Ana, private: Practise alone
> tap: Ana; Practise alone; What would you do?
Ana, private: I would say

# end: seed 9; people Ana Bo
> gather / tap: Ana; Rules; Short; Each rule; Shake the dice / tap: Ana in the group; 🍀 / begin
> finish
Ana, group up to: wins!
> tap: Ana in the group; More; Tell the story
Ana, group: 📖
> tap: Ana in the group; Check the dice
Ana, group: 🔐
> tap: Ana in the group; Best reveals
Ana, photo: The best reveals
"""
FILMS: Final = tuple(map(_film, STORIES.split("\n# ")[1:]))
