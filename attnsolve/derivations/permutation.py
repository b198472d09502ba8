"""To be written."""

KEYS = {}
PASSAGES = ()
SHAPES = {}
