"""Terms that are functions of others: sums over an index, limits, means, the softmax."""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.algebra.table import Table, TermError, total
from attnsolve.algebra.terms import Scope, Term, Write, said, shape_said, spelled, whole
from attnsolve.bounds import allowed
from attnsolve.key import Key
from attnsolve.operations.formula import Ref
from attnsolve.operations.softmax import Softmax
from attnsolve.record import record

_SOFTMAX = Softmax(Ref(Key("scores")))


@record
class Summed(Term):
    """Σ of a body over an index from `first` to `last`, leaving out `but`."""

    index: str
    first: Term
    last: Term
    body: Term
    but: Term | None = None

    def evaluate(self, scope: Scope) -> Table:
        first, last = whole(self.first, scope), whole(self.last, scope)
        left_out = None if self.but is None else whole(self.but, scope)
        if last - first >= allowed().sum_terms:
            raise TermError(
                f"a sum may have {allowed().sum_terms} terms at most, but {said(self)} has {last - first + 1}"
            )
        taken = [i for i in range(first, last + 1) if i != left_out]
        if scope.terms * len(taken) > allowed().nested_terms:
            raise TermError(
                f"sums within sums may have {allowed().nested_terms} terms in all, but {said(self)} adds to more"
            )
        tables = [self.body.evaluate(scope.within(self.index, i, len(taken))) for i in taken]
        if not tables:
            return Table.of_number(scope.number(0))
        if any(table.shape != tables[0].shape for table in tables):
            raise TermError(f"the terms of {said(self)} have different shapes: they can't be added")
        added = tables[0]
        for table in tables[1:]:
            added = added.zipped(table, lambda x, y: x + y)
        return added

    def notation(self, write: Write) -> n.Notation:
        body = self.body.notation({**write, self.index: n.Sym(self.index)})
        if self.but is not None:
            return n.SumOver(self.index, body, but=said(self.but))
        return n.SumOver(self.index, body, self.first.notation(write), self.last.notation(write))


@record
class Limit(Term):
    """The limit of a body as a symbol goes somewhere."""

    symbol: str
    to: Term
    body: Term

    def evaluate(self, scope: Scope) -> Table:
        return scope.limit(self.symbol, self.to, self.body)

    def notation(self, write: Write) -> n.Notation:
        symbol = write.get(self.symbol, spelled(self.symbol))
        return n.Limit(symbol, self.to.notation(write), self.body.notation(write))


@record
class Function(Term):
    """A function of one term: softmax (of rows or a vector), the mean E, variance Var, a norm; or of every entry."""

    name: str
    inner: Term

    def evaluate(self, scope: Scope) -> Table:
        table = self.inner.evaluate(scope)
        match self.name:
            case "softmax":
                return softmax(table)
            case "norm":
                squares = total([x * x for x in table.entries])
                return Table.of_number(scope.apply("sqrt", squares))
            case "Var":
                squares = table.each(lambda x: scope.apply("E", x * x))
                return squares.zipped(table.each(lambda x: scope.apply("E", x)), lambda a, b: a - b * b)
        return table.each(lambda x: scope.apply(self.name, x))

    def notation(self, write: Write) -> n.Notation:
        inner = self.inner.notation(write)
        match self.name:
            case "exp" if isinstance(inner, n.Sym | n.Num) or (isinstance(inner, n.Product) and _short(inner)):
                return n.Power(n.Sym("e"), inner)
            case "sqrt":
                return n.Root(inner)
            case "norm":
                return n.Norm(inner)
            case "abs":
                return n.Abs(inner)
        return n.Call(self.name, (inner,), square=self.name == "E")


@record
class MaskedSoftmax(Term):
    """The softmax of rows, or of a vector, over those places where a matrix of 0 and 1 allows it."""

    inner: Term
    allowed: Term

    def evaluate(self, scope: Scope) -> Table:
        scores, allowed = self.inner.evaluate(scope), self.allowed.evaluate(scope)
        if scores.shape != allowed.shape:
            raise TermError(f"the mask is {shape_said(allowed)} but the scores are {shape_said(scores)}")
        powers = scores.each(lambda x: scope.apply("exp", x)).zipped(allowed, lambda x, y: x * y)
        return powers.over_vectors(lambda lanes: lanes.divide(lanes.reduce("sum")))

    def notation(self, write: Write) -> n.Notation:
        return n.Call("masked", (self.inner.notation(write), self.allowed.notation(write)))


@record
class Filled(Term):
    """identity(n), ones(n) (a column of ones), causal(n) (ones on and below the diagonal)."""

    name: str
    size: Term

    def evaluate(self, scope: Scope) -> Table:
        size = whole(self.size, scope)
        if not 1 <= size <= allowed().claim_rows:
            raise TermError(f"{said(self)} would have {size} rows, but 1 to {allowed().claim_rows} are possible")
        columns = 1 if self.name == "ones" else size
        entries = ([scope.number(int(self._is_one(i, j))) for j in range(columns)] for i in range(size))
        return Table(entries, column=self.name == "ones")

    def _is_one(self, row: int, column: int) -> bool:
        return {"identity": row == column, "causal": row >= column}.get(self.name, True)

    def notation(self, write: Write) -> n.Notation:
        sub = said(self.size)
        return {"identity": n.Sym("I", (sub,)), "ones": n.Sym("1", (sub,), vector=True)}.get(
            self.name, n.Sym("M", (sub,))
        )


def softmax(table: Table) -> Table:
    """The softmax of attention itself: of each row, or of a vector."""
    return table.over_vectors(_SOFTMAX.stages)


def _short(product: n.Product) -> bool:
    """Whether an exponent is short enough to be raised: −β, 2β, −x/2."""
    return all(isinstance(factor, n.Num | n.Sym) for factor in product.factors)
