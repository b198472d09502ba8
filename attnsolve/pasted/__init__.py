"""Matrices as people paste them: NumPy and what it prints, Python lists, MATLAB, LaTeX, Markdown and other tables.

Text goes in; matrices of entries come out, each entry the text that was written, so that `1/3` and `0.10` stay what
they are. Nothing is evaluated and nothing is guessed: what is not understood is refused with its place.
"""

from __future__ import annotations

import re

from attnsolve.errors import Fault, ProblemError
from attnsolve.pasted.brackets import BRACKET, CALL, read_brackets, read_call
from attnsolve.pasted.latex import OPENING, read_latex
from attnsolve.pasted.matrix import Pasted
from attnsolve.pasted.scanner import Scanner
from attnsolve.pasted.tables import read_table

_FONT = r"\\(?:mathbf|boldsymbol|mathrm|mathit|bm|text)\s*\{\s*\w+\s*\}"
_NAME = rf"(?P<name>(?:{_FONT}|[A-Za-z][A-Za-z0-9]*)(?:\s*[_^]\s*(?:\{{[^{{}}\n]{{1,20}}\}}|[A-Za-z0-9]+))*)"
NAMED = re.compile(rf"""[*`"']{{0,2}}{_NAME}[*`"']{{0,2}}\s*&?\s*(?::=|=|:|<-|\\coloneqq)[*`]{{0,2}}""")
"""A name in front of its matrix."""
HEADING = re.compile(rf"#+[ \t]*[*`]{{0,2}}{_NAME}[*`]{{0,2}}[ \t]*:?[ \t]*(?=\n)")
"""A heading, or a comment, that is a name and nothing else."""
TRIVIA = re.compile(
    r"""\s+ | ^```.*$ | \#.*$ | (?:^|(?<=\s))%.*$ | ^(?:import|from)[ ].*$
    | \${1,2} | \\[\[\]()] | \\(?:begin|end)\{(?:align|aligned|equation|gather|gathered|split|displaymath|math)\*?\}
    | \\\\ | & | \\(?:q?quad|[,;:!]|displaystyle)(?![A-Za-z]) | [;,] | \.(?=\s|\$|\\|\Z) | and(?=\s)
    | \\text\{\s*(?:and|,)?\s*\} | \{(?=\s*["']) | \}""",
    re.VERBOSE | re.MULTILINE,
)
"""What stands around matrices and says nothing about them."""
BEFORE_VALUE = re.compile(r"(?:\s+|\$|&|\\[\[(]|\\displaystyle(?![A-Za-z]))+")
PROMPTS = re.compile(r"^(?:>>> |>>> ?$|\.\.\. |>> |In \[\d+\]: |Out\[\d+\]: ?)", re.MULTILINE)
FIX = "write Q = and then the matrix, such as [[1, 0], [1/2, 1]]"


def scanned(text: str, file: str) -> Scanner:
    """A text ready to be read: without the prompts of Python and Octave, whose places are kept."""
    return Scanner(PROMPTS.sub(lambda prompt: " " * len(prompt[0]), text.replace("\r\n", "\n")), file)


def read_pasted(scanner: Scanner) -> list[Pasted]:
    """Every matrix of a text, in its order."""
    found: list[Pasted] = []
    while True:
        heading = _skip_trivia(scanner)
        if scanner.is_at_end:
            break
        found.append(_read_one(scanner, heading))
    if not found:
        raise ProblemError([Fault(scanner.file, scanner.mark(0), "no matrix was found", FIX)])
    return found


def _skip_trivia(scanner: Scanner) -> str:
    """Pass over what says nothing; returns the last heading that is a name."""
    heading = ""
    while True:
        if named := scanner.take(HEADING):
            heading = named["name"]
        elif not scanner.take(TRIVIA):
            return heading


def _read_one(scanner: Scanner, heading: str) -> Pasted:
    at = scanner.position
    named = scanner.take(NAMED)
    name = plain_name(named["name"] if named else heading)
    if named:
        scanner.take(BEFORE_VALUE)
    if scanner.looking_at(OPENING):
        matrix = read_latex(scanner)
    elif scanner.looking_at(CALL):
        matrix = read_call(scanner)
    elif scanner.looking_at(BRACKET):
        matrix = read_brackets(scanner)
    else:
        return read_table(scanner).called(name, at)
    _expect_end(scanner)
    return matrix.called(name, at)


def _expect_end(scanner: Scanner) -> None:
    """Refuse a calculation that goes on after the matrix."""
    scanner.take(SPACES)
    if not (scanner.is_at_end or scanner.looking_at(END) or scanner.looking_at(TRIVIA) or scanner.looking_at(NAMED)):
        fix = "write the result as one matrix: nothing is computed here"
        raise scanner.fault(f"the end of the matrix was expected, but {scanner.found()} was found", fix)


SPACES = re.compile(r"[ \t]+")
END = re.compile(r"\n|%")


def plain_name(name: str) -> str:
    r"""A name as it is typed: `\mathbf{W}^{Q}` is W_Q."""
    name = re.sub(r"\\(?:mathbf|boldsymbol|mathrm|mathit|bm|text)\s*", "", name)
    return re.sub(r"^W\^(?=[QKVO]$)", "W_", re.sub(r"[{}\s]", "", name))
