"""Where a result was measured."""

import os
import platform
import subprocess
from functools import cache
from pathlib import Path


@cache
def machine() -> dict[str, str | int]:
    """Processor, cores that we may use, memory, Python, and the commit of this project."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1,
        "megabytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "commit": _commit(),
    }


def describe(facts: dict[str, str | int]) -> str:
    """One sentence of it."""
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['megabytes']} MB, "
        f"{facts['system']}, Python {facts['python']}, commit {facts['commit']}"
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    """The short name of the commit, with a plus if files were changed since."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"
