"""Matrices are read as they were pasted, to the digit, and what is not understood is refused with its place."""

from __future__ import annotations

import ast
import contextlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attnsolve.pasted
from attnsolve.errors import AttnsolveError, ProblemError
from attnsolve.loading.files import parse
from attnsolve.pasted import plain_name, read_pasted, scanned
from attnsolve.pasted.problem import as_problem
from attnsolve.spec.number import parse_number

Rows = list[list[str]]


def pasted(text: str) -> dict[str, Rows]:
    """Every matrix by its name."""
    return {m.name: [[entry.text for entry in row] for row in m.rows] for m in read_pasted(scanned(text, "paste"))}


def refusal(text: str) -> str:
    with pytest.raises(ProblemError) as caught:
        as_problem(read_pasted(scanned(text, "paste")), scanned(text, "paste"))
    return str(caught.value)


ROWS: Rows = [["1", "0.10"], ["-1/2", "3"]]


@pytest.mark.parametrize(
    "text",
    [
        "Q = [[1, 0.10], [-1/2, 3]]",
        "Q=[[1,0.10],[-1/2,3]]",
        "Q := [\n  [1, 0.10],\n  [-1/2, 3],\n]\n",
        "Q = np.array([[1, 0.10], [-1/2, 3]])",
        "Q = np.array(\n    [[1, 0.10],  # the first\n     [-1/2, 3]],\n    dtype=float,\n)",
        "import numpy as np\n>>> Q = np.array([[1, 0.10],\n...               [-1/2, 3]])\n",
        "Q = torch.tensor([[1, 0.10], [-1/2, 3]], device='cuda', requires_grad=True)",
        "Q = Matrix([[1, 0.10], [Rational(-1, 2), 3]])",
        "Q = [[1 0.10]\n [-1/2 3]]",
        "Q = [[ 1    0.10]\n     [-1/2  3  ]]",
        "Q = [1 0.10; -1/2 3]",
        "Q = [1, 0.10; -1/2, 3];",
        "Q = [1 0.10\n     -1/2 3];  % the queries",
        "Q = [1 0.10; ...\n     -1/2 3]",
        "Q = {{1, 0.10}, {-1/2, 3}}",
        r"Q = \begin{bmatrix} 1 & 0.10 \\ -1/2 & 3 \end{bmatrix}",
        r"\[ \mathbf{Q} = \begin{pmatrix} 1 & 0.10 \\[2pt] -1/2 & 3 \\ \end{pmatrix}. \]",
        "$$Q =\n\\left[\\begin{array}{rr}\n1 & 0.10 \\\\ \\hline\n-1/2 & 3\n\\end{array}\\right]$$",
        "Q:\n1\t0.10\n-1/2\t3\n",
        "Q:\n1 0.10\n-1/2 3\n",
        "Q\ta\tb\nhot\t1\t0.10\ntea\t-1/2\t3\n",
        "## Q\n\n|  |  |\n|--|--|\n| 1 | 0.10 |\n| -1/2 | 3 |\n",
        "**Q**:\n\n| | a | b |\n|:--|-:|:-:|\n| hot | 1 | 0.10 |\n| tea | -1/2 | 3 |\n",
        "Q =\n1 | 0.10\n-1/2 | 3\n",
        '{"Q": [[1, 0.10], [-1/2, 3]]}',
        "```python\nQ = [[1, 0.10], [-1/2, 3]]\n```\n",
        "Q = [[1, 0.10], [-1/2, 3]]\r\n",
    ],
)
def test_a_matrix_is_read_as_it_was_written(text: str) -> None:
    assert pasted(text) == {"Q": ROWS}


@pytest.mark.parametrize(
    "text",
    [
        "Q = [[1]]\nK = [[2]]\nV = [[3]]",
        "Q = [[1]]; K = [[2]]; V = [[3]]",
        "Q=[[1]] K=[[2]] V=[[3]]",
        r"$Q=\begin{bmatrix}1\end{bmatrix}$, $K=\begin{bmatrix}2\end{bmatrix}$ and $V=\begin{bmatrix}3\end{bmatrix}$.",
        "\\begin{align}\nQ &= \\begin{bmatrix}1\\end{bmatrix} \\\\\nK &= \\begin{bmatrix}2\\end{bmatrix} \\\\\n"
        "V &= \\begin{bmatrix}3\\end{bmatrix}\n\\end{align}",
        "Q:\n1\n\nK:\n2\n\nV:\n3",
        "Q:\n1\nK:\n2\nV:\n3",
        "# Q\n1\n\n# K\n2\n\n# V\n3",
    ],
)
def test_several_matrices_keep_their_names(text: str) -> None:
    assert pasted(text) == {"Q": [["1"]], "K": [["2"]], "V": [["3"]]}


@pytest.mark.parametrize(
    ("name", "plain"),
    [(r"\mathbf{W}_{Q}", "W_Q"), ("W^{K}", "W_K"), ("W^V", "W_V"), ("Wq", "Wq"), ("W_1", "W_1"), ("W ^ O", "W_O")],
)
def test_names_are_as_they_are_typed(name: str, plain: str) -> None:
    assert plain_name(name) == plain
    assert list(pasted(f"{name} = [[1]]")) == [plain]


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (4, 20)])
@pytest.mark.parametrize("kind", [int, float])
def test_what_numpy_prints_is_what_it_holds(shape: tuple[int, int], kind: type) -> None:
    array = (np.random.default_rng(0).normal(size=shape) * 100).round(3).astype(kind)
    for text in (f"Q = {array}", f"Q = {array!r}", f"Q = {array.tolist()}"):
        assert [[float(entry) for entry in row] for row in pasted(text)["Q"]] == array.tolist()


@given(st.lists(st.lists(st.fractions(), min_size=2, max_size=2), min_size=1, max_size=3))
def test_fractions_stay_exact(rows: list[list[Fraction]]) -> None:
    shown = {
        "Q": str([[str(x) for x in row] for row in rows]).replace("'", ""),
        "K": "[" + "; ".join(" ".join(map(str, row)) for row in rows) + "]",
        "V": r"\begin{bmatrix}" + r"\\".join("&".join(map(str, row)) for row in rows) + r"\end{bmatrix}",
        "R": repr(rows),
        "T": "\n" + "\n".join("\t".join(map(str, row)) for row in rows) + "\n",
    }
    for name, text in shown.items():
        found = pasted(f"{name} = {text}")[name]
        assert [[parse_number(entry).value for entry in row] for row in found] == rows


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "no matrix was found"),
        ("Q = [[1, 2], [3]]", "1:15", "row 2 has 1 number, but row 1 has 2"),
        ("Q = [[1, 2]\n", "2:1", "the next row or a closing ] was expected, but the end of the text was found"),
        ("Q = [[1, 2", "1:11", "a closing ] was expected"),
        ("Q = [[1,, 2]]", "1:9", "a number was expected, but ',' was found"),
        ("Q = [[1, 2]] @ W", "1:14", "the end of the matrix was expected, but '@' was found"),
        ("Q = [[1, 2]].T", "1:13", "the end of the matrix was expected"),
        ("Q = [1 2; 3 4]'", "1:15", "the end of the matrix was expected"),
        ("Q = [1 - 2; 3 4]", "1:8", "a number was expected"),
        ("Q = np.zeros((2, 2))", "1:5", "a matrix or its name was expected, but 'np' was found"),
        ("Let us see:\nQ = [[1]]", "1:1", "a matrix or its name was expected, but 'Let' was found"),
        ("Q = [[1]]\nK = [[x]]", "2:7", "'x' is not known"),
        ("Q = [[0,5 1,5]]", "1:10", "a comma was expected"),
        ("Q =\n0,5\t1\n", "2:1", "0,5 may be one number or several"),
        ("Q = [[1 2 ... 9]]", "1:11", "entries are left out here"),
        (r"Q = \begin{bmatrix}1 & \cdots\end{bmatrix}", "1:24", "entries are left out here"),
        (r"Q = \begin{bmatrix}1 & 2", "1:5", "bmatrix is not closed"),
        (r"Q = \begin{bmatrix}1 & & 2\end{bmatrix}", "1:24", "a number was expected before &"),
        ("Q = [[True, False]]", "1:7", "a number was expected, but True was found"),
        ("Q = [[=1, 2]]", "1:7", "a number was expected, but '=' was found"),
        ("Q =\n1\t0|5\n", "2:1", "a number was expected"),
        ("Q = [[nan]]", "1:7", "'nan' is not a finite number"),
        ("Q = np.array([[0.5]], dtype=int)", "1:29", "dtype=int changes the numbers that are written"),
        ("Q = [[[1]]]", "1:7", "brackets are three deep"),
        ("Q =\n| 1 | 2 |\n|---|---|\n| 3 | 4 |", "2:3", "the heading of the table has a number, 1"),
        ("Q =\n1 2\n3 x", "3:3", "a number was expected"),
        (f"Q = [{'0.12345 ' * 9}\n 1 2]", "2:2", "this line may begin a row, or go on with the one before"),
        ("Q = [[__import__('os').system('true')]]", "1:7", "a number was expected"),
        ("[[1, 2]]", "1:1", "this matrix has no name"),
        ("Q = [[1]]\nQ = [[1]]", "2:1", "Q stands on line 1 already"),
        ("Q = [[1, 2]]\nK = [[1, 2, 3]]\nV = [[1]]", "2:1", "the keys have 3 columns"),
        ("X = [[1]]\nWq = [[1]]", "2:1", "weights has no W_K"),
        ("Q = [[1]]\nK = [[1]]\nV = [[1]]\nFoo = [[1]]", "4:1", "Foo is no matrix of attention"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    assert refusal(text).startswith(f"paste:{place}: ")
    assert message in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "Q = [[1, 0]]\nK = [[1, 1/3]]\nV = [[0.5]]",
        "X = [[1, 0]]\nWq = [[1], [2]]\nWk = [[1], [2]]\nWv = [[1], [2]]",
        r"$X=\begin{bmatrix}\frac12\end{bmatrix}$, $W^Q=\begin{bmatrix}1\end{bmatrix}$,"
        r"$W^K=\begin{bmatrix}1\end{bmatrix}$, $W^V=\begin{bmatrix}\sqrt{2}\end{bmatrix}$",
        "Q = [[1]]\nK = [[1], [2]]\nV = [[1], [2]]\nM = [[0, -np.inf]]",
        "S = [[1, 2]]\nV = [[1], [2]]",
        "A = [1 2; 3 4]\nB = [1; 2]",
        "P = [1, 2, 3]",
    ],
)
def test_matrices_make_a_problem_that_can_be_solved(text: str, solved: object) -> None:
    assert callable(solved)
    scanner = scanned(text, "paste")
    solved(as_problem(read_pasted(scanner), scanner))


def test_labels_of_rows_are_tokens() -> None:
    text = "Q\ta\nhot\t1\niced tea\t2\n\nK\ta\nhot\t1\niced tea\t2\n\nV\ta\nhot\t1\niced tea\t2\n"
    scanner = scanned(text, "paste")
    (problem,) = parse(as_problem(read_pasted(scanner), scanner), "problem.yaml")
    assert problem.body.tokens == ("hot", "iced tea")


@given(st.text(alphabet="QK=:[](){};,.|-\t\n 12/\\&#%'^_einfbgmatrx", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for variant in (text, f"Q = [[{text}", rf"Q = \begin{{bmatrix}}{text}\end{{bmatrix}}", f"Q =\n|{text}"):
        scanner = scanned(variant, "paste")
        with contextlib.suppress(AttnsolveError):
            as_problem(read_pasted(scanner), scanner)


def test_nothing_is_evaluated() -> None:
    for path in Path(attnsolve.pasted.__file__).parent.glob("*.py"):
        calls = [
            node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
        ]
        names = {func.id for func in calls if isinstance(func, ast.Name)}
        assert not names & {"eval", "exec", "compile", "__import__", "sympify", "literal_eval"}
