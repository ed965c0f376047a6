"""The commands that the operators' pages contain, and which of them can be typed where the tests run."""

import re
from pathlib import Path
from typing import Final

from test_support.documents import FENCED, ROOT

OPERATING: Final = ROOT / "docs/operating.md"
README: Final = ROOT / "README.md"
_LINK: Final = re.compile(r"\]\((?!https?:)([^)#]+\.md)[)#]")

_NIGHTLY: Final = "config/deploy/backup-perudo.service config/deploy/backup-perudo.timer"

TYPED: Final = {
    "README.md": ("make play",),
    "docs/operating.md": (
        '(umask 077; read -r token && echo "PERUDO_TOKEN=$token" > .env)',
        "make run",
        "make doctor",
        "sudo make install PREFIX=/opt/perudo",
        "sudo install -d /etc/perudo",
        "sudo install -m 600 config/deploy/perudo.env.example /etc/perudo/perudo.env",
        "sudo editor /etc/perudo/perudo.env",
        "sudo install -m 644 config/deploy/perudo.service /etc/systemd/system/",
        "sudo install -m 755 config/deploy/perudo /usr/local/bin/",
        "sudo systemctl enable --now perudo",
        "sudo perudo doctor",
    ),
    "docs/operating/to-a-service.md": (
        ".venv/bin/perudo-bot backup ~/perudo.backup",
        "sudo systemctl stop perudo",
        "sudo perudo restore --force ~/perudo.backup",
        "sudo systemctl start perudo",
    ),
    "docs/web-seat-setup.md": (
        "sudo editor /etc/perudo/perudo.env",
        "sudo systemctl restart perudo",
        "sudo perudo doctor",
    ),
    "docs/operating/webhook.md": ("sudo perudo doctor",),
    "docs/operating/several-machines.md": (
        "sudo -u postgres createuser --pwprompt perudo",
        "sudo -u postgres createdb --owner perudo perudo",
    ),
    "docs/operating/upgrading.md": (
        "git pull",
        "sudo perudo backup /var/backups/perudo.backup",
        "sudo systemctl stop 'perudo*'",
        "sudo make install PREFIX=/opt/perudo",
        "sudo systemctl start perudo",
        "sudo perudo doctor",
        "sudo systemctl stop perudo",
        "sudo perudo migrate --recount",
        "sudo systemctl start perudo",
    ),
    "docs/operating/backups.md": (
        "sudo perudo backup /var/backups/perudo.backup",
        f"sudo install -m 644 {_NIGHTLY} /etc/systemd/system/",
        "sudo systemctl enable --now backup-perudo.timer",
        "sudo systemctl stop 'perudo*'",
        "sudo perudo restore --force /var/backups/perudo.backup",
        "sudo systemctl start perudo",
        "sudo perudo restore --check /var/backups/perudo.backup",
    ),
    "docs/operating/moving.md": (
        "sudo systemctl stop perudo",
        "sudo editor /etc/perudo/perudo.env",
        "sudo perudo restore sqlite:////var/lib/perudo/perudo.db",
        "sudo systemctl start perudo",
        "sudo systemctl disable --now perudo",
        "sudo perudo backup /var/backups/perudo.backup",
        "sudo scp /etc/perudo/perudo.env /var/backups/perudo.backup NEW:",
        "sudo install -m 600 ~/perudo.env /etc/perudo/perudo.env",
        "sudo perudo restore ~/perudo.backup",
        "sudo systemctl enable --now perudo",
        "rm ~/perudo.env ~/perudo.backup",
    ),
}
"""The typed commands, in the order of each page."""

NOT_HERE: Final = {
    "shows the journal of systemd, until Ctrl-C": ("journalctl --unit perudo --follow",),
    "several workers need a webhook: a public name, a certificate, and Telegram's servers": (
        "sudo systemctl disable --now perudo",
        "sudo install -m 644 config/deploy/perudo@.service /etc/systemd/system/",
        "sudo systemctl enable --now perudo@8441 perudo@8442",
    ),
    "needs a container engine": (
        "cd config/deploy",
        "cp perudo.env.example .env",
        "chmod 600 .env",
        "editor .env",
        "docker compose up --detach --build",
        "docker compose exec worker-1 perudo-bot doctor",
        "docker compose logs --follow worker-1 worker-2",
        "docker compose build",
        "docker compose stop worker-1 worker-2",
        "docker compose run --rm migrate",
        "docker compose up --detach",
        "docker compose exec worker-1 perudo-bot doctor",
        (
            "docker compose exec -T database pg_dump --username=perudo --format=custom --no-owner perudo "
            "> /var/backups/perudo.backup"
        ),
        "docker compose stop worker-1 worker-2",
        (
            "docker compose exec -T database pg_restore --username=perudo --clean --if-exists --no-owner "
            "--dbname=perudo < /var/backups/perudo.backup"
        ),
        "docker compose up --detach",
        "sudo install -d -o 10001 /srv/house",
        "sudo install -o 10001 -m 600 /var/backups/perudo.backup /srv/house/perudo.db",
        "docker compose run --rm --volume /srv/house:/srv/house worker-1 restore sqlite:////srv/house/perudo.db",
        "docker compose up --detach",
    ),
    "the repository has no public address yet": (
        "git clone https://github.com/OWNER/perudo && cd perudo",
        'uv tool install "perudo-bot[postgresql] @ git+https://github.com/OWNER/perudo"',
    ),
    "needs a network that phones are in; tests/telegram_bot/test_party.py starts it": ("make party",),
    "installs a gigabyte: .ci/run test-voice uses it": (
        'make run EXTRAS="postgresql voice"',
        'sudo make install PREFIX=/opt/perudo EXTRAS="postgresql voice"',
        'make run EXTRAS="kokoro piper"',
        'sudo make install PREFIX=/opt/perudo EXTRAS="kokoro piper"',
    ),
    "needs a model hub": (
        "perudo-bot voice setup                  small: a download of 484 MB",
        "perudo-bot voice setup --model base     145 MB; understands less",
        "perudo-bot voice setup --from /srv/DIR  a folder with the model, where no hub can be reached",
        "perudo-bot voice setup --voices         Kokoro: a download of 192 MB",
    ),
}
"""Commands that cannot be typed where the tests run, with the reason."""

IN_SENTENCES: Final = {
    "other tests run it, with these words or others": (
        "make test",
        "make docs",
        "make install",
        "perudo-bot run",
        "perudo-bot doctor",
        "perudo-bot forget sms:7",
        ".venv/bin/perudo-bot party --share --texts --config my.toml",
        ".venv/bin/perudo-bot party --host 192.168.1.20",
        ".venv/bin/perudo-bot party --port 9000",
        ".venv/bin/perudo-bot party --database evening.db",
        ".venv/bin/perudo-bot party --share",
        ".venv/bin/python -m benchmarks.memory",
        ".venv/bin/python -m benchmarks.sms_cost --games 5 --people 2 3 4 6 --out 0.01 --into 0.01",
    ),
    "not tried, as docs/operating/untried.md says": (
        "sudo apt install git make python3-pip",
        "pipx install perudo-bot",
        "docker compose up --detach --force-recreate worker-1 worker-2",
        "docker compose logs",
        "docker compose ps",
        "docker compose --profile watch up --detach",
        "systemctl status perudo",
        "systemctl reset-failed perudo",
        "sudo systemctl start perudo@8441 perudo@8442",
        "sudo -u postgres psql -c 'ALTER USER perudo CREATEDB'",
        "sqlite3 perudo.db VACUUM",
    ),
}
"""Commands that a sentence of a page names, where no block of a page has them."""
_COMMAND: Final = re.compile(
    r"sudo |make |docker |perudo-bot |python -m |\.venv/bin/|systemctl |apt-get |sqlite3 |pipx? |uv "
)


def pages() -> list[Path]:
    """README.md, docs/operating.md, and what either links to in docs/, each once."""
    first = (README, OPERATING)
    linked = [(page.parent / link).resolve() for page in first for link in _LINK.findall(page.read_text("utf-8"))]
    docs = ROOT / "docs"
    return list(dict.fromkeys([*first, *(page for page in linked if docs in page.parents)]))


def commands(page: Path) -> list[str]:
    """The command lines of a page."""
    return [
        line.strip()
        for language, block in FENCED.findall(page.read_text("utf-8"))
        if not language
        for line in block.splitlines()
    ]


def named(page: Path) -> set[str]:
    """The commands within the sentences of a page."""
    spans = (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCED.sub("", page.read_text("utf-8"))))
    return {span for span in spans if _COMMAND.match(span) and "…" not in span}


def unclassified() -> list[str]:
    """Errors in the lists above: commands in none, out of order, or on no page."""
    known = {line for each in (TYPED, NOT_HERE, IN_SENTENCES) for lines in each.values() for line in lines}
    said = {line for page in pages() if page.name != "untried.md" for line in named(page)}
    wrong = [f"a sentence names {line!r}, which is in none of these lists" for line in sorted(said - known)]
    wrong += [f"no sentence names {line!r}" for lines in IN_SENTENCES.values() for line in lines if line not in said]
    waiting = [line for lines in NOT_HERE.values() for line in lines]
    for page in pages():
        name = str(page.relative_to(ROOT))
        typed = list(TYPED.get(name, ()))
        for line in commands(page):
            if typed and line == typed[0]:
                typed.pop(0)
            elif line in waiting:
                waiting.remove(line)
            else:
                wrong.append(f"{name} tells to type {line!r}: is it TYPED here, or NOT_HERE?")
        wrong += [f"{name} no longer tells to type {line!r} there" for line in typed]
    return [*wrong, *(f"no page tells to type {line!r}" for line in waiting)]
