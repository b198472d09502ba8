"""How large a problem file may be: every bound in one place, so that no file can cost unbounded time or memory."""

from typing import Final

FILE_BYTES: Final = 4_000_000
DOCUMENTS: Final = 200
"""Problems in one file."""
NESTING: Final = 12
"""Levels of lists and mappings inside each other."""
NODES: Final = 400_000
"""Values in one file once aliases are written out."""
LABEL_CHARACTERS: Final = 60
"""A token's name, a symbol."""
TEXT_CHARACTERS: Final = 2_000
"""A title, a source."""
SIDE: Final = 512
"""Rows or columns of a matrix."""
CELLS: Final = 20_000_000
"""Entries of all the matrices that a float problem gives."""
HEADS: Final = 64
SYMBOLS: Final = 8
NUMBER_CHARACTERS: Final = 400
NUMBER_DIGITS: Final = 100
"""Digits of one literal."""
DECIMAL_EXPONENT: Final = 400
"""The n of 1e±n."""
POWER: Final = 64
"""The n of x^n."""
EXPONENT: Final = 1000
"""The x of e^x in an answer."""
NUMBER_NESTING: Final = 20
NUMBER_TERMS: Final = 60
"""Terms of one number once it is multiplied out."""
NUMBER_BITS: Final = 1400
"""Bits of the integers in one number."""
RADICAND: Final = 10**12
"""The largest n in sqrt(n): larger ones take long to factor."""
DIGITS: Final = 200
"""Significant digits that may be asked for."""
PLACES: Final = 50
"""Decimal places that may be rounded to."""
