"""The boundary at which arithmetic that gives up becomes a refusal with the name of the file.

What is known to have no answer is refused where it is read or worked out, in words of its own. This is for the rest:
an expression that sympy can't handle, or a value that no tier of numbers holds. Mistakes of our own are raised by our
own code, or are of other sorts, and get through to be reported as bugs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attnsolve.errors import Fault, Mark, RequestError, UnsolvableError, plain
from attnsolve.numbers import Unavailable

NOWHERE = Mark(0, 0)
LIBRARIES = ("sympy", "mpmath")
GIVES_UP = (NotImplementedError, ArithmeticError, ValueError, RecursionError)
"""What these raise, beside errors of their own, for an expression that is beyond them."""
FIX = "simplify it, or give some of its letters values"


def reason(error: BaseException) -> str:
    """Why the arithmetic gave up; empty where the error is of another sort."""
    if isinstance(error, Unavailable):
        return "this can't be computed: an entry has neither a closed form nor decimals"
    if _is_of_library(type(error).__module__) or (isinstance(error, GIVES_UP) and _is_of_library(_raised_in(error))):
        message = " ".join(str(error).split())
        return f"the exact arithmetic can't compute this ({message or type(error).__name__})"
    return ""


def refuse(error: BaseException, file: str, at: Mark = NOWHERE) -> None:
    """Turn an error into a refusal, if it says that the arithmetic gave up."""
    if message := reason(error):
        raise UnsolvableError(str(Fault(file, at, message, FIX))) from error


@contextmanager
def refusing(file: str, at: Mark) -> Iterator[None]:
    """Refuse what the arithmetic inside can't do, and say where the problem stands."""
    try:
        yield
    except UnsolvableError as error:
        raise UnsolvableError(str(Fault(file, at, str(error)))) from None
    except Exception as error:
        refuse(error, file, at)
        raise


@contextmanager
def answering(file: str, at: Mark) -> Iterator[None]:
    """The same for what is asked of one problem among others: what it doesn't have is refused with its file."""
    try:
        with refusing(file, at):
            yield
    except RequestError as error:
        raise RequestError(f"{plain(file)}: {error}") from None


def _is_of_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES


def _raised_in(error: BaseException) -> str:
    """The module whose code raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__", "")) if trace is not None else ""
