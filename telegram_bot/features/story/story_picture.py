"""The picture of a finished game: the course of the dice, the highlights, luck and skill."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.features.story.analysis import GameStory, StoryCall
from telegram_bot.pictures import canvas
from telegram_bot.pictures.canvas import Color
from telegram_bot.tables.faces import Face

MOST_PLAYERS: Final = 10
"""The number of players that fit into the picture, the best first."""
_TITLE: Final = 76
_CHART: Final = 280
_CARD: Final = 96
_ROW: Final = 54
_GAP: Final = 14
_DIE: Final = 40
_SMALL_DIE: Final = 30
_OVERSAMPLING: Final = 3
_EDGE: Final = 28
"""The space around the chart's lines, for labels at their ends."""
_MOST_DICE: Final = 5
"""The number of dice of a hand that are drawn next to a call."""


@dataclass(frozen=True, slots=True)
class StoryLabels:
    """The words in the picture, in the reader's language."""

    title: str
    course: str
    bluff: str
    best: str
    steady: str
    steady_rounds: str
    """With the number of rounds in it."""
    luck: str
    skill: str
    chance: str
    """With a gap for a number."""
    dudo: str
    calza: str


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture."""

    background: Color
    panel: Color
    line: Color
    text: Color
    soft: Color
    luck: Color
    skill: Color
    players: tuple[Color, ...]


THEMES: Final = {
    "dark": Theme(
        background=canvas.FELT,
        panel=canvas.PANEL,
        line=canvas.LINE,
        text=canvas.WHITE,
        soft=canvas.SOFT,
        luck=canvas.GOLD,
        skill=(122, 190, 255),
        players=canvas.SEATS,
    ),
    "light": Theme(
        background=(250, 247, 238),
        panel=(255, 255, 255),
        line=(220, 212, 194),
        text=(34, 42, 40),
        soft=(104, 112, 106),
        luck=(208, 138, 0),
        skill=(22, 104, 186),
        players=(
            *((208, 138, 0), (22, 104, 186), (205, 60, 50), (30, 130, 70), (130, 60, 170)),
            *((70, 76, 80), (226, 96, 10), (0, 140, 145), (205, 60, 140), (120, 125, 30)),
        ),
    ),
}


def story_picture(
    story: GameStory,
    names: Sequence[str],
    colours: Sequence[int],
    labels: StoryLabels,
    theme: str = "dark",
    *,
    figures: Sequence[tuple[str, str]],
    faces: Sequence[Face | None] = (),
) -> bytes:
    """Draw the story of a game as a PNG file; the caption of the message says the same in words.

    `names`, `figures` (luck and skill), `colours`, `faces`: as shown, by seat; a notice of release 1.0 has no faces.
    """
    return _Drawing(story, names, colours, labels, THEMES[theme], figures=figures, faces=faces).encoded()


class _Drawing:
    """The picture while it is drawn, from top to bottom."""

    def __init__(
        self,
        story: GameStory,
        names: Sequence[str],
        colours: Sequence[int],
        labels: StoryLabels,
        theme: Theme,
        *,
        figures: Sequence[tuple[str, str]],
        faces: Sequence[Face | None],
    ) -> None:
        self._story = story
        self._figures = figures
        self._faces = faces or [None] * len(names)
        self._labels = labels
        self._theme = theme
        self._names = [canvas.drawable(name) or f"#{seat + 1}" for seat, name in enumerate(names)]
        self._seats = sorted(range(len(names)), key=lambda seat: story.seats[seat].place)[:MOST_PLAYERS]
        self._colors = {seat: theme.players[colours[seat] % len(theme.players)] for seat in self._seats}
        cards = self._cards()
        height = _TITLE + _CHART + _GAP + len(cards) * (_CARD + _GAP)
        height += _ROW + len(self._seats) * _ROW + canvas.MARGIN
        self._picture = Image.new("RGB", (canvas.WIDTH, height), theme.background)
        self._draw = ImageDraw.Draw(self._picture)
        self._text((canvas.MARGIN, _TITLE // 2), labels.title, 34, theme.text)
        self._chart(_TITLE)
        top = _TITLE + _CHART + _GAP
        for label, seat, call, words in cards:
            self._card(top, label, seat, call, words)
            top += _CARD + _GAP
        self._table(top)

    def encoded(self) -> bytes:
        """Return the picture as a PNG file."""
        return canvas.encode(self._picture)

    def _cards(self) -> list[tuple[str, int, StoryCall | None, str]]:
        """Return the highlights: label, seat, and the call or a text."""
        story, labels = self._story, self._labels
        cards: list[tuple[str, int, StoryCall | None, str]] = []
        if story.bluff is not None:
            cards.append((labels.bluff, story.bluff.seat, story.bluff, ""))
        if story.best is not None:
            cards.append((labels.best, story.best.seat, story.best, ""))
        if story.steady is not None:
            cards.append((labels.steady, story.steady, None, labels.steady_rounds))
        return cards

    def _chart(self, top: int) -> None:
        """Draw as lines how many dice each player had after each round."""
        theme, course = self._theme, self._story.course
        box = (canvas.MARGIN - 14, top, canvas.WIDTH - canvas.MARGIN + 14, top + _CHART)
        self._rounded(box, 18, theme.panel)
        self._text((canvas.MARGIN + 4, top + 24), self._labels.course, 20, theme.soft)
        width, height = canvas.WIDTH - 2 * canvas.MARGIN - 44, _CHART - 90
        left, upper = canvas.MARGIN + 30, top + 62
        most = max(max(counts) for counts in course)
        step = 1 if most <= 6 else 2  # noqa: PLR2004 - more lines than these are a blur
        for count in range(0, most + 1, step):
            y = upper + height - round(height * count / most)
            self._draw.line((left, y, left + width, y), fill=theme.line, width=1)
            self._draw.text((left - 12, y), str(count), font=canvas.font(18), fill=theme.soft, anchor="rm")
        size = (width + 2 * _EDGE, height + 2 * _EDGE)
        large = Image.new("RGBA", (size[0] * _OVERSAMPLING, size[1] * _OVERSAMPLING), (*theme.panel, 0))
        draw = ImageDraw.Draw(large)
        spread = 5 if len(self._seats) <= 6 else 3  # noqa: PLR2004 - so that equal counts stay visible
        for place, seat in reversed(list(enumerate(self._seats))):
            shift = (place - (len(self._seats) - 1) / 2) * spread
            points: list[tuple[float, float]] = []
            for index, counts in enumerate(course):
                x = width * index / max(len(course) - 1, 1)
                points.append(((x + _EDGE) * _OVERSAMPLING, self._y(counts[seat] / most, height, shift)))
                if counts[seat] == 0:
                    break
            color = self._colors[seat]
            draw.line(points, fill=color, width=5 * _OVERSAMPLING, joint="curve")
            end_x, end_y = points[-1]
            radius = 8 * _OVERSAMPLING
            draw.ellipse((end_x - radius, end_y - radius, end_x + radius, end_y + radius), fill=color)
        smooth = large.resize(size, Image.Resampling.LANCZOS)
        self._picture.paste(smooth, (left - _EDGE, upper - _EDGE), smooth)

    @staticmethod
    def _y(share: float, height: int, shift: float) -> float:
        return (height * (1 - share) + _EDGE + shift) * _OVERSAMPLING

    def _card(self, top: int, label: str, seat: int, call: StoryCall | None, words: str) -> None:
        """Draw one highlight, and its player."""
        theme = self._theme
        box = (canvas.MARGIN - 14, top, canvas.WIDTH - canvas.MARGIN + 14, top + _CARD)
        self._rounded(box, 18, theme.panel)
        color = self._colors.get(seat, theme.text)
        self._rounded((box[0] + 8, top + 14, box[0] + 14, top + _CARD - 14), 3, color)
        upper, lower = top + 28, top + 66
        self._text((canvas.MARGIN + 8, upper), label, 21, theme.soft)
        right = canvas.WIDTH - canvas.MARGIN - 4
        if call is None:
            self._name((canvas.MARGIN + 8, lower), seat, 28, 330)
            fitted = self._shrunk(words, 26, 360)
            self._draw.text((right, lower), words, font=canvas.font(fitted), fill=theme.text, anchor="rm")
            return
        chance = self._labels.chance.format(chance=call.chance)
        size = self._shrunk(chance, 26, 190)
        self._draw.text((right, lower), chance, font=canvas.font(size), fill=theme.luck, anchor="rm")
        self._hand(right, upper, call.dice)
        said = {"bid": "", "dudo": self._labels.dudo, "calza": self._labels.calza}[call.call]
        self._name((canvas.MARGIN + 8, lower), seat, 28, 270)
        x = canvas.MARGIN + 300
        if said:
            self._text((x, lower), said, 28, theme.text)
            x += round(canvas.font(28).getlength(said)) + 16
        quantity = f"{call.quantity} ×"
        self._text((x, lower), quantity, 32, theme.text)
        x += round(canvas.font(32).getlength(quantity)) + 12
        canvas.paste(self._picture, self._die(call.face, _DIE), x, lower - _DIE // 2)

    def _hand(self, right: int, middle: int, dice: Sequence[int]) -> None:
        """Draw the player's dice, small, up to the right edge."""
        shown = dice[:_MOST_DICE]
        x = right - len(shown) * (_SMALL_DIE + 6) + 6
        for face in shown:
            canvas.paste(self._picture, self._die(face, _SMALL_DIE), x, middle - _SMALL_DIE // 2)
            x += _SMALL_DIE + 6

    def _die(self, face: int, size: int) -> Image.Image:
        """Return a die; on light paper it needs an edge."""
        return canvas.die(face, size, lit=self._theme.background != canvas.FELT)

    def _table(self, top: int) -> None:
        """Draw each player's luck and skill as bars from the middle."""
        theme, seats = self._theme, self._story.seats
        middles = {"luck": 460, "skill": 668}
        half = 84
        for (kind, middle), label in zip(middles.items(), (self._labels.luck, self._labels.skill), strict=True):
            color = theme.luck if kind == "luck" else theme.skill
            self._draw.text((middle, top + _ROW // 2), label, font=canvas.font(22), fill=color, anchor="mm")
        most = max([1.0, *(abs(getattr(seats[seat], kind)) for seat in self._seats for kind in middles)])
        for place, seat in enumerate(self._seats):
            y = top + _ROW * (place + 1) + _ROW // 2
            color = self._colors[seat]
            dot = (canvas.MARGIN, y - 10, canvas.MARGIN + 20, y + 10)
            self._rounded(dot, 10, color)
            self._text((canvas.MARGIN + 34, y), f"{seats[seat].place}.", 26, theme.text)
            self._name((canvas.MARGIN + 88, y), seat, 26, 246)
            for (kind, middle), shown in zip(middles.items(), self._figures[seat], strict=True):
                value = float(getattr(seats[seat], kind))
                end = middle + round(half * value / most)
                bar = (min(middle, end), y - 16, max(middle, end), y + 16)
                self._draw.rectangle(bar, fill=theme.luck if kind == "luck" else theme.skill)
                self._draw.line((middle, y - 20, middle, y + 20), fill=theme.soft, width=2)
                side = middle + 8 if value < 0 else middle - 8
                anchor = "lm" if value < 0 else "rm"
                self._draw.text((side, y), shown, font=canvas.font(22), fill=theme.text, anchor=anchor)

    def _rounded(self, box: tuple[int, int, int, int], radius: int, color: Color) -> None:
        """Draw a rectangle with smooth round corners."""
        width, height = box[2] - box[0], box[3] - box[1]
        mask = Image.new("L", (width * _OVERSAMPLING, height * _OVERSAMPLING))
        edges = (0, 0, width * _OVERSAMPLING - 1, height * _OVERSAMPLING - 1)
        ImageDraw.Draw(mask).rounded_rectangle(edges, radius=radius * _OVERSAMPLING, fill=255)
        self._picture.paste(color, box, mask.resize((width, height), Image.Resampling.LANCZOS))

    def _name(self, place: tuple[int, int], seat: int, size: int, width: int) -> None:
        """Write the name of a player, after their face, into a width."""
        x, middle = place
        face = canvas.paste_face(self._picture, self._faces[seat], x, middle, size + 8)
        name = canvas.shortened(self._names[seat], size, width - face)
        self._text((x + face, middle), name, size, self._theme.text)

    @staticmethod
    def _shrunk(text: str, size: int, width: int) -> int:
        """Return the size in which a text fits into a width."""
        while size > 14 and canvas.font(size).getlength(text) > width:  # noqa: PLR2004 - still readable
            size -= 2
        return size

    def _text(self, place: tuple[int, int], text: str, size: int, color: Color) -> None:
        self._draw.text(place, text, font=canvas.font(size), fill=color, anchor="lm")
