"""Pages with doctests run in a folder of their own: what they write does not litter the sources."""

import pytest
from _pytest.doctest import DoctestItem


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, DoctestItem) and request.node.path.suffix == ".md":
        folder = request.getfixturevalue("tmp_path")
        request.getfixturevalue("monkeypatch").chdir(folder)
