"""Show what works today: the native module and its instruction sets."""

import numpy as np

from exactree import _native


def main() -> None:
    """Pack two sets of numbers and let every instruction set of this machine intersect them."""
    threes = _pack(range(0, 1000, 3))
    fives = _pack(range(0, 1000, 5))
    for isa in _native.instruction_sets():
        both = _native.bitset_and(threes, fives, isa)
        count, last = _native.bitset_count(both, isa), _native.bitset_kth(both, 66, isa)
        print(f"{isa}: {count} multiples of 15 below 1000, the last of them {last}")


def _pack(members: range) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    bits = np.zeros(1024, dtype=np.uint8)
    bits[list(members)] = 1
    return np.packbits(bits, bitorder="little").view(np.uint64)


if __name__ == "__main__":
    main()
