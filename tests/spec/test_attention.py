"""Every key of `kind: attention`: what it means, its default, and what is said when it is wrong."""

from fractions import Fraction as F

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.errors import Mark, ProblemError
from attnsolve.loading.files import load_one, parse
from attnsolve.loading.sources import bundled
from attnsolve.spec.attention import KEYS, QUANTITIES

X = "inputs: [[1, 2], [3, 4]]\n"
W = "weights: {W_Q: [[1, 0], [0, 1]], W_K: [[0, 1], [1, 0]], W_V: [[1, 1], [2, 2]]}\n"
BODY = X + W
"""Two lines: what is tested stands on the third."""
QKV = "queries: [[1, 2]]\nkeys: [[3, 4], [5, 6]]\nvalues: [[7], [8]]\n"
HEAD = "{W_Q: [[1], [2]], W_K: [[3], [4]], W_V: [[5], [6]]}"

unhurried = settings(deadline=None)


@pytest.fixture
def body(problem):
    return lambda text: problem(text).body


# ── defaults ────────────────────────────────────────────────────────────────────────────────────


def test_inputs_and_weights_are_all_a_problem_needs(body):
    found = body(BODY)
    assert found.given["inputs", None].rows == ((1, 2), (3, 4))
    (projection,) = found.projections
    assert {name: matrix.rows for name, matrix in projection.items()} == {
        "W_Q": ((1, 0), (0, 1)),
        "W_K": ((0, 1), (1, 0)),
        "W_V": ((1, 1), (2, 2)),
    }


def test_everything_else_has_the_default_of_a_textbook(body):
    found = body(BODY)
    assert (found.layout, found.vectors, found.numbering) == ("rows", "columns", 1)
    assert (found.tokens, found.memory_tokens) == ((), ())
    assert (found.identity, found.heads, found.split) == (False, 1, False)
    assert (found.W_O, found.b_O, found.mask, found.d_k) == (None, None, None, None)
    assert (found.scaling, found.base, found.stable) == ("sqrt_dk", "e", False)


def test_the_lengths_that_a_file_settles_are_kept(body):
    found = body("inputs: [[1, 2]]\nmemory: [[1, 2, 3], [4, 5, 6]]\nweights: {W_Q: [[1, 1, 1, 1], [2, 2, 2, 2]],\n"
                 "  W_K: [[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]], W_V: [[1], [2], [3]]}\n")  # fmt: skip
    sizes = {name: found.sizes[name] for name in ("queries", "width", "keys", "memory width", "d_k", "d_v")}
    assert sizes == {"queries": 1, "width": 2, "keys": 2, "memory width": 3, "d_k": 4, "d_v": 1}


def test_an_attention_problem_is_frozen(body):
    with pytest.raises(AttributeError):
        body(BODY).heads = 2


def test_every_key_says_what_it_is_for():
    assert all(key.description.endswith(".") for key in KEYS.values())


@pytest.mark.parametrize("name", sorted(bundled()))
def test_every_bundled_problem_is_read(name):
    assert load_one(name).title


# ── small keys ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "attribute", "value"),
    [
        ("layout: rows", "layout", "rows"),
        ("layout: columns", "layout", "columns"),
        ("vectors: rows", "vectors", "rows"),
        ("vectors: columns", "vectors", "columns"),
        ("numbering: 0", "numbering", 0),
        ("numbering: 1", "numbering", 1),
        ("tokens: [I, am]", "tokens", ("I", "am")),
        ("tokens: [no, 0.10]", "tokens", ("no", "0.10")),
        ("tokens: [the, the]", "tokens", ("the", "the")),
        ("scaling: none", "scaling", "none"),
        ("scaling: sqrt_dk", "scaling", "sqrt_dk"),
        ("scaling: 8", "scaling", F(8)),
        ("scaling: 0.5", "scaling", F(1, 2)),
        ("scaling: 1/3", "scaling", F(1, 3)),
        ("scaling: sqrt(3)", "scaling", sympy.sqrt(3)),
        ("scaling: √3", "scaling", sympy.sqrt(3)),
        ("scaling:", "scaling", "sqrt_dk"),
        ("d_k: 2", "d_k", 2),
        ("softmax: sum", "base", "sum"),
        ("softmax: exp", "base", "e"),
        ("softmax: e", "base", "e"),
        ("softmax: {base: 2}", "base", F(2)),
        ("softmax: {base: 3/2}", "base", F(3, 2)),
        ("softmax: {base: 10}", "base", F(10)),
        ("softmax: {base: 1000}", "base", F(1000)),
        ("softmax: {base: sqrt(2)}", "base", sympy.sqrt(2)),
        ("softmax: {base: pi}", "base", sympy.pi),
        ("softmax: {stable: true}", "base", "e"),
        ("softmax: {stable: true}", "stable", True),
        ("softmax: {base: 2, stable: true}", "stable", True),
        ("softmax: {base: 2, stable: false}", "stable", False),
        ("stable: true", "stable", True),
        ("stable: false", "stable", False),
        ("mask: none", "mask", None),
        ("heads: 1", "heads", 1),
        ("heads: 2", "heads", 2),
        ("heads: 2", "split", True),
        ("heads: 1", "split", False),
    ],
)
def test_a_key_is_read(body, line, attribute, value):
    found = getattr(body(f"{BODY}{line}\n"), attribute)
    assert found == value
    assert type(found) is type(value) or isinstance(value, sympy.Expr)


def test_a_declared_symbol_may_scale_the_scores(body):
    beta = sympy.Symbol("beta", positive=True)
    assert body(f"{BODY}symbols: {{beta: positive}}\nscaling: 1/beta\n").scaling == 1 / beta


@pytest.mark.parametrize(
    ("line", "column", "message", "fix"),
    [
        ("layout: column", 9, "layout must be rows or columns, but 'column' was found", "did you mean columns?"),
        ("layout: [rows]", 9, "layout must be rows or columns, but a list was found", ""),
        ("vectors: diagonal", 10, "vectors must be rows or columns, but 'diagonal' was found", "known: rows, columns"),
        ("numbering: 2", 12, "numbering must be 0 or 1, but '2' was found", "known: 0, 1"),
        ("heads: 0", 8, "heads must be a whole number from 1 to 64, but '0' was found", ""),
        ("heads: 65", 8, "heads must be a whole number from 1 to 64, but '65' was found", ""),
        ("heads: two", 8, "heads must be a whole number from 1 to 64, but 'two' was found", ""),
        ("stable: yes", 9, "stable must be true or false, but 'yes' was found", "known: true, false"),
        ("d_k: 0", 6, "d_k must be a whole number from 1 to 1000000, but '0' was found", ""),
        ("d_k: 1.5", 6, "d_k must be a whole number from 1 to 1000000, but '1.5' was found", ""),
        # tokens
        ("tokens: I am", 9, "tokens must be a list of 1 to 512 names, but 'I am' was found", ""),
        ("tokens: {a: b}", 9, "tokens must be a list of 1 to 512 names, but a mapping was found", ""),
        ("tokens: []", 9, "tokens must be a list of 1 to 512 names", ""),
        ("tokens: [a, '']", 13, "a token's name is empty", ""),
        ("tokens: [a, [b]]", 13, "a token's name must be a line of text, but a list was found", ""),
        ("tokens: [a, b, c]", 9, "tokens has 3 names but the inputs have 2 rows", "write one name per token"),
        ("memory_tokens: a", 16, "memory_tokens must be a list of 1 to 512 names, but 'a' was found", ""),
        # scaling
        ("scaling: 0", 10, "scaling: 0 would divide by zero", "write none"),
        ("scaling: 2 - 2", 10, "would divide by zero", "write none"),
        ("scaling: 1/0", 10, "in scaling: '1/0' divides by zero", ""),
        ("scaling: [8]", 10, "scaling must be a number, but a list was found", ""),
        ("scaling: sqrt(d_k)", 10, "scaling must be none, sqrt_dk or a number to divide by", "did you mean sqrt_dk?"),
        ("scaling: sqrt_d_k", 10, "scaling must be none, sqrt_dk or a number to divide by", "did you mean sqrt_dk?"),
        ("scaling: d_k", 10, "scaling must be none, sqrt_dk or a number to divide by", "did you mean sqrt_dk?"),
        ("scaling: beta", 10, "'beta' is not known", "symbols: {beta: real}"),
        # softmax
        ("softmax: average", 10, "softmax must be sum or a mapping such as {base: 2}, but 'average' was found", ""),
        ("softmax: 2", 10, "softmax must be sum or a mapping such as {base: 2}, but '2' was found", ""),
        ("softmax: [2]", 10, "softmax must be sum or a mapping such as {base: 2}, but a list was found", ""),
        ("softmax: {bas: 2}", 11, "unknown key 'bas' in softmax", "did you mean base?"),
        ("softmax: {base: x}", 17, "in base: 'x' is not a number", "must be declared first"),
        ("softmax: {base: 2, stable: 1}", 28, "stable must be true or false, but '1' was found", ""),
        # W_O and b_O
        ("W_O: x", 6, "W_O must be a matrix (a list of rows), but 'x' was found", "write W_O: [[1, 2], [3, 4]]"),
        ("W_O: [[1], [2], [3]]", 6, "W_O has 3 rows but the context has 2 columns", "expected 2"),
        ("W_O: [[1, 2]]", 6, "W_O has 1 row but the context has 2 columns", "transposed?"),
        ("b_O: [1, 2]", 6, "b_O is given without W_O", "add W_O: [[...]]"),
        # given
        ("given: [[1, 2]]", 8, "given must be a mapping such as {scores: [[1, 2], [3, 4]]}, but a list was found", ""),
        ("given: scores", 8, "given must be a mapping such as", ""),
        ("given: {scroes: [[1]]}", 9, "unknown key 'scroes' in given", "did you mean scores?"),
        ("given: {B: [[1]]}", 9, "unknown key 'B' in given", "known: inputs, "),
        ("given: {inputs: [[1, 2]]}", 9, "inputs is given twice, here and at the top level", "keep one of the two"),
        ("given: {scores: 5}", 17, "scores must be a matrix (a list of rows), but '5' was found", "write scores: "),
        (
            "given: {values: [[-inf], [1]]}",
            19,
            "in values[1,1]: '-inf' is not a finite number",
            "write a finite number",
        ),
        ("given: {output: [[[1]], [[2]]]}", 17, "output is one matrix, not one for each head", ""),
        ("given: {concat: [[[1]], [[2]]]}", 17, "concat is one matrix, not one for each head", ""),
    ],
)
def test_a_wrong_key_is_told_at_its_place(fault, line, column, message, fix):
    found = fault(f"{BODY}{line}\n")
    assert (found.file, found.at) == ("sheet.yaml", Mark(3, column))
    assert message in found.message
    assert fix in found.fix


@pytest.mark.parametrize("base", ["1", "0", "-2", "1001", "2 - 1", "1/2"])
def test_a_base_is_positive_and_not_one(fault, base):
    found = fault(f"{BODY}softmax: {{base: {base}}}\n")
    assert found.at.line == 3
    assert found.message.startswith("the base of a softmax must be a number greater than 1, with at most three digits")


def test_a_base_is_no_symbol(fault):
    found = fault(f"{BODY}symbols: {{n: positive}}\nsoftmax: {{base: n}}\n")
    assert found.at.line == 4
    assert "the base of a softmax must be a number greater than 1" in found.message


def test_a_name_is_sixty_characters_long_at_most(problem, faults):
    assert problem(f"{BODY}tokens: [{'x' * 60}, b]\n").body.tokens == ("x" * 60, "b")
    found = faults(f"{BODY}tokens: [{'x' * 61}, b]\n")
    assert (found[0].at, found[0].message) == (
        Mark(3, 10),
        "a token's name may be at most 60 characters long, but has 61",
    )


def test_a_name_can_not_steer_a_terminal(body):
    assert body(f'{BODY}tokens: ["\\e[2Ja", "b\\u202e"]\n').tokens == ("[2Ja", "b")


# ── inputs, memory, queries, keys and values ────────────────────────────────────────────────────


def test_queries_keys_and_values_may_be_given_directly(body):
    found = body(QKV)
    assert {key: matrix.rows for key, matrix in found.given.items()} == {
        ("queries", None): ((1, 2),),
        ("keys", None): ((3, 4), (5, 6)),
        ("values", None): ((7,), (8,)),
    }
    assert found.projections == ()


def test_values_may_be_left_out_where_only_weights_are_asked_for(body):
    assert set(body("queries: [[1, 2]]\nkeys: [[3, 4]]\n").given) == {("queries", None), ("keys", None)}


def test_a_plain_list_is_one_token(body):
    assert body("queries: [1, 2]\nkeys: [[3, 4]]\n").given["queries", None].rows == ((1, 2),)
    found = body("layout: columns\nqueries: [1, 2]\nkeys: [[3], [4]]\n").given["queries", None]
    assert (found.rows, found.flat) == (((1,), (2,)), True)


def test_names_of_tokens_may_name_the_keys_where_there_are_no_inputs(body):
    assert body(f"{QKV}tokens: [a, b]\n").tokens == ("a", "b")
    assert body(f"{QKV}tokens: [a]\n").tokens == ("a",)


def test_names_that_fit_neither_queries_nor_keys_are_refused(fault):
    found = fault(f"{QKV}tokens: [a, b, c]\n")
    assert str(found) == "sheet.yaml:4:9: tokens has 3 names but the queries have 1 row\n    write one name per token"


def test_keys_and_values_come_from_the_memory_where_there_is_one(body):
    found = body(f"{BODY}memory: [[1, 1], [2, 2], [3, 3]]\nmemory_tokens: [a, b, c]\ntokens: [x, y]\n")
    assert found.given["memory", None].shape == (3, 2)
    assert (found.memory_tokens, found.tokens) == (("a", "b", "c"), ("x", "y"))
    assert (found.sizes["queries"], found.sizes["keys"]) == (2, 3)


def test_names_of_the_memory_are_counted(fault):
    found = fault(f"{BODY}memory: [[1, 1], [2, 2], [3, 3]]\nmemory_tokens: [a, b]\n")
    assert (found.at, found.message) == (Mark(4, 16), "memory_tokens has 2 names but memory has 3 rows")


@pytest.mark.parametrize("written", ["[5, 6]", "[[5, 6]]", "[[5], [6]]"])
def test_a_bias_is_one_row_however_it_is_written(body, written):
    text = f"{X}weights: {{W_Q: identity, W_K: identity, W_V: identity, b_Q: {written}}}\n"
    assert body(text).projections[0]["b_Q"].rows == ((5, 6),)


def test_a_bias_is_one_column_where_tokens_are_columns(body):
    text = f"layout: columns\n{X}weights: {{W_Q: identity, W_K: identity, W_V: identity, b_V: [5, 6]}}\n"
    assert body(text).projections[0]["b_V"].rows == ((5,), (6,))


@pytest.mark.parametrize("bias", ["b_Q", "b_K", "b_V"])
def test_a_bias_is_as_long_as_its_projection_is_wide(fault, bias):
    weights = "W_Q: [[1], [2]], W_K: [[1], [2]], W_V: [[1], [2]]"
    found = fault(f"{X}weights: {{{weights}, {bias}: [5, 6]}}\n")
    assert found.message.startswith(f"{bias} has 2 entries but W_")
    assert found.message.endswith(" has 1 column")


def test_a_bias_that_is_a_matrix_is_refused(faults):
    found = faults(f"{X}weights: {{W_Q: identity, W_K: identity, W_V: identity, b_Q: [[1, 2], [3, 4]]}}\n")[0]
    assert (found.at, found.message) == (Mark(2, 61), "b_Q must be one list of numbers, but a matrix was found")


# ── weights ─────────────────────────────────────────────────────────────────────────────────────


def test_weights_identity_makes_everything_the_inputs(body):
    found = body(f"{X}weights: identity\n")
    assert (found.identity, found.projections) == (True, ())
    assert (found.sizes["d_k"], found.sizes["d_v"], found.sizes["keys"]) == (2, 2, 2)


def test_a_matrix_may_be_written_identity_or_decorated(body):
    text = (
        "inputs: [[1, 2, 3]]\nweights:\n  W_Q: identity\n  W_K: {matrix: identity, times: 1/2}\n"
        "  W_V: {matrix: [[2, 4, 6]], times: 1/2, transposed: true}\nW_O: identity\n"
    )
    found = body(text)
    (projection,) = found.projections
    assert projection["W_Q"].rows == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert projection["W_K"].rows == ((F(1, 2), 0, 0), (0, F(1, 2), 0), (0, 0, F(1, 2)))
    assert projection["W_V"].rows == ((1,), (2,), (3,))
    assert found.W_O.rows == ((1,),)


def test_an_aliased_matrix_is_read_for_each_name(body):
    (projection,) = body(f"{X}weights: {{W_Q: &w [[1, 2], [3, 4]], W_K: *w, W_V: *w}}\n").projections
    assert [(m.name, m.rows) for m in projection.values()] == [(n, ((1, 2), (3, 4))) for n in ("W_Q", "W_K", "W_V")]


def test_the_output_projection_may_stand_beside_or_inside_the_weights(body):
    inside = "weights: {W_Q: identity, W_K: identity, W_V: identity, W_O: [[1], [2]], b_O: [3]}\n"
    beside = "weights: {W_Q: identity, W_K: identity, W_V: identity}\nW_O: [[1], [2]]\nb_O: [3]\n"
    for text in (inside, beside):
        found = body(X + text)
        assert (found.W_O.rows, found.b_O.rows) == (((1,), (2,)), ((3,),))
        assert set(found.projections[0]) == {"W_Q", "W_K", "W_V"}


@pytest.mark.parametrize(
    ("weights", "column", "message", "fix"),
    [
        ("ident", 10, "weights must be a mapping with W_Q, W_K and W_V, a list of them, or identity, but 'ident'", ""),
        ("[[1, 2], [3, 4]]", 10, "weights must be a mapping", "attention weights themselves go under given: {weights"),
        ("[]", 10, "weights must be a mapping", ""),
        (f"[{HEAD}, 5]", 10, "weights must be a mapping", ""),
        ("{W_Q: [[1], [2]], W_K: [[1], [2]]}", 10, "weights has no W_V", "add W_V: [[...]] beside the others"),
        ("{W_Q: [[1], [2]], W_V: [[1], [2]]}", 10, "weights has no W_K", "add W_K: [[...]] beside the others"),
        (HEAD[:-1] + ", W_X: [[1]]}", 62, "unknown key 'W_X' in weights", "did you mean W_"),
        (HEAD[:-1] + ", b_QQ: [1]}", 62, "unknown key 'b_QQ' in weights", "did you mean b_Q?"),
        ("{W_Q: 5, W_K: [[1], [2]], W_V: [[1], [2]]}", 16, "W_Q must be a matrix", "write W_Q: [[1, 2], [3, 4]]"),
        ("{W_Q: [[1], [a]], W_K: [[1], [2]], W_V: [[1], [2]]}", 23, "in W_Q[2,1]: 'a' is not a number", "declared"),
        ("{W_Q: [[1], [2, 3]], W_K: [[1], [2]], W_V: [[1], [2]]}", 22, "row 2 of W_Q has 2 numbers, but row 1 has", ""),
    ],
)
def test_wrong_weights_are_told_at_their_place(fault, weights, column, message, fix):
    found = fault(f"{X}weights: {weights}\n")
    assert found.at == Mark(2, column)
    assert message in found.message
    assert fix in found.fix


def test_a_weight_without_a_value_is_missing(fault):
    found = fault(f"{X}weights: {{W_Q: [[1], [2]], W_K: , W_V: [[1], [2]]}}\n")
    assert found.message == "weights has no W_K"
    assert found.fix == "add W_K: [[...]] beside the others"


# ── heads ───────────────────────────────────────────────────────────────────────────────────────


def test_a_list_of_weights_is_one_mapping_a_head(body):
    found = body(f"{X}weights: [{HEAD}, {HEAD}, {HEAD}]\nW_O: identity\nb_O: [1, 2, 3]\nnumbering: 0\n")
    assert (found.heads, found.split, found.numbering) == (3, False, 0)
    assert [projection["W_K"].rows for projection in found.projections] == [((3,), (4,))] * 3
    assert found.W_O.shape == (3, 3)
    assert found.sizes["concat"] == 3


def test_heads_may_differ_in_the_width_of_their_values(body):
    wide = "{W_Q: [[1], [2]], W_K: [[3], [4]], W_V: [[5, 5], [6, 6]]}"
    found = body(f"{X}weights: [{HEAD}, {wide}]\nW_O: [[1], [2], [3]]\n")
    assert (found.sizes["d_v 0"], found.sizes["d_v 1"], found.sizes["concat"]) == (1, 2, 3)


def test_a_list_of_one_mapping_is_one_head(body):
    found = body(f"{X}weights: [{HEAD}]\n")
    assert (found.heads, found.split) == (1, False)


def test_wide_weights_are_split_into_heads(body):
    found = body(f"{BODY}heads: 2\nW_O: identity\n")
    assert (found.heads, found.split, len(found.projections)) == (2, True, 1)
    assert found.W_O.shape == (2, 2)


def test_wide_queries_keys_and_values_are_split_into_heads(body):
    found = body("queries: [[1, 2]]\nkeys: [[3, 4]]\nvalues: [[5, 6, 7, 8]]\nheads: 2\n")
    assert (found.heads, found.split) == (2, True)


def test_identity_weights_are_split_into_heads(body):
    found = body(f"{X}weights: identity\nheads: 2\n")
    assert (found.heads, found.split) == (2, True)


def test_a_quantity_may_be_given_for_each_head(body):
    text = (
        "given: {scores: [[[1, 2]], [[3, -inf]]], values: [[[1], [2]], [[3], [4]]]}\nscaling: none\nW_O: [[1], [2]]\n"
    )
    found = body(text)
    assert (found.heads, found.split) == (2, False)
    assert {key: matrix.rows for key, matrix in found.given.items()} == {
        ("scores", 0): ((1, 2),),
        ("scores", 1): ((3, float("-inf")),),
        ("values", 0): ((1,), (2,)),
        ("values", 1): ((3,), (4,)),
    }


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("queries", "keys"), ("keys", "queries"), ("scores", "values"), ("scaled", "values"), ("masked", "values"),
        ("weights", "values"), ("values", "weights"),
    ],
)  # fmt: skip
def test_every_quantity_of_a_head_may_be_given_by_head(body, name, other):
    found = body(f"given: {{{name}: [[[1]], [[2]]], {other}: [[[3]], [[4]]]}}\nd_k: 1\n" if name == "scores" else
                 f"given: {{{name}: [[[1]], [[2]]], {other}: [[[3]], [[4]]]}}\n")  # fmt: skip
    assert found.heads == 2
    rows = {key: matrix.rows for key, matrix in found.given.items()}
    assert rows == {(name, 0): ((1,),), (name, 1): ((2,),), (other, 0): ((3,),), (other, 1): ((4,),)}


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (f"{X}weights: [{HEAD}, {HEAD}]\nheads: 3\n", Mark(2, 10), "written for 2 heads, but there are 3"),
        (
            "given: {scores: [[[1]], [[2]], [[3]]], values: [[[1]], [[2]]]}\nscaling: none\n",
            Mark(1, 48),
            "values is written for 2 heads, but there are 3",
        ),
        (
            "given: {scores: [[[1]], [[2]]]}\nscaling: none\nheads: 3\n",
            Mark(1, 17),
            "scores is written for 2 heads, but there are 3",
        ),
        (
            f"{BODY}heads: 3\n",
            Mark(3, 8),
            "heads is 3 but W_Q has 2 columns, which don't divide into 3 equal parts",
        ),
        (
            "queries: [[1, 2]]\nkeys: [[3, 4]]\nvalues: [[5, 6, 7]]\nheads: 2\n",
            Mark(4, 8),
            "heads is 2 but the values have 3 columns, which don't divide into 2 equal parts",
        ),
        ("inputs: [[[1, 2]]]\nweights: identity\n", Mark(1, 9), "inputs is one matrix, not one for each head"),
        (f"{BODY}memory: [[[1, 2]]]\n", Mark(3, 9), "memory is one matrix, not one for each head"),
    ],
)
def test_heads_that_disagree_are_told(faults, text, at, message):
    found = faults(text)[0]
    assert found.at == at
    assert message in found.message


def test_there_are_64_heads_at_most(body, faults):
    def scores(heads):
        return f"given: {{scores: {[[[1]]] * heads}}}\nscaling: none\n"

    assert body(scores(64)).heads == 64
    (fault, *_) = faults(scores(65))
    assert fault.message == "a problem may have at most 64 heads, but this one has 65"
    assert fault.fix == "--bound heads=65 raises it"


# ── given ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("inputs", "weights: identity\n"),
        ("memory", f"{X}weights: identity\n"),
        ("queries", "keys: [[1, 2]]\n"),
        ("keys", "queries: [[1, 2]]\n"),
        ("values", "queries: [[1, 2]]\nkeys: [[1, 2]]\n"),
        ("scores", "scaling: none\n"),
        ("scaled", ""),
        ("masked", ""),
        ("weights", ""),
        ("context", ""),
        ("concat", ""),
        ("output", ""),
    ],
)
def test_any_quantity_may_be_given(body, name, rest):
    assert name in QUANTITIES
    assert body(f"given: {{{name}: [[1, 2]]}}\n{rest}").given[name, None].rows == ((1, 2),)


def test_given_scores_need_a_width_of_key_only_to_be_scaled(body, fault):
    text = "given: {scores: [[1, 2]]}\n"
    assert body(f"{text}d_k: 4\n").sizes["d_k"] == 4
    assert body(f"{text}scaling: none\n").scaling == "none"
    assert body(f"{text}scaling: 2\n").scaling == 2
    found = fault(text)
    assert (found.at, found.fix) == (Mark(1, 1), "write scaling: none, or d_k: 64")
    assert found.message == "scaling divides by sqrt(d_k), but d_k is unknown: neither queries nor keys are given"


@pytest.mark.parametrize("name", ["scores", "scaled", "masked"])
def test_given_scores_may_hold_minus_infinity(body, name):
    assert body(f"given: {{{name}: [[1, -inf]]}}\nscaling: none\n").given[name, None].rows == ((1, float("-inf")),)


@pytest.mark.parametrize(
    ("given_name", "needed"),
    [
        ("scores", "W_V: [[1], [2]]"),
        ("weights", "W_V: [[1], [2]]"),
        ("queries", "W_K: [[1, 1], [2, 2]], W_V: identity"),
    ],
)
def test_what_is_upstream_of_a_given_quantity_is_not_needed(body, given_name, needed):
    found = body(f"{X}weights: {{{needed}}}\ngiven: {{{given_name}: [[1, 2], [3, 4]]}}\nscaling: none\n")
    assert "W_Q" not in found.projections[0]


def test_an_empty_entry_under_given_counts_as_absent(body):
    assert set(body(f"{BODY}given: {{scores: , values: ~}}\n").given) == {("inputs", None)}


# ── what is missing ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("title: a sheet\n", "nothing to start from: there are no inputs", "a problem needs inputs and weights, or"),
        ("weights: identity\n", "nothing to start from: there are no inputs", "a problem needs inputs and weights"),
        (W, "nothing to start from: there are no inputs", "or queries, keys and values, or something under given:"),
        (f"memory: [[1, 2]]\n{W}", "the queries can't be computed: there are no inputs", "add inputs: [[...]]"),
        ("keys: [[1, 2]]\n", "the queries can't be computed: there are no inputs", "add "),
        ("queries: [[1, 2]]\n", "the keys can't be computed: there are no inputs", "add "),
        (f"{X}queries: [[1], [2]]\n", "the keys can't be computed: W_K is missing", "add weights: {W_K: [[...]]}"),
    ],
)
def test_what_is_missing_is_told_where_the_problem_begins(fault, text, message, fix):
    found = fault(f"# a sheet\n{text}")
    assert (found.at, found.message) == (Mark(2, 1), message)
    assert fix in found.fix


def test_inputs_alone_lack_their_weights(faults):
    messages = [found.message for found in faults(X)]
    assert "the queries can't be computed: W_Q is missing" in messages
    assert "the keys can't be computed: W_K is missing" in messages


# ── shapes ──────────────────────────────────────────────────────────────────────────────────────


def test_a_shape_that_disagrees_is_told_in_words(fault):
    text = "inputs: [[1, 2]]\nweights:\n  W_Q: [[1, 0], [0, 1]]\n  W_K: [[1, 0], [0, 1], [1, 1]]\n  W_V: [[1], [2]]\n"
    assert str(fault(text)).startswith("sheet.yaml:4:8: W_K has 3 rows but the inputs have 2 columns\n    transposed? ")


@pytest.mark.parametrize(
    ("text", "at", "message", "fix"),
    [
        (
            f"{X}weights: {{W_Q: [[1, 2, 3, 4]], W_K: [[1, 2, 3, 4], [5, 6, 7, 8]], W_V: identity}}\n",
            Mark(2, 16),
            "W_Q has 1 row but the inputs have 2 columns",
            "expected 2; is a row missing or one too many, or is it layout: columns (tokens as columns)?",
        ),
        (
            f"{X}weights: {{W_Q: [[1], [2]], W_K: [[1], [2]], W_V: [[1], [2], [3]]}}\n",
            Mark(2, 50),
            "W_V has 3 rows but the inputs have 2 columns",
            "expected 2",
        ),
        (
            f"{X}weights: {{W_Q: [[1, 2, 3], [4, 5, 6]], W_K: [[1], [2]], W_V: [[1], [2]]}}\n",
            Mark(2, 45),
            "W_K has 1 column but W_Q has 3 columns",
            "expected 3; is a column missing or one too many",
        ),
        (
            f"{X}memory: [[1, 2, 3]]\nweights: {{W_Q: [[1], [2]], W_K: [[1], [2], [3]], W_V: [[1], [2]]}}\n",
            Mark(3, 55),
            "W_V has 2 rows but memory has 3 columns",
            "expected 3",
        ),
        (
            f"{X}weights: identity\nmemory: [[1, 2, 3]]\n",
            Mark(3, 9),
            "memory has 3 columns but the inputs have 2 columns",
            "expected 2",
        ),
        (
            "queries: [[1, 2]]\nkeys: [[1, 2, 3], [4, 5, 6]]\n",
            Mark(2, 7),
            "the keys have 3 columns but the queries have 2 columns",
            "transposed? write keys: {matrix: ..., transposed: true}",
        ),
        (
            "queries: [[1, 2]]\nkeys: [[1, 2], [3, 4]]\nvalues: [[1]]\n",
            Mark(3, 9),
            "the values have 1 row but the keys have 2 rows",
            "expected 2; is a row missing",
        ),
        (
            "given: {scores: [[1, 2, 3]], values: [[1], [2]]}\nscaling: none\n",
            Mark(1, 38),
            "the values have 2 rows but the scores have 3 columns",
            "expected 3",
        ),
        (
            "given: {weights: [[1, 0]], values: [[1], [2], [3]]}\n",
            Mark(1, 36),
            "the values have 3 rows but the weights have 2 columns",
            "expected 2",
        ),
        (
            f"{X}weights: [{HEAD}, {HEAD}]\nW_O: [[1], [2], [3]]\n",
            Mark(3, 6),
            "W_O has 3 rows but the concatenated heads have 2 columns",
            "expected 2",
        ),
        (
            "given: {context: [[1, 2]]}\nW_O: [[1], [2], [3]]\n",
            Mark(2, 6),
            "W_O has 3 rows but the context has 2 columns",
            "expected 2",
        ),
        (
            "given: {concat: [[1, 2]]}\nW_O: [[1], [2], [3]]\n",
            Mark(2, 6),
            "W_O has 3 rows but concat has 2 columns",
            "expected 2",
        ),
        (
            f"{BODY}W_O: [[1], [2]]\nb_O: [1, 2, 3]\n",
            Mark(4, 6),
            "b_O has 3 entries but W_O has 1 column",
            "",
        ),
        (
            "queries: [[[1, 2]], [[1, 2]]]\nkeys: [[[1, 2]], [[1, 2, 3]]]\n",
            Mark(2, 18),
            "the keys of head 2 have 3 columns but the queries of head 2 have 2 columns",
            "expected 2",
        ),
        (
            f"layout: columns\n{X}weights: {{W_Q: identity, W_K: identity, W_V: [[1, 2, 3]]}}\n",
            Mark(3, 46),
            "W_V has 3 columns but the inputs have 2 rows",
            "or is it layout: rows (tokens as rows)?",
        ),
        (
            "layout: columns\nqueries: [[1], [2]]\nkeys: [[1, 2], [3, 4], [5, 6]]\n",
            Mark(3, 7),
            "the keys have 3 rows but the queries have 2 rows",
            "layout: rows (tokens as rows)",
        ),
        (
            f"layout: columns\n{BODY}W_O: [[1, 2, 3]]\n",
            Mark(4, 6),
            "W_O has 3 columns but the context has 2 rows",
            "expected 2",
        ),
    ],
)
def test_every_disagreement_is_told_in_words_with_a_likely_cause(fault, text, at, message, fix):
    found = fault(text)
    assert (found.at, found.message) == (at, message)
    assert fix in found.fix


def test_the_size_of_an_identity_must_be_seen_from_somewhere(faults):
    found = faults("inputs: identity\nweights: identity\n")[0]
    assert (found.at, found.message) == (
        Mark(1, 9),
        "the size of inputs: identity can't be worked out from the problem",
    )
    assert found.fix == "write it out"


def test_the_names_of_the_tokens_give_an_identity_its_size(body):
    found = body("inputs: identity\ntokens: [a, b, c]\nweights: identity\n")
    assert found.given["inputs", None].rows == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@unhurried
@given(tokens=st.integers(1, 3), width=st.integers(1, 3), keys=st.tuples(st.integers(1, 3), st.integers(1, 3)),
       columns=st.booleans())  # fmt: skip
def test_shapes_are_refused_exactly_when_the_product_does_not_exist(tokens, width, keys, columns):
    """Queries and keys, of any shapes and either layout: the scores exist when a query is as long as a key."""

    def written(rows, length):
        return str([[1] * rows] * length if columns else [[1] * length] * rows)

    text = f"layout: {'columns' if columns else 'rows'}\n"
    text += f"queries: {written(tokens, width)}\nkeys: {written(*keys)}\n"
    if width == keys[1]:
        (problem,) = parse(text, "sheet.yaml")
        sizes = problem.body.sizes
        assert (sizes["queries"], sizes["keys"], sizes["d_k"]) == (tokens, keys[0], width)
    else:
        with pytest.raises(ProblemError, match=f"the keys have {keys[1]} .* but the queries have {width} "):
            parse(text, "sheet.yaml")
