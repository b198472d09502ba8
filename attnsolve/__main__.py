"""`python -m attnsolve`."""

from attnsolve.cli import main

main()
