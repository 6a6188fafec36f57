"""The house rules: import layers, quiet library, honest docstrings, nothing of one machine."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import exactree

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "exactree"
SOURCES = sorted(PACKAGE.rglob("*.py"))

# Module or subpackage -> what else of the project it may import. docs/architecture.md has the
# picture. What is not in this table may not exist.
_MODEL = {
    "fields",
    "interrupts",
    "tree",
    "objectives",
    "constraints",
    "partitions",
    "tables",
    "problem",
}
_READ = {"inputs", "refusing", "values", "parameters", "request", "weights", "rows"}
_SOLVE = _MODEL | _READ | {"counting", "bounds", "geometry", "splits", "engines", "routing"}
_USERS = _SOLVE | {
    "preparing",
    "solving",
    "estimators",
    "policy",
    "sizes",
    "proof",
    "export",
    "plot",
    "report",
    "datasets",
    "binarize",
    "cluster",
}
LAYERS: dict[str, set[str]] = {
    "_native": set(),
    "spec": set(),
    "counting": set(),
    "combinations": set(),
    "partitions": set(),
    "fields": set(),
    "suggesting": set(),
    "interrupts": set(),
    "tree": {"fields"},
    "showing": {"tree"},
    "importance": {"splits", "tree"},
    "objectives": {"suggesting", "tree"},
    "constraints": {"objectives"},
    "problem": {"tree", "constraints", "objectives", "showing", "partitions", "tables"},
    "inputs": set(),
    "refusing": {"inputs"},
    "tables": {"fields", "inputs", "refusing", "suggesting"},
    "values": set(),
    "memory": set(),
    "programs": set(),
    "weights": set(),
    "costs": {"weights"},
    "rows": _MODEL | {"_native"},
    "routing": {"_native", "splits", "tables", "tree"},
    "bounds": _MODEL,
    "geometry": {"_native", "combinations", "partitions", "programs"},
    "splits": _MODEL | {"geometry", "counting", "rows", "suggesting"},
    "engines": _MODEL
    | {"bounds", "combinations", "counting", "memory", "programs", "rows", "spec", "suggesting"}
    | {"_native"},
    "cluster": {"_native", "memory"},
    "parameters": _MODEL | {"splits", "suggesting", "values"},
    "request": _MODEL | {"parameters", "splits"},
    "preparing": _MODEL | _READ | {"bounds", "costs", "splits"},
    "proof": _MODEL | _READ | {"_native", "costs", "preparing", "splits"},
    "leaves": _MODEL | {"preparing"},
    "two_levels": {"tables"},
    "rare_categories": _SOLVE | {"preparing", "two_levels"},
    "translating": _SOLVE | {"preparing", "leaves"},
    "starting": _SOLVE | {"preparing", "leaves"},
    "resuming": _SOLVE | {"cluster", "preparing", "leaves"},
    "progress": {"problem"},
    "ratios": _MODEL | _READ | {"preparing", "routing", "shaping"},
    "shaping": _MODEL | {"engines", "preparing", "request", "splits", "suggesting", "tables"},
    "solving": _SOLVE
    | {"cluster", "preparing", "ratios", "shaping", "translating", "rare_categories"}
    | {"memory", "progress", "proof", "starting", "resuming"},
    "estimators": _SOLVE | {"importance", "solving"},
    "policy": _SOLVE | {"costs", "estimators"},
    "sizes": _SOLVE
    | {"preparing", "progress", "rare_categories", "solving", "starting", "estimators"},
    "export": _MODEL | {"splits"},
    "plot": _MODEL | {"splits", "export"},
    "report": _MODEL | {"splits", "export", "plot", "counting"},
    "binarize": {"inputs"},
    "datasets": _MODEL | {"splits", "geometry"},
    "__init__": _USERS,
    "cli": _USERS | {"__init__", "suggesting"},
    "__main__": {"cli"},
}

each_source = pytest.mark.parametrize(
    "path", SOURCES, ids=[p.relative_to(PACKAGE).as_posix() for p in SOURCES]
)


def layer(path: Path) -> str:
    """The name in LAYERS of a file of the package."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else path.stem


def imported(tree: ast.Module, package: str) -> Iterator[str]:
    """The absolute dotted names that a module of the package imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: -(node.level - 1) or None] if node.level else []
            origin = ".".join([*up, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def project_imports(names: Iterator[str]) -> set[str]:
    """The layers among imported names: exactree.a.b is a, exactree.__version__ is __init__."""
    parts = [name.split(".") for name in names]
    inside = [(*part, "")[1] for part in parts if part[0] == "exactree"]
    return {name if name in LAYERS else "__init__" for name in inside}


def names_imported_by(path: Path) -> Iterator[str]:
    package = ".".join(["exactree", *path.relative_to(PACKAGE).parent.parts])
    return imported(ast.parse(path.read_text()), package)


def test_layers_point_one_way() -> None:
    assert set(TopologicalSorter(LAYERS).static_order()) == set(LAYERS)


def test_imports_are_read_in_every_form() -> None:
    text = (
        "import exactree.tree\ndef f():\n    from .. import spec\n    from exactree.plot import x"
    )
    names = imported(ast.parse(text), "exactree.engines")
    assert project_imports(names) == {"tree", "spec", "plot"}
    assert project_imports(iter(["exactree.__version__", "os.path"])) == {"__init__"}


@each_source
def test_import_layers(path: Path) -> None:
    assert layer(path) in LAYERS, f"{path.name} has no layer: add it to LAYERS, or move it"
    allowed = LAYERS[layer(path)] | {layer(path)}
    assert project_imports(names_imported_by(path)) <= allowed


@each_source
def test_packages_have_an_init(path: Path) -> None:
    assert (path.parent / "__init__.py").exists(), "else pytest imports its modules a second time"


def test_few_know_the_native_module() -> None:
    assert {name for name, allowed in LAYERS.items() if "_native" in allowed} == {
        "cluster",
        "engines",
        "geometry",
        "proof",
        "routing",
        "rows",
    }


@pytest.mark.parametrize("path", sorted((PACKAGE / "spec").rglob("*.py")), ids=lambda p: p.name)
def test_the_specification_needs_only_the_standard_library(path: Path) -> None:
    tops = {name.split(".")[0] for name in names_imported_by(path)}
    assert tops <= sys.stdlib_module_names | {"exactree"}


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "proof").glob("checking*.py")), ids=lambda p: p.name
)
def test_checkers_import_nothing_of_ours_and_can_be_read(path: Path) -> None:
    tops = {name.split(".")[0] for name in names_imported_by(path)}
    assert tops <= sys.stdlib_module_names | {"numpy"}
    assert len(path.read_text().splitlines()) < 400


@each_source
def test_no_print_in_the_library(path: Path) -> None:
    calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
    assert "print" not in {func.id for func in calls if isinstance(func, ast.Name)}


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The length of a function without its docstring: saying more is no fault."""
    documented = ast.get_docstring(function) is not None and len(function.body) > 1
    return (function.end_lineno or 0) - function.body[int(documented)].lineno + 1


@each_source
def test_no_grab_bags_and_no_giants(path: Path) -> None:
    assert path.stem not in {"utils", "util", "helpers", "common", "misc", "base", "core"}
    text = path.read_text()
    assert len(text.splitlines()) <= 450, "files stay under about 400 lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert code_lines(node) <= 60, f"{node.name} is over sixty lines"
            positional = [a for a in node.args.args if a.arg not in ("self", "cls")]
            assert len(positional) <= 6, f"{node.name} has over six positional arguments"


# --- Docstrings -------------------------------------------------------------------------------


def documented_parameters(docstring: str) -> list[str]:
    """The names of a numpydoc Parameters section; empty without one."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", docstring, re.M | re.S)
    if section is None:
        return []
    heads = re.findall(r"^(\*{0,2}\w+(?:, *\*{0,2}\w+)*)(?: *:.*)?$", section[1], re.M)
    return [name.strip(" *") for head in heads for name in head.split(",")]


def real_parameters(function: ast.FunctionDef) -> set[str]:
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    every += [a for a in (args.vararg, args.kwarg) if a is not None]
    return {a.arg for a in every} - {"self", "cls"}


def documented_signatures(tree: ast.Module) -> Iterator[tuple[str, str, set[str]]]:
    """Name, docstring and parameters of every function, and of every class with a constructor."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_docstring(node) or "", real_parameters(node)
        elif isinstance(node, ast.ClassDef):
            made = [f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"]
            for init in made:
                yield node.name, ast.get_docstring(node) or "", real_parameters(init)


def test_a_parameters_section_is_read() -> None:
    head = "Do.\n\nParameters\n----------\n"
    doc = head + "a : int\n    The a: one.\nb, *c\n    More.\n\nReturns\n-------\nd : int"
    assert documented_parameters(doc) == ["a", "b", "c"]
    assert documented_parameters("Do nothing.") == []


@each_source
def test_docstrings_name_real_parameters(path: Path) -> None:
    for name, doc, real in documented_signatures(ast.parse(path.read_text())):
        invented = set(documented_parameters(doc)) - real
        assert not invented, f"{name} has no parameters {invented}"


@each_source
def test_examples_of_a_docstring_with_sections_have_one(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            doc = ast.get_docstring(node) or ""
            sections = re.findall(r"^(\w+)\n-+$", doc, re.M)
            assert not sections or ">>>" not in doc or sections[-1] == "Examples", node.name


def unmentioned(thing: Callable[..., object]) -> list[str]:
    """The parameters that the docstring does not tell about."""
    doc = inspect.getdoc(thing) or ""
    return [p for p in inspect.signature(thing).parameters if not re.search(rf"\b{p}\b", doc)]


def test_public_docstrings_name_every_parameter() -> None:
    public = {name: getattr(exactree, name) for name in getattr(exactree, "__all__", [])}
    silent = {name: unmentioned(thing) for name, thing in public.items() if callable(thing)}
    assert not {name: missing for name, missing in silent.items() if missing}


def test_an_unmentioned_parameter_is_found() -> None:
    def add(first: int, second: int) -> int:
        """Add something to `first`."""
        return first + second

    assert unmentioned(add) == ["second"]


# --- Tracked files ----------------------------------------------------------------------------

# Put together from parts, so that this file keeps the rule itself.
MACHINE = re.compile(
    r"(?<![\w.~$}])/(?:" + "|".join(["work", "tmp", "root", "home", "Users"]) + ")/"
)
HOSTS = re.compile("|".join(["pypi" + r"\.org", "python" + r"hosted\.org"]))
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [ROOT / name for name in listing.stdout.split("\0") if name]


@pytest.mark.parametrize("rule", [MACHINE, HOSTS, UNFINISHED], ids=["paths", "hosts", "unfinished"])
def test_tracked_files(rule: re.Pattern[str]) -> None:
    files = [path for path in tracked_files() if path.is_file()]
    if not files:
        pytest.skip("not a git checkout")
    guilty = [p for p in files if rule.search(p.read_bytes().decode("utf-8", "ignore"))]
    assert not guilty


def test_links_between_our_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())
    ]
    assert links
    assert not [
        (page.name, target) for page, target in links if not (page.parent / target).exists()
    ]


def test_the_rules_for_tracked_files_bite() -> None:
    assert MACHINE.search("see " + "/".join(["", "root", "x"]))
    assert not MACHINE.search("src/home/x")
    assert HOSTS.search("https://" + "pypi" + ".org")
    assert UNFINISHED.search("# " + "TO" + "DO: more")


def test_files_that_are_compiled_at_once_share_no_names() -> None:
    """A build from source compiles many files as one, in which a constant or class exists once."""
    text = (ROOT / "CMakeLists.txt").read_text()
    lists = dict(re.findall(r"set\(EXACTREE_(\w+)_SOURCES\n([^)]*)\)", text))
    for names in (["KERNEL"], ["SEARCH", "ROW"], ["BESIDE"]):
        files = [f for name in names for f in lists[name].split()]
        assert len(files) > 10
        found: dict[str, str] = {}
        for file in files:
            for name in _names_of(ROOT / file):
                assert name not in found, f"{name}: in {found[name]} and in {file}"
                found[name] = file
        assert found


def _names_of(file: Path) -> Iterator[str]:
    """Give the constants and types that a file defines outside of all classes and functions."""
    for line in file.read_text().split("\n"):
        if constants := re.match(r"constexpr [\w:<>, ]*?\b(k[A-Z]\w*)( *=.*|\[.*|\{.*)", line):
            yield constants[1]
            yield from re.findall(r", (k[A-Z]\w*) =", constants[2])
        if defined := re.match(r"(?:struct|class|enum class) (\w+)[^;]*\{|using (\w+) =", line):
            yield defined[1] or defined[2]
