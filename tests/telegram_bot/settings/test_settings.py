"""The settings, their sources, and the messages about mistakes."""

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from perudo_core import PRESETS, Rules
from telegram_bot.app import service_config
from telegram_bot.channels.sms.channel import SmsChannel
from telegram_bot.channels.sms.gateways.kannel import Kannel
from telegram_bot.channels.sms.gateways.smsgate import SmsGate
from telegram_bot.channels.sms.gateways.twilio import Twilio
from telegram_bot.errors import MisconfiguredError, OperatorError
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings, SettingsError, load_settings, removed_settings
from telegram_bot.settings.loading import REMOVED
from telegram_bot.settings.sections import INTERNAL, LanguageSettings
from telegram_bot.storage import database
from telegram_bot.storage.database import Database

CONFIG = Path(__file__).parents[3] / "config"
TOKEN = "123456789:AAF0-of_thirty-five-characters-here"
Refusal = Callable[[str], tuple[str, ...]]
Load = Callable[[str], Settings]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variables of the person who runs the tests, and an empty folder."""

    for name in list(os.environ):
        if name.upper().startswith("PERUDO_") or name.upper() == "DATABASE_URL":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def refusal(tmp_path: Path) -> Refusal:
    def lines(text: str) -> tuple[str, ...]:
        file = tmp_path / "bot.toml"
        file.write_text(text, encoding="utf-8")
        return tuple(line.replace(str(file), "bot.toml") for line in refused(file))

    return lines


def refused(file: Path | None = None) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        load_settings(file)
    return tuple(caught.value.lines)


def flat(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def defaults(model: type[BaseModel] = Settings) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if INTERNAL in field.metadata:
            continue
        is_section = isinstance(field.default, BaseModel)
        values[name] = defaults(type(field.default)) if is_section else field.default
    return values


def test_the_file_and_the_defaults_agree_in_both_directions() -> None:
    in_the_file = dict(flat(tomllib.loads((CONFIG / "bot.toml").read_text(encoding="utf-8"))))
    in_the_code = dict(flat(defaults()))
    in_the_code |= {key: value.get_secret_value() for key, value in in_the_code.items() if isinstance(value, SecretStr)}
    del in_the_code["sms.gateways"]  # an installation with one writes [[sms.gateways]], which a line here would forbid
    assert in_the_file == {k: list(value) if isinstance(value, tuple) else value for k, value in in_the_code.items()}
    assert load_settings(CONFIG / "bot.toml") == Settings()


@pytest.mark.parametrize("file", sorted((CONFIG / "house_rules").rglob("*.toml")), ids=lambda file: file.stem)
def test_the_house_rules_that_come_along_can_be_played(file: Path) -> None:
    rules = Rules.from_toml(file.read_text(encoding="utf-8"))
    assert rules.book in PRESETS
    assert rules != Rules.preset(rules.book), "it changes nothing"


def test_the_environment_counts_over_dotenv_over_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text("[table]\nclock_seconds = 31\nreveal_seconds = 11\nmisses_allowed = 31\n")
    (tmp_path / ".env").write_text("PERUDO_TABLE__CLOCK_SECONDS=32\nPERUDO_TABLE__REVEAL_SECONDS=12\nUNRELATED=1\n")
    monkeypatch.setenv("PERUDO_TABLE__CLOCK_SECONDS", "33")
    table = load_settings(tmp_path / "bot.toml").table
    assert (table.clock_seconds, table.reveal_seconds, table.misses_allowed) == (33, 12, 31)


def test_a_key_of_an_earlier_version_counts_as_the_present(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text('[pictures]\nstory_theme = "file"\nhands = false\n')
    settings = load_settings(file)
    assert (settings.features.model_extra, settings.pictures.hands) == ({"story": {"theme": "file"}}, False)
    for variable in ("PERUDO_PICTURES__STORY_THEME", "PERUDO_FEATURES__STORY__THEME"):
        monkeypatch.setenv(variable, variable)
        assert load_settings(file).features.model_extra == {"story": {"theme": variable}}


def test_a_removed_setting_keeps_no_bot_from_starting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text('api_file_url = "x"\n[sms]\ncurrency = "EUR"\ntexts_per_day = 9\n')
    variables = {key: f"PERUDO_{key.replace('.', '__').upper()}" for key in REMOVED}
    for variable in variables.values():
        monkeypatch.setenv(variable, "7")
    assert load_settings(file) == Settings(sms={"texts_per_day": 9})
    named = [f"{key} (in {variable})" for key, variable in variables.items() if key != "api_file_url"]
    both = [f"api_file_url (in {file})", *named, f"sms.currency (in {file})"]
    assert sorted(removed_settings(file)) == sorted(both)


def test_the_file_is_the_given_the_named_or_the_usual_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, language in (("given", "fr"), ("named", "es"), ("mine", "nl"), ("config/bot", "it")):
        file = tmp_path / f"{name}.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'[languages]\ndefault = "{language}"\n')
    assert load_settings().languages.default == "it"
    (tmp_path / ".env").write_text("PERUDO_CONFIG=mine.toml\n")
    assert load_settings().languages.default == "nl"
    monkeypatch.setenv("PERUDO_CONFIG", "named.toml")
    assert load_settings().languages.default == "es"
    assert load_settings(Path("given.toml")).languages.default == "fr"


def test_database_url_is_read_as_hosts_set_it_and_others_variables_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PERUDO_PORT", "PERUDO_SERVICE_HOST", "PERUDO_PORT_8080_TCP", "DATABASE", "TOKEN"):
        monkeypatch.setenv(variable, "tcp://10.0.0.1:8080")
    monkeypatch.setenv("PERUDO_LOG_LEVEL", "")
    assert load_settings() == Settings(), "an empty variable is no setting"
    for scheme in ("postgres", "postgresql+asyncpg", "postgresql+psycopg2", "postgresql+psycopg"):
        monkeypatch.setenv("DATABASE_URL", f"{scheme}://me:secret@host/perudo")
        assert load_settings().database_url == "postgresql://me:secret@host/perudo"
    monkeypatch.setenv("DATABASE_URL", "sqlite+aiosqlite:///mine.db")
    assert load_settings().database_url == "sqlite:///mine.db"
    monkeypatch.setenv("PERUDO_DATABASE_URL", "sqlite:///mine.db")
    assert load_settings().database_url == "sqlite:///mine.db"


@pytest.mark.parametrize("value", ["league,coach", " league , coach ", '["league", "coach"]'])
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_list_has_commas_or_is_as_in_the_file(
    value: str, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lists = {"FEATURES__OFF": value, "SMS__COUNTRIES": "IT,FR", "VOICE__VOICES": "it=kokoro, nl=/srv/nl.onnx"}
    lists["WEB_SEAT__FRAME_ANCESTORS"] = "https://one.example,https://two.example"
    for name, text in lists.items():
        monkeypatch.setenv(f"PERUDO_{name}", text if place == "environment" else "")
    if place == ".env":
        (tmp_path / ".env").write_text("".join(f"PERUDO_{name}='{text}'\n" for name, text in lists.items()))
    settings = load_settings()
    assert (settings.features.off, settings.sms.countries) == (("league", "coach"), ("IT", "FR"))
    assert settings.voice.voices == ("it=kokoro", "nl=/srv/nl.onnx")
    assert settings.web_seat.frame_ancestors == ("https://one.example", "https://two.example")


AN_ENGINE = 'a name and a command on each line: odds = "node odds.js"'
A_RULEBOOK = f"it may be classic, one of {', '.join(PRESETS)}, or a file with your own, my-rules.toml"


@pytest.mark.parametrize(
    ("section", "written", "allowed"),
    [
        ("table", "clock_seconds = 5", "; it may be 0 (no clock) or 30 to 86400 seconds (a day)"),
        ("table", "on_timeout = 'explode'", "; it may be one of auto, lose_die, drop_out"),
        ("limits", "per_chat_seconds = nan", "; it may be 0 to 60 seconds"),
        ("voice", "model = 'large'", " (there is no such folder); it may be small, base, or the folder of a model"),
        ("table", "rulebook = 'friday_night'", f" (config/house_rules has no friday_night.toml); {A_RULEBOOK}"),
        ("table", "rulebook = 'ours.toml'", f" (No such file or directory); {A_RULEBOOK}"),
        ("table", "house_rules = 'no'", " (there is no such folder); it may be a folder with files of house rules"),
        ("engines.commands", "odds = 5", f"; it may be {AN_ENGINE}"),
    ],
)
def test_a_value_is_refused_with_what_is_allowed(refusal: Refusal, section: str, written: str, allowed: str) -> None:
    assert refusal(f"[{section}]\n{written}") == (f"{section}.{written} (in bot.toml) is not allowed{allowed}",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("table = 3", "table (in bot.toml) is a section: write [table] on a line of its own, and its settings below"),
        ("clock_seconds = 60", "clock_seconds (in bot.toml) is no setting; did you mean table.clock_seconds?"),
        ("[tabel]\nclock_seconds = 60", "tabel (in bot.toml) is no setting; did you mean table?"),
        ("[languages]\nzzz = 1", "languages.zzz (in bot.toml) is no setting; there are languages.default"),
        (
            '[engines.commands]\nodds = "node \'"',
            (
                "engines.commands = {'odds': \"node '\"} (in bot.toml) is not allowed (a command is empty or has a "
                f"quotation mark without its partner); it may be {AN_ENGINE}"
            ),
        ),
        (
            '[engines.commands]\n"a b" = "node x.js"',
            (
                "engines.commands = {'a b': 'node x.js'} (in bot.toml) is not allowed (a name has up to 20 letters, "
                f"digits and hyphens); it may be {AN_ENGINE}"
            ),
        ),
    ],
)
def test_a_mistake_is_named_with_what_may_be_meant(refusal: Refusal, text: str, line: str) -> None:
    assert refusal(text) == (line,)


@pytest.mark.parametrize("secret", [".env", "perudo.env", "named.env", "games/perudo.db", "bot.toml"])
def test_no_engine_can_read_the_bots_secrets(secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "sqlite:///bot/games/perudo.db" if secret == "games/perudo.db" else "sqlite:///perudo.db"
    text = f'database_url = "{url}"\n[engines.commands]\nodds = "python3 bot/engine.py"\n'
    (folder := tmp_path / "bot").mkdir()
    (folder / "engine.py").touch()
    (elsewhere := tmp_path / "other.toml").write_text(text)
    if secret != "games/perudo.db":
        load_settings(elsewhere)
        (folder / secret).write_text(text if secret == "bot.toml" else "")
    if secret == "named.env":
        monkeypatch.setenv("PERUDO_ENV_FILE", "bot/named.env")
    (said,) = refused(folder / secret if secret == "bot.toml" else elsewhere)
    assert said == (
        f"engines.commands.odds is not allowed: the engine may read all of {folder}, and so {folder / secret}; "
        "keep the two in different folders"
    )


def test_a_file_that_is_no_toml_or_is_not_there_is_refused_in_one_line(refusal: Refusal) -> None:
    for text in ("[table", "a = 1\na = 2"):
        (line,) = refusal(text)
        assert line.startswith("bot.toml is not TOML: ")
        assert "\n" not in line
    with pytest.raises(SettingsError, match=r"^nowhere\.toml cannot be read: No such file or directory$"):
        load_settings(Path("nowhere.toml"))


BOM = b"\xef\xbb\xbf"


def test_editors_of_any_system_may_write_the_files(tmp_path: Path) -> None:
    """With a byte order mark, and with lines that end as in Windows."""
    (tmp_path / "config/ours").mkdir(parents=True)
    written = b'[table]\r\nhouse_rules = "config/ours"\r\nclock_seconds = 60\r\n'
    (tmp_path / "config/bot.toml").write_bytes(BOM + written)
    (tmp_path / "config/ours/long.toml").write_bytes(BOM + b'preset = "box_2009"\r\n[about]\r\ntitle = "Long"\r\n')
    (tmp_path / ".env").write_bytes(BOM + f"PERUDO_TOKEN={TOKEN}\r\nPERUDO_LOG_LEVEL=DEBUG\r\n".encode())
    settings = load_settings()
    assert (settings.table.clock_seconds, settings.log_level) == (60, "DEBUG")
    assert settings.require_token().get_secret_value() == TOKEN
    assert [house.title for house in settings.table.all_house_rules()][1:] == ["Long"]


def put(file: Path, content: bytes | None) -> None:
    file.parent.mkdir(exist_ok=True)
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)


UNREADABLE = (
    ("A=1".encode("utf-16"), "not UTF-8, from byte 0 on: save it as UTF-8"),
    ("# caffè".encode("latin-1"), "not UTF-8, from byte 6 on: save it as UTF-8"),
    (None, "Is a directory"),
)


@pytest.mark.parametrize("name", [".env", "config/bot.toml", "variables"])
@pytest.mark.parametrize(("content", "reason"), UNREADABLE)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None, reason: str
) -> None:
    """A container program makes a folder where a mounted file is missing."""
    if name == "variables":
        monkeypatch.setenv("PERUDO_ENV_FILE", name)
    put(tmp_path / name, content)
    [line] = refused()
    assert line.startswith(name)
    assert line.endswith(f"cannot be read: {reason}")


@pytest.mark.parametrize(
    ("content", "reason"), [*UNREADABLE, (b"calzone = true", "unknown option 'calzone'"), (b"[", "not TOML: ")]
)
def test_unusable_house_rules_are_named(refusal: Refusal, tmp_path: Path, content: bytes | None, reason: str) -> None:
    put(tmp_path / "ours/long.toml", content)
    for written, why in (("house_rules = 'ours'", f"long.toml: {reason}"), ("rulebook = 'ours/long.toml'", reason)):
        (line,) = refusal(f"[table]\n{written}")
        assert line.startswith(f"table.{written} (in bot.toml) is not allowed ({why}")


@pytest.mark.parametrize(
    ("variable", "line"),
    [
        (
            "TABLE__CLOCK_SECONDS",
            ("table.clock_seconds = 'x' {} is not allowed; it may be 0 (no clock) or 30 to 86400 seconds (a day)"),
        ),
        ("TOKN", "PERUDO_TOKN is no setting; did you mean PERUDO_TOKEN?"),
        ("TABLE__CLOK_SECONDS", "table.clok_seconds {} is no setting; did you mean table.clock_seconds?"),
        (
            "TABLE",
            "table {} is a section: write a variable for each of its settings, such as PERUDO_TABLE__HOUSE_RULES",
        ),
        ("ENGINES__COMMANDS", f"engines.commands = 'x' {{}} is not allowed; it may be {AN_ENGINE}"),
    ],
)
def test_a_variable_is_judged_by_its_own_name(monkeypatch: pytest.MonkeyPatch, variable: str, line: str) -> None:
    monkeypatch.setenv(f"PERUDO_{variable}", "x")
    assert refused() == (line.format(f"(in PERUDO_{variable})"),)


def test_a_language_that_the_bot_lacks_stops_the_start_and_a_variant_of_one_it_has_does_not() -> None:
    with pytest.raises(MisconfiguredError, match=r"languages\.default = 'pt' is no language of the bot: .*en.*fr"):
        service_config(Settings(languages=LanguageSettings(default="pt")))
    assert service_config(Settings(languages=LanguageSettings(default="es-MX"))).language == "es"


def test_the_rulebook_is_a_published_one_or_a_houses_own_file(tmp_path: Path) -> None:
    assert Settings().table.rules() == Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
    (tmp_path / "ours.toml").write_text('preset = "aces"\ncalza = true\n')
    (tmp_path / "bot.toml").write_text('[table]\nrulebook = "ours.toml"\n')
    assert load_settings(Path("bot.toml")).table.rules() == Rules.preset("aces").with_options(calza=True)


def test_house_rules_in_the_folder_are_offered_with_their_names_and_may_be_the_default(tmp_path: Path) -> None:
    assert [house.key for house in Settings().table.all_house_rules()] == ["classic"], "there is no folder"
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "At Gran's.toml").write_text('calza = true\n[about]\ntitle = "At Gran\'s"\nline = "slow"\n')
    (tmp_path / "ours" / "quick.toml").write_text("starting_dice = 2\n")
    (tmp_path / "bot.toml").write_text('[table]\nhouse_rules = "ours"\nrulebook = "quick"\n')
    table = load_settings(Path("bot.toml")).table
    assert [(house.key, house.title, house.line) for house in table.all_house_rules()] == [
        ("classic", "Classic", "five dice each, and an exact call wins one back"),
        ("at_gran_s", "At Gran's", "slow"),
        ("quick", "Quick", ""),
    ]
    assert table.rules().starting_dice == 2


def test_house_rules_that_a_menu_has_no_room_for_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "bot.toml").write_text('[table]\nhouse_rules = "ours"')

    def write(line: Callable[[int], str]) -> None:
        for number in range(15):
            rules = f'preset = "aces"\n[about]\ntitle = "House {number}"\nline = "{line(number)}"\n'
            (tmp_path / f"ours/{number}.toml").write_text(rules)

    write(lambda number: "five dice each " * number)
    with pytest.raises(SettingsError, match=r"titles and lines .* have 1\d\d\d letters, .* room for 1800: shorten"):
        load_settings(tmp_path / "bot.toml")
    write(lambda _: "five dice " * 9)
    assert len(load_settings(tmp_path / "bot.toml").table.all_house_rules()) == 16


def test_a_pasted_token_is_stripped_and_not_printed_a_missing_one_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="token is not set: send /newbot to @BotFather"):
        load_settings().require_token()
    monkeypatch.setenv("PERUDO_TOKEN", f" {TOKEN}\n")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:hidden@host/perudo")
    settings = load_settings()
    assert settings.require_token().get_secret_value() == TOKEN
    assert not any(secret in repr(settings) for secret in (TOKEN, "hidden"))


NO_TOKEN = "token (in PERUDO_TOKEN) is not allowed (this is no token); it may be the line of @BotFather's"
ENCODED = "in a password @ must be written as %40"


@pytest.mark.parametrize(
    ("variable", "value", "secret", "how"),
    [
        *(
            ("PERUDO_TOKEN", wrong, wrong, NO_TOKEN)
            for wrong in ("nonsense-secret", "12:short-secret", f"{TOKEN} secret", f"bot{TOKEN}")
        ),
        ("DATABASE_URL", "postgresql://me:p@ss@host/perudo", "p@ss", ENCODED),
        ("DATABASE_URL", "postgresql://me:p@ss:word@host/perudo", "p@ss:word", ENCODED),
        ("DATABASE_URL", "postgresql+psycopg://me@host:port/perudo", "host:port", ENCODED),
        ("DATABASE_URL", "postgresql+psycopg://me:password/perudo", "me:password", ENCODED),
        ("DATABASE_URL", "sqlite://perudo.db", None, "sqlite:///perudo.db"),
        ("DATABASE_URL", "sqlite://perudo.db", None, "sqlite:////var/lib"),
        ("PERUDO_SMS__GATEWAYS", '[{"kind": "kannel", "password": "hidden"', "hidden", "tables of their own"),
        ("PERUDO_SMS__KEY", "too-short-a-key", "too-short-a-key", "openssl rand -base64 32"),
        ("PERUDO_SMS__KEY", f"{'k' * 44},too-short-a-key", "too-short-a-key", "openssl rand -base64 32"),
    ],
)
def test_a_variable_that_is_refused_says_how_to_write_it_and_not_what_it_was(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, secret: str | None, how: str
) -> None:
    monkeypatch.setenv(variable, value)
    (line,) = refused()
    assert f" (in {variable}) is not allowed" in line
    assert how in line
    assert secret is None or secret not in line


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:pa:ss[/?#w0rd@host/perudo",
        "postgresql://me:pa:ss[/?#w0rd@[::1]:5432/perudo",
        "postgresql://me@host/perudo?password=pa:ss[/?#w0rd&sslmode=require",
        "postgresql+psycopg://me:pa%3Ass%5B%2F%3F%23w0rd@/perudo?host=one,two",
    ],
)
def test_the_password_is_known_wherever_it_stands_in_the_address(url: str) -> None:
    settings = Settings(database_url=url)
    assert "pa:ss[/?#w0rd" in settings.secrets()
    assert database.connect(settings.database_url).dialect.name == "postgresql"
    assert "w0rd" not in database.redacted_url(settings.database_url)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('database_url = "mysql://me:hidden@host/x"', "hidden"),
        ('database_url = "mysql://host/x?password=hidden"', "hidden"),
        ('database_url = "postgresql://me:p@hidden@host/x"', "hidden"),
        ('database_url = "postgresql://me:hidden/x"', "hidden"),
        ('[webhook]\nurl = "https://me:hidden@host/telegram"', "hidden"),
        (f'api_base_url = "https://api.telegram.org/bot{TOKEN}"', TOKEN),
        (f'tokn = "{TOKEN}"', TOKEN),
        ('token = ["hidden"]', "hidden"),
    ],
)
def test_a_refusal_gives_no_secret_away(refusal: Refusal, text: str, secret: str) -> None:
    (line,) = refusal(text)
    assert secret not in line


PAGES = Path(__file__).parents[3] / "docs/sms"
KEY = "k" * 44
VARIABLES = (
    "TWILIO_AUTH_TOKEN", "TWILIO_API_SECRET", "SMSGATE_PASSWORD", "SMSGATE_SIGNING_KEY", "KANNEL_PASSWORD",
    "KANNEL_SECRET",
)  # fmt: skip
TWILIO = """
[sms]
public_url = "https://bot.example.org"
[[sms.gateways]]
kind = "twilio"
name = "main"
number = "+12025550100"
account = "AC00000000000000000000000000000000"
auth_token = "$TWILIO_AUTH_TOKEN"
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    for name in VARIABLES:
        monkeypatch.setenv(name, f"secret-{name}")
    monkeypatch.setenv("PERUDO_SMS__KEY", KEY)

    def load(text: str) -> Settings:
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        return load_settings(tmp_path / "mine.toml")

    return load


def shown_on(page: str) -> str:
    [block] = re.findall(r"```toml\n(.*?)```", (PAGES / page).read_text(encoding="utf-8"), re.DOTALL)
    return re.sub(r"(?m)^ +", "", block)


@pytest.mark.parametrize(("page", "kind"), [("twilio.md", Twilio), ("smsgate.md", SmsGate), ("kannel.md", Kannel)])
async def test_a_pages_example_is_a_gateway(load: Load, page: str, kind: type[object], tmp_path: Path) -> None:
    settings = load(shown_on(page))
    database = Database(f"sqlite:///{tmp_path}/perudo.db")
    channel = SmsChannel(settings, Service(database, service_config(settings)))
    [gateway] = channel.gateways.values()
    assert isinstance(gateway, kind)
    assert gateway.home is not None
    assert service_config(settings).numbers == (gateway.number,)
    await channel.close()
    database.close()


def test_several_gateways_at_once_or_none(load: Load) -> None:
    pages = "\n".join(shown_on(page).replace("[sms]", "") for page in ("smsgate.md", "kannel.md"))
    pages = "[sms]\n" + pages.replace('public_url = "https://bot.example.org"', "")
    assert [gateway.name for gateway in load(pages).sms.gateways] == ["phone", "modem"]
    assert load(pages).web_port() == 8443
    assert load("").sms.gateways == ()
    assert load("").web_port() is None


def test_secrets_of_variables_and_dotenv_are_known(load: Load, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TWILIO_AUTH_TOKEN")
    (tmp_path / ".env").write_text("TWILIO_AUTH_TOKEN=from-dotenv\n", encoding="utf-8")
    settings = load(TWILIO)
    assert {"from-dotenv", KEY} <= set(settings.secrets())
    assert "from-dotenv" not in repr(settings)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("$TWILIO_AUTH_TOKEN", "$NOT_SET"), "auth_token names $NOT_SET, which is not set"),
        (
            ("+12025550100", "12025550100"),
            "number is not allowed; it may be the number people text, with its country: +393401234567",
        ),
        (('"twilio"', '"pigeon"'), "kind may be one of twilio, smsgate, kannel"),
        (('kind = "twilio"', ""), "kind may be one of twilio, smsgate, kannel"),
        (
            ('account = "AC00000000000000000000000000000000"', ""),
            "account is missing; it may be the Account SID: AC and 32 digits",
        ),
        (
            ("auth_token", "auth_tokne"),
            (
                "auth_tokne is no setting; there are name, number, cost_per_text, sender_proof, kind, account, "
                "auth_token, api_key, api_secret, api_url"
            ),
        ),
    ],
)
def test_a_wrong_gateway_is_told_in_a_line(load: Load, change: tuple[str, str], told: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load(TWILIO.replace(*change))
    assert f"sms.gateways[1] (main): {told}" in refused.value.lines
    assert not any("secret-" in each or "12025550100" in each for each in refused.value.lines)


def test_two_gateways_have_two_names(load: Load) -> None:
    with pytest.raises(SettingsError, match="two gateways have the same name"):
        load(TWILIO + TWILIO.partition("\n[[")[1] + TWILIO.partition("\n[[")[2])


def test_without_address_country_or_key_it_is_refused(
    load: Load, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    database = Database(f"sqlite:///{tmp_path}/perudo.db")
    settings = load(TWILIO.replace('public_url = "https://bot.example.org"', ""))
    with pytest.raises(OperatorError, match=r"sms\.public_url is not set"):
        SmsChannel(settings, Service(database, service_config(settings)))
    settings = load(TWILIO.replace("+12025550100", "+88312345678"))
    with pytest.raises(OperatorError, match=r"sms\.countries is empty"):
        SmsChannel(settings, Service(database, service_config(settings)))
    monkeypatch.delenv("PERUDO_SMS__KEY")
    with pytest.raises(OperatorError, match=r"sms\.key is not set"):
        SmsChannel(load(TWILIO), Service(database, service_config(settings)))
    database.close()
