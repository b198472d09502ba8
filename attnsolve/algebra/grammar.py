"""The small grammar in which claims are written.

    claim   = term ("=" | "<=" | ">=") term
    term    = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("-" | "+") signed | power
    power   = place ("^" ("T" | whole number))*
    place   = atom ("[" term ("," term)? "]")*
    atom    = number | name | "oo" | function "(" term ")" | "(" term ")" | "[" term ("," term)* "]"
            | "sum" "(" index "=" term ".." term ("," index "!=" term)? "," term ")"
            | "lim" "(" name "->" term "," term ")"
            | "masked" "(" term "," term ")"

Nothing in it runs: text becomes a tree of terms, and only of these.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from attnsolve.algebra.functions import Filled, Function, Limit, MaskedSoftmax, Summed
from attnsolve.algebra.table import TermError
from attnsolve.algebra.terms import (
    GREATEST_POWER,
    Add,
    Divide,
    Entry,
    Grouped,
    Infinity,
    Listed,
    Multiply,
    Name,
    Negate,
    Number,
    Power,
    Term,
    Transposed,
)
from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.spec.typography import with_plain_signs

FUNCTIONS = ("softmax", "exp", "ln", "sqrt", "tanh", "norm", "abs", "E", "Var")
FILLED = ("identity", "ones", "causal")
SPECIAL = ("sum", "lim", "masked")
WORDS = (*FUNCTIONS, *FILLED, *SPECIAL)
RESERVED = (*WORDS, "oo", "T")
"""Words with a meaning of their own, which nothing may be named after."""
INSTEAD = {
    **dict.fromkeys(("max", "min"), "declare a number for it under given:, as in {m: number}, and write m*ones(n)"),
    **dict.fromkeys(("mean", "average", "avg"), "write sum(i=1..n, x[i])/n, or E(x) for an expected value"),
    "log": "write ln(x)",
    "transpose": "write x^T",
}
"""What to write in place of functions that people try."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.(?!\.)\d*)?)|(?P<name>[^\W\d]\w*)|(?P<sign>\.\.|->|<=|>=|!=|[-+*/^()\[\],=']))"
)
_TYPOGRAPHY = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "∞": "oo"})


def parse_term(text: str) -> Term:
    """Read one term.

    >>> parse_term("X^T*v") == Multiply(Transposed(Name("X")), Name("v"))
    True
    """
    parser = _Parser(text)
    term = parser.term()
    parser.end()
    return term


def parse_claim(text: str) -> tuple[Term, str, Term]:
    """Read a claim: two terms and the relation between them (=, ≤ or ≥)."""
    terms, relations = parse_chain(text)
    if len(relations) != 1:
        raise TermError(f"one relation was expected, but {len(relations)} were found in {text!r}")
    return terms[0], relations[0], terms[1]


def parse_chain(text: str) -> tuple[list[Term], list[str]]:
    """Read a chain of claims: its terms, and the relations between them."""
    parser = _Parser(text, allowed().claim_characters)
    terms, relations = [parser.link()], []
    while (sign := parser.accept("=", "<=", ">=")) is not None:
        if sign == "=" and parser.accept("="):
            raise TermError(f"'==' has no meaning in {text!r}", "write =")
        relations.append(_RELATIONS.get(sign, sign))
        terms.append(parser.link())
    parser.end("=, <= or >=" if not relations else "")
    if not relations:
        raise TermError("a claim needs a relation", "write left = right (or <=, >=)")
    return terms, relations


def parse_call(text: str, words: Collection[str]) -> tuple[str, list[Term]]:
    """Read one of some words, with its arguments in brackets if it has any; "" if the text is none of them."""
    parser = _Parser(text)
    word = parser.accept(*words)
    if word is None:
        return "", []
    arguments: list[Term] = []
    if parser.accept("("):
        arguments.append(parser.term())
        while parser.accept(","):
            arguments.append(parser.term())
        parser.closed()
    parser.end()
    return word, arguments


_RELATIONS = {"<=": "≤", ">=": "≥"}


def _too_long(length: int, longest: int) -> TermError:
    return TermError(f"a term may be {longest} characters long at most, but this has {length}")


class _Parser:
    def __init__(self, text: str, longest: int | None = None) -> None:
        longest = longest or allowed().link_characters
        if len(text) > longest:
            raise _too_long(len(text), longest)
        self.text = text
        self.tokens = self._tokenise(with_plain_signs(text).translate(_TYPOGRAPHY))
        self.position = 0
        self.depth = 0

    def _tokenise(self, text: str) -> list[tuple[str, str]]:
        tokens, position = [], 0
        self.ends = [0]
        """Where in the text each token ends, after a beginning."""
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                raise TermError(
                    f"{text[position:].strip()[:1]!r} has no meaning in a term", self._hint(text[position:])
                )
            tokens.append((str(match.lastgroup), match[0].strip()))
            position = match.end()
            self.ends.append(position)
        return [*tokens, ("end", "")]

    def _hint(self, rest: str) -> str:
        hints = {
            "{": "use round brackets",
            "<": "write <= or >=",
            ">": "write <= or >=",
            "|": "write norm(x) or abs(x)",
        }
        return hints.get(rest.strip()[:1], "known: + - * / ^ ( ) [ ] = <= >=")

    # ── tokens ──────────────────────────────────────────────────────────────────────────────────

    def accept(self, *signs: str) -> str | None:
        """The next token if it is one of these."""
        kind, text = self.tokens[self.position]
        if kind in ("sign", "name") and text in signs:
            self.position += 1
            return text
        return None

    def found(self) -> str:
        """The next token in words."""
        kind, text = self.tokens[self.position]
        return "the end" if kind == "end" else repr(text)

    def _expect(self, sign: str, after: str) -> None:
        if self.accept(sign) is None:
            raise TermError(f"{sign!r} was expected after {after}, but {self.found()} was found in {self.text!r}")

    def _name(self, what: str) -> str:
        kind, text = self.tokens[self.position]
        if kind != "name":
            raise TermError(f"{what} was expected, but {self.found()} was found in {self.text!r}")
        self.position += 1
        return text

    def _own_name(self, what: str) -> str:
        name = self._name(what)
        if name in RESERVED:
            raise TermError(f"{name!r} can't be {what}: it has a meaning of its own")
        return name

    def end(self, expected: str = "") -> None:
        """Nothing may follow."""
        if self.tokens[self.position][0] != "end":
            fix = "write products with *" if self.tokens[self.position][0] in ("name", "number") else ""
            said = f", where {expected} was expected" if expected and not fix else ""
            raise TermError(f"{self.found()} was not expected in {self.text!r}{said}", fix)

    def closed(self) -> None:
        """A closing bracket."""
        self._expect(")", "the arguments")

    # ── terms ───────────────────────────────────────────────────────────────────────────────────

    def link(self) -> Term:
        """One term of a chain."""
        start = self.position
        term = self.term()
        if (length := self.ends[self.position] - self.ends[start]) > allowed().link_characters:
            raise _too_long(length, allowed().link_characters)
        return term

    def term(self) -> Term:
        """A sum."""
        self.depth += 1
        if self.depth > allowed().claim_nesting:
            raise TermError(f"brackets may be nested {allowed().claim_nesting} deep at most")
        left = self._product()
        while sign := self.accept("+", "-"):
            right = self._product()
            left = Add(left, right if sign == "+" else Negate(right))
        self.depth -= 1
        return left

    def _product(self) -> Term:
        left = self._signed()
        while sign := self.accept("*", "/"):
            right = self._signed()
            if sign == "/" and isinstance(left, Number) and isinstance(right, Number) and right.rational:
                left = Number(left.rational / right.rational)
            else:
                left = Multiply(left, right) if sign == "*" else Divide(left, right)
        return left

    def _signed(self) -> Term:
        negative = False
        while sign := self.accept("-", "+"):
            negative ^= sign == "-"
        power = self._power()
        if negative and isinstance(power, Infinity):
            return Infinity(negative=True)
        return Negate(power) if negative else power

    def _power(self) -> Term:
        base, signs = self._place(), 0
        while sign := self.accept("^", "'"):
            self._count(signs := signs + 1)
            if sign == "'" or self.accept("T"):
                base = Transposed(base)
                continue
            negative = self.accept("-") is not None
            kind, text = self.tokens[self.position]
            if kind != "number" or not text.isdigit() or int(text) > GREATEST_POWER:
                said = f"a power must be T or a whole number up to {GREATEST_POWER}, but {self.found()} was found"
                raise TermError(said, "write exp(x) for powers of e, sqrt(x) for roots")
            self.position += 1
            base = Power(base, -int(text) if negative else int(text))
        return base

    def _count(self, signs: int) -> None:
        if signs > allowed().claim_nesting:
            raise TermError(
                f"powers, transposes and indices may follow each other {allowed().claim_nesting} times at most"
            )

    def _place(self) -> Term:
        inner, signs = self._atom(), 0
        while self.accept("["):
            self._count(signs := signs + 1)
            row = self.term()
            column = self.term() if self.accept(",") else None
            self._expect("]", "an index")
            inner = Entry(inner, row, column)
        return inner

    def _atom(self) -> Term:
        kind, text = self.tokens[self.position]
        if kind == "number":
            self.position += 1
            return Number(Fraction(text), decimal="." in text)
        if kind == "name":
            self.position += 1
            return self._named(text)
        if self.accept("["):
            entries = [self.term()]
            while self.accept(","):
                entries.append(self.term())
            self._expect("]", "a list")
            return Listed(tuple(entries))
        if self.accept("("):
            inner = self._closed(self.term())
            return Grouped(inner) if isinstance(inner, Multiply) else inner
        raise TermError(f"a term was expected, but {self.found()} was found in {self.text!r}")

    def _closed(self, term: Term) -> Term:
        self._expect(")", "a term in brackets")
        return term

    def _named(self, name: str) -> Term:
        if name == "oo":
            return Infinity()
        if not self.accept("("):
            if name in ("E", "Var") and self.accept("["):
                inner = self.term()
                self._expect("]", name)
                return Function(name, inner)
            if name in WORDS:
                raise TermError(f"{name} needs brackets, but {self.found()} was found", f"write {name}(...)")
            return Name(name)
        if name in FUNCTIONS:
            return Function(name, self._closed(self.term()))
        if name in FILLED:
            return Filled(name, self._closed(self.term()))
        if name not in SPECIAL:
            raise TermError(f"there is no function {name!r}", INSTEAD.get(name) or nearest(name, WORDS))
        return {"sum": self._sum, "lim": self._limit, "masked": self._masked}[name]()

    def _sum(self) -> Term:
        if self.tokens[self.position + 1 : self.position + 2] != [("sign", "=")]:
            raise TermError("sum needs an index and its range", "write sum(i=1..n, x[i])")
        index = self._own_name("the index of a sum")
        self._expect("=", "the index of a sum")
        first = self.term()
        self._expect("..", "the first value of an index")
        last = self.term()
        self._expect(",", "the range of a sum")
        but = None
        if self.tokens[self.position : self.position + 2] == [("name", index), ("sign", "!=")]:
            self.position += 2
            but = self.term()
            self._expect(",", "what a sum leaves out")
        return self._closed(Summed(index, first, last, self.term(), but))

    def _limit(self) -> Term:
        symbol = self._own_name("the symbol of a limit")
        self._expect("->", "the symbol of a limit")
        to = self.term()
        self._expect(",", "where the symbol goes")
        return self._closed(Limit(symbol, to, self.term()))

    def _masked(self) -> Term:
        inner = self.term()
        self._expect(",", "the scores")
        return self._closed(MaskedSoftmax(inner, self.term()))
