"""From files, and from values of Python, to problems."""
