"""`perudo-bot read`: phrases in, one line of JSON for each."""

import json
import subprocess
import sys

READ = (sys.executable, "-m", "telegram_bot.cli", "read")


def read(phrases: bytes, *options: str) -> list[dict[str, str]]:
    done = subprocess.run([*READ, *options], input=phrases, capture_output=True, check=True)  # noqa: S603 - our own command  # noqa: S603 - our own program
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_line_has_one_answer() -> None:
    said = b"cinque quattro, grazie\ndudo\ncalzaaa\ncinqe quattro\ni miei dadi\nciao\n54"
    assert read(said, "--language", "it", "--dice", "30") == [
        {"call": "5x4"},
        {"call": "dudo"},
        {"call": "calza"},
        {"ask": "5x4"},
        {"command": "dice"},
        {},
        {"call": "5x4"},
    ]


def test_54_is_asked_about_where_so_many_dice_are() -> None:
    assert read(b"54\n", "--dice", "60") == [{"ask": "5x4"}]


def test_any_bytes_have_an_answer() -> None:
    odd = [b"", b"\xff\xfe", b"\x00dudo\x00", b"x" * 1_000_000, "⚃⚃".encode(), b"5x4\r"]
    assert read(b"\n".join(odd), "--dice", "30") == [{}, {}, {"call": "dudo"}, {}, {"ask": "2x4"}, {"call": "5x4"}]


def test_an_answer_comes_before_the_next_phrase_does() -> None:
    with subprocess.Popen([*READ], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:  # noqa: S603  # noqa: S603 - our own program
        assert reader.stdin is not None
        assert reader.stdout is not None
        for phrase, answer in ((b"5x4\n", {"call": "5x4"}), (b"hello\n", {})):
            reader.stdin.write(phrase)
            reader.stdin.flush()
            assert json.loads(reader.stdout.readline()) == answer
        reader.stdin.close()
        assert reader.wait(timeout=30) == 0


def test_an_unknown_language_is_named() -> None:
    done = subprocess.run([*READ, "--language", "tlh"], input=b"", capture_output=True, check=False)  # noqa: S603  # noqa: S603 - our own program
    assert done.returncode == 2
    assert b"'tlh' is none of the bot's languages: en, es, fr, it, nl" in done.stderr
