"""Colours that readers can tell apart, and how strong a node shows its own.

The first seven are the palette of Okabe and Ito without black, which is for text: colour-blind
readers can tell them apart. The other five differ from them in lightness as well.
"""

from __future__ import annotations

from exactree.export.subject import Subject, class_number, mean, shown_number
from exactree.tree import Tree, leaves

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
PALETTE = (*OKABE_ITO, "#332288", "#882255", "#999933", "#7A7A7A", "#6B3E00")
# From dark blue over grey to yellow: lightness alone orders what hue cannot tell apart.
RAMP = ("#00224E", "#35456C", "#666970", "#948E77", "#C8B866", "#FEE838")


def class_colours(count: int) -> list[str]:
    """Give a colour to each of `count` classes.

    >>> class_colours(2)
    ['#0072B2', '#E69F00']
    """
    if count <= len(PALETTE):
        return list(PALETTE[:count])
    return [_along_ramp(i / (count - 1)) for i in range(count)]


def tint(colour: str, strength: float) -> str:
    """Mix a colour with white: strength 0 is white, 1 the colour.

    >>> tint("#000000", 0.5)
    '#808080'
    """
    return mixed("#FFFFFF", colour, strength)


def mixed(first: str, second: str, share: float) -> str:
    """Mix two colours, of the second as much as `share` says.

    >>> mixed("#000000", "#FF0000", 0.2)
    '#330000'
    """
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02X}" for a, b in pairs)


def node_colour(subject: Subject, node: Tree) -> str:
    """Give the colour of a node: its class, paler the more mixed it is; or how high its number is.

    Never so dark that black text cannot be read on it.
    """
    if subject.classes is None:
        values = [shown_number(leaf.value) for leaf in leaves(subject.tree)]
        spread = max(values) - min(values)
        share = (shown_number(mean(node)) - min(values)) / spread if spread else 0.3
        return tint(PALETTE[0], 0.05 + 0.5 * share)
    count = len(subject.classes)
    evenly = 1 / count
    purest = max(subject.shares(node))
    purity = (purest - evenly) / (1 - evenly) if count > 1 else 1.0
    return tint(class_colours(count)[class_number(node)], 0.1 + 0.5 * purity)


def _along_ramp(share: float) -> str:
    place = share * (len(RAMP) - 1)
    step = min(int(place), len(RAMP) - 2)
    return mixed(RAMP[step], RAMP[step + 1], place - step)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
