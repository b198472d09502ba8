"""Numbers by themselves: the grammar with products without a sign, where only one reading is possible, and with LaTeX's
braces."""

from __future__ import annotations

from attnsolve.bounds import allowed
from attnsolve.language.grammar import Parser
from attnsolve.language.syntax import (
    CallNode,
    ChainNode,
    GroupNode,
    NameNode,
    Node,
    NumberNode,
    PercentNode,
    PowerNode,
    PrefixNode,
)
from attnsolve.language.tokens import LanguageError, Token

CLOSING = {"(": ")", "{": "}"}


class NumberParser(Parser):
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
        if not self.accept(CLOSING[opening]):
            raise self._refused(f"a closing {CLOSING[opening]} is missing")
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
        if (opening == "(" and self._tight(self.position)) or (token.text == "exp" and opening in CLOSING):
            self.position += 1
            return CallNode(token.text, (self._closed(opening),), (), (), *self._from(start))
        return NameNode(token.text, token.start, token.end)

    def _root(self, root: Token, start: int) -> Node:
        if opening := self.accept(*CLOSING):
            return CallNode("sqrt", (self._closed(opening),), (), (), *self._from(start))
        token, word = self.token, self.text[root.start : root.end] == "sqrt"
        if token.kind == "literal" or (token.kind == "name" and token.text != "sqrt" and not word):
            self.position += 1
            inner = self._named(token) if token.kind == "name" else NumberNode(token.text, token.start, token.end)
            return CallNode("sqrt", (inner,), (), (), *self._from(start))
        raise self._refused("sqrt needs brackets", "write sqrt(2)")
