"""Check whether the pages' public address leads to the bot, and whether the bot tells its visitors apart."""

from ipaddress import ip_network
from typing import Final
from urllib.parse import urlsplit

import httpx

from telegram_bot import internet
from telegram_bot.ingress.networks import NO_ADDRESS, network_of
from telegram_bot.operations.doctor.check_result import CheckResult, failed, passed
from telegram_bot.settings import Settings

PATIENCE: Final = 10.0
FALSE_ADDRESS: Final = "192.0.2.66"
"""No machine has it."""
ONE_NETWORK: Final = "all visitors share the limits of one network"


async def examine(settings: Settings) -> list[CheckResult]:
    """Ask the bot at the public address as whose network it counts this machine, with a false X-Forwarded-For."""
    url = settings.web_seat.url.rstrip("/")
    if not url:
        return []
    try:
        async with internet.client(httpx.AsyncClient, timeout=PATIENCE) as client:
            asked = client.stream("GET", f"{url}/seat/network", headers={"X-Forwarded-For": FALSE_ADDRESS})
            async with asked as answer:
                own, *_ = answer.extensions["network_stream"].get_extra_info("client_addr")
                await answer.aread()
    except httpx.HTTPError as error:
        why = str(error) or type(error).__name__
        mend = "From outside it may be well: behind some routers (NAT) a machine cannot reach its own outside address."
        return [CheckResult("pages", ok=None, says=f"{url} cannot be reached from here ({why})", mend=mend)]
    try:
        network = str(answer.json()["network"])
    except (ValueError, KeyError, TypeError):
        says = f"{url} answers {answer.status_code} in place of the bot"
        return [failed("pages", says, "Does the bot run, and does the proxy pass on /seat/ and Host to web.port?")]
    return [judge(url, network, network_of(own))]


def judge(url: str, network: str, own: str) -> CheckResult:
    """Judge the network as which the bot has counted a request of this machine, whose own is `own`."""
    host = urlsplit(url).netloc
    if network == FALSE_ADDRESS:
        return failed(
            "pages",
            f"the bot at {host} believes a visitor's own X-Forwarded-For, so that no limit of the pages holds",
            "Without a proxy: web_seat.behind_proxy = false. With one: let it add its caller's address to the header.",
        )
    if network == NO_ADDRESS or (network != own and ip_network(own).is_global):
        seen = "no address" if network == NO_ADDRESS else network
        return failed(
            "pages",
            f"the bot at {host} sees {seen} in place of {own}: {ONE_NETWORK}",
            "Let each proxy add its caller's address to X-Forwarded-For, and name those elsewhere in web_seat.proxies.",
        )
    if network != own and not ip_network(network).is_global:
        says = f"the bot at {host} sees {network} in place of an outside address"
        return CheckResult("pages", ok=None, says=says, mend=f"If friends far away are seen so too, {ONE_NETWORK}.")
    return passed("pages", f"the bot answers at {host}, and sees that this machine comes from {network}")
