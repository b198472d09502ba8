"""attnsolve read: pasted matrices as a problem file."""

from __future__ import annotations

from typing import Annotated

import typer

from attnsolve.cli.options import Bound
from attnsolve.cli.streams import invite, print_file, say
from attnsolve.guard import Watch


def read(
    source: Annotated[
        str, typer.Argument(metavar="[FILE]", help="A file with the matrices; - for what is pasted or piped in.")
    ] = "-",
    bound: Bound = None,
) -> None:
    """Turn pasted matrices into a problem file.

    They may be NumPy or what it prints, Python lists, MATLAB, LaTeX, Markdown or tab-separated tables. Each is named,
    as in Q = [[1, 0], [1/2, 1]]; Q, K and V or X, W_Q, W_K and W_V make a problem. Nothing is computed, and numbers
    stay as they are written.
    """
    from attnsolve.errors import listed, plain
    from attnsolve.loading.sources import STDIN, named, read_text_file
    from attnsolve.pasted import read_pasted, scanned
    from attnsolve.pasted.problem import as_problem

    if source == STDIN:
        invite("Paste matrices, such as Q = [[1, 0], [1/2, 1]]; Ctrl-D on its own line ends.")
    with Watch(named(source)):
        file = named(source)
        text = scanned(read_text_file(source), file)
        matrices = read_pasted(text)
        problem = as_problem(matrices, text)
    print_file(problem)
    found = [f"{matrix.name} ({matrix.shape})" for matrix in matrices]
    say(f"read {listed(found)} from {plain(file)}")
