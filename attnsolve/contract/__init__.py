"""The JSON that other programs read, and the schemas that describe it: extended, never broken."""
