"""The report: whole, quiet, escaped, and honest about what is proved."""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from discs import Disc, disc_problem
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from exactree import OptimalPolicyTree, OptimalTreeClassifier, OptimalTreeRegressor, solve, tree
from exactree.export.colours import class_colours
from exactree.problem import Cut, Result
from exactree.report import write_report
from exactree.report.answers import answers_html, confusion
from exactree.report.drawing import height, places, positions, tree_svg, width
from exactree.report.evidence import Evidence, read_evidence
from exactree.report.history import history_html
from exactree.report.page import report_html
from exactree.report.proof import facts, headline, statement
from exactree.report.regions import regions_html, scales, two_features
from exactree.report.script_data import question, script_data
from exactree.splits import AxisSplit
from exactree.tree import Leaf, Node, Split

HOSTILE = ["</script><b>&\"'", "x<y>", "$title ${style} %s", "‮日本\u2028"]
VOID = {"meta", "input", "br"}
CARD = re.compile(r"<dt>(.*?)</dt><dd>(.*?)</dd>")


class Elements(HTMLParser):
    """Every element with its attributes, and whether each was closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.text += data


def iris() -> tuple[pd.DataFrame, NDArray[Any]]:
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def model() -> OptimalTreeClassifier:
    return OptimalTreeClassifier(max_depth=2).fit(*iris())


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def test_the_file_is_whole_and_needs_no_network(
    model: OptimalTreeClassifier, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    write_report(model, *iris(), path, title="Petals & sepals")
    page = path.read_text(encoding="utf-8")
    elements = Elements(page)
    assert not elements.open
    assert "Petals & sepals" in elements.text
    assert "Proved optimal" in elements.text
    assert not {tag for tag, _ in elements.found} & {"link", "img", "iframe", "object", "base"}
    assert not [a for _, attributes in elements.found for a in attributes if a in ("src", "href")]
    # The name of the SVG namespace is no address that anything is loaded from.
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "$" not in re.sub(r"\$\{", "", page.split("<script>")[0])


def test_ids_are_unique_and_every_label_has_its_field(model: OptimalTreeClassifier) -> None:
    elements = Elements(report_html(read_evidence(model, *iris())))
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    labels = [attributes["for"] for tag, attributes in elements.found if tag == "label"]
    assert labels
    assert set(labels) <= set(ids)


def test_names_are_escaped_everywhere() -> None:
    X = pd.DataFrame(np.random.default_rng(0).random((40, 4)), columns=HOSTILE)
    y = np.array(HOSTILE)[(3 * X.iloc[:, 0] + X.iloc[:, 1]).astype(int).clip(0, 3)]
    model = OptimalTreeClassifier(max_depth=3).fit(X, y)
    page = report_html(_timeless(read_evidence(model, X, y)), title=HOSTILE[0])
    plain = report_html(_timeless(read_evidence(*_renamed(X, y))), title="plain")
    elements = Elements(page)
    # What hostile names add is text: the elements are those of the same page with tame names.
    assert [tag for tag, _ in elements.found] == [tag for tag, _ in Elements(plain).found]
    assert not elements.open
    assert page.count("</script>") == 2
    assert data_of(page)["features"] == HOSTILE
    for name in set(y):
        assert name in elements.text


def _timeless(evidence: Evidence) -> Evidence:
    """Without the history, whose picture depends on how fast the machine was."""
    return replace(evidence, result=replace(evidence.result, history=()))


def _renamed(X: pd.DataFrame, y: NDArray[Any]) -> tuple[OptimalTreeClassifier, Any, Any]:
    order = {name: f"c{i}" for i, name in enumerate(sorted(HOSTILE))}
    tame_X = X.set_axis([f"f{j}" for j in range(4)], axis=1)
    tame_y = np.array([order[name] for name in y])
    return OptimalTreeClassifier(max_depth=3).fit(tame_X, tame_y), tame_X, tame_y


def test_an_optimal_tree_is_called_so_with_its_space_and_bound() -> None:
    X, y = iris()
    model = OptimalTreeClassifier(max_depth=2, min_samples_leaf=5, penalty=0.01).fit(X, y)
    evidence = read_evidence(model, X, y)
    told = dict(facts(evidence))
    assert headline(model.result_) == "Proved optimal"
    assert "none has a smaller loss" in statement(evidence)[0]
    assert told["Trees that competed"] == model.result_.space
    assert "0.01 of the total weight for every split" in told["Objective"]
    assert told["Proved lower bound"] == f"{model.lower_bound_:.6g}"
    assert "seconds" in told["Search effort"]
    assert "not seen" in statement(evidence)[-1]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("time_limit", "time limit"),
        ("memory_limit", "memory limit"),
        ("interrupted", "interrupted"),
    ],
)
def test_a_stopped_search_does_not_claim_a_proof(status: Any, reason: str) -> None:
    X, y = iris()
    stopped = replace(solve(X, y, max_depth=1), status=status, objective=50, lower_bound=20, gap=30)
    evidence = read_evidence(stopped, X, y)
    page = Elements(report_html(evidence)).text
    assert "Not proved optimal" in page
    assert "Proved optimal" not in page
    assert reason in statement(evidence)[0]
    assert "at most 30, 60.0% of its loss" in statement(evidence)[0]


def test_the_history_of_the_search_is_drawn() -> None:
    X, y = iris()
    result = solve(X, y, max_depth=2)
    told = replace(result, history=((0.001, 100, 0), (0.01, 6, 0), (0.1, 6, 6)))
    picture = history_html(told)
    lines = dict(re.findall(r'<path class="(\w+)" d="([^"]*)"', picture))
    # Both lines end at the same point: the proof is complete.
    assert lines["best"].split("V")[-1] == lines["bound"].split("V")[-1]
    assert history_html(replace(result, history=())) == ""
    quick = replace(result, history=((0.001, 100, 0), (0.002, 6, 0), (0.01, 6, 6)))
    assert history_html(quick) == ""  # of milliseconds there is nothing to tell


def test_the_confusion_matrix_counts_the_rows_given(model: OptimalTreeClassifier) -> None:
    X, y = iris()
    evidence = read_evidence(model, X[50:], y[50:])
    table = confusion(evidence)
    assert table.sum() == 100
    assert np.trace(table) == (model.predict(X[50:]) == y[50:]).sum()
    assert table[0].sum() == 0
    assert "none" in answers_html(evidence)


def test_many_long_names_stand_upright_over_the_confusion_matrix() -> None:
    names = [f"the {k} kind, with a name that is far too long for a column" for k in "abcdef"]
    X = np.arange(12.0).reshape(-1, 1)
    y = np.repeat(names, 2)
    clf = OptimalTreeClassifier(max_splits=5, max_depth=None).fit(X, y)
    found = Elements(answers_html(read_evidence(clf, X, y)))
    heads = [given for tag, given in found.found if tag == "th" and given.get("title")]
    assert [given["title"] for given in heads] == names * 2  # the whole name is in the tooltip
    assert [given.get("class") for given in heads] == ["upright"] * 6 + [None] * 6
    assert "the a kind, with …" in found.text and names[0] not in found.text
    few = OptimalTreeClassifier(max_depth=1).fit(X[:4], y[:4])
    assert names[0] in answers_html(read_evidence(few, X[:4], y[:4]))


def test_rules_of_surfaces_are_short_and_thresholds_whole() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 7))
    y = X @ rng.normal(size=7) > 0.1
    plane = OptimalTreeClassifier(splits="hyperplane", max_depth=1).fit(X, y)
    numbers = re.findall(r"\d\.\d+", report_rules(plane, X, y))
    assert numbers and max(len(text.strip("0.")) for text in numbers) <= 7
    X = np.array([[0.123456701], [0.123456702]])
    stump = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1])
    assert "x[0] &lt;= 0.1234567015" in report_rules(stump, X, [0, 1])


def report_rules(model: Any, X: Any, y: Any) -> str:
    return (
        report_html(read_evidence(model, X, y)).split("Every leaf as a rule")[1].split("<script")[0]
    )


def test_whether_fewer_splits_would_do_is_told(model: OptimalTreeClassifier) -> None:
    evidence = read_evidence(model, *iris())
    assert "not proved" not in dict(facts(evidence))["Loss of this tree"]
    unsure = replace(model.result_, stats={**model.result_.stats, "fewest_splits": 0})
    told = dict(facts(replace(evidence, result=unsure)))["Loss of this tree"]
    assert told.endswith("; that no fewer splits have this loss is not proved")


def test_the_script_gets_every_node_with_its_rows(model: OptimalTreeClassifier) -> None:
    X, y = iris()
    evidence = read_evidence(model, X, y)
    data = json.loads(script_data(evidence))
    assert [node["rows"] for node in data["nodes"]] == [n.rows for n in tree.nodes(model.tree_)]
    assert [node["here"] for node in data["nodes"]] == [len(rows) for rows in evidence.seen]
    root = data["nodes"][0]
    assert isinstance(model.tree_, Node)
    assert root["yes"] == model.tree_.split.formula(list(X.columns))
    wrong = np.flatnonzero(model.predict(X) != y)
    assert root["samples"][: len(wrong)] == wrong.tolist()[:6]
    assert data["samples"][str(wrong[0])]["truth"] == y[wrong[0]]


def test_questions_of_other_kinds_of_split() -> None:
    assert question(AxisSplit(3, 0.5)) == {"terms": [[1, [[[3, 1]]]]], "at_most": 0.5}
    assert question(Disc(2.0)) == {"terms": [[1.0, [[[0, 2]], [[1, 2]]]]], "at_most": 2.0}
    assert question(Cut(0, 3)) is None
    assert question(Unstored()) is None


@dataclass(frozen=True)
class Unstored(Split):
    """A split of one's own that cannot be stored."""

    kind: ClassVar[str] = ""

    def goes_left(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(X[:, 0] <= X[:, 1])

    def formula(
        self, feature_names: Sequence[str] | None = None, *, holds: bool = True, digits: int = 12
    ) -> str:
        return "a <= b" if holds else "a > b"

    def features(self) -> tuple[int, ...]:
        return (0, 1)


class UnstoredSplits:
    def partitions(self, X: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(X[:, 0] <= X[:, 1])[None]

    def split(self, X: NDArray[Any], left: NDArray[np.bool_], index: int) -> Split:
        return Unstored()


def test_splits_that_cannot_be_stored_are_shown_all_the_same(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 4.0]]), [0, 1, 0]
    result = solve(X, y, splits=UnstoredSplits(), max_depth=1)
    write_report(result, X, y, tmp_path / "report.html")
    assert "a &lt;= b" in (tmp_path / "report.html").read_text()
    with pytest.raises(TypeError, match="Unstored has no to_dict"):
        tree.to_dict(result.tree)


def test_boxes_do_not_overlap() -> None:
    X, y = iris()
    result = solve(X, y, max_depth=4)
    evidence = read_evidence(result, X, y)
    every = places(result.tree)
    widths = [width(evidence.subject, place.node) for place in every]
    heights = [height(evidence, place) for place in every]
    assert set(heights) == {48, 78}  # with a histogram, and without
    corners, (wide, high) = positions(every, widths, heights)
    boxes = [(x, y, x + w, y + h) for (x, y), w, h in zip(corners, widths, heights, strict=True)]
    assert min(x for x, *_ in boxes) >= 0 and min(y for _, y, *_ in boxes) >= 0
    assert max(b[2] for b in boxes) <= wide and max(b[3] for b in boxes) <= high
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_a_box_shortens_the_name_and_never_the_threshold() -> None:
    X, y = iris()
    long = X.rename(columns=lambda name: f"a very long name that ends with the {name}")
    model = OptimalTreeClassifier(max_depth=2).fit(long, y)
    evidence = read_evidence(model, long, y)
    boxes = re.findall(r'class="what"[^>]*>([^<]*)<', tree_svg(evidence))
    splits = [n.split for n in tree.nodes(model.tree_) if isinstance(n, Node)]
    asked = [html.unescape(box) for box in boxes if "&lt;=" in box]
    assert len(asked) == len(splits)
    for text, split in zip(asked, splits, strict=True):
        assert len(text) <= 34 and "…" in text
        assert text.endswith(split.formula().split("<=")[1])
    titles = re.findall(r"<title>(.*?)\n", tree_svg(evidence))
    assert html.unescape(titles[0]) == splits[0].formula(list(long.columns))


def test_a_surface_of_many_terms_is_short_in_its_box_and_whole_on_demand() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 12)), columns=[f"measurement {i}" for i in range(12)])
    y = (X.sum(axis=1) > 0).astype(int)
    model = OptimalTreeClassifier(splits="hyperplane", max_depth=1).fit(X, y)
    root = json.loads(script_data(read_evidence(model, X, y)))["nodes"][0]
    assert "weaker terms" in root["yes"] and "weaker" not in root["whole"]
    assert sum(name in root["whole"] for name in X.columns) == 12
    box = re.findall(r'class="what"[^>]*>([^<]*)<', tree_svg(read_evidence(model, X, y)))[0]
    assert "weaker term" in box and len(html.unescape(box)) <= 44


def test_edges_are_as_wide_as_their_rows_and_histograms_count_them() -> None:
    X, y = iris()
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    picture = tree_svg(read_evidence(model, X, y))
    shares = [float(s) for s in re.findall(r"--rows:([\d.]+)", picture)]
    rows = [node.rows for node in tree.nodes(model.tree_)][1:]
    assert shares == [round(n / 150, 3) for n in rows]
    splits = sum(isinstance(node, Node) for node in tree.nodes(model.tree_))
    assert picture.count('class="histogram"') == splits
    assert picture.count('class="cut"') == splits


def test_leaves_of_numbers_are_coloured_by_their_value() -> None:
    X, y = load_diabetes(return_X_y=True)
    reg = OptimalTreeRegressor(max_depth=2).fit(X, y)
    picture = tree_svg(read_evidence(reg, X, y))
    values = [leaf.value for leaf in tree.leaves(reg.tree_)]
    colours = re.findall(r"--own:(#\w+)", picture)
    red = [int(colour[1:3], 16) for colour in colours]
    assert sorted(red, reverse=True) == [r for _, r in sorted(zip(values, red, strict=True))]
    assert len(set(colours)) == len(values)


def test_twelve_classes_have_twelve_colours() -> None:
    colours = class_colours(12)
    channels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours])
    apart = np.abs(channels[:, None] - channels[None]).sum(axis=2) + 999 * np.eye(12, dtype=int)
    assert apart.min() > 60


def test_regions_show_something_or_are_left_out() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(64, 6)).astype(float)
    # With the other columns at their medians every picture is of one colour.
    y = (X.sum(axis=1) == 6).astype(int)
    model = OptimalTreeClassifier(max_depth=6).fit(X, y)
    assert two_features(read_evidence(model, X, y)) is None
    assert "h-regions" not in report_html(read_evidence(model, X, y))
    # Column 3 decides alone; of the others, which the tree asks in the wrong order, none does.
    wide = np.column_stack([rng.normal(size=(200, 3)), np.r_[-np.ones(100), np.ones(100)]])
    told = (wide[:, 3] > 0) ^ (wide[:, 0] > 2.2)
    model = OptimalTreeClassifier(max_depth=2).fit(wide, told)
    pair = two_features(read_evidence(model, wide, told))
    assert pair is not None and 3 in pair


def test_a_cross_validated_score_is_told_if_asked_for(tmp_path: Path) -> None:
    X, y = iris()
    clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    write_report(clf, X, y, tmp_path / "r.html", cv=3)
    cards = dict(CARD.findall((tmp_path / "r.html").read_text(encoding="utf-8")))
    expected = cross_val_score(OptimalTreeClassifier(max_depth=2), X, y, cv=3).mean()
    assert cards["cross-validated accuracy, 3 folds"] == f"{expected:.1%}"
    with pytest.raises(ValueError, match="cv=3 fits the model anew, and a Result cannot be"):
        write_report(clf.result_, X, y, tmp_path / "r.html", cv=3)


def test_regions_are_what_the_tree_predicts() -> None:
    X, y = iris()
    two = X[["petal length (cm)", "petal width (cm)"]]
    model = OptimalTreeClassifier(max_depth=3).fit(two, y)
    evidence = read_evidence(model, two, y)
    assert two_features(evidence) == (0, 1)
    across, up = scales(evidence, (0, 1))
    picture = regions_html(evidence)
    assert "slice" not in picture
    ground = dict(re.findall(r'<path d="([^"]*)" fill="(#\w+)"', picture))
    cells = [
        (tuple(map(float, cell)), colour)
        for path, colour in ground.items()
        for cell in re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H", path)
    ]
    legend = re.findall(r"background:(#\w+)\"></span>(\w+)", picture)
    colours = {name: colour for colour, name in legend}
    for row, said in zip(two.to_numpy(), model.predict(two), strict=True):
        x, y_ = across(row[0]), up(row[1])
        here = {c for (a, low, b, top), c in cells if a <= x <= b and top <= y_ <= low}
        assert colours[said] in here


def test_more_features_are_a_slice_and_it_is_said(model: OptimalTreeClassifier) -> None:
    X, y = iris()
    deep = OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert "held at their medians (sepal" in regions_html(read_evidence(deep, X, y))


def test_a_leaf_one_column_and_a_tree_of_numbers() -> None:
    one = solve([[1.0], [2.0]], ["a", "a"], max_depth=2)
    page = Elements(report_html(read_evidence(one, [[1.0], [2.0]], ["a", "a"]))).text
    assert "single leaf" in page
    assert "Regions" not in page
    stump = Node(AxisSplit(0, 2.5), Leaf(1.5, 2, (2,), 0.5), Leaf(7.25, 2, (2,), 0.0))
    numbers = Result("optimal", "axis-parallel trees", 0.5, 0.5, 0.0, stump)
    X = [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]]
    page = report_html(read_evidence(numbers, X, [1.0, 2.0, 7.25, 7.25]))
    assert "Root mean squared error" in page
    assert data_of(page)["classes"] is None
    assert "7.25" in Elements(page).text


def test_curved_regions_are_drawn_on_a_grid() -> None:
    result, X, y = disc_problem()
    picture = regions_html(read_evidence(result, X, y))
    assert picture.count("<circle") == len(X)
    inside = re.findall(r'<path d="([^"]*)" fill', picture)[0]
    assert inside.count("M") > 50  # a run of cells for every line of the grid in the disc


def test_rows_that_do_not_fit_are_refused(model: OptimalTreeClassifier) -> None:
    X, y = iris()
    with pytest.raises(ValueError, match="149 entries and X has 150 rows"):
        read_evidence(model, X, y[1:])
    with pytest.raises(ValueError, match=r"shape \(150, 3\).* 4 columns"):
        read_evidence(model, X.to_numpy()[:, :3], y)
    with pytest.raises(ValueError, match="same columns in the same order"):
        read_evidence(model, X[X.columns[::-1]], y)
    with pytest.raises(ValueError, match="'rose', which the model was not fitted with"):
        read_evidence(model, X, ["rose", *y[1:]])
    holes = X.copy()
    holes.iloc[3, 3] = np.nan
    with pytest.raises(ValueError, match=r"infinity in column 'petal width.*row 3: .*leave such"):
        read_evidence(model, holes, y)
    with pytest.raises(ValueError, match="y has NaN or infinity in row 0: leave such rows out"):
        read_evidence(solve([[1], [2]], [1, 2], task="regression", max_depth=1), [[1]], [np.nan])
    with pytest.raises(ValueError, match="carries no proof"):
        read_evidence(Leaf(0), X, y)


def test_headlines_name_training_test_and_cart(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    write_report(clf, X[::2], y[::2], tmp_path / "r.html", test=(X[1::2], y[1::2]))
    cards = dict(CARD.findall((tmp_path / "r.html").read_text(encoding="utf-8")))
    assert cards["training accuracy"] == f"{clf.score(X[::2], y[::2]):.1%}"
    assert cards["test accuracy"] == f"{clf.score(X[1::2], y[1::2]):.1%}"
    cart = DecisionTreeClassifier(
        max_leaf_nodes=clf.get_n_leaves(), max_depth=clf.get_depth(), random_state=0
    )
    cart.fit(X[::2], y[::2])
    assert cards["CART of this size, test accuracy"] == f"{cart.score(X[1::2], y[1::2]):.1%}"
    write_report(clf, X, y, tmp_path / "r.html")
    cards = dict(CARD.findall((tmp_path / "r.html").read_text(encoding="utf-8")))
    assert cards["accuracy"] == f"{clf.score(X, y):.1%}"  # these are not the rows of the fit
    assert not any("training a" in name or "test" in name or "CART" in name for name in cards)


def test_headlines_of_numbers(tmp_path: Path) -> None:
    X, y = load_diabetes(return_X_y=True)
    reg = OptimalTreeRegressor(max_splits=2).fit(X, y)
    write_report(reg, X, y, tmp_path / "r.html")
    cards = dict(CARD.findall((tmp_path / "r.html").read_text(encoding="utf-8")))
    assert cards["training R²"] == f"{reg.score(X, y):.3f}"
    assert float(cards["CART of this size, training R²"]) <= float(cards["training R²"])
    assert float(cards["training mean error"]) == pytest.approx(
        np.abs(reg.predict(X) - y).mean(), rel=1e-5
    )
    same = OptimalTreeRegressor(max_splits=0).fit(X[:3], [1.0, 1.0, 1.0])
    write_report(same, X[:3], [1.0, 1.0, 1.0], tmp_path / "r.html")
    cards = dict(CARD.findall((tmp_path / "r.html").read_text(encoding="utf-8")))
    assert "training R²" not in cards and cards["training mean error"] == "0"


def test_several_columns_of_rewards_are_refused_by_name(tmp_path: Path) -> None:
    X, rewards = np.arange(6.0)[:, None], np.eye(2)[[0, 0, 0, 1, 1, 1]]
    policy = OptimalPolicyTree(max_depth=1).fit(X, rewards)
    with pytest.raises(ValueError, match="y has 2 columns, and the report is for one"):
        write_report(policy, X, rewards, tmp_path / "report.html")
