"""Group addresses into networks, which limits count as one caller."""

from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network


def site_of(network: str) -> str:
    """Return the /48 of an IPv6 network, which one customer may have; an IPv4 address as it is."""
    try:
        found = ip_network(network)
    except ValueError:
        return network
    return str(found.supernet(new_prefix=48)) if isinstance(found, IPv6Network) else network


def network_of(address: str) -> str:
    """Return an IPv4 address, or the /64 of an IPv6 address: a home or a rented machine has a whole /64."""
    try:
        found = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)
