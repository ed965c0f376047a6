"""The examples in config/deploy: well-formed, consistent, true to the bot, and good for real proxies."""

import asyncio
import configparser
import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sysconfig
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final, TypeAlias

import httpx
import pytest
import yaml
from pydantic import SecretStr

from telegram_bot.channels.telegram.webhook import SECRET_HEADER
from telegram_bot.cli import MISUSED
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import USUAL_CONFIG, WEB_PORT, Settings, load_settings
from test_support.bot_process import ended
from test_support.child_processes import run
from test_support.documents import ROOT, names_a_setting, understands
from test_support.worker_cluster import PATH, TwoWorkers
from test_support.world import opened
from tests.telegram_bot.channels.sms.conftest import running

DEPLOY = ROOT / "config/deploy"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
WORKERS = [name for name in COMPOSE["services"] if name.startswith("worker-")]
PROMETHEUS: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
FILLED_IN = {
    "PERUDO_TOKEN": "123456789:AA-a-token-for-the-example-only-0123",
    "PUBLIC_HOST": "bot.example.org",
    "POSTGRES_PASSWORD": "0123456789abcdef",
    "PERUDO_METRICS__TOKEN": "fedcba9876543210",
}


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def settings_from(monkeypatch: pytest.MonkeyPatch, folder: Path, variables: dict[str, str]) -> Settings:
    """The bot's settings from these variables; a misspelt one is an error."""
    monkeypatch.chdir(folder)
    for name in ("PERUDO_TOKEN", "DATABASE_URL", *variables):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return load_settings()


@pytest.mark.parametrize(
    "words",
    [
        ("hadolint", DEPLOY / "Dockerfile"),
        ("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml"),
    ],
    ids=["Dockerfile", "compose"],
)
def test_a_linter_finds_nothing_in_a_file_for_docker(words: tuple[str | Path, ...]) -> None:
    outcome = run(Path(sysconfig.get_path("scripts"), words[0]), *words[1:], timeout=60)
    assert outcome.returncode == 0, outcome.stdout


# The image


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", read("Dockerfile")))
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in text.splitlines()) if word]


def of(word: str) -> list[str]:
    return [rest for name, rest in instructions() if name == word]


def environment_of_the_image() -> dict[str, str]:
    after_the_build = instructions()[[name for name, _ in instructions()].index("FROM", 1) :]
    pairs = [pair for name, rest in after_the_build if name == "ENV" for pair in shlex.split(rest)]
    return dict(pair.split("=", 1) for pair in pairs)


def settings_of_the_image() -> dict[str, str]:
    return {name: value for name, value in environment_of_the_image().items() if name.startswith("PERUDO_")}


def test_the_image_is_built_with_the_makefiles_uv_from_the_lock() -> None:
    (version,) = re.findall(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert f"uv=={version}" in read("Dockerfile")
    syncs = [rest for rest in of("RUN") if "uv sync" in rest]
    assert len(syncs) == 2
    for sync in syncs:
        assert {"--frozen", "--no-dev"} <= set(sync.split())
        extras = set(re.findall(r"--extra (\S+)", sync))
        assert {"postgresql"} <= extras <= PYPROJECT["project"]["optional-dependencies"].keys()


def test_what_the_image_copies_is_there_and_is_not_ignored() -> None:
    patterns = [line for line in read("Dockerfile.dockerignore").splitlines() if line and not line.startswith("#")]

    def is_ignored(path: str) -> bool:
        verdict = False
        for pattern in patterns:
            bare = pattern.removeprefix("!")
            if any(fnmatch(path, each) for each in (bare, f"{bare}/*", bare.removeprefix("**/"))):
                verdict = not pattern.startswith("!")
        return verdict

    sources = [source for rest in of("COPY") if "--from" not in rest for source in rest.split()[:-1]]
    assert len(sources) >= 5
    for source in sources:
        assert (ROOT / source).exists()
        assert not is_ignored(source)
    for secret in (".env", "config/deploy/.env", "perudo.db", ".git/config", "tests/conftest.py"):
        assert is_ignored(secret)
    package = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    for needed in (*package["force-include"], *package["packages"], PYPROJECT["project"]["readme"], "LICENSE"):
        assert any(needed == source or needed.startswith(f"{source}/") for source in sources), needed


def test_the_image_runs_the_bot_as_nobody_of_rank_and_says_whether_it_is_well() -> None:
    (user,) = of("USER")
    assert int(user) > 0
    (program,) = json.loads(of("ENTRYPOINT")[0])
    assert program in PYPROJECT["project"]["scripts"]
    assert understands(*json.loads(of("CMD")[-1]))
    environment = environment_of_the_image()
    (exposed,) = of("EXPOSE")
    assert environment["PERUDO_WEB__PORT"] == exposed == str(WEB_PORT)
    assert f"http://127.0.0.1:{exposed}/healthz" in of("HEALTHCHECK")[0]


# Compose


def test_every_variable_of_the_image_and_compose_is_a_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert len(WORKERS) == 2
    assert len(settings_of_the_image()) >= 3
    for name in (*WORKERS, "migrate"):
        variables = settings_of_the_image() | {
            key: re.sub(r"\$\{(\w+)[^}]*\}", lambda found: FILLED_IN[found[1]], value)
            for key, value in COMPOSE["services"][name]["environment"].items()
        }
        assert all(map(names_a_setting, variables)), variables
        settings = settings_from(monkeypatch, tmp_path, variables)
        assert (settings.web_port(), settings.webhook.url) == (WEB_PORT, f"https://{FILLED_IN['PUBLIC_HOST']}/telegram")
        assert settings.database_url.startswith("postgresql://")
        assert set(FILLED_IN.values()) - {FILLED_IN["PUBLIC_HOST"]} <= set(settings.secrets())
        assert understands(*COMPOSE["services"][name].get("command", ["run"]))


def test_what_compose_wants_to_be_told_stands_in_the_example() -> None:
    wanted = set(re.findall(r"\$\{(\w+)", read("compose.yaml"))) | set(re.findall(r"\{\$(\w+)\}", read("Caddyfile")))
    given = re.findall(r"(?m)^(\w+)=$", read("perudo.env.example"))
    assert set(given) == wanted == FILLED_IN.keys()
    commented = re.findall(r"(?m)^#(\w+)=", read("perudo.env.example"))
    assert commented
    assert all(map(names_a_setting, commented))


def test_whatever_else_can_be_set_reaches_composes_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By .env, or by config/bot.toml, which is where the bot looks for it."""
    (folder,) = of("WORKDIR")[1:]
    for name in (*WORKERS, "migrate"):
        service = COMPOSE["services"][name]
        assert service["env_file"] == [".env"]
        (mounted,) = service["volumes"]
        assert mounted == f"../bot.toml:{folder}/{USUAL_CONFIG}:ro"
    (tmp_path / USUAL_CONFIG).parent.mkdir()
    (tmp_path / USUAL_CONFIG).write_bytes((DEPLOY / "../bot.toml").read_bytes())
    settings = settings_from(monkeypatch, tmp_path, settings_of_the_image() | {"PERUDO_TABLE__CLOCK_SECONDS": "60"})
    assert (settings.web.host, settings.table.clock_seconds) == ("0.0.0.0", 60), "the file overrules nothing"  # noqa: S104


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    ports = {name: service.get("ports", []) for name, service in COMPOSE["services"].items()}
    assert ports.pop("proxy") == ["443:443", "80:80"]
    assert all(port.startswith("127.0.0.1:") for published in ports.values() for port in published)
    assert COMPOSE["services"]["database"]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert "inside" not in COMPOSE["services"]["proxy"]["networks"]


def test_files_that_compose_mounts_are_there() -> None:
    volumes = [volume for service in COMPOSE["services"].values() for volume in service.get("volumes", [])]
    mounted = {volume.split(":")[0] for volume in volumes if volume.startswith(".")}
    assert mounted == {"../bot.toml", "../prometheus-alerts.yml", "./Caddyfile", "./prometheus.yml"}
    assert all((DEPLOY / path).is_file() for path in mounted)
    build = COMPOSE["services"]["migrate"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"


# systemd


@pytest.fixture(params=["perudo.service", "perudo@.service"])
def unit(request: pytest.FixtureRequest) -> dict[str, str]:
    """The [Service] section; for a repeated key, the last value."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(read(request.param))
    return dict(parser["Service"])


def test_the_unit_starts_the_bot_with_settings_that_there_are(unit: dict[str, str]) -> None:
    start = unit["ExecStart"].split()
    program = start.index("/opt/perudo/bin/perudo-bot")
    assert understands(*start[program + 1 :])
    assert start[:program] in ([], ["/usr/bin/env", "PERUDO_WEB__PORT=%i"])
    set_here = dict(pair.split("=") for pair in unit["Environment"].split())
    assert all(names_a_setting(name) for name in set_here if name.startswith("PERUDO_"))
    assert Path(set_here["XDG_CACHE_HOME"]).parent == Path("/var/lib", unit["StateDirectory"]), "it has no home"
    assert f"XDG_CACHE_HOME={set_here['XDG_CACHE_HOME']} " in read("perudo"), "sudo perudo voice setup"
    assert unit["WorkingDirectory"] == f"/var/lib/{unit['StateDirectory']}"
    assert unit["EnvironmentFile"].startswith(f"/etc/{unit['ConfigurationDirectory']}/")


def test_the_unit_may_do_little(unit: dict[str, str]) -> None:
    limits = dict.fromkeys(("DynamicUser", "NoNewPrivileges", "PrivateTmp", "ProtectHome", "RestrictSUIDSGID"), "yes")
    limits |= {"ProtectSystem": "strict", "CapabilityBoundingSet": ""}
    assert unit | limits == unit
    assert unit["User"] == unit["StateDirectory"] == "perudo", "workers on one machine share a folder"


@pytest.mark.parametrize("name", ["perudo.service", "perudo@.service"])
def test_the_unit_does_not_repeat_a_wrong_setting_and_gives_up_in_the_end(name: str) -> None:
    lines = read(name).splitlines()
    assert {"Restart=always", f"RestartPreventExitStatus={MISUSED}", "StartLimitIntervalSec=30min"} <= {*lines}
    (burst,) = (int(line.partition("=")[2]) for line in lines if line.startswith("StartLimitBurst="))
    (pause,) = (int(line.partition("=")[2]) for line in lines if line.startswith("RestartSec="))
    slowest_start = 5
    assert burst * (pause + slowest_start) < 30 * 60, "or the limit would never be reached"


# Prometheus


def test_prometheus_asks_every_worker_with_the_word_it_was_given() -> None:
    (job,) = PROMETHEUS["scrape_configs"]
    assert job["job_name"] == "perudo"
    assert 'up{job="perudo"}' in (ROOT / "config/prometheus-alerts.yml").read_text(encoding="utf-8")
    assert job["static_configs"] == [{"targets": [f"{worker}:{WEB_PORT}" for worker in WORKERS]}]
    service = COMPOSE["services"]["prometheus"]
    assert [f"/run/secrets/{name}" for name in service["secrets"]] == [job["authorization"]["credentials_file"]]
    assert COMPOSE["secrets"]["metrics_token"] == {"environment": "PERUDO_METRICS__TOKEN"}
    inside = {volume.split(":")[1] for volume in service["volumes"]}
    assert {f"/etc/prometheus/{name}" for name in PROMETHEUS["rule_files"]} <= inside


# The proxies


WHEELS_CADDY: Final = str(Path(sysconfig.get_path("scripts"), "caddy"))
DEBIANS_CADDY: Final = "/usr/bin/caddy"


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy: its address, and how to trust its certificate."""

    url: str
    trusted: ssl.SSLContext


Opener: TypeAlias = Callable[[Path, Sequence[int]], AbstractAsyncContextManager[Proxy]]


@asynccontextmanager
async def caddy(folder: Path, ports: Sequence[int], port: int = 0) -> AsyncIterator[Proxy]:
    """The Caddy that compose.yaml would fetch, by the Caddyfile, changed as its first lines say."""
    text = replaced(read("Caddyfile"), "\n{\n", "\n{\n\tadmin off\n")
    here = " ".join(f"127.0.0.1:{each}" for each in ports)
    text = replaced(text, "reverse_proxy worker-1:8443 worker-2:8443", f"reverse_proxy {here}", times=2)
    async with _caddy(WHEELS_CADDY, text, folder, port) as proxy:
        yield proxy


@asynccontextmanager
async def debians_caddy(folder: Path, ports: Sequence[int]) -> AsyncIterator[Proxy]:
    """Debian's Caddy in front of the last process alone, which takes over, by one-bot.Caddyfile."""
    text = replaced(read("one-bot.Caddyfile"), "127.0.0.1:8441", f"127.0.0.1:{ports[-1]}")
    text = replaced(text, "bot.example.org {\n", "{$PUBLIC_HOST} {\n")
    async with _caddy(DEBIANS_CADDY, replaced(text, "\n{\n", "\n{\n\tadmin off\n"), folder) as proxy:
        yield proxy


@asynccontextmanager
async def _caddy(program: str, text: str, folder: Path, port: int = 0) -> AsyncIterator[Proxy]:
    port = port or free_port()
    (folder / "Caddyfile").write_text(text)
    own = {"PUBLIC_HOST": f"http://127.0.0.1:{port}", "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = (program, "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile")
    with running(*command, port=port, log=folder / "caddy.log", **own):
        yield Proxy(f"http://127.0.0.1:{port}", ssl.create_default_context())


@asynccontextmanager
async def nginx(folder: Path, ports: Sequence[int]) -> AsyncIterator[Proxy]:
    """nginx, with nginx.conf as a site of its own, another port, and a certificate of the test's."""
    port = free_port()
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    make = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1")
    named = ("-subj", "/CN=bot.example.org", "-addext", "subjectAltName=DNS:bot.example.org,IP:127.0.0.1")
    made = ("-keyout", str(key), "-out", str(certificate))
    making = await asyncio.create_subprocess_exec(found("openssl"), *make, *named, *made, stderr=subprocess.DEVNULL)
    assert await making.wait() == 0
    text = read("nginx.conf")
    for there, here in zip((8441, 8442), ports, strict=True):
        text = replaced(text, f"server 127.0.0.1:{there} ", f"server 127.0.0.1:{here} ")
    text = replaced(text, "listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    text = replaced(text, "    listen [::]:443 ssl;\n", "")
    text = replaced(text, "/etc/letsencrypt/live/bot.example.org/", f"{folder}/", times=2)
    (folder / "site").write_text(text)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; {'user root; ' if os.geteuid() == 0 else ''}events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; {temporary} include {folder}/site; }}\n"
    )
    command = (found("nginx"), "-e", folder / "nginx.log", "-p", folder, "-c", folder / "nginx.conf")
    with running(*command, port=port, log=folder / "nginx.out"):
        yield Proxy(f"https://127.0.0.1:{port}", ssl.create_default_context(cafile=str(certificate)))


def found(program: str) -> str:
    """The program; Debian keeps servers in folders that only root's shell searches."""
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert path, f"{program} is not installed: make test installs it with apt-get"
    return path


def replaced(text: str, there: str, here: str, times: int = 1) -> str:
    assert text.count(there) == times, (there, text)
    return text.replace(there, here)


FIRST = 1_000_000
POSTS = 120
PAGES_IN_CADDY = "/ /t /t/* /tv /tv/* /app /seat/*"


def test_caddy_balances_the_workers_and_lets_webhooks_and_pages_through_alone() -> None:
    text = re.sub(r"(?m)^\s*#.*\n", "", read("Caddyfile"))
    (upstreams,) = set(re.findall(r"reverse_proxy (.*) \{", text))
    assert upstreams.split() == [f"{worker}:{WEB_PORT}" for worker in WORKERS]
    assert re.findall(r"path (.*)", text) == ["/telegram /sms/*", PAGES_IN_CADDY]
    assert text.count("health_uri /readyz") == 2
    assert re.search(r"handle \{\s*respond 404\s*\}", text)


@pytest.mark.parametrize("program", [WHEELS_CADDY, DEBIANS_CADDY])
def test_the_file_for_one_bot_is_valid_with_debians_caddy_too(program: str, tmp_path: Path) -> None:
    text = read("one-bot.Caddyfile")
    assert re.findall(r"path (.*)", text) == ["/telegram /sms/*", PAGES_IN_CADDY]
    command = [program, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "one-bot.Caddyfile")]
    done = run(*command, env=os.environ | {"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr


def test_nginx_balances_the_workers_of_the_units_and_lets_webhooks_and_pages_through_alone() -> None:
    text = read("nginx.conf")
    ports = re.findall(r"(?m)^    server 127\.0\.0\.1:(\d+) ", text)
    assert ports == re.findall(r"perudo@(\d+)", read("perudo@.service").split("\n\n")[0])
    assert [f"perudo@{port}" in text for port in ports] == [True, True]
    assert re.findall(r"location (\S.*) \{", text) == ["~ ^/(telegram$|sms/)", "~ ^/($|(t|tv|app|seat)(/|$))", "/"]
    (host,) = re.findall(r"server_name (\S+);", text)
    assert f"PERUDO_WEBHOOK__URL=https://{host}/telegram" in text
    assert f"#PERUDO_WEBHOOK__URL=https://{host}/telegram\n" in read("perudo.env.example")


async def burst(world: TwoWorkers, proxy: Proxy, numbers: Iterator[int], third: asyncio.Event) -> Counter[int]:
    """Post updates to the webhook as Telegram does, again after a refusal. Return the answers by status."""
    secret = Settings(token=SecretStr(world.sandbox.token)).webhook_secret()
    answers: Counter[int] = Counter()

    async def post(client: httpx.AsyncClient) -> None:
        while number := next(numbers, None):
            status = None
            while status != 200:
                answer = await client.post(PATH, json={"update_id": number}, headers={SECRET_HEADER: secret})
                answers[status := answer.status_code] += 1
                if status != 200:
                    await asyncio.sleep(0.05)
            if answers[200] >= POSTS // 3:
                third.set()

    async with httpx.AsyncClient(base_url=proxy.url, verify=proxy.trusted, timeout=60) as client:
        await asyncio.gather(*(post(client) for _ in range(6)))
    return answers


async def lets_nothing_else_through(proxy: Proxy) -> None:
    async with httpx.AsyncClient(base_url=proxy.url, verify=proxy.trusted, timeout=60) as client:
        for hidden in ("/metrics", "/readyz", "/healthz", "/"):
            assert (await client.get(hidden)).status_code == 404, hidden
        assert (await client.get(PATH)).status_code in (403, 404), "a webhook is posted to"
        assert (await client.post(PATH, json={"update_id": 1})).status_code == 403, "the bot itself refuses this"


async def test_an_upgrade_costs_no_update_behind_any_proxy(tmp_path: Path, postgresql_url: str) -> None:
    """The process that plays is stopped under a burst through each, and the one that stands by plays."""
    proxies: dict[str, Opener] = {"caddy": caddy, "debians-caddy": debians_caddy, "nginx": nginx}
    thirds = [asyncio.Event() for _ in proxies]
    async with opened(tmp_path, TwoWorkers, database_url=postgresql_url) as world, AsyncExitStack() as opening:
        playing, bursts, opened_proxies = await world.playing(), [], []
        ports = [world.ports[playing], world.ports[1 - playing]]
        for place, (name, opener) in enumerate(proxies.items()):
            (tmp_path / name).mkdir()
            proxy = await opening.enter_async_context(opener(tmp_path / name, ports))
            opened_proxies.append(proxy)
            numbers = iter(range(FIRST + place * POSTS, FIRST + (place + 1) * POSTS))
            bursts.append(burst(world, proxy, numbers, thirds[place]))

        async def stop() -> None:
            for name, third in zip(proxies, thirds, strict=True):
                if name != "debians-caddy":  # until then its process stands by
                    await third.wait()
            old = world.bots[playing]
            old.terminate()
            assert await ended(old) == 0

        stopping = asyncio.create_task(stop())
        told = await asyncio.gather(*bursts)
        await stopping
        for name, answers in zip(proxies, told, strict=True):
            assert (name, answers.pop(200)) == (name, POSTS)
            assert answers.keys() <= {502, 503}, name
        for proxy in opened_proxies:
            await lets_nothing_else_through(proxy)
