"""How much memory is free: the limit of a search for which the user sets none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# The share of the free memory that is left to others.
SHARE = 0.75
# Where a system does not say what is free.
UNKNOWN = 2**31
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def default_limit() -> int:
    """Give the bytes a search may take if nobody says otherwise: three quarters of what is free."""
    return max(int(SHARE * available()), 1)


def available() -> int:
    """Give the bytes that the system reports as available.

    Linux says so itself, and may allow a container or a process less. Elsewhere half of what is
    built in is taken to be free.
    """
    known = [_free_of_machine(), _free_of_group(), _free_of_process()]
    return max(min((n for n in known if n is not None), default=UNKNOWN), 0)


def _free_of_machine() -> int | None:
    stated = _stated(Path("/proc/meminfo"), "MemAvailable:")
    if stated is not None:
        return 1024 * stated
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):  # not a POSIX system, or one that does not say
        return None


def _free_of_group() -> int | None:
    """Give what the control group of a container leaves."""
    try:
        most = (_CONTROL_GROUP / "memory.max").read_text().strip()
        used = (_CONTROL_GROUP / "memory.current").read_text()
    except OSError:
        return None
    if most == "max":
        return None
    # Files that were read count as used, but make way.
    files = _stated(_CONTROL_GROUP / "memory.stat", "inactive_file") or 0
    return int(most) - int(used) + files


def _free_of_process() -> int | None:
    """Give what the limit of the address space leaves (`ulimit -v`)."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return None
    return most - 1024 * (_stated(Path("/proc/self/status"), "VmSize:") or 0)


def _stated(path: Path, name: str) -> int | None:
    """Give the number that a file of names and numbers states; none if it does not."""
    try:
        with path.open() as lines:
            for line in lines:
                words = line.split(maxsplit=2)
                if len(words) > 1 and words[0] == name:
                    return int(words[1])
    except OSError:
        pass
    return None
