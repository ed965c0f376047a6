"""The settings of text messages: the gateways, and the limits on what may be spent."""

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field, SecretStr
from pydantic_core import ErrorDetails

from telegram_bot.settings.sections import Allowed, InvalidSettingError, Section

MIN_KEY_LENGTH: Final = 32
_VARIABLE: Final = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")


def _keys(value: SecretStr) -> SecretStr:
    if any(len(key) < MIN_KEY_LENGTH for key in _split(value)):
        raise ValueError("too short")
    return value


def _split(value: SecretStr) -> list[str]:
    return [key.strip() for key in value.get_secret_value().split(",") if key.strip()]


_Name: TypeAlias = Annotated[
    str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$"), Allowed("a short name in small letters, such as main")
]
_Number: TypeAlias = Annotated[
    str, Field(pattern=r"^\+[1-9]\d{6,14}$"), Allowed("the number people text, with its country: +393401234567")
]
_Url: TypeAlias = Annotated[
    str, Field(pattern=r"^https?://[^/\s?#]+(/[^\s?#]*)?$"), Allowed("an http(s) address without a question mark")
]
_OptionalUrl: TypeAlias = Annotated[
    str, Field(pattern=r"^$|^https?://[^/\s?#]+(/[^\s?#]*)?$"), Allowed("an http(s) address without a question mark")
]
_Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=200), Allowed("a word")]
_Secret: TypeAlias = Annotated[
    SecretStr, Field(min_length=1), Allowed('the secret, or better "$NAME" for what the environment calls NAME')
]
_Cost: TypeAlias = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False), Allowed("0 to 100")]


class _Gateway(Section):
    name: _Name
    number: _Number
    cost_per_text: _Cost = 0.0
    sender_proof: Annotated[bool, Allowed("true or false")] = False


class TwilioSettings(_Gateway):
    """A number at Twilio."""

    kind: Literal["twilio"]
    account: Annotated[str, Field(pattern=r"^AC[0-9a-fA-F]{32}$"), Allowed("the Account SID: AC and 32 digits")]
    auth_token: _Secret
    api_key: Annotated[str, Field(pattern=r"^$|^SK[0-9a-fA-F]{32}$"), Allowed("an API key's SID: SK and 32 digits")] = (
        ""
    )
    api_secret: Annotated[SecretStr, Allowed("the API key's secret")] = SecretStr("")
    api_url: _Url = "https://api.twilio.com"


class SmsGateSettings(_Gateway):
    """An Android phone with the app SMSGate."""

    kind: Literal["smsgate"]
    login: _Word
    password: _Secret
    signing_key: _Secret
    api_url: _Url = "https://api.sms-gate.app/3rdparty/v1"
    device: Annotated[str, Field(max_length=21), Allowed("the id of one of several phones")] = ""
    sim: Annotated[int, Field(ge=0, le=3), Allowed("0 (the usual one) to 3")] = 0


class KannelSettings(_Gateway):
    """Kannel on the same machine, for a modem or an SMPP account."""

    kind: Literal["kannel"]
    username: _Word
    password: _Secret
    secret: _Secret
    api_url: _Url = "http://127.0.0.1:13013"
    own_url: _OptionalUrl = ""
    smsc: Annotated[str, Field(max_length=100), Allowed("the smsc-id of one of several connections")] = ""
    allowed_addresses: Annotated[tuple[str, ...], Allowed("networks such as 127.0.0.0/8")] = ("127.0.0.0/8", "::1/128")


GatewaySettings: TypeAlias = Annotated[TwilioSettings | SmsGateSettings | KannelSettings, Field(discriminator="kind")]
KINDS: Final[dict[str, type[Section]]] = {
    "twilio": TwilioSettings,
    "smsgate": SmsGateSettings,
    "kannel": KannelSettings,
}


def _distinct(gateways: tuple[GatewaySettings, ...]) -> tuple[GatewaySettings, ...]:
    if len({gateway.name for gateway in gateways}) < len(gateways):
        raise InvalidSettingError("two gateways have the same name")
    return gateways


_Texts: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000), Allowed("0 (no limit) to 1000000 texts")]


class SmsSettings(Section):
    """Seats by text message, which need a gateway."""

    key: Annotated[
        SecretStr,
        AfterValidator(_keys),
        Allowed(
            f"{MIN_KEY_LENGTH} or more random letters (openssl rand -base64 32); several with commas, the newest first"
        ),
    ] = SecretStr("")
    public_url: _OptionalUrl = ""
    countries: Annotated[
        tuple[Annotated[str, Field(pattern="^[A-Z]{2}$")], ...], Allowed('countries in two letters, ["IT", "FR"]')
    ] = ()
    texts_per_phone_per_day: _Texts = 200
    texts_per_day: _Texts = 2000
    spend_per_day: Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False), Allowed("0 (no limit) to 100000")] = (
        10.0
    )
    gateways: Annotated[
        tuple[GatewaySettings, ...],
        AfterValidator(_distinct),
        Allowed("tables of their own, each under [[sms.gateways]]"),
    ] = ()

    def keys(self) -> list[str]:
        """Return the secrets that encrypt telephone numbers, the newest first."""
        return _split(self.key)


def fill_in(values: dict[str, Any], variable: Callable[[str], str | None]) -> Iterator[str]:
    """Replace each `$NAME` in a gateway's settings by the variable; return an error line for each missing variable."""
    section = values.get("sms")
    gateways = section.get("gateways") if isinstance(section, dict) else None
    if not isinstance(section, dict) or not isinstance(gateways, list):
        return
    filled = []
    for index, gateway in enumerate(gateways, start=1):
        if not isinstance(gateway, dict):
            filled.append(gateway)
            continue
        copy = dict(gateway)
        for field, value in gateway.items():
            named = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
            if named is not None:
                copy[field] = variable(named[1]) or ""
                if not copy[field]:
                    yield f"{_which(index, gateway)}: {field} names {value}, which is not set"
        filled.append(copy)
    values["sms"] = section | {"gateways": filled}


def gateway_line(detail: ErrorDetails, values: dict[str, Any]) -> str:
    """Return the error message for one gateway. It shows no values: most are secrets or telephone numbers."""
    index = int(detail["loc"][2])
    gateways = values.get("sms", {}).get("gateways", ())
    gateway = gateways[index] if index < len(gateways) else {}
    which = _which(index + 1, gateway if isinstance(gateway, dict) else {})
    kind, field = (*map(str, detail["loc"][3:5]), "", "")[:2]
    if kind not in KINDS:
        return f"{which}: kind may be one of {', '.join(KINDS)}"
    fields = KINDS[kind].model_fields
    if detail["type"] == "extra_forbidden":
        return f"{which}: {field} is no setting; there are {', '.join(fields)}"
    allowed = next((mark.words for mark in fields[field].metadata if isinstance(mark, Allowed)), "something else")
    if detail["type"] == "missing":
        return f"{which}: {field} is missing; it may be {allowed}"
    return f"{which}: {field} is not allowed; it may be {allowed}"


def _which(index: int, gateway: dict[str, Any]) -> str:
    name = gateway.get("name")
    return f"sms.gateways[{index}]" + (
        f" ({name})" if isinstance(name, str) and re.fullmatch(r"[\w-]{1,32}", name) else ""
    )
