"""The examples in config/deploy: well-formed, consistent, and true to the bot."""

import configparser
import json
import re
import shlex
import sysconfig
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from telegram_bot.cli import MISUSED
from telegram_bot.settings import USUAL_CONFIG, WEB_PORT, Settings, load_settings
from test_support.child_processes import run
from test_support.documents import ROOT, names_a_setting, understands

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
