"""What a blank sheet must say so that everybody who works it gets the same numbers: what each letter stands for, and
every choice that the formulas leave open. All of it is read from the graph that is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.document import Block, Inline, Lines, Paragraph, Section, joined, listed
from attnsolve.errors import count, in_running_text
from attnsolve.graph import Graph, Quantity
from attnsolve.key import Key
from attnsolve.narrate.cases import asked
from attnsolve.narrate.narrator import Narrator
from attnsolve.narrate.view import CellsAsSymbols
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.written import write
from attnsolve.operations.formula import Given
from attnsolve.operations.mask import has_blocked
from attnsolve.spec.parts import Part, Rounding

if TYPE_CHECKING:
    from attnsolve.solution.computed import Computed

MOST_TERMS = 6
"""A longer sum is written with dots in its middle."""


def conventions(
    solution: Computed[Any], narrator: Narrator, wanted: Sequence[Quantity], parts: Sequence[Part]
) -> list[Block]:
    """The section that says how to get from what is given to what is asked for."""
    needed = _rests_on(solution.graph, [q.key for q in wanted])
    found = [q for q in needed if not q.given]
    if not found:
        return []
    meanings = tuple(_meaning(solution.graph, q) for q in found)
    letters = Lines(tuple(map(narrator.definition, found)), (), meanings)
    sentences = [*_layout(needed), *_vectors(solution.graph, parts), *_choices(solution.graph, needed)]
    sentences += [*_symbols(solution), *_precision(solution, found)]
    blocks: list[Block] = [
        letters,
        *map(Paragraph, dict.fromkeys(sentences)),
        *_entries(solution.graph, narrator, found),
    ]
    return [Section(("Notation and conventions",), tuple(blocks))]


def _rests_on(graph: Graph, wanted: Iterable[Key]) -> list[Quantity]:
    """Quantities and all that they are made from, in the order in which they are computed."""
    found = {key for end in wanted for key in (end, *graph.ancestors(end))}
    return [q for q in graph if q.key in found]


def _meaning(graph: Graph, quantity: Quantity) -> Inline:
    """Queries of head 0, 3×2."""
    called = in_running_text(quantity.title or quantity.key.id)
    return (f"{called}{quantity.key.whose}, ", n.Shape(*quantity.shape))


def _layout(needed: Iterable[Quantity]) -> Iterator[Inline]:
    """Whether the rows or the columns of what is given are the tokens."""
    stacks: dict[tuple[str, str], list[n.Notation]] = {}
    for q in needed:
        if q.given and not q.parameter and not q.is_vector and (q.rows, q.columns)[q.token_axis].tokens:
            stacks.setdefault(("column" if q.token_axis else "row", _NOUNS.get(q.noun, q.noun)), []).append(
                q.name.matrix
            )
    for (row_or_column, noun), symbols in stacks.items():
        yield (f"Each {row_or_column} of ", *joined(symbols), f" stands for one {noun}.")


_NOUNS = {"state": "encoder state", "step": "decoder step"}


def _vectors(graph: Graph, parts: Iterable[Part]) -> Iterator[Inline]:
    """How one token's vector is written, where a question asks for one."""
    single = [part for part in parts if part.by == "token" or part.tokens]
    wanted = [q for part in single for q in asked(part, graph) if not q.is_vector]
    if wanted:
        yield ("The vector of one token, such as ", wanted[0].name.token(1), f", is written as a {graph.vectors[:-1]}.")


def _choices(graph: Graph, needed: list[Quantity]) -> Iterator[Inline]:
    """What the formulas leave open, each said by the operation that is run; once, though every head has its own."""
    seen = set[tuple[str, ...]]()
    for quantity in needed:
        own = quantity.formula.conventions(graph.letter, graph)
        for sentence in (*quantity.remarks, *_scores(graph, quantity), *own):
            words = (quantity.key.id, *(part if isinstance(part, str) else _words(part) for part in sentence))
            if words not in seen:
                seen.add(words)
                yield (f"In the case {quantity.key.case}: ", *sentence) if quantity.key.case else sentence


def _words(part: n.Notation) -> str:
    """What tells sentences of two heads apart: not their letters."""
    return "" if isinstance(part, n.Sym | n.Transposed) else TextPrinter().print(part)


def _scores(graph: Graph, quantity: Quantity) -> Iterator[Inline]:
    """What becomes of the scores on their way to the weights."""
    formula = quantity.formula
    if not formula.shares:
        return
    path = _rests_on(graph, formula.leaves())
    if any(q.key.id == "scores" for q in path) and not any(q.formula.scales for q in path):
        yield ("The scores are not scaled.",)
    if _are_blocked(path):
        row_or_column = "column" if quantity.token_axis else "row"
        counts = "gets" if formula.takes_powers else "is left out of the sum and gets"
        yield (f"A score of −∞ {counts} the weight 0; where a whole {row_or_column} is −∞, all of its weights are 0.",)


def _are_blocked(path: Iterable[Quantity]) -> bool:
    """Whether −∞ is among what some scores are made from."""
    return any(isinstance(q.formula, Given) and has_blocked(q.formula.rows) for q in path)


def _entries(graph: Graph, narrator: Narrator, found: list[Quantity]) -> Iterator[Block]:
    """The first entry of whatever is a function with a name, written out: what the function does; unless terms are
    left out of its sum, so that it would not be so in every row."""
    chains: dict[tuple[type, str], n.Chain] = {}
    for quantity in found:
        formula = quantity.formula
        if formula.shares and not formula.takes_powers and _are_blocked(_rests_on(graph, formula.leaves())):
            continue
        if _calls(narrator.definition(quantity).links[0][1]):
            entry = CellsAsSymbols(graph).symbols(quantity.formula).at(0, 0)
            chains.setdefault(
                (type(quantity.formula), quantity.key.id),
                n.Chain(quantity.name.entry(1, 1), (("=", _shortened(entry)),)),
            )
    if chains:
        yield Lines(tuple(chains.values()), ("Written out for the first entry:",))


def _calls(notation: n.Notation) -> bool:
    return isinstance(notation, n.Call) and bool(notation.name)


def _shortened(entry: n.Notation) -> n.Notation:
    """The same with dots in the middle of long sums."""
    match entry:
        case n.Frac(over=over, under=under):
            return n.Frac(_shortened(over), _shortened(under))
        case n.Root(inner=inner):
            return n.Root(_shortened(inner))
        case n.Sum(terms=(first, second, *_, last)) if len(entry.terms) > MOST_TERMS:
            return n.Sum((first, second, n.Dots("⋯"), last))
    return entry


def _symbols(solution: Computed[Any]) -> Iterator[Inline]:
    """What is known of the letters that stand for numbers."""
    for name, symbol in solution.problem.symbols.items():
        known = next(
            (word for word in ("positive", "negative", "nonnegative") if getattr(symbol, f"is_{word}")), "real"
        )
        yield (n.Sym(name), f" is any {known} number.")


def going(solution: Computed[Any]) -> list[n.Chain]:
    """Where the problem's symbols go: β → ∞."""
    problem = solution.problem
    return [n.Chain(n.Sym(limit.symbol.name), (("→", write(limit.to, problem.style)),)) for limit in problem.limits]


def _precision(solution: Computed[Any], found: list[Quantity]) -> Iterator[Inline]:
    """What is rounded, to how much, and when."""
    problem = solution.problem
    rounding, digits = problem.rounding, count(problem.digits, "significant digit")
    exactly = "" if problem.numbers == "float" else "exactly, or "
    if rounding is None:
        yield (f"Do not round intermediate results. Give each answer {exactly}to {digits}.",)
    elif not rounding.each_step:
        yield (f"Do not round intermediate results. Give each answer {exactly}to {_places(rounding.places)}.",)
    else:
        yield from _rounded_on_the_way(rounding, found)
        if rounding.places is None:
            yield (f"Do not round anything else. Give each other answer {exactly}to {digits}.",)


def _rounded_on_the_way(rounding: Rounding, found: list[Quantity]) -> Iterator[Inline]:
    rule = ", rounding halves away from zero, and continue with the rounded numbers"
    if rounding.places is not None:
        yield (f"Round each of the results above to {_places(rounding.places)}{rule}.",)
        inside = [q.name.matrix for q in found if "." in q.key.id and q.key.id not in rounding.some]
        if inside:
            yield ("But keep all the digits of ", *listed(inside, " and "), ".")
        elif any(q.formula.shares for q in found):
            yield ("Do not round inside a step (the exponentials or their sum).",)
        return
    for q in found:
        if q.key.id in rounding.some:
            yield ("Round ", q.name.matrix, f" to {_places(rounding.some[q.key.id])}{rule}.")


def _places(places: int | None) -> str:
    assert places is not None
    return count(places, "decimal place") if places else "a whole number"
