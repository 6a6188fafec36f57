"""The second checker, compiled once for all tests."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "cpp" / "checker" / "main.cpp"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    found = tmp_path_factory.mktemp("checker") / "check_certificate"
    options = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
    subprocess.run([compiler, *options, "-o", found, SOURCE], check=True)
    return found
