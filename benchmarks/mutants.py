"""A fixed sample of mutants, and which tests kill them: `.ci/run mutants`.

A mutant is the project with one small fault: `<` in place of `<=`, a statement left out. A test that fails with it
kills it. `mutants.tsv` holds a sample drawn at random, with the outcome of each mutant and up to three killers.
This program tries the same mutants on the tree as it is now, prints what has changed, and fails if a kill is lost: run
it before and after tests are deleted or merged. `--fresh` tries mutants that are in no table.

A mutant is found again by its function, its statement and its operator, wherever the function stands now. No file is
changed: a module is compiled with all its mutants inside, each with a switch. The tests are collected once and run
once without a fault, to see which test reaches which switch; then each mutant is tried in a fork of that process.
(cosmic-ray and mutmut know a mutant by its place in a file or by its number in a function: neither survives a move.)

Only what runs in the process of the tests is seen: no test end to end, and none with an external program.
"""

import argparse
import ast
import builtins
import copy
import csv
import gc
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import _lru_cache_wrapper
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import IO, Any, Final, NamedTuple, cast

import hypothesis
import pytest

TABLE: Final = Path(__file__).with_suffix(".tsv")
PACKAGES: Final = (
    "perudo_core/src/perudo_core",
    "telegram_bot/channels",
    "telegram_bot/delivery",
    "telegram_bot/notices",
    "telegram_bot/parsing",
    "telegram_bot/presentation",
    "telegram_bot/intents",
    "telegram_bot/repositories",
    "telegram_bot/screens",
    "telegram_bot/service",
    "telegram_bot/storage",
    "telegram_bot/tables",
    "telegram_bot/words",
)
TESTS: Final = ("tests/perudo_core", "tests/telegram_bot")
PYTEST: Final = (
    *("-q", "--capture=sys", "-p", "no:cacheprovider", "-o", "timeout=0"),
    *("-W", "ignore:Module already imported"),  # hypothesis, whose settings are made here
)
SAMPLE: Final = 300
FLOOR: Final = 30
"""At least so many mutants of each package; the rest is in proportion to what can be mutated there."""
MOST_KILLERS: Final = 3
MOST_TESTS: Final = 60
DEAREST_TEST: Final = 5.0
CPU_LIMIT: Final = 20
WALL_LIMIT: Final = 60
"""Seconds for a test that takes at most `DEAREST_TEST` without a fault; one that takes longer kills the mutant."""
MEMORY_LIMIT: Final = 4 * 2**30
LONG_STATEMENT: Final = 30
"""A statement of so many characters that occurs once is known by itself, if its function is gone."""
SWITCH: Final = "_mutant_is_on"

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Add,
}  # fmt: skip
FUNCTIONS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A fault, and where it is."""

    path: str
    function: str
    statement: str
    operator: str
    nth: int
    """Which one of the same operator in the same statement of the same function."""


class Outcome(NamedTuple):
    """The result of the tests on a mutant."""

    name: str = ""
    """`killed`, `timeout` (killed, because a test did not end), `survived`, `unreached` by any test, or reached only
    by an `import`."""
    killers: tuple[str, ...] = ()
    """Tests without their parameters."""

    @property
    def killed(self) -> bool:
        """Whether a test noticed the fault."""
        return bool(self.killers)


class Mutator(ast.NodeTransformer):
    """Finds the mutants of a file, and adds a switch to those that have one."""

    def __init__(self, path: str, switches: dict[Mutant, int]) -> None:
        self.found: list[Mutant] = []
        self._path, self._switches = path, switches
        self._scope: list[str] = []
        self._in_function = False
        self._statement = ""
        self._conditions: list[ast.expr] = []
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def visit(self, node: ast.AST) -> Any:
        """Return the node, or its replacement with the switches inside."""
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                around, self._in_function = self._in_function, not isinstance(node, ast.ClassDef)
                self._scope.append(node.name)
                node.body = [self.visit(statement) for statement in node.body]
                self._scope.pop()
                self._in_function = around
                return node
            case _ if not self._in_function:
                return self.generic_visit(node)
            case ast.pattern() | ast.AnnAssign():
                return node
            case ast.JoinedStr():  # its literal parts must stay literal
                node.values = [part if isinstance(part, ast.Constant) else self.visit(part) for part in node.values]
                return node
            case ast.stmt() | ast.match_case():
                self._statement = header(node)
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                self._conditions.append(test)
            case ast.comprehension(ifs=tests):
                self._conditions += tests
        chosen = [
            (self._switches[mutant], copy.deepcopy(changed))
            for operator, changed in changes(node, is_condition=any(node is each for each in self._conditions))
            if (mutant := self._place(operator)) in self._switches
        ]
        self.generic_visit(node)
        for number, changed in chosen:
            switch = ast.Call(ast.Name(SWITCH, ast.Load()), [ast.Constant(number)], [])
            if isinstance(node, ast.expr):
                node = ast.IfExp(switch, cast("ast.expr", changed), node)
            else:
                node = ast.If(switch, [cast("ast.stmt", changed)], [cast("ast.stmt", node)])
        return node

    def _place(self, operator: str) -> Mutant:
        key = (".".join(self._scope), self._statement, operator)
        mutant = Mutant(self._path, *key, self._seen[key])
        self._seen[key] += 1
        self.found.append(mutant)
        return mutant


def header(node: ast.stmt | ast.match_case) -> str:
    """Return the source of a statement in one line; of one with a body, what stands before it."""
    if isinstance(node, ast.Match):
        return f"match {ast.unparse(node.subject)}:"
    if hasattr(node, "body"):
        node = copy.copy(node)
        for part in ("body", "orelse", "handlers", "finalbody"):
            setattr(node, part, [])
    return " ".join(ast.unparse(node).split())


def changes(node: ast.AST, *, is_condition: bool) -> Iterator[tuple[str, ast.AST]]:
    """Yield each operator's mutation of a node, with the operator's name."""
    match node:
        case ast.Compare(ops=[comparison]):
            yield "compare", ast.Compare(node.left, [COMPARISONS[type(comparison)]()], node.comparators)
        case ast.BoolOp():
            yield "and-or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.operand
        case ast.expr() if is_condition:
            yield "not", ast.UnaryOp(ast.Not(), node)
        case ast.BinOp() if type(node.op) in ARITHMETIC and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            yield "arithmetic", ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            yield "function", ast.Call(ast.Name(FUNCTIONS[name], ast.Load()), node.args, node.keywords)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None", ast.Return(ast.Constant(None))
        case (
            ast.AugAssign()
            | ast.Raise()
            | ast.Continue()
            | ast.Break()
            | ast.Expr(value=ast.Call() | ast.Await())
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ) if not ast.unparse(node).startswith("log."):
            yield "delete", ast.Pass()


def all_mutants(packages: Iterable[str] = PACKAGES) -> Iterator[Mutant]:
    """Yield every mutant of the packages."""
    for package in packages:
        for file in sorted(Path(package).rglob("*.py")):
            if "migrations" not in file.parts and file.name != "__main__.py":
                mutator = Mutator(file.as_posix(), {})
                mutator.visit(ast.parse(file.read_bytes()))
                yield from mutator.found


def package_of(mutant: Mutant) -> str:
    """Return the one of `PACKAGES` that a mutant is in."""
    return next((package for package in PACKAGES if mutant.path.startswith(f"{package}/")), Path(mutant.path).parts[1])


def drawn(seed: int, sample: dict[Mutant, Outcome]) -> dict[Mutant, Outcome]:
    """Return the sample with a new mutant for each that is gone, at most one in a function."""
    places = zip(sample.items(), located(sample), strict=True)
    kept = {place: outcome for (_, outcome), place in places if place is not None}
    every, lot = list(all_mutants()), random.Random(seed)
    functions = {mutant[:2] for mutant in kept}
    for package in PACKAGES:
        here = [mutant for mutant in every if package_of(mutant) == package]
        lot.shuffle(here)
        one_each = {mutant[:2]: mutant for mutant in here if mutant[:2] not in functions}
        missing = max(FLOOR, round(SAMPLE * len(here) / len(every))) - sum(package_of(each) == package for each in kept)
        kept |= dict.fromkeys([*one_each.values()][: max(0, missing)], Outcome())
    return dict(sorted(kept.items(), key=lambda row: (PACKAGES.index(package_of(row[0])), row[0])))


def fresh(number: int, seed: int) -> dict[Mutant, Outcome]:
    """Return one mutant in each of so many functions of the bot."""
    every, lot = [*all_mutants(["telegram_bot"])], random.Random(seed)
    lot.shuffle(every)
    chosen = lot.sample(sorted({mutant[:2]: mutant for mutant in every}.values()), number)
    return dict.fromkeys(sorted(chosen), Outcome())


def located(sample: Iterable[Mutant]) -> list[Mutant | None]:
    """Find the mutants' places in the present tree, or None if a mutant's statement is gone."""
    now: defaultdict[tuple[object, ...], list[Mutant]] = defaultdict(list)
    for mutant in all_mutants(("perudo_core/src/perudo_core", "telegram_bot")):
        now[mutant[1:]].append(mutant)
        now[mutant[2:]].append(mutant)

    def place(mutant: Mutant) -> Mutant | None:
        near = [each for each in now[mutant[1:]] if package_of(each) == package_of(mutant)]
        if near:
            return min(near, key=lambda each: each.path != mutant.path)
        alike = now[mutant[2:]]
        return alike[0] if len(alike) == 1 and len(mutant.statement) >= LONG_STATEMENT else None

    return [place(mutant) for mutant in sample]


class Trial:
    """A plugin of pytest that tries mutants in place of a plain run."""

    def __init__(self, places: list[Mutant | None], former: list[tuple[str, ...]]) -> None:
        self.outcomes: list[Outcome] = []
        self.passing: dict[str, set[int]] = {}
        """Which mutants each test reaches that passes without a fault."""
        self._places, self._former = places, former
        self._active: int | None = None
        self._reached: set[int] = set()
        self._failed = False
        self._caches: list[_lru_cache_wrapper[Any]] = []
        self._trees: dict[str, ast.Module] = {}
        switches = {place: number for number, place in enumerate(places) if place is not None}
        for path in {place.path for place in switches}:
            tree = Mutator(path, switches).visit(ast.parse(Path(path).read_bytes()))
            self._trees[str(Path(path).resolve())] = ast.fix_missing_locations(tree)
        get_code = SourceFileLoader.get_code

        def with_switches(loader: SourceFileLoader, name: str) -> CodeType | None:
            tree = self._trees.get(loader.path)
            return get_code(loader, name) if tree is None else compile(tree, loader.path, "exec", dont_inherit=True)

        setattr(SourceFileLoader, "get_code", with_switches)  # noqa: B010 - mypy allows no assignment to a method
        setattr(builtins, SWITCH, self._is_on)

    def _is_on(self, number: int) -> bool:
        self._reached.add(number)
        return number == self._active

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a failure."""
        self._failed = self._failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self) -> None:
        """Find the caches: what was worked out while the tests were collected must be worked out with the fault."""
        caches = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
        self._caches = [each for each in caches if str(each.__module__).startswith(("perudo_core", "telegram_bot"))]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests without a fault, then each mutant's tests with it."""
        if session.testsfailed:
            raise session.Failed("not all tests could be collected")
        at_import = frozenset(self._reached)
        items = {item.nodeid: item for item in session.items}
        records, crashed = self._in_a_fork(session.items, None)
        if crashed:
            raise session.Failed(f"the process died in the test after {records[-1:]}")
        tell(f"{len(records)} tests, {sum(record['failed'] for record in records)} fail without a fault")
        self.passing = {
            record["test"]: set(record["reached"])
            for record in records
            if not record["failed"] and record["seconds"] < DEAREST_TEST
        }
        for number, place in enumerate(self._places):
            reaching = self._in_order(number)
            if not reaching:
                outcome = Outcome("import" if number in at_import else "unreached")
            else:
                records, timeout = self._in_a_fork([items[test] for test in reaching], number)
                failed = [record["test"] for record in records if record["failed"]]
                if timeout:
                    failed.append(reaching[len(records)])
                killers = tuple(dict.fromkeys(map(function_of, failed)))
                outcome = Outcome("timeout" if timeout else "killed" if killers else "survived", killers)
            self.outcomes.append(outcome)
            tell(f"{number + 1}/{len(self._places)} {outcome.name}: {place}")
        return True

    def _in_order(self, number: int) -> list[str]:
        """Return the tests to try: former killers, then one case of each test, then further cases.

        The most specific first.
        """
        former = {killer.rpartition("::")[2] for killer in self._former[number]}
        cases: Counter[str] = Counter()
        order: list[tuple[bool, int, int, str]] = []
        for reached, test in sorted(
            (len(reached), test) for test, reached in self.passing.items() if number in reached
        ):
            function = function_of(test)
            order.append((function.rpartition("::")[2] not in former, cases[function], reached, test))
            cases[function] += 1
        return [test for *_, test in sorted(order)[:MOST_TESTS]]

    def _in_a_fork(self, items: list[pytest.Item], active: int | None) -> tuple[list[dict[str, Any]], bool]:
        """Run tests in a process of their own; return a record of each, and whether the one after them did not end."""
        with tempfile.NamedTemporaryFile("a+", encoding="utf-8") as file:
            child = os.fork()
            if child == 0:
                try:
                    self._run(items, active, file)
                finally:
                    os._exit(0)
            _, status = os.waitpid(child, 0)
            with suppress(ProcessLookupError):  # what its tests have left running
                os.killpg(child, signal.SIGKILL)
            file.seek(0)
            return [json.loads(line) for line in file], os.WIFSIGNALED(status)

    def _run(self, items: list[pytest.Item], active: int | None, records: IO[str]) -> None:
        os.setsid()
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        self._active = active
        killers: set[str] = set()
        for item, before, after in zip(items, [None, *items], [*items[1:], None], strict=False):
            if active is not None:
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
                signal.setitimer(signal.ITIMER_PROF, CPU_LIMIT)
                signal.alarm(WALL_LIMIT)
            if before is None or before.path != item.path:
                for cache in self._caches:
                    cache.cache_clear()
            self._failed, began = False, time.process_time()
            self._reached.clear()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            seconds, reached = time.process_time() - began, sorted(self._reached)
            record = {"test": item.nodeid, "failed": self._failed, "seconds": seconds, "reached": reached}
            print(json.dumps(record), file=records, flush=True)
            if self._failed and active is not None:
                killers.add(function_of(item.nodeid))
            if len(killers) == MOST_KILLERS:
                return


def function_of(test: str) -> str:
    """Return a test without its parameters."""
    return test.partition("[")[0]


def tell(line: str) -> None:
    """Print the progress."""
    print(line, file=sys.stderr, flush=True)


def read() -> dict[Mutant, Outcome]:
    """Return the sample, with the outcomes that were kept."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file, delimiter="\t")
    return {
        Mutant(path, function, statement, operator, int(nth)): Outcome(name, tuple(killers.split()))
        for path, function, statement, operator, nth, name, killers in rows
    }


def write(sample: dict[Mutant, Outcome]) -> None:
    """Keep the sample with its outcomes."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow((*Mutant._fields, "outcome", "killers"))
        table.writerows((*mutant, outcome.name, " ".join(outcome.killers)) for mutant, outcome in sample.items())


def compare(before: dict[Mutant, Outcome], after: list[Outcome], passing: dict[str, set[int]]) -> int:
    """Print what has changed, and every survivor; return how many kills are lost."""
    tests: defaultdict[str, set[str]] = defaultdict(set)
    for test in passing:
        tests[function_of(test).rpartition("::")[2]].add(test)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, ((mutant, old), new) in enumerate(zip(before.items(), after, strict=True)):
        change = "lost" if old.killed and not new.killed else ""
        counts[package_of(mutant)].update({"mutants": 1, "before": old.killed, "after": new.killed, change: 1})
        if new.killed:
            continue
        print(change or new.name, *mutant, sep="  ")
        for killer in old.killers if change == "lost" else ():
            same = tests[killer.rpartition("::")[2]]
            passes = any(number in passing[test] for test in same)
            print(f"    {killer} {'passes' if passes else 'does not reach it' if same else 'is gone'}")
    for package, count in counts.items():
        print(package, *(f"{count[name]} {name}" for name in ("mutants", "before", "after", "lost")), sep="  ")
    return sum(count["lost"] for count in counts.values())


def main() -> None:
    """Try the sample; exit with 1 if a kill is lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=TESTS, help="where to look for killers")
    parser.add_argument("--only", default="", help="only mutants of whose path and function this is a part")
    parser.add_argument("--keep", action="store_true", help="write the outcomes into the table")
    parser.add_argument(
        "--fresh", type=int, nargs=2, metavar=("N", "SEED"), help="try one new mutant in each of N functions of the bot"
    )
    parser.add_argument("--draw", type=int, metavar="SEED", help="put new mutants in place of those that are gone")
    options = parser.parse_args()
    if options.draw is not None:
        write(drawn(options.draw, read()))
        return
    every = fresh(*options.fresh) if options.fresh else read()
    before = {mutant: old for mutant, old in every.items() if options.only in f"{mutant.path} {mutant.function}"}
    places = located(before)
    if gone := [mutant for mutant, place in zip(before, places, strict=True) if place is None]:
        print(*(f"gone  {mutant.path}  {mutant.function}  {mutant.statement}" for mutant in gone), sep="\n")
        sys.exit(f"{len(gone)} statements of the table are not in the tree: replace them with OPTIONS='--draw SEED'")
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # no example is kept, none is made simpler
    hypothesis.settings.register_profile("mutants", database=None, derandomize=True, deadline=None, phases=phases)
    hypothesis.settings.load_profile("mutants")
    trial = Trial(places, [old.killers for old in before.values()])
    from test_support.postgres import PostgresServer  # noqa: PLC0415 - it imports modules that have mutants

    os.environ["TEST_RUN"] = str(os.getpid())  # all forks share one PostgreSQL
    server = PostgresServer(Path(tempfile.gettempdir()) / f"perudo-postgresql-{os.getpid()}")
    try:
        with tempfile.TemporaryDirectory() as folder:
            status = pytest.main([*PYTEST, f"--basetemp={folder}/tests", *options.tests], plugins=[trial])
    finally:
        server.close()
    if status != pytest.ExitCode.OK:
        sys.exit(status)
    lost = compare(before, trial.outcomes, trial.passing)
    if options.keep and not options.fresh:
        moved = {old: now or old for old, now in zip(before, places, strict=True)}
        outcomes = every | dict(zip(before, trial.outcomes, strict=True))
        write({moved.get(mutant, mutant): outcome for mutant, outcome in outcomes.items()})
    sys.exit(lost > 0)


if __name__ == "__main__":
    main()
