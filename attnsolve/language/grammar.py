"""The one grammar, of which numbers, formulas and claims are levels.

    claim    = mask (("=" | "<=" | ">=") mask)*
    mask     = both ("or" both)*       both = compared ("and" compared)* in formulas; "not" binds like a sign
    compared = sum (("<" | "<=" | ">" | ">=") sum)?                      in formulas
    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/" | ".*" | "./") signed)*               in numbers also without a sign: 2√3, 3(1 + e)
    signed   = ("-" | "+")* postfix                                     in numbers one sign at most
    postfix  = atom ("[" place ("," place)? "]" | "@" path | "." name | "^T" | ("^" | ".^") exponent | "°")*
    place    = mask | mask? ":" mask?
    exponent = ("-" | "+")? atom ("[" … "]")*                           in numbers `signed`; in claims a whole number
    atom     = literal | name | name "(" arguments ")" | "√" atom | "(" mask ")" | "[" mask ("," mask)* "]"
    argument = mask | option "=" mask | index "=" mask ".." mask | index "!=" mask | symbol "->" mask

`-x^2` is −(x²). A name before `(` is a function, any other a quantity: each may be called as the other is. How these
tokens may be spelled is settled before, in `language.tokens`. Nothing here runs: text becomes a tree, and only of the
nodes in `language.syntax`.
"""

from __future__ import annotations

from collections.abc import Callable

from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.language.functions import ALIASES, CLAIM_FILLED, CLAIM_FUNCTIONS, CLAIMED, FUNCTIONS, INSTEAD, RESERVED
from attnsolve.language.habits import LIBRARIES, instead, plain_function
from attnsolve.language.syntax import (
    COMPARISONS,
    ApproachNode,
    AtNode,
    CallNode,
    ChainNode,
    DegreesNode,
    GroupNode,
    IndexNode,
    ListedNode,
    MemberNode,
    NameNode,
    Node,
    NumberNode,
    PowerNode,
    PrefixNode,
    RangeNode,
    SliceNode,
    TransposeNode,
    written,
)
from attnsolve.language.tokens import LanguageError, Level, Token, Tokens

GREATEST_POWER = 12
"""The n of x^n in a claim."""
_KEYWORDS = ("and", "or", "not")
_PAIRS = {"masked": "the scores", "diff": "the term whose derivative is taken"}
"""Functions of claims that take two terms, and what the first of them is."""


def too_long(length: int, longest: int) -> LanguageError:
    """The error for a term that is longer than is allowed."""
    return LanguageError(f"a term may be at most {longest} characters long, but this one has {length}")


class Parser:
    """Formulas and claims; numbers, below, are the same with other rules for products, signs and powers."""

    def __init__(self, text: str, tokens: Tokens, level: Level) -> None:
        self.text = text
        self.tokens = tokens.items
        self.level = level
        self.position = 0
        self.depth = 0

    # ── tokens ──────────────────────────────────────────────────────────────────────────────────

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.position]

    def accept(self, *signs: str) -> str | None:
        """The next token if it is one of these."""
        token = self.tokens[self.position]
        if token.text in signs and token.kind in ("sign", "name"):
            self.position += 1
            return token.text
        return None

    def expect(self, sign: str, after: str) -> None:
        """The next token, which has to be this."""
        if self.accept(sign) is None:
            message = f"{sign!r} was expected after {after}, but {self.found()} was found in {self.text!r}"
            raise self.error(message, self._with_product() if self.level == "formula" else "")

    def found(self) -> str:
        """The next token in words."""
        return "the end" if self.token.kind == "end" else repr(self.token.text)

    def error(self, message: str, fix: str = "") -> LanguageError:
        """What is wrong with the next token."""
        return LanguageError(message, fix, self.token.start)

    def finish(self, expected: str = "") -> None:
        """Nothing may follow."""
        if self.token.kind == "end":
            return
        fix = ""
        if self.token.kind in ("name", "literal"):
            fix = "write products with *" if self.level == "claim" else self._with_product()
        expectation = f", where {expected} was expected" if expected and not fix else ""
        raise self.error(f"{self.found()} was not expected in {self.text!r}{expectation}", fix)

    def _with_product(self) -> str:
        """What to write where two terms follow each other: A*B for A B, sqrt(d_k) for sqrt d_k."""
        next_one, before = self.token, self.tokens[self.position - 1]
        if self.position == 0 or next_one.kind not in ("name", "literal") or next_one.text in _KEYWORDS:
            return ""
        place, text, position = next_one.start, self.text, self.position
        function = plain_function(before.text) if before.kind == "name" else ""
        if function not in FUNCTIONS:
            return f"write {text[:place].rstrip()}*{text[place:]}".strip()
        try:
            self._postfix()
        except LanguageError:
            self.position += 1
        end, self.position = self.tokens[self.position - 1].end, position
        return f"write {text[: before.start]}{function}({text[place:end]}){text[end:]}".strip()

    def _from(self, start: int) -> tuple[int, int]:
        """The span of what began at a token and was read so far."""
        return self.tokens[start].start, self.tokens[self.position - 1].end

    def _is_next(self, ahead: int, sign: str) -> bool:
        place = self.position + ahead
        return place < len(self.tokens) and self.tokens[place].kind == "sign" and self.tokens[place].text == sign

    # ── the grammar ─────────────────────────────────────────────────────────────────────────────

    def link(self) -> Node:
        """One term of a chain of claims, or one side of a relation: outside of brackets, <= is not part of it."""
        start = self.tokens[self.position - 1].end if self.position else 0
        node = self._sum() if self.level == "formula" else self.expression()
        longest = allowed().link_characters
        if (length := self.tokens[self.position - 1].end - start) > longest:
            raise too_long(length, longest)
        return node

    def expression(self) -> Node:
        """Anything that brackets may hold."""
        self._deeper(allowed().claim_nesting, allowed().claim_nesting)
        node = self._mask() if self.level == "formula" else self._sum()
        self.depth -= 1
        return node

    def _deeper(self, limit: int, shown: int, what: str = "brackets") -> None:
        self.depth += 1
        if self.depth > limit:
            raise self.error(f"{what} may be nested at most {shown} deep")

    def _chain(self, operand: Callable[[], Node], *signs: str) -> Node:
        start = self.position
        first, rest = operand(), []
        while sign := self.accept(*signs):
            rest.append((sign, operand()))
        return ChainNode(first, tuple(rest), *self._from(start)) if rest else first

    def _mask(self) -> Node:
        return self._chain(lambda: self._chain(self._compared, "and"), "or")

    def _compared(self) -> Node:
        start, left = self.position, self._sum()
        sign = self.accept(*COMPARISONS)
        return left if sign is None else ChainNode(left, ((sign, self._sum()),), *self._from(start))

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._signed, "*", "/", ".*", "./")

    def _signed(self) -> Node:
        start, negative, denied = self.position, False, False
        while sign := self.accept("-", "+", *(("not",) if self.level == "formula" else ())):
            negative ^= sign == "-"
            denied ^= sign == "not"
        node = self._postfix()
        node = PrefixNode("-", node, *self._from(start)) if negative else node
        return PrefixNode("not", node, *self._from(start)) if denied else node

    def _postfix(self) -> Node:
        start, node, signs = self.position, self._atom(), 0
        while sign := self.accept("[", "@", ".", "^", ".^", "'", "°"):
            signs += 1
            if signs > allowed().claim_nesting:
                most = f"at most {allowed().claim_nesting} times"
                raise self.error(f"powers, transposes and indices may follow each other {most}")
            node = self._applied(sign, node, start)
        return node

    def _applied(self, sign: str, node: Node, start: int) -> Node:
        match sign:
            case "[":
                return self._index(node, start)
            case "@":
                path = self._path()
                return AtNode(node, path, *self._from(start))
            case ".":
                return self._member(node, start)
            case "°":
                return DegreesNode(node, *self._from(start))
        if sign == "'" or (sign == "^" and self.accept("T")):
            return TransposeNode(node, *self._from(start))
        exponent = self._whole_power() if self.level == "claim" and sign == "^" else self._exponent()
        return PowerNode(node, exponent, sign, *self._from(start))

    def _member(self, node: Node, start: int) -> Node:
        """A.exponentials; A.T as A^T. What programs call as np.exp(A) or A.exp() is a function of A here."""
        name = self._name("the name of an inner quantity")
        if self.level == "formula" and name == "T":
            return TransposeNode(node, *self._from(start))
        if self.level == "formula" and self._is_next(0, "("):
            raise self._called_elsewhere(node, name, start)
        return MemberNode(node, name, *self._from(start))

    def _called_elsewhere(self, node: Node, name: str, start: int) -> LanguageError:
        called, function = f"{written(node)}.{name}", plain_function(name)
        place, end = self.tokens[start].start, self.tokens[self.position - 1].end
        if written(node).partition(".")[0] in LIBRARIES:
            fix = f"write {self.text[:place]}{function}{self.text[end:]}"
        elif function in FUNCTIONS:
            fix = f"write {'total' if function == 'sum' else function}({written(node)})"
        else:
            fix = f"write {instead(name, [written(node)]) or f'{name}({written(node)})'}"
        return LanguageError(f"{called}(...) is how programs call a function", fix, place)

    def _index(self, node: Node, start: int) -> Node:
        places = [self._place()]
        if self.accept(","):
            places.append(self._place())
        if self._is_next(0, ".."):
            raise self.error(
                f"'..' has no meaning in an index, as in {self.text!r}", "write : for a range, as in A[1:2,:]"
            )
        self.expect("]", "an index")
        return IndexNode(node, tuple(places), *self._from(start))

    def _place(self) -> Node:
        start = self.position
        first = None if self._is_next(0, ":") else self.expression()
        if not self.accept(":"):
            assert first is not None
            return first
        ends = self._is_next(0, "]") or self._is_next(0, ",")
        last = None if ends else self.expression()
        return SliceNode(first, last, *self._from(start))

    def _path(self) -> tuple[Node, ...]:
        """2, 2.1, last, t, (t - 1)."""
        token = self.token
        if token.kind == "literal" and token.text.replace(".", "").isdigit():
            self.position += 1
            return tuple(NumberNode(step, token.start, token.end) for step in token.text.split("."))
        if token.kind == "name" or self._is_next(0, "("):
            return (self._atom(),)
        raise self.error(f"a step such as 2, 2.1 or last was expected after '@', but {self.found()} was found")

    def _exponent(self) -> Node:
        start, sign = self.position, self.accept("-", "+")
        inner = self.position
        node = self._atom()
        while not isinstance(node, NumberNode) and self.accept("["):
            node = self._index(node, inner)
        return PrefixNode("-", node, *self._from(start)) if sign == "-" else node

    def _whole_power(self) -> Node:
        start, negative = self.position, self.accept("-") is not None
        token = self.token
        if token.kind != "literal" or not token.text.isdigit() or int(token.text) > GREATEST_POWER:
            message = f"a power must be T or a whole number up to {GREATEST_POWER}, but {self.found()} was found"
            raise self.error(message, "write exp(x) for powers of e, sqrt(x) for roots")
        node = self._literal()
        return PrefixNode("-", node, *self._from(start)) if negative else node

    def _literal(self) -> Node:
        token = self.token
        self.position += 1
        if "e+" in token.text and token.text[: token.text.index("e")].isdigit() and not token.text.startswith("1e"):
            number, _, rest = token.text.partition("e+")
            message = f"{self.text!r} can be read in two ways at {token.text!r}"
            raise LanguageError(message, f"write {number}*10^{rest} or {number}*e + {rest}", token.start)
        return NumberNode(token.text, token.start, token.end)

    def _atom(self) -> Node:
        start, token = self.position, self.token
        if token.kind == "literal":
            return self._literal()
        if token.kind == "name" and not (self.level == "formula" and token.text in _KEYWORDS):
            self.position += 1
            return self._named(token)
        if self.accept("["):
            entries = [self.expression()]
            while self.accept(","):
                entries.append(self.expression())
            self.expect("]", "a list")
            return ListedNode(tuple(entries), *self._from(start))
        if self.accept("("):
            inner = self.expression()
            self.expect(")", "a term in brackets")
            return GroupNode(inner, *self._from(start))
        before = self.tokens[self.position - 1]
        if self.level == "formula" and token.text == before.text == "*" and token.start == before.end:
            mended = f"{self.text[: before.start].rstrip()} .^ {self.text[token.end :].lstrip()}"
            raise LanguageError("'**' is how programs write a power", f"write {mended}", before.start)
        raise self.error(f"a term was expected, but {self.found()} was found in {self.text!r}")

    def _name(self, what: str) -> str:
        token = self.token
        if token.kind != "name":
            raise self.error(f"{what} was expected, but {self.found()} was found in {self.text!r}")
        self.position += 1
        return token.text

    def _own_name(self, what: str) -> str:
        name = self._name(what)
        if self.level == "claim" and name in RESERVED:
            raise self.error(f"{name!r} can't be {what}: it has a meaning of its own")
        return name

    # ── names and calls ─────────────────────────────────────────────────────────────────────────

    def _named(self, token: Token) -> Node:
        start, name = self.position - 1, token.text
        if name == "sqrt" and self.text[token.start : token.end] == "√" and not self._is_next(0, "("):
            inner = self._exponent()
            return CallNode(name, (inner,), (), (), *self._from(start))
        if not self.accept("("):
            if self.level == "claim" and name in CLAIMED:
                if name in ("E", "Var") and self.accept("["):
                    inner = self.expression()
                    self.expect("]", name)
                    return CallNode(name, (inner,), (), (), *self._from(start))
                message = f"{name} needs brackets, but {self.found()} was found"
                raise self.error(message, f"write {name}(...)")
            return NameNode(name, token.start, token.end)
        name = ALIASES.get(name, name) if self.level == "claim" else plain_function(name)
        read = self._claimed(name) if self.level == "claim" else self._call(name)
        arguments, options, over = read
        self.expect(")", "a term in brackets")
        return CallNode(name, arguments, options, over, *self._from(start))

    def _claimed(self, name: str) -> _Read:
        """What follows the opening bracket of a function that claims know."""
        if name in CLAIM_FUNCTIONS or name in CLAIM_FILLED:
            return (self.expression(),), (), ()
        if name not in CLAIMED:
            raise self.error(f"there is no function {name!r}", INSTEAD.get(name) or nearest(name, CLAIMED))
        if name in _PAIRS:
            first = self.expression()
            self.expect(",", _PAIRS[name])
            return (first, self.expression()), (), ()
        if name == "sum" and not self._is_next(1, "="):
            raise self.error("sum needs an index and its range", "write sum(i=1..n, x[i])")
        over = self._approach() if name == "lim" else self._range("a sum")
        return (self.expression(),), (), (over,)

    def _call(self, name: str) -> _Read:
        """What follows the opening bracket of any function."""
        arguments: list[Node] = []
        options: list[tuple[str, Node]] = []
        over: list[RangeNode | ApproachNode] = []
        generator = name in FUNCTIONS and FUNCTIONS[name].over
        if self._is_next(0, ")"):
            return (), (), ()
        if name == "lim":
            over.append(self._approach())
        while generator and name != "lim" and not arguments and self.token.kind == "name" and self._is_next(1, "="):
            over.append(self._range("a sum" if name == "sum" else name))
        while True:
            if self.token.kind == "name" and self._is_next(1, "="):
                option = self._name("an option")
                self.expect("=", "an option")
                options.append((option, self.expression()))
            elif options:
                raise self.error(f"{self.found()} comes after an option in {self.text!r}", "put options last")
            else:
                arguments.append(self.expression())
            if not self.accept(","):
                return tuple(arguments), tuple(options), tuple(over)

    def _range(self, noun: str) -> RangeNode:
        start, of = self.position, f"the index of {noun}"
        index = self._own_name(of)
        self.expect("=", of)
        first = self.expression()
        self.expect("..", "the first value of an index")
        last = self.expression()
        self.expect(",", f"the range of {noun}")
        but = None
        if self.token.kind == "name" and self.token.text == index and self._is_next(1, "!="):
            self.position += 2
            but = self.expression()
            self.expect(",", f"what {noun} leaves out")
        return RangeNode(index, first, last, but, *self._from(start))

    def _approach(self) -> ApproachNode:
        start = self.position
        symbol = self._own_name("the symbol of a limit")
        self.expect("->", "the symbol of a limit")
        to = self.expression()
        self.expect(",", "where the symbol goes")
        return ApproachNode(symbol, to, *self._from(start))


_Read = tuple[tuple[Node, ...], tuple[tuple[str, Node], ...], tuple[RangeNode | ApproachNode, ...]]
"""The arguments of a call, its options, and what it goes over."""
