"""The letters that stand for numbers (`symbols:`), and where they go (`limit:`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed, raises
from attnsolve.spec import reader
from attnsolve.spec.fields import Faults, Fields, read_number
from attnsolve.spec.number import infinity
from attnsolve.spec.problem import Tendency

if TYPE_CHECKING:
    import sympy

ASSUMPTIONS = ("real", "positive", "negative", "nonnegative")


def read_symbols(fields: Fields) -> dict[str, sympy.Symbol]:
    """`symbols: {beta: positive}` or `symbols: [beta]`."""
    node, faults = fields.get("symbols"), fields.faults
    if node is None:
        return {}
    if isinstance(node, reader.Sequence):
        pairs = [(item, "real") for item in node.items]
    elif isinstance(node, reader.Mapping):
        inner = Fields(node, [key.text for key, _ in node.entries], faults)
        pairs = [(key, inner.choice(key.text, ASSUMPTIONS, "real")) for key, _ in node.entries]
    else:
        faults.expected(node, "symbols", "a mapping such as {beta: positive}")
        return {}
    if len(pairs) > allowed().symbols:
        message = f"a problem may declare at most {allowed().symbols} symbols, but this one declares {len(pairs)}"
        faults.add(node, message, raises("symbols", len(pairs)))
        return {}
    return {name: symbol for pair in pairs if (named := _symbol(*pair, faults)) for name, symbol in [named]}


def _symbol(node: reader.Node, assumption: str, faults: Faults) -> tuple[str, sympy.Symbol] | None:
    if not isinstance(node, reader.Scalar) or not re.fullmatch(r"[^\W\d_]\w{0,19}", node.text):
        faults.expected(node, "a symbol", "a letter or a name such as beta")
        return None
    if node.text in ("pi", "e", "sqrt", "oo", "inf", "nan", "π"):
        faults.add(node, f"{node.text!r} has a meaning of its own and can't be declared as a symbol")
        return None
    import sympy

    return node.text, sympy.Symbol(node.text, **{assumption: True})


def read_limits(fields: Fields) -> tuple[Tendency, ...]:
    """`limit: {beta: oo}`; the symbol must have been declared."""
    node, faults = fields.get("limit"), fields.faults
    if node is None:
        return ()
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "limit", "a mapping such as {beta: oo}")
        return ()
    import sympy

    from attnsolve.numbers.symbolic import to_expression

    limits = []
    for key, value in node.entries:
        if key.text not in faults.symbols:
            faults.add(
                key,
                f"limit names {key.text!r}, which is not declared",
                f"add symbols: {{{key.text}: positive}}",
            )
        elif isinstance(value, reader.Scalar) and (sign := infinity(value.text)):
            symbol = faults.symbols[key.text]
            if (symbol.is_nonnegative and sign < 0) or (symbol.is_negative and sign > 0):
                faults.add(
                    value, f"{key.text} is declared {'negative' if sign > 0 else 'positive'}, so it can't tend there"
                )
            limits.append(Tendency(symbol, sign * sympy.oo))
        elif (number := read_number(value, f"limit of {key.text}", faults)) is not None:
            target = to_expression(number)
            if target.free_symbols:
                faults.add(value, f"the limit of {key.text} must be a number or oo, not an expression in symbols")
            limits.append(Tendency(faults.symbols[key.text], target))
    return tuple(limits)
