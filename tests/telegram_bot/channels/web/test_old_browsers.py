"""Pages in browsers of 2020, the oldest ones: older ones get a sentence. The bytes that a browser gets for a page."""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route, expect

from telegram_bot.channels.web.static_files import STATIC, page_html, static_file
from telegram_bot.features import FEATURES
from telegram_bot.presentation.features import PAGE_PARTS
from telegram_bot.words.catalogue import LANGUAGES
from test_support.json_schemas import TYPESCRIPT
from test_support.page_weight import MOST_AGAIN_KB, MOST_FIRST_KB, received, serving
from test_support.typed_pages import errors_in, lay_out
from test_support.web_world import WebWorld
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, OUT_OF_REACH, PHONE
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, Site, answers, serve
from tests.telegram_bot.channels.web.test_late_pages import after_the_reveal, loaded

assert FEATURES
NEWER_SYNTAX: Final = """
const ts = require(process.argv[1]);
const { readFileSync } = require("fs");
const module = ts.ModuleKind.ESNext;
const read = (text, target) => ts.transpileModule(text, { compilerOptions: { target, module } }).outputText;
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  const floor = file.endsWith("start.js") ? ts.ScriptTarget.ES5 : ts.ScriptTarget.ES2020;
  const later = (node, inside) => {
    if (ts.isNamespaceExport(node) || (ts.isAwaitExpression(node) && !inside)) return true;
    return ts.forEachChild(node, (child) => later(child, inside || ts.isFunctionLike(node)) || undefined);
  };
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const lookbehind = /[(][?]<[=!]/.test(text);
  if (read(text, floor) !== read(text, ts.ScriptTarget.ESNext) || later(tree, false) || lookbehind) console.log(file);
}
"""
"""Prints the files that TypeScript writes otherwise for browsers of the floor, or that await at their top level."""
NEWER_STYLE: Final = re.compile(
    r"(?<![-\w])inset:|light-dark\(|color-mix\(|:is\(|:where\(|aspect-ratio|(?:margin|padding|inset)-(?:inline|block):"
    r"|(?<!hidden; )overflow: clip|(?<![-\w])(?:translate|scale|rotate): |@layer|@container|@property|&"
    r"|(?m:^(?=.*:has\()(?:[^{]*,(?![^{]*:has\()|(?![^{,]*:has\()[^{,]*,).*\{)"
)
"""Styles whose absence would be a fault: newer than the floor, or `:has` in a list, of which no part then counts."""
FAILS: Final = "document.addEventListener = () => { throw new Error('not here'); };"
TAKEN_AWAY: Final = """
const gone = {
  Array: ["at", "findLast", "findLastIndex", "toReversed", "toSorted", "with"],
  String: ["at", "replaceAll"],
  HTMLDialogElement: ["show", "showModal", "close"],
  Element: ["replaceChildren"],
  SpeechSynthesis: ["addEventListener"],
  SubmitEvent: ["submitter"],
};
for (const [kind, names] of Object.entries(gone)) {
  for (const name of names) if (globalThis[kind]) delete globalThis[kind].prototype[name];
}
delete AbortSignal.timeout;
delete AbortSignal.any;
delete Object.hasOwn;
delete Object.groupBy;
delete Promise.any;
delete Promise.withResolvers;
delete Intl.Segmenter;
delete Crypto.prototype.randomUUID;
delete Navigator.prototype.wakeLock;
delete Navigator.prototype.userActivation;
for (const name of ["structuredClone", "WeakRef", "AggregateError", "AudioContext"]) delete globalThis[name];
"""
"""Takes functions away that browsers of 2020 lack."""


def shipped(suffix: str) -> list[Path]:
    folders = [STATIC, *(part.folder for part in PAGE_PARTS.values())]
    return sorted(file for folder in folders for file in folder.rglob(f"*.{suffix}"))


async def answer_of_2020(route: Route) -> None:
    """A style without what browsers of the floor skip."""
    file = static_file(route.request.url.removeprefix(f"{ORIGIN}/seat/static/"))
    style = file.read_text("utf-8") if isinstance(file, Path) else file or ""
    style = re.sub(r"@supports[^{]*\{\s*[^{}]*\{[^{}]*\}\s*\}", "", style)
    style = re.sub(r"[^{};]*(?::has\(|:focus-visible)[^{}]*\{[^{}]*\}", "", style)
    style = re.sub(r"(?:overflow: clip|text-wrap: \w+|align-content: safe \w+|accent-color: [^;]*);", "", style)
    await route.fulfill(body=style, content_type="text/css")


async def an_old_page(site: Site, size: dict[str, int]) -> Page:
    page = await site.page(size, script=TAKEN_AWAY)
    await page.route(f"{ORIGIN}/**/*.css", answer_of_2020)
    return page


def test_every_script_is_read_by_browsers_of_2020_and_the_one_of_older_ones_by_all() -> None:
    assert TYPESCRIPT.is_file(), "run .ci/node-parts first (make test does)"
    command = ["node", "-e", NEWER_SYNTAX, *map(str, (TYPESCRIPT.parents[1], *shipped("js")))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own script
    assert run.stdout == ""


def test_a_misspelt_field_of_a_card_fails_lint(tmp_path: Path) -> None:
    """A page knows the fields of each card, as Python's types define them."""
    lay_out(tmp_path)
    page = tmp_path / "parts.js"
    page.write_text(page.read_text(encoding="utf-8").replace("round.facts", "round.facs"), encoding="utf-8")
    assert "'facs' does not exist on type 'RoundCard'" in errors_in(tmp_path)


def test_no_style_depends_on_what_browsers_of_2020_do_not_know() -> None:
    found = {}
    for file in shipped("css"):
        style = re.sub(r"/\*.*?\*/", "", file.read_text("utf-8"), flags=re.DOTALL)
        style = re.sub(r"@supports[^{]*\{\s*[^{}]*\{[^{}]*\}\s*\}", "", style)
        found[file.name] = [each[0] for each in NEWER_STYLE.finditer(style)] + re.findall(
            r"[^\n]*\d[dsl]v[hw]\b", style
        )
    assert not any(found.values()), found


@pytest.mark.asyncio(loop_scope="session")
async def test_a_phone_of_2020_plays_and_opens_its_menu(site: Site) -> None:
    phone = await an_old_page(site, {"width": 320, "height": 568})
    serve(phone, ("hello", HELLO | {"player": 1}), *loaded(after_the_reveal(90)))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    await expect(phone.get_by_role("button", name="Bid ")).to_be_visible()
    await phone.get_by_role("button", name="Lift the cup").click()
    for width, height in ((320, 568), (375, 553)):
        await phone.set_viewport_size({"width": width, "height": height})
        assert await phone.evaluate(OUT_OF_REACH, ".call-box button, [role=spinbutton], .cube") == []
    await phone.get_by_role("button", name="Sound").first.click()
    await phone.get_by_role("button", name="Menu").click()
    await expect(phone.get_by_label("Lift the cup by shaking")).to_be_visible()
    await phone.get_by_role("button", name="Close").first.click()
    await expect(phone.get_by_label("Lift the cup by shaking")).to_be_hidden()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_guest_of_2020_opens_a_table_with_the_first_key_of_the_door(site: Site) -> None:
    phone = await an_old_page(site, {"width": 360, "height": 640})
    answers(phone, "me", {"may_open": True}, 401)
    await phone.goto(f"{ORIGIN}/t")
    await phone.get_by_label("Your name").fill("Ana")
    async with phone.expect_request("**/seat/open"):
        await phone.get_by_role("button", name="Open a table").click()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_television_of_2020_shows_the_table(site: Site) -> None:
    screen = await an_old_page(site, LARGE_TELEVISION)
    serve(screen, ("hello", HELLO), *loaded(after_the_reveal(90)[:2]))
    await screen.goto(f"{ORIGIN}/tv/TABLE2#KEY")
    await expect(screen.get_by_text("Ana opens")).to_be_visible()
    assert await screen.evaluate(OUT_OF_REACH, ".seat, .middle, header button") == []
    height = await screen.evaluate("document.querySelector('.table').getBoundingClientRect().height")
    assert height > 700, "the table has the screen"


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", ["t", "tv", "app"])
async def test_a_page_whose_modules_do_not_run_has_a_sentence_in_each_language(site: Site, name: str) -> None:
    page = await site.page(LARGE_TELEVISION, clock=True)
    loads = []

    async def load(route: Route) -> None:
        loads.append(route.request.url)
        await route.fallback()

    await page.route(f"{ORIGIN}/{name}/", load)
    await page.route(
        f"{ORIGIN}/**/net.js", lambda route: route.fulfill(body="let a = #;", content_type="text/javascript")
    )
    await page.goto(f"{ORIGIN}/{name}/")
    await page.clock.run_for(2_000)
    told = page.locator("#unstarted p")
    await expect(told).to_have_count(len(LANGUAGES))
    await expect(told.filter(has_text="you need at least Chrome 80 or Safari 14")).to_be_in_viewport(ratio=1)
    assert [await each.get_attribute("lang") for each in await told.all()] == [*LANGUAGES]
    await page.clock.run_for(60_000)
    assert len(loads) == 2, "it is loaded once more, and then no more"

    failing = await site.page(LARGE_TELEVISION, script=FAILS, clock=True)
    await failing.goto(f"{ORIGIN}/{name}")
    await failing.clock.run_for(2_000)
    await expect(failing.locator("#unstarted p").first).to_be_visible()
    site.mistakes.clear()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_phone_receives_little_the_first_time_and_less_again(world: WebWorld, browser: Browser) -> None:
    async with serving(world.app) as address:
        first, again = await received(browser, f"{address}/t/ABCDEF")
    assert first <= MOST_FIRST_KB
    assert again <= MOST_AGAIN_KB


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("name", "path"), [("guest", "t/TABLE2"), ("tv", "tv/TABLE2"), ("app", "app")])
async def test_a_page_asks_early_for_the_modules_that_it_needs_alone(site: Site, name: str, path: str) -> None:
    html, needed = page_html(name, "en"), set()

    async def without_links(route: Route) -> None:
        await route.fulfill(body=re.sub('<link rel="modulepreload".*', "", html), content_type="text/html")

    async def note(route: Route) -> None:
        needed.add(route.request.url.removeprefix(ORIGIN))
        await route.fallback()

    page = await site.page(PHONE)
    await page.route(f"{ORIGIN}/{path}", without_links)
    await page.route("**/*.js", note)
    await page.goto(f"{ORIGIN}/{path}")
    await page.evaluate("async () => (await import('/seat/static/features.js')).loaded")
    links = re.findall(r'modulepreload" href="([^"]+)"', html)
    assert sorted(links) == sorted(each for each in needed if Path(each).name != "start.js")


@pytest.mark.parametrize("tag", ["{0}", "W/{0}", '"other", {0}'])
async def test_a_file_that_a_browser_has_is_not_sent_again(world: WebWorld, tag: str) -> None:
    client = world.browser().client
    for path in ("/t/ABCDEF", "/seat/static/net.js", "/seat/static/features.css", "/seat/words?language=de"):
        sent = await client.get(path, headers={"Accept-Encoding": "gzip"})
        assert sent.headers["content-encoding"] == "gzip"
        kept = {"If-None-Match": tag.format(sent.headers["etag"].removeprefix("W/"))}
        assert (await client.get(path, headers=kept)).status_code == 304
        assert "content-encoding" not in (await client.get(path, headers={"Accept-Encoding": "identity"})).headers
