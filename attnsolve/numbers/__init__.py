"""The kinds of number, called tiers: exact (and symbolic), certified balls, floats.

`Exact`, `Balls`, `Floats` and (large ones, in NumPy) `Arrays` are matrices with the same few methods, so that an
operation is written once and runs on each of them. A value that a tier can't hold (a symbol as a ball, a closed form
grown too long) is `Unavailable` there.
"""

from typing import Literal

Style = Literal["decimal", "fraction"]
"""How a problem writes its numbers, and so how its results are shown."""


LONGEST_TEXT = 20_000
"""Characters of an exact form that is written out; what is longer nobody could give back as an answer either."""
MOST_TOKENS = 4_000
"""Numbers, names and signs of such a form."""


class Unavailable(Exception):
    """This tier has no value here; another may."""
