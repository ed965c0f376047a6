"""Group addresses into networks and sites, which limits count as one caller; and find visitors behind proxies."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from starlette.requests import Request

from telegram_bot.settings.sections import WebSeatSettings

Network: TypeAlias = IPv4Network | IPv6Network

NO_ADDRESS: Final = "?"
"""The one network of all whose address cannot be read."""
A_SITE: Final = 3
"""How many times as much as one network a site may have."""
INSIDE: Final[Sequence[Network]] = tuple(
    map(
        ip_network,
        (
            *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
            *("::1/128", "fc00::/7", "fe80::/10"),
        ),
    )
)
"""This machine, and networks that the internet does not reach."""


@lru_cache(maxsize=4096)
def site_of(network: str) -> str:
    """Return the /48 of an IPv6 network, which one customer may have; an IPv4 address as it is."""
    address = _read(network.partition("/")[0])
    return str(ip_network((address, 48), strict=False)) if isinstance(address, IPv6Address) else network


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Return an IPv4 address, or the /64 of an IPv6 address: a home or a rented machine has a whole /64.

    A port is left out: some proxies write it.
    """
    found = _read(address)
    if isinstance(found, IPv6Address):
        return str(ip_network((found, 64), strict=False))
    return NO_ADDRESS if found is None else str(found)


def has_enough(network: str, others: Iterable[str], most: int) -> bool:
    """Return True if a network is `most` times among the others, or its site several times as often."""
    there = list(others)
    sites = sum(site_of(each) == site_of(network) for each in there)
    return there.count(network) >= most or sites >= A_SITE * most


class Proxies:
    """The proxies before the bot, which tell by X-Forwarded-For whose a request is."""

    def __init__(self, seat: WebSeatSettings) -> None:
        self._named = seat.proxies
        self._callers = (*INSIDE, *seat.proxies) if seat.behind_proxy else seat.proxies

    def __contains__(self, peer: object) -> bool:
        """Return True if an address that connects to the bot is that of a proxy."""
        return isinstance(peer, str) and _is_among(peer, self._callers)

    def network_of(self, request: Request) -> str:
        """Return the network of a visitor.

        Every proxy adds the address of its caller at the end of the header; visitors may send the beginning themselves.
        """
        peer = "" if request.client is None else request.client.host
        forwarded = ",".join(request.headers.getlist("x-forwarded-for")) if peer in self else ""
        chain = [peer, *(each.strip() for each in reversed(forwarded.split(",")) if each.strip())]
        visitors = (each for each in chain[1:] if not _is_among(each, self._named))
        return network_of(next(visitors, chain[-1]))


def _is_among(address: str, networks: Iterable[Network]) -> bool:
    found = _read(address)
    return found is not None and any(found in network for network in networks)


def _read(address: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, perhaps with brackets, a zone or a port."""
    if address.startswith("["):
        address = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return found if found.version == 4 else found.ipv4_mapped or found  # noqa: PLR2004 - IPv4
