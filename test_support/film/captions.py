"""The captions of the film: `.ci/run film` writes them from each game, and the documents print them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from test_support.documents import ROOT

IMAGES: Final = ROOT / "docs/images"
CAPTIONS: Final = Path("film/captions.json")
IN_A_ROW: Final = 2
"""On a page of 880 pixels a phone is then as large as it is."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, its caption, and the words for a reader who does not see it."""

    file: str
    caption: str
    contents: str
    wide: bool

    @property
    def embedded(self) -> str:
        return f"![{self.contents}](images/{self.file})"


def kept(folder: Path = IMAGES) -> dict[str, list[Picture]]:
    file = folder / CAPTIONS
    stories = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {story: [Picture(**picture) for picture in pictures] for story, pictures in stories.items()}


def keep(folder: Path, stories: Mapping[str, Sequence[Picture]]) -> None:
    rows = {story: [asdict(picture) for picture in pictures] for story, pictures in stories.items()}
    written = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    (folder / CAPTIONS).parent.mkdir(parents=True, exist_ok=True)
    (folder / CAPTIONS).write_text(written, encoding="utf-8")


def shown(pictures: Sequence[Picture]) -> str:
    """Return the pictures of a story for a page: two phones in a row, a television alone."""
    return "\n".join(
        block
        for wide, together in groupby(pictures, key=lambda picture: picture.wide)
        for block in ((f"**{one.caption}**\n\n{one.embedded}\n" for one in together) if wide else _table([*together]))
    )


def _table(pictures: Sequence[Picture]) -> Iterator[str]:
    rows = [pictures[first : first + IN_A_ROW] for first in range(0, len(pictures), IN_A_ROW)]
    first, *others = ([picture.caption for picture in row] for row in rows)
    lines = [first, ["---"] * IN_A_ROW, [picture.embedded for picture in rows[0]]]
    for captions, row in zip(others, rows[1:], strict=True):
        lines += [[f"**{caption}**" for caption in captions], [picture.embedded for picture in row]]
    yield "".join(f"| {' | '.join([*line, ''][:IN_A_ROW])} |\n" for line in lines)
