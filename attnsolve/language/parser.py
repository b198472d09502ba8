"""The one grammar, of which numbers, formulas and claims are levels.

    claim    = mask (("=" | "<=" | ">=") mask)*
    mask     = both ("or" both)*       both = sum ("and" sum)*           in formulas; "not" binds like a sign
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

from collections.abc import Callable, Collection

from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.language.functions import ALIASES, CLAIM_FILLED, CLAIM_FUNCTIONS, CLAIMED, FUNCTIONS, INSTEAD, RESERVED
from attnsolve.language.syntax import (
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
    PercentNode,
    PlaceName,
    PowerNode,
    PrefixNode,
    RangeNode,
    SliceNode,
    TransposeNode,
)
from attnsolve.language.tokens import LanguageError, Level, Token, Tokens, tokenise
from attnsolve.language.typography import as_typed

GREATEST_POWER = 12
"""The n of x^n in a claim."""
_CLOSING = {"(": ")", "{": "}"}
_KEYWORDS = ("and", "or", "not")


def parse_number(text: str, tokens: Tokens) -> Node:
    """Read a number, of tokens that were counted before."""
    return _Numbers(text, tokens, "number").whole()


def parse_formula(text: str) -> Node:
    """Read a formula.

    >>> parse_formula("-x^2") == parse_formula("-(x^2)").inner
    False
    """
    return _formula(text, "formula")


def parse_term(text: str) -> Node:
    """Read one side of a claim."""
    return _formula(text, "claim")


def _formula(text: str, level: Level) -> Node:
    parser = _Parser(text, _tokens(text, level, allowed().link_characters), level)
    node = parser.expression()
    parser.finish()
    return node


def parse_chain(text: str) -> tuple[list[Node], list[str]]:
    """Read a claim: its terms, and the relations between them."""
    parser = _Parser(text, _tokens(text, "claim", allowed().claim_characters), "claim")
    terms, relations = [parser.link()], []
    while (sign := parser.accept("=", "<=", ">=")) is not None:
        if sign == "=" and parser.accept("="):
            raise parser.error(f"'==' has no meaning in {text!r}", "write =")
        relations.append(sign)
        terms.append(parser.link())
    parser.finish("=, <= or >=" if not relations else "")
    if not relations:
        raise LanguageError("a claim needs a relation", "write left = right (or <=, >=)")
    return terms, relations


def parse_sort(text: str, words: Collection[str]) -> tuple[str, list[Node]]:
    """Read one of some words, with its arguments in brackets if it has any; "" if the text is none of them."""
    parser = _Parser(text, _tokens(text, "claim", allowed().link_characters), "claim")
    word = parser.accept(*words)
    if word is None:
        return "", []
    arguments: list[Node] = []
    if parser.accept("("):
        arguments.append(parser.expression())
        while parser.accept(","):
            arguments.append(parser.expression())
        parser.expect(")", "the arguments")
    parser.finish()
    return word, arguments


def _tokens(text: str, level: Level, longest: int) -> Tokens:
    if len(text) > longest:
        raise _too_long(len(text), longest)
    return tokenise(text, level)


def _too_long(length: int, longest: int) -> LanguageError:
    return LanguageError(f"a term may be at most {longest} characters long, but this one has {length}")


class _Parser:
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
            raise self.error(message)

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
            place = self.token.start
            mended = f"{self.text[:place].rstrip()}*{self.text[place:]}".strip()
            fix = "write products with *" if self.level == "claim" else f"write {mended}"
        expectation = f", where {expected} was expected" if expected and not fix else ""
        raise self.error(f"{self.found()} was not expected in {self.text!r}{expectation}", fix)

    def _from(self, start: int) -> tuple[int, int]:
        """The span of what began at a token and was read so far."""
        return self.tokens[start].start, self.tokens[self.position - 1].end

    def _is_next(self, ahead: int, sign: str) -> bool:
        place = self.position + ahead
        return place < len(self.tokens) and self.tokens[place].kind == "sign" and self.tokens[place].text == sign

    # ── the grammar ─────────────────────────────────────────────────────────────────────────────

    def link(self) -> Node:
        """One term of a chain of claims."""
        start = self.tokens[self.position - 1].end if self.position else 0
        node = self.expression()
        longest = allowed().link_characters
        if (length := self.tokens[self.position - 1].end - start) > longest:
            raise _too_long(length, longest)
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
        return self._chain(lambda: self._chain(self._sum, "and"), "or")

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
                name = self._name("the name of an inner quantity")
                return MemberNode(node, name, *self._from(start))
            case "°":
                return DegreesNode(node, *self._from(start))
        if sign == "'" or (sign == "^" and self.accept("T")):
            return TransposeNode(node, *self._from(start))
        exponent = self._whole_power() if self.level == "claim" and sign == "^" else self._exponent()
        return PowerNode(node, exponent, sign, *self._from(start))

    def _index(self, node: Node, start: int) -> Node:
        places = [self._place()]
        if self.accept(","):
            places.append(self._place())
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
        name = ALIASES.get(name, name)
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
        if name == "masked":
            inner = self.expression()
            self.expect(",", "the scores")
            return (inner, self.expression()), (), ()
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


class _Numbers(_Parser):
    """Numbers by themselves: products without a sign, where only one reading is possible; LaTeX's braces."""

    def whole(self) -> Node:
        """All of it."""
        node = self.expression()
        if self.accept("%"):
            node = PercentNode(node, *self._from(0))
        if self.token.kind != "end":
            raise self._refused(f"{self._quoted()} was not expected", self._separated())
        return node

    def _refused(self, message: str, fix: str = "") -> LanguageError:
        return self.error(f"{self.text!r} is not a number: {message}", fix)

    def _quoted(self) -> str:
        return repr(self.text[self.token.start : self.token.end])

    def _tight(self, place: int) -> bool:
        """Whether a token stands right behind the one before it."""
        return self.tokens[place - 1].end == self.tokens[place].start

    def _separated(self) -> str:
        """What to put before a token that can't follow the one before it."""
        if self.token.kind == "literal" and self.tokens[self.position - 1].kind == "literal":
            if self._tight(self.position):
                return "a number has at most one decimal point"
            return "put a comma between two numbers"
        return "write products with *, as in 2*sqrt(3)" if self.token.kind in ("literal", "name") else ""

    def expression(self) -> Node:
        """Anything that brackets may hold."""
        most = allowed().number_nesting
        self._deeper(most + 1, most)
        node = self._sum()
        self.depth -= 1
        return node

    def _product(self) -> Node:
        start, first, slash = self.position, self._signed(), None
        rest: list[tuple[str, Node]] = []
        while True:
            if sign := self.accept("*", "/"):
                slash = self.position - 1 if sign == "/" else None
                rest.append((sign, self._signed()))
            elif self._goes_on(slash):
                rest.append(("*", self._postfix()))
            else:
                return ChainNode(first, tuple(rest), *self._from(start)) if rest else first

    def _goes_on(self, slash: int | None) -> bool:
        """Whether a factor follows without a sign, as in 2√3; one that could also be meant to stand below a stroke, or
        in an exponent or under a root, is refused."""
        token, before = self.token, self.tokens[self.position - 1]
        if token.kind != "name" and token.text != "(":
            return False
        tight = self._tight(self.position)
        if slash is not None and (tight or not (self._tight(slash) and self._tight(slash + 1))):
            raise self._unclear("use brackets, as in 1/(2√2) or (1/2)√2")
        earlier = self.tokens[self.position - 2].text
        if tight and before.kind != "sign" and earlier == "^":
            raise self._unclear("use brackets, as in e^(2π) or (e^2)π")
        if tight and earlier == "sqrt" and before.kind == "literal" and token.kind == "name" and token.text != "sqrt":
            raise self._unclear("use brackets, as in √(2π) or (√2)π")
        return True

    def _unclear(self, fix: str) -> LanguageError:
        return self.error(f"{self.text!r} can be read in two ways at {self._quoted()}", fix)

    def _signed(self) -> Node:
        start, sign = self.position, self.accept("-", "+")
        if sign and self.accept("-", "+"):
            fix = "keep one of them, or use brackets, as in -(-1)"
            raise self.error(f"{self.text!r} has two signs in a row", fix)
        node = self._postfix()
        return PrefixNode("-", node, *self._from(start)) if sign == "-" else node

    def _postfix(self) -> Node:
        start, base = self.position, self._atom()
        if not self.accept("^"):
            return base
        most = allowed().number_nesting
        self._deeper(most + 1, most, "powers")
        exponent = self._signed()
        self.depth -= 1
        return PowerNode(base, exponent, "^", *self._from(start))

    def _atom(self) -> Node:
        start, token = self.position, self.token
        self.position += 1
        if token.kind == "literal":
            return NumberNode(token.text, token.start, token.end)
        if token.kind == "name":
            return self._named(token)
        if token.text == "(" or (token.text == "{" and self.tokens[start - 1].text == "^"):
            return GroupNode(self._closed(token.text), *self._from(start))
        self.position = start
        found = f"{self._quoted()} was found" if token.text else "it ends"
        raise self._refused(f"{found} where a number was expected")

    def _closed(self, opening: str) -> Node:
        """The rest of a group whose bracket was read."""
        node = self.expression()
        if not self.accept(_CLOSING[opening]):
            raise self._refused(f"a closing {_CLOSING[opening]} is missing")
        return node

    def _named(self, token: Token) -> Node:
        start = self.position - 1
        if token.text == "sqrt":
            return self._root(token, start)
        if token.text == "frac":
            parts = []
            for _ in range(2):
                if not self.accept("{"):
                    raise self._refused("\\frac needs braces", "write \\frac{1}{2}")
                parts.append(GroupNode(self._closed("{"), *self._from(start)))
            return ChainNode(parts[0], (("/", parts[1]),), *self._from(start))
        opening = self.token.text
        if (opening == "(" and self._tight(self.position)) or (token.text == "exp" and opening in _CLOSING):
            self.position += 1
            return CallNode(token.text, (self._closed(opening),), (), (), *self._from(start))
        return NameNode(token.text, token.start, token.end)

    def _root(self, root: Token, start: int) -> Node:
        if opening := self.accept(*_CLOSING):
            return CallNode("sqrt", (self._closed(opening),), (), (), *self._from(start))
        token, word = self.token, self.text[root.start : root.end] == "sqrt"
        if token.kind == "literal" or (token.kind == "name" and token.text != "sqrt" and not word):
            self.position += 1
            inner = self._named(token) if token.kind == "name" else NumberNode(token.text, token.start, token.end)
            return CallNode("sqrt", (inner,), (), (), *self._from(start))
        raise self._refused("sqrt needs brackets", "write sqrt(2)")


# ── cell names ──────────────────────────────────────────────────────────────────────────────────


def parse_place(text: str) -> PlaceName:
    """Read the name of a quantity or of some of its cells, typed or copied from the page. What stands in it is up to
    the problem (`attention weights[New York]`), so any text is a name; only what surrounds it is grammar.

    >>> parse_place("layer 2, head 1: A[3,1].products")
    PlaceName(name='A', indices=('3', '1'), path=(('layer', '2'), ('head', '1')), inner='products', within=())
    >>> parse_place("z⁽⁰⁾₃,₁")
    PlaceName(name='z_3,1', indices=(), path=(('', '0'),), inner='', within=())
    """
    name = text.strip()
    path, name = _prefix(name)
    name = as_typed(name)
    name, above = _without_above(name)
    path += above
    name, inner, within = _inner(name.strip())
    name, _, steps = name.partition("@")
    if steps:
        steps, bracket, rest = steps.partition("[")
        path += tuple(("", step.strip()) for step in steps.split("."))
        name += bracket + rest
    name, indices = _indexed(name.strip())
    return PlaceName(_without_braces(name), indices, path, inner, within)


_GROUPS = ("head", "step", "decoder step", "layer", "block")


def _prefix(name: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """`layer 2, head 1:` before a name."""
    before, colon, after = name.partition(":")
    found = []
    for step in before.split(","):
        word, _, number = step.strip().rpartition(" ")
        if " ".join(word.lower().split()) not in _GROUPS or (not number.isidentifier() and not number.isalnum()):
            return (), name
        found.append((" ".join(word.lower().split()).removeprefix("decoder "), number))
    return (tuple(found), after.strip()) if colon and after.strip() else ((), name)


def _without_above(name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """z^(0)_3 as z_3 of 0."""
    for opening, closing in (("^{(", ")}"), ("^(", ")")):
        before, found, rest = name.partition(opening)
        step, closed, after = rest.partition(closing)
        if found and closed and step.replace("_", "a").isalnum():
            return before + after, (("", step),)
    return name, ()


def _inner(name: str) -> tuple[str, str, tuple[str, ...]]:
    """`.exponentials` behind a name, or behind its indices or its path; and the indices of that."""
    before, dot, after = name.rpartition(".")
    word, indices = _indexed(after)
    if dot and before and word.isidentifier() and word.isascii():
        return before, word, indices
    return name, "", ()


def _indexed(name: str) -> tuple[str, tuple[str, ...]]:
    """[3, 1] behind a name; what has more or fewer indices is left in the name, which then means nothing."""
    before, bracket, rest = name.partition("[")
    indices = tuple(index.strip() for index in rest.removesuffix("]").split(","))
    whole = bracket and before.strip() and rest.endswith("]") and rest.count("]") == 1 and "[" not in rest
    return (before.strip(), indices) if whole and len(indices) <= 2 and all(indices) else (name, ())


def _without_braces(name: str) -> str:
    """z_{3, 1} as z_3,1."""
    before, brace, rest = name.partition("_{")
    inner, closed, after = rest.partition("}")
    return (
        f"{before}_{inner.replace(' ', '')}{_without_braces(after)}" if brace and closed and "{" not in inner else name
    )
