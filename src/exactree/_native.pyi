"""The native core of exactree: arrays in, arrays out."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


def instruction_sets() -> list[str]:
    """
    List the instruction sets this processor can run, the fastest ("auto") last.
    """

def dichotomies(points: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], expected: int, stop: object | None, isa: str = 'auto') -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], bool]:
    """
    List the partitions of vectors by linear functionals that vanish on none of them: masks of the side of vector 0, sorted, without the trivial one, and whether the list is complete. points[i, c] holds 64-bit words of two's complement, the lowest first. stop() is asked every few milliseconds.
    """

def cut_cells(points: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], isa: str = 'auto') -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
    """
    The masks of `dichotomies` and the trivial one, in the order in which a search that cuts cells would meet them; for tests.
    """

def surface_sides(points: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], owners: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], isa: str = 'auto') -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]]:
    """
    For each list of owners: masks of the points q with det(owners, q) > 0, and with = 0.
    """

def expand_masks(masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], isa: str = 'auto') -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
    """Rewrite masks over points for rows: row i is where point rows[i] is."""

COST_LIMIT: int = 1152921504606846976

class SearchResult:
    """What a search found and proved."""

    @property
    def status(self) -> str: ...

    @property
    def objective(self) -> int: ...

    @property
    def lower_bound(self) -> int: ...

    @property
    def tree(self) -> dict[str, list[int]]: ...

    @property
    def size_objectives(self) -> list[int]: ...

    @property
    def size_lower_bounds(self) -> list[int]: ...

    @property
    def size_trees(self) -> list[dict[str, list[int]]]: ...

    @property
    def counters(self) -> dict[str, int]: ...

    @property
    def parts(self) -> list[tuple[int, list[int]]]: ...

    @property
    def history(self) -> list[tuple[float, int, int]]: ...

    @property
    def seconds(self) -> float: ...

    @property
    def peak_bytes(self) -> int: ...

    @property
    def threads(self) -> int: ...

def prunings() -> list[str]:
    """
    List the prunings in the order of the bits of `switches`, which turn them off in tests. One more bit uses them everywhere, where they do not pay too.
    """

class Posed:
    """A search with all that it reads."""

    def run(self, *, time_limit: float = float('inf'), memory_limit: int = 0, poll: Callable[[float, int, int, int, int], None] | None = None) -> SearchResult:
        """Run it here."""

def pose_columns(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, **terms) -> Posed:
    """Pose the search of `search_columns`."""

def search_columns(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, **terms) -> SearchResult:
    """
    Find an optimal tree over rank columns (features x rows); see exactree.engines.search. Trees of `upper_bound` or more are of no interest; there must be one below it.
    """

def search_sparse(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, **terms) -> SearchResult | None:
    """
    Find an optimal tree over binary columns with a penalty and no limit on depth; None if the weights need more than 31 bits, or the tree is deeper than max_depth.
    """

def search_splits(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, **terms) -> SearchResult | None:
    """
    Find an optimal tree over rank columns that only its splits limit: at most so many, or a penalty for each. If none costs less than upper_bound, the single leaf comes back, and that as lower bound; trees of max_depth levels are known not to, and none to cost less than lower_bound. None if a limit came before the search.
    """

class NumberLoss:
    """Rows of numbers and what they cost, in whole numbers."""

    def error(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """Give what these rows cost more in one leaf than each by itself."""

class DevianceLoss(NumberLoss):
    """Poisson, gamma, Tweedie deviance: a function of two sums."""

    def __init__(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, size: int, origin: float, steps: float, scale: float, rising: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], slope: int = 0, falling: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, power: float = 1.0) -> None: ...

class OutputLoss(NumberLoss):
    """The squared error of several targets."""

    def __init__(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

class QuantileLoss(NumberLoss):
    """Distances from a quantile, `above` it and `below` it."""

    def __init__(self, targets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, above: int, below: int) -> None: ...

def pose_losses(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], loss: NumberLoss, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, shift: int, **terms) -> Posed:
    """Pose the search of `search_losses`."""

def search_losses(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], loss: NumberLoss, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, shift: int, **terms) -> SearchResult:
    """
    Find a tree of least loss over rank columns (features x rows).

    Costs are errors of the leaves in whole multiples of 2**shift.
    """

def pose_masks(masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, cells: Sequence[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], **terms) -> Posed:
    """Pose the search of `search_masks`."""

def search_masks(masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, cells: Sequence[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], **terms) -> SearchResult:
    """
    Find an optimal tree over side masks (masks x words, row i is bit i % 64 of word i // 64).

    A node's split is mask number `feature`, with low = high = 0: the rows in the mask go left. With `ranks` (columns x rows) the thresholds of these columns are splits too, with `feature` = number of masks + column: ranks <= low go left, and high is the lowest rank on the right among the rows of the node.

    With `cells`, pairs of points as for `dichotomies` and of the point of every row (numbered in the order of the rows), the partitions of `dichotomies` are splits too, without being listed. Those in the trees are `parts`, with the number of their pair and the rows that go left; `feature` = number of masks + columns + place in `parts`.

    With `upper_bound`, the cost of a tree that is known, only trees below it are looked for; if there is none, the single leaf comes back with it as lower bound.
    """

def pose_mask_costs(masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, cells: Sequence[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], **terms) -> Posed:
    """Pose the search of `search_mask_costs`."""

def search_mask_costs(masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, cells: Sequence[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]] = [], **terms) -> SearchResult:
    """
    Find a tree of least cost over side masks, given as for `search_masks`, with costs of rows as for `search_costs`.
    """

class ObliqueResult:
    """What a local search found."""

    @property
    def status(self) -> str: ...

    @property
    def cost(self) -> int: ...

    @property
    def tree(self) -> tuple[list[int], list[int], list[list[float]]]: ...

    @property
    def rounds(self) -> int: ...

    @property
    def scans(self) -> int: ...

    @property
    def history(self) -> list[tuple[float, int]]: ...

    @property
    def seconds(self) -> float: ...

def search_oblique(z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_classes: int = 0, costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, masses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, prices: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, *, scale: float = 1.0, max_depth: int, max_splits: int = -1, min_rows: int = 1, unit: int = 1, penalty: int = 0, plane_columns: int = 0, lower_bound: int = 0, starts: Sequence[tuple[Sequence[int], Sequence[int], Sequence[Sequence[float]]]] = [], seed: int = 0, idle_rounds: int = 100, time_limit: float = float('inf'), threads: int = 1, isa: str = 'auto', poll: Callable[[float, int, int, int, int], None] | None = None) -> ObliqueResult:
    """
    Search for a good tree of hyperplanes over columns of numbers (columns x rows).

    A tree is three lists in preorder: left and right children, -1 of a leaf, and planes, whose last number is the constant; a row goes right where the sum is above 0. The search ends at a tree of cost `lower_bound`, or after `idle_rounds` rounds without a better one; the tree depends on `seed`, not on `threads`. `plane_columns` above 0 limits the columns in a plane. For numbers, costs are in units of which one of squared error has `scale`, and the targets must be centred. `prices` (rows x answers) are costs as for `search_costs`.
    """

class Proof:
    """A plan of where to look, and what it shows."""

    @property
    def plan(self) -> bytes: ...

    @property
    def bounds(self) -> list[int]: ...

    @property
    def work(self) -> int: ...

    @property
    def claims(self) -> int: ...

    @property
    def scans(self) -> int: ...

def prove_columns(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, n_classes: int, costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, max_depth: int, max_splits: int = -1, least: int = 1, penalty: int = 0, targets: Sequence[int], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, price: float = 0.0, pairs: bool = False, isa: str = 'auto') -> Proof:
    """
    Write a plan that shows that no tree over rank columns (features x rows) costs less than the targets: one, or one for each number of splits. With `squares`, whole numbers, the cost is their squared error times `price`. `pairs`: for columns of two values. See docs/certificates.md.
    """

class Session:
    """A search whose pieces are answered elsewhere."""

    def __init__(self, posed: Posed, *, time_limit: float = float('inf'), memory_limit: int = 0, poll: Callable[[float, int, int, int, int], None] | None = None, keep: bool = False) -> None: ...

    def open(self, plan: dict[str, Any] | None = None) -> bool:
        """
        Find first trees, or take those of an earlier run; False if it was stopped meanwhile.
        """

    @property
    def plan(self) -> Any:
        """What was planned, once it is open."""

    def ask(self, shared: bool = False, ahead: bool = False, lent_from: int = 1000) -> Any:
        """
        Give the next piece as (number, question); True if there may be more later, else False.
        """

    def tell(self, number: int, reply: dict[str, Any]) -> None:
        """Take a complete reply over."""

    def divide(self, number: int, reply: dict[str, Any]) -> bool:
        """
        Take a partial reply over and ask for smaller pieces; False: there is no room for it.
        """

    def restore(self, question: dict[str, Any], reply: dict[str, Any]) -> None:
        """Take a claim of an earlier run over, before anything is asked."""

    def take_claims(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Give what was proved since the last call."""

    def next_unwritten(self) -> Any:
        """Name a split whose tree is wanted."""

    def written(self, budget: int, cost: int, tree: Sequence[Sequence[int]]) -> None:
        """Take a tree over."""

    def trees(self) -> list[tuple[int, int, int, list[list[int]]]]:
        """
        Give the best trees so far: budget, cost, cost with what all trees cost, tree.
        """

    def poll(self) -> bool:
        """Watch the clock and signals; True if it was stopped."""

    def stop(self, why: str) -> None: ...

    @property
    def stopped(self) -> bool: ...

    def finish(self, workers: int = 1) -> SearchResult:
        """Write the trees down and end it."""

    @property
    def evaluations(self) -> int:
        """Without those of helpers."""

    @property
    def objective(self) -> int: ...

    @property
    def lower_bound(self) -> int: ...

class Helper:
    """A thread that answers the pieces of a session."""

    def __init__(self, session: Session, memory_limit: int = 0) -> None: ...

    def take(self) -> int:
        """Take the next piece: 0; 1: there may be one later; 2: nothing is open."""

    @property
    def divisible(self) -> bool: ...

    def answer(self, seconds: float) -> bool:
        """Answer it; False: it is not done."""

    def give(self) -> bool:
        """Tell the session; False: answer it with more time."""

    def take_unwritten(self) -> bool:
        """Take a split whose tree is wanted."""

    def write(self, seconds: float) -> None:
        """Write its tree down."""

    def give_written(self) -> Any:
        """Tell the session, and give the tree."""

    def want_part(self) -> None:
        """From any thread: ask what is known of its piece."""

    def take_part(self, seconds: float) -> Any:
        """From any thread: take that, as a claim, once it is told; wait so long."""

    @property
    def evaluations(self) -> int: ...

    def stop(self) -> None:
        """From any thread: end what it is at."""

class Answerer:
    """Answers the questions of a session."""

    def __init__(self, posed: Posed, memory_limit: int = 0) -> None: ...

    def answer(self, question: dict[str, Any], seconds: float = float('inf')) -> dict[str, Any]:
        """Answer a question within a time, completely or not."""

    def write(self, wanted: dict[str, Any], seconds: float = float('inf')) -> tuple[int, list[list[int]]]:
        """
        Write the tree with a first split down, with its cost; empty if time was too short.
        """

def rank_columns(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Give the dense rank of every value within its row of a table of finite numbers.
    """

def sort_rows(columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.bool_], dict(shape=(None,))]]:
    """
    Sort rows by ranks (features x rows), then label: order, numbers of the distinct ranks, and whether ranks or label are new.
    """

def two_values(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))], int]:
    """
    Give the lower and the higher value of every column (rows x features), which values are the higher one (features x rows), and the first column of more than two values or -1.
    """

def route_rows(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Give the node, in preorder, that every row ends in; feature -1 marks a leaf.
    """

def monotone_classes(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ways: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_rows: int, depth: int, splits: int, zeros: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ones: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: int, cap: int, stop: object) -> tuple[bool, bool, int, int, list[int], list[int]]:
    """
    Find the best monotone tree of two classes that costs less than a cap.

    `stop` is asked now and then. Gives whether there is one, whether the search was stopped, its cost, what is proved of all costs, and its splits in preorder: columns, -1 of a leaf, and the highest ranks that go left.
    """

def monotone_numbers(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ways: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], min_rows: int, depth: int, splits: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slack: float, penalty: float, cap: float, stop: object) -> tuple[bool, bool, float, float, list[int], list[int]]:
    """
    Find the best monotone tree for numbers, which are centred; see `monotone_classes`.
    """

def perfect_tree(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int, stop: object, *, switches: int = 0) -> tuple[bool | None, list[int]]:
    """
    Tell whether a tree of so many levels gets every row right.

    `stop` is asked now and then; None if the search was stopped. `switches` turns rules off, for tests: 1 sides with more classes than leaves, 2 pivots by the intervals of the classes, 4 sets of rows that were met before, 8 columns of two values as bits. The second part of the answer says how often each of them acted.
    """

def pose_squares(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, shift: int, **terms) -> Posed:
    """Pose the search of `search_squares`."""

def search_squares(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, shift: int, **terms) -> SearchResult:
    """
    Find a tree of least squared error over rank columns (features x rows).

    `sums` and `weights` are whole numbers whose absolute values add up to less than 2**53; a row's target is sum / weight. Costs are whole multiples of 2**shift.
    """

def pose_costs(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, **terms) -> Posed:
    """Pose the search of `search_costs`."""

def search_costs(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, **terms) -> SearchResult:
    """
    Find a tree of least cost over rank columns (features x rows).

    `costs` (rows x answers) are what each answer costs for a row: whole numbers, not negative, whose largest add up to less than 2**60. Labels of leaves are answers.
    """
