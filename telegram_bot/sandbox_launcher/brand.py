"""The game's part of the sandbox's page: its words are in the script, the links to the bot's pages are here."""

from dataclasses import asdict, dataclass
from pathlib import Path

from telegram_sandbox import Extension, World


@dataclass(frozen=True, slots=True)
class PageLink:
    """Another page of the bot's, which the bar at the top opens next to the phones."""

    title: str
    address: str
    wide: bool = False
    """Whether it is made for a big screen."""


@dataclass(frozen=True, slots=True)
class BrandSettings:
    """The links; one of `SandboxSettings.extensions`."""

    links: tuple[PageLink, ...] = ()

    def __call__(self, world: World) -> "Brand":
        """Add the game's part to the page."""
        return Brand(world, self)


class Brand(Extension):
    """The game's part of the page."""

    name = "brand"
    folder = Path(__file__).parent / "static/brand"

    def __init__(self, world: World, settings: BrandSettings) -> None:
        super().__init__(world)
        self.links = settings.links

    def state(self) -> dict[str, object]:
        """Return the links."""
        return {"links": [asdict(link) for link in self.links]}
