"""The stories of the films: what people do, and when a picture is taken. A line has acts and what they are given.

An act is a method of `Scene` or its `GameDriver`. To *take* a picture is one of them: of a person or page, of a place
there, with a pattern that the place shows. A place is `group`, `private`, `texts`, `page`, `photo` (the file itself),
`all` (every phone), or `now`: what is open, with its toasts and alerts. A chat is shown to its newest message or, with
`up to`, to the last one that fits. The documents describe the pictures.

Codes and dice follow from a film's seed: if another game is played, a picture waits in vain for what it should show.
"""

from dataclasses import dataclass
from typing import Final

TELEVISION: Final = "Television"


@dataclass(frozen=True, slots=True)
class Film:
    """A story, and where it takes place: each act by its name, with what it is given."""

    name: str
    given: dict[str, str]
    story: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def files(self) -> list[str]:
        """The files of the pictures; one of all phones has no number."""
        places = [given[1] for act, given in self.story if act == "take"]
        endings = {"photo": "gif"}
        return [
            f"{self.name}.png" if place == "all" else f"film/{self.name}-{number}.{endings.get(place, 'png')}"
            for number, place in enumerate(places, 1)
        ]


def _film(text: str) -> Film:
    heading, *lines = text.strip().splitlines()
    name, _, settings = heading.partition(": ")
    acts = (act.partition(": ")[::2] for line in lines for act in line.split(" / "))
    story = tuple((act, tuple(given.split("; ")) if given else ()) for act, given in acts)
    return Film(name, dict(each.partition(" ")[::2] for each in settings.split("; ")), story)


STORIES: Final = """
# private: seed 12
gather
take: Ana; group; 3. 🐳 Cy
begin
take: Bo; private; You open
bid: 2
take: Cy; private; Your turn
bid: 1 / show: Bo; group / dudo
take: Bo; now; Ana doubts Cy's
sees: Ana in the group; Round 2
take: Ana; group up to; Ana loses a die
take: Cy; private; round 2

# invited: seed 6; people Ana Bo; with_pages
open
take: Bo; group; who's in
visit: A phone's browser; /t/{code} / fill: A phone's browser; Your name; Zoe
take: A phone's browser; page; Your name

# ephemeral: seed 38; bot_is_admin
open / tap: Bo Cy in the group; Join / begin
take: Ana; group; You open
take: Bo; group; Your dice

# alert: seed 7
open / tap: Bo Cy in the group; Join / begin
take: Bo; group; My dice
click: Bo; group; My dice
take: Bo; now; Your dice
dismiss / bid: 2 / bid: 1 / click: Ana; group; Dudo!
take: Ana; now; once more

# inline: seed 10
say: Ana in the group; /settings / tap: Ana in the group; In the text field
say: Bo in the group; /settings / tap: Bo in the group; In the text field
say: Cy in the group; /settings / tap: Cy in the group; In the text field / open
tap: Bo Cy in the group; Join / begin
take: Bo; group; My turn
click: Bo; group; My turn
take: Bo; group; Your dice
type: Bo; three fiv / choose: Bo / type: Cy; four fi
take: Cy; group; 4 fives
choose: Cy
take: Cy; group; Cy: 4

# texts: seed 8; people Ana Bo; with_phone
gather
take: Ana; group; Or text
text: JOIN {code} Gran / sees: Ana in the group; Gran / begin / bid
take: Gran; texts; Your turn
text: four threes
take: Ana; group; Gran: 4
dudo
take: Gran; texts; doubted

# voice: seed 12
say: Ana Bo Cy; /start; /settings / tap: Ana Bo Cy; Read to me aloud
open / tap: Bo Cy in the group; Join / begin
take: Bo; private; You open
speak: Bo; three fours
take: Bo; private; Did you say this
tap: Bo; 3 × 4️⃣
take: Bo; group; 🎙 .* said 3
bid: 1 / speak: Ana; liar
take: Ana; private; Did you say this
tap: Ana; Dudo!
take: Ana; private; round 2

# web-seat: seed 4; people Ana; with_pages
gather
take: Ana; private; this is your table
click: Ana; private; Open the table / page: Play as a guest
fill: Play as a guest; The table's code; {code} / fill: Play as a guest; Your name; Cy
press: Play as a guest; Come in
take: Ana's phone; page; would like to come in
press: Ana's phone; Let in / see: Play as a guest; At the table: 2 of 6
press: Ana's phone; Start / at_once: Ana's phone / press: Ana's phone; Lift the cup
press: Play as a guest; Lift the cup; Bid / press: Ana's phone; Bid
take: Play as a guest; page; Your turn

# party: seed 4; people Ana; with_pages
page: Television
take: Television; page; types these letters
page: Play as a guest / fill: Play as a guest; Your name; Mum
take: Play as a guest; page; Open a table
press: Play as a guest; Open a table / read_letters / press: Play as a guest; Television
fill: Play as a guest; The letters on the television; {letters}
take: Television; page; Scan to join
press: Play as a guest; Classic; Short / visit: Dad; /t/{code} / fill: Dad; Your name; Dad
press: Dad; Come in / press: Play as a guest; Let in; Computer players; Add one
see: Television; At the table: 3 of 6 / press: Play as a guest; Start / press: Dad; We know it
press: Play as a guest; Lift the cup; 2 / see: Play as a guest; Dudo!
take: Television; page; Dudo|dudo
press: Play as a guest; We know it / press: Dad; Bid / press: Play as a guest; Lift the cup
take: Television; page; Mum('s turn| opens)|MUM('S TURN| OPENS)
play_until: Television; text=loses a die / press: Play as a guest; No way!
take: Television; page; No way!
play_until: Television; .ghosts p
take: Television; page; ghost
play_until: Television; .beat
take: Television; page; Best liar|Best nose|Unluckiest|The turning point
play_until: Television; .chart
take: Television; page; Play again

# one-table: seed 19; people Ana Bo; height 1000; with_phone
gather / text: JOIN {code} Gran / sees: Ana in the group; Gran / begin / bid / text: dudo
sees: Ana in the group; Round 2 / text: 3x4 / sees: Ana; round 2(?s:.*)Your turn
show: Ana; private / show: Bo; group
take: All phones; all; Gran loses a die

# lobby: seed 6; height 1000
gather / tap: Ana; Players
take: Ana; private; who else should play
tap: Ana; Back; Rules
take: Ana; private; how shall we play
tap: Ana; Each rule
take: Ana; private; to change one
say: Bo; /settings
take: Bo; private; How would you like

# tournament: seed 5; people Ana Bo Cy Dee Eve Fay Gus Hal; height 900; with_pages
say: Ana Bo Cy Dee Eve Fay Gus Hal; /start / open / visit: Television; /t/{code} / fill: Television; Your name; Oma
press: Television; Come in / see: Television; I've asked the host / say: Ana in the group; /stop
visit: Television; /tv/{code}#{key} / say: Ana in the group; /tournament
sees: Ana in the group; Several tables at once / tap: Bo Cy Dee Eve Fay Gus Hal in the group; Join
take: Ana; group; 8/40
tap: Ana in the group; Start / stage: stage 1; 25
take: Ana; group; (Ana|Bo|Cy|Dee|Eve|Fay|Gus|Hal) [1-4]
take: Television; page; stage 1
stage: stage 1 / stage: grand final
take: Ana; group up to; wins the tournament

# practice: seed 5; people Ana
say: Ana; /start
take: Ana; private; Practise alone
tap: Ana; Practise alone; What would you do?
take: Ana; private; I would say

# end: seed 9; people Ana Bo
gather / tap: Ana; Rules; Short; Each rule; Shake the dice / tap: Ana in the group; 🍀 / begin
play
take: Ana; group up to; wins!
tap: Ana in the group; More; Tell the story
take: Ana; group; 📖
tap: Ana in the group; Check the dice
take: Ana; group; 🔐
tap: Ana in the group; Best reveals
take: Ana; photo; The best reveals
"""
FILMS: Final = tuple(map(_film, STORIES.split("\n# ")[1:]))
