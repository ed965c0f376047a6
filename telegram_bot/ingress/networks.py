"""Group addresses into networks, which limits count as one caller."""

from ipaddress import IPv6Address, ip_address, ip_network


def network_of(address: str) -> str:
    """Return an IPv4 address, or the /64 of an IPv6 address: a home or a rented machine has a whole /64."""
    try:
        found = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)
