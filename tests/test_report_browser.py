"""The report in a real browser: click, type, press keys, and see what it shows.

Needs Chromium on the path and Playwright's Python package. Where either is missing the tests are
skipped, unless EXACTREE_BROWSER=required, as .ci/run has it.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from discs import disc_problem
from sklearn.datasets import load_iris

from exactree import OptimalTreeClassifier, tree
from exactree.geometry import Surface, family_of
from exactree.problem import Result
from exactree.report import write_report
from exactree.splits import SurfaceSplit

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

Open = Callable[..., Any]


def missing(what: str) -> None:
    if os.environ.get("EXACTREE_BROWSER") == "required":
        pytest.fail(f"{what} is missing, and EXACTREE_BROWSER=required")
    pytest.skip(f"{what} is missing: install it to test the report in a browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright's Python package")
    if CHROMIUM is None:
        missing("Chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield found
        found.close()


@pytest.fixture(scope="module")
def model() -> OptimalTreeClassifier:
    data = load_iris(as_frame=True)
    return OptimalTreeClassifier(max_depth=3).fit(data.data, data.target_names[data.target])


@pytest.fixture
def show(browser: Any, model: OptimalTreeClassifier, tmp_path: Path) -> Iterator[Open]:
    """Open the report of the iris tree; the page must neither fail nor ask for anything."""
    trouble: list[str] = []
    asked: list[str] = []
    pages = []

    def show_page(path: Path | None = None, **how: Any) -> Any:
        if path is None:
            data = load_iris(as_frame=True)
            path = tmp_path / "report.html"
            write_report(model, data.data, data.target_names[data.target], path)
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **how})
        pages.append(page)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: trouble.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield show_page
    for page in pages:
        page.close()
    assert not trouble
    assert len(asked) == len(pages)  # each page itself


def seen(page: Any) -> int:
    return int(page.locator(".node:visible").count())


def test_click_folds_a_subtree_and_unfolds_it(show: Open, model: OptimalTreeClassifier) -> None:
    page = show()
    every = len(list(tree.nodes(model.tree_)))
    assert seen(page) == every
    assert isinstance(model.tree_, tree.Node)
    below = len(list(tree.nodes(model.tree_.left))) - 1
    page.locator("#node-1 .fold").click()
    assert seen(page) == every - below
    assert page.locator("#node-1").get_attribute("aria-expanded") == "false"
    page.locator("#node-1 .fold").click()
    assert seen(page) == every
    page.locator("#fold-all").click()
    assert seen(page) == 1
    page.locator("#unfold-all").click()
    assert seen(page) == every


def test_a_node_shows_its_rules_counts_and_rows(show: Open, model: OptimalTreeClassifier) -> None:
    page = show()
    numbered = list(enumerate(tree.nodes(model.tree_)))
    number, leaf = next((n, node) for n, node in numbered if isinstance(node, tree.Leaf))
    page.locator(f"#node-{number}").hover()
    panel = page.locator("#panel")
    assert f"{leaf.rows} training rows" in panel.inner_text()
    assert panel.locator("ol li").count() >= 1
    assert panel.locator(".samples tr").count() > 1
    # Leaving the tree shows the chosen node again; a click chooses.
    page.locator("h1").hover()
    assert "150 training rows" in panel.inner_text()
    page.locator(f"#node-{number}").click()
    page.locator("h1").hover()
    assert f"{leaf.rows} training rows" in panel.inner_text()


def test_the_tree_is_walked_by_keyboard(show: Open) -> None:
    page = show()

    def here() -> str:
        return str(page.evaluate("document.activeElement.id"))

    page.locator("#save-png").focus()
    page.keyboard.press("Tab")
    assert here() == "node-0"
    page.keyboard.press("ArrowRight")
    assert here() == "node-1"
    every = seen(page)
    page.keyboard.press("Enter")
    assert seen(page) < every
    page.keyboard.press("ArrowRight")
    assert seen(page) == every
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert here() == "node-0"
    page.keyboard.press("End")
    assert here() == f"node-{every - 1}"
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    assert seen(page) == 1
    # Only one stop on the way through the page.
    assert page.locator('.node[tabindex="0"]').count() == 1


def test_a_typed_sample_takes_the_path_of_the_model(
    show: Open, model: OptimalTreeClassifier
) -> None:
    page = show()
    X = load_iris(as_frame=True).data
    for row in (0, 70, 83, 106, 149):
        for field in page.locator("#what-if input").all():
            field.fill(str(X.iloc[row, int(field.get_attribute("data-feature"))]))
        assert f"The tree says {model.predict(X)[row]}" in page.locator("#outcome").inner_text()
        path = [f"node-{n}" for n in model.decision_path(X)[row].indices]
        assert page.locator(".node.on-path").evaluate_all("xs => xs.map(x => x.id)") == path
        assert page.locator("#steps li").count() == len(path) - 1
        assert page.locator("#here circle").count() == 1


def test_a_missing_number_is_asked_for_and_a_row_can_be_tried(show: Open) -> None:
    page = show()
    field = page.locator("#what-if input").first
    field.fill("")
    name = page.locator("#what-if label").first.inner_text()
    assert page.locator("#outcome").inner_text() == f"Give a number for {name}."
    assert page.locator(".on-path").count() == 0
    page.locator("#panel button").first.click()
    assert "The tree says" in page.locator("#outcome").inner_text()


def test_the_smallest_change_leads_to_another_answer(
    show: Open, model: OptimalTreeClassifier
) -> None:
    page = show()
    X = load_iris(as_frame=True).data
    for row in (0, 70, 106):
        for field in page.locator("#what-if input").all():
            field.fill(str(X.iloc[row, int(field.get_attribute("data-feature"))]))
        before = model.predict(X)[row]
        promised = page.locator("#change strong").inner_text()
        assert promised != before
        page.locator("#change button").click()
        assert f"The tree says {promised}" in page.locator("#outcome").inner_text()
        changed = X.iloc[[row]].copy()
        for field in page.locator("#what-if input").all():
            changed.iloc[0, int(field.get_attribute("data-feature"))] = float(field.input_value())
        assert model.predict(changed)[0] == promised


@pytest.mark.parametrize("splits", ["hyperplane", "sphere"])
def test_a_change_across_a_surface(show: Open, tmp_path: Path, splits: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2)).round(2)
    y = (X[:, 0] + X[:, 1] > 0).astype(int) if splits == "hyperplane" else (X**2).sum(1) < 1
    clf = OptimalTreeClassifier(splits=splits, max_depth=1).fit(X, y)
    write_report(clf, X, y, tmp_path / "surface.html")
    page = show(tmp_path / "surface.html")
    for row in range(0, 40, 8):
        page.locator("#x-0").fill(str(X[row, 0]))
        page.locator("#x-1").fill(str(X[row, 1]))
        before = page.locator("#outcome strong").inner_text()
        assert page.locator("#change").inner_text().count("(now") == 1  # of one column alone
        page.locator("#change button").click()
        assert page.locator("#outcome strong").inner_text() != before


def test_values_outside_the_data_are_told(show: Open) -> None:
    page = show()
    field = page.locator("#what-if input").first
    assert page.locator("#warnings li").count() == 0
    field.fill("1000")
    assert "= 1000 is outside the data" in page.locator("#warnings").inner_text()


def test_the_drawing_is_saved(show: Open, tmp_path: Path) -> None:
    page = show()
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.locator(f"#save-{kind}").click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        assert path.name == f"tree.{kind}"
        assert path.read_bytes().startswith(start)
    text = (tmp_path / "tree.svg").read_text(encoding="utf-8")
    assert "petal width" in text and "var(" not in text.replace("--rows", "")


def test_a_path_unfolds_what_it_goes_through(show: Open) -> None:
    page = show()
    page.locator("#fold-all").click()
    page.locator("#what-if input").first.fill("1")
    assert page.locator(".node.on-path:visible").count() == page.locator(".node.on-path").count()


def boxes_of(page: Any, selector: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of every such element."""
    corners = (
        "x => { const b = x.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] }"
    )
    return [tuple(box) for box in page.locator(selector).evaluate_all(f"xs => xs.map({corners})")]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (420, "dark")])
def test_nothing_sticks_out_or_overlaps(
    show: Open, model: OptimalTreeClassifier, width: int, scheme: str
) -> None:
    page = show(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.getElementById('canvas').scrollWidth") <= width
    boxes = boxes_of(page, ".node .box")
    assert len(boxes) == len(list(tree.nodes(model.tree_)))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    # The text of a question ends before the mark that folds it.
    texts, folds = boxes_of(page, ".split .what"), boxes_of(page, ".split .fold circle")
    assert all(text[2] <= fold[0] for text, fold in zip(texts, folds, strict=True))


def test_print_shows_the_whole_tree_without_controls(show: Open) -> None:
    page = show()
    page.emulate_media(media="print")
    assert not page.locator("#fold-all").is_visible()
    assert not page.locator("#panel").is_visible()
    assert page.locator("#tree").is_visible()
    assert page.locator(".rules").is_visible()


def test_without_scripts_everything_but_the_form_is_there(show: Open) -> None:
    page = show(java_script_enabled=False)
    assert page.locator("#tree").is_visible()
    assert page.locator("#regions").is_visible()
    assert not page.locator("#what-if").is_visible()
    assert page.get_by_text("needs scripts").is_visible()


def test_surfaces_are_evaluated_by_their_terms(show: Open, tmp_path: Path) -> None:
    result, X, y = disc_problem()
    write_report(result, X, y, tmp_path / "discs.html")
    page = show(tmp_path / "discs.html")
    for row, truth in zip(X[:10].tolist(), y.tolist(), strict=False):
        page.locator("#x-0").fill(repr(row[0]))
        page.locator("#x-1").fill(repr(row[1]))
        assert f"The tree says {truth}" in page.locator("#outcome").inner_text()


SURFACES: dict[str, dict[str, Any]] = {
    "hyperplane": {"splits": "hyperplane", "max_depth": 2},
    "sphere": {"splits": "sphere", "max_depth": 1},
    "quadric": {"splits": "quadric", "max_depth": 1},
    "mixed": {"splits": ["axis", "hyperplane"], "max_depth": 2},
    "binary": {"splits": "binary", "max_depth": 2},
}


@pytest.mark.parametrize("name", SURFACES)
def test_samples_walk_through_every_kind_of_split(show: Open, tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2)).round(2)
    y = ((X[:, 0] > X[:, 1]) ^ (X[:, 1] > 0.5)).astype(int)
    if name == "binary":
        X = (X > 0).astype(float)
    clf = OptimalTreeClassifier(**SURFACES[name]).fit(X, y)
    write_report(clf, X, y, tmp_path / "surfaces.html")
    assert_walks(show(tmp_path / "surfaces.html"), clf.tree_, X[:8])


def assert_walks(page: Any, root: tree.Tree, X: Any) -> None:
    """The form takes every row down the path that the tree does."""
    path = tree.decision_path(root, X)
    for i, row in enumerate(X.tolist()):
        for field in page.locator("#what-if input").all():
            field.fill(repr(row[int(field.get_attribute("data-feature"))]))
        walked = page.locator(".node.on-path").evaluate_all("xs => xs.map(x => x.id)")
        assert walked == [f"node-{n}" for n in path[i].indices]


def test_integers_of_any_length_are_compared_exactly(show: Open, tmp_path: Path) -> None:
    # Below the diagonal by less than floats can tell: the left side of 1e20 x - (1e20 + 1) y <= 0.
    line = Surface(family_of("hyperplane"), (10**20, -(10**20) - 1), 0, exact=True)
    ring = Surface(family_of("sphere"), (0, 0, 10**20), 10**20 + 1, exact=True)
    inner = tree.Node(SurfaceSplit(ring, 2), tree.Leaf(0, 1, (1, 0)), tree.Leaf(1, 1, (0, 1)))
    root = tree.Node(SurfaceSplit(line, 2), inner, tree.Leaf(1, 1, (0, 1)))
    X = np.array([[0.1, 0.1], [-0.1, -0.1], [1e-7, 1e-7], [1.0, 1.0], [0.6, 0.8], [0.8, 0.61]])
    result = Result("optimal", "lines", 0, 0, 0, root)
    write_report(result, X, tree.predict(root, X), tmp_path / "exact.html")
    assert len(set(tree.apply(root, X))) == 3
    assert_walks(show(tmp_path / "exact.html"), root, X)


@pytest.mark.parametrize("categories", ["equality", "subset"])
def test_a_table_is_tried_with_categories_dates_and_not_known(
    show: Open, tmp_path: Path, categories: str
) -> None:
    rng = np.random.default_rng(5)
    n = 80
    frame = pd.DataFrame(
        {
            "age": rng.integers(1, 80, n).astype(float),
            "colour": rng.choice(["red", "blue", "green"], n),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "smoker": rng.random(n) < 0.5,
            "seen": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "h"),
        }
    )
    for name in ("age", "colour", "size", "seen"):
        frame.loc[rng.random(n) < 0.2, name] = None
    y = rng.integers(0, 3, n)
    model = OptimalTreeClassifier(max_depth=4, max_splits=9, categories=categories)
    model.fit(frame, y)
    path = tmp_path / f"table-{categories}.html"
    write_report(model, frame, y, path)
    page = show(path)
    expected = model.predict(frame)
    for row in range(0, n, 4):
        for field in page.locator("#what-if [data-feature]").all():
            value = frame.iloc[row, int(field.get_attribute("data-feature"))]
            gone = pd.isna(value)
            if field.get_attribute("data-holds") == "category":
                named = {True: "yes", False: "no"}.get(value, value)
                field.select_option("" if gone else named)
            elif field.get_attribute("data-holds") == "date":
                field.fill("" if gone else value.isoformat())
            else:
                field.fill("" if gone else str(value))
        told = page.locator("#outcome").inner_text()
        assert f"The tree says {expected[row]}" in told, (row, told)
