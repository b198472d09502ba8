"""The three tiers of number: exact (and symbolic), certified balls, floats.

`Exact`, `Balls` and `Floats` are matrices with the same few methods, so that an operation is written once and runs on
each of them. A value that a tier can't hold (a symbol as a ball, a closed form grown too long) is `Unavailable` there.
"""


class Unavailable(Exception):
    """This tier has no value here; another may."""
