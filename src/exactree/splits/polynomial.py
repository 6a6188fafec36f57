"""Splits by curved surfaces: spheres, quadrics along the axes, and surfaces of any degree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from exactree.geometry import Family, polynomial
from exactree.splits.surface import SurfaceFamily


@dataclass(frozen=True)
class Sphere(SurfaceFamily):
    """All spheres, and hyperplanes as their limits: `a1 x1 + ... + aD xD + b |x|^2 <= t`.

    Either side of a sphere may be the left one. Columns should be in comparable units: the family
    changes when one column is scaled.

    Parameters
    ----------
    boundary : str
        As for `Hyperplane`.

    Examples
    --------
    >>> from exactree import solve
    >>> line = [[0.0], [1.0], [2.0]]
    >>> solve(line, [0, 1, 0], splits=Sphere(), max_depth=1).objective
    0
    """

    boundary: str = "all"
    name: ClassVar[str] = "sphere"
    words: ClassVar[str] = "sphere"
    sentence: ClassVar[str] = "spheres: every question asks whether a sample lies inside one"


@dataclass(frozen=True)
class AxisQuadric(SurfaceFamily):
    """All quadrics along the axes: ellipsoids, hyperboloids and so on without mixed products.

    `a1 x1 + b1 x1^2 + ... + aD xD + bD xD^2 <= t`; spheres and hyperplanes are among them.

    Parameters
    ----------
    boundary : str
        As for `Hyperplane`.

    Examples
    --------
    >>> AxisQuadric()
    AxisQuadric(boundary='all')
    """

    boundary: str = "all"
    name: ClassVar[str] = "axis_quadric"
    words: ClassVar[str] = "axis-aligned quadric"
    sentence: ClassVar[str] = "axis-aligned quadrics: squares of single features, no products"


@dataclass(frozen=True)
class Polynomial(SurfaceFamily):
    """All surfaces of a degree: every polynomial of the columns of at most that degree, `<= t`.

    Degree 1 are the hyperplanes, degree 2 (`splits="quadric"`) all quadrics. The partitions grow
    as fast as those of hyperplanes in C(D + degree, D) - 1 dimensions.

    Parameters
    ----------
    degree : int
        At least 1.
    boundary : str
        As for `Hyperplane`.

    Examples
    --------
    >>> Polynomial(degree=3).words
    'degree-3 surface'
    """

    degree: int = 2
    boundary: str = "all"
    name: ClassVar[str] = "polynomial"

    @property
    def words(self) -> str:
        """What to call its trees."""
        return "quadric" if self.degree == 2 else f"degree-{self.degree} surface"

    @property
    def sentence(self) -> str:
        """What its splits ask, for a reader."""
        kind = "quadrics" if self.degree == 2 else f"surfaces of degree {self.degree}"
        words = {1: "one", 2: "two", 3: "three"}.get(self.degree, str(self.degree))
        return f"{kind}: every question is a polynomial of degree {words}"

    @property
    def surface(self) -> Family:
        """The kind of surface, with its degree."""
        return polynomial(self.degree)
