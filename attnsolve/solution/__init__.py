"""A problem worked out: exactly or in floats, with its limits and what was verified of it."""
