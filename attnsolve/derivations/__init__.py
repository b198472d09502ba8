"""Derivations, one room a topic: what may be given, what is asked, and the argument, every line of it verified."""
