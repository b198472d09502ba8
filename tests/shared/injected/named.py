"""What the package calls each of the injected mistakes. One for which it has no name has no ids, and is never named.

Written after everything else here: the mistakes were chosen without looking at those that the package knows.
"""

from __future__ import annotations

from collections.abc import Iterable

TABLE = """
slip: sign: sign-slip
slip: digit: digit-slip
slip: one off: digit-slip
slip: digits exchanged: digits-exchanged
slip: decimal point: point-slip
slip: copied from its neighbour: neighbour neighbours-swapped
slip: product left out: product-left-out left-out-of-sum
slip: product doubled: product-twice
slip: product's sign: product-sign
slip: product added up: product-added
slip: another row's number: entry-misread
misread: sign: product-sign entry-misread given-misread
misread: digit: entry-misread given-misread
misread: neighbour: entry-misread given-misread
misread: digits exchanged: entry-misread given-misread
misread: decimal point: entry-misread given-misread
misread: rows exchanged: entry-misread neighbours-swapped given-misread
misread: read as zero: product-left-out entry-misread term-left-out given-misread
exchanged: W_Q and W_K: weights-swapped
exchanged: W_K and W_V: weights-swapped
exchanged: W_Q and W_V: weights-swapped
exchanged: W_1 and W_2: weights-swapped
exchanged: inputs and memory: inputs-swapped
exchanged: queries_in and keys_in: inputs-swapped
exchanged: keys_in and values_in: inputs-swapped
exchanged: queries and keys: keys-times-queries
exchanged: g and c: layernorm-exchanged
project: weights transposed: weight-transposed output-projection-transposed
project: not projected: weight-left-out output-projection-skipped
project: last product of each sum left out: product-left-out
project: bias forgotten: bias-forgotten
project: bias subtracted: bias-subtracted
project: matrix of queries taken: weights-swapped
project: matrix of keys taken: weights-swapped
project: matrix of values taken: weights-swapped
project: made from the inputs: inputs-swapped
project: made from the memory: inputs-swapped
project: made from the inputs of queries: inputs-swapped
project: made from the inputs of keys: inputs-swapped
project: made from the inputs of values: inputs-swapped
scores: scores transposed: keys-times-queries
scores: keys not transposed: keys-not-transposed states-transposed
scores: queries with queries: queries-times-queries
scores: keys with keys: keys-times-keys
scores: last product of each score left out: product-left-out
scores: queries not turned: rotation-forgotten
scores: keys not turned: rotation-forgotten
scores: nothing turned: rotation-forgotten
scale: not scaled: scale-missing softmax-of-unscaled
scale: divided by d_k: scale-by-dk
scale: multiplied by the divisor: scale-multiplied
scale: divided by the root of the width of the inputs: scale-by-root-dmodel
scale: divided by the root of d_k all the same: scale-by-root-dk
mask: mask forgotten: mask-forgotten
mask: mask transposed: mask-transposed
mask: mask inverted: mask-inverted
mask: diagonal hidden too: mask-shifted mask-hides-own
mask: one more token shown: mask-shifted
mask: zero for what is hidden: mask-zero
mask: unscaled scores masked: softmax-of-unscaled scale-missing
softmax: softmax down the columns: softmax-wrong-axis
softmax: softmax of unscaled scores: softmax-of-unscaled scale-missing
softmax: softmax of unmasked scores: mask-forgotten softmax-of-unmasked
softmax: another base: softmax-base-2 softmax-base-e
softmax: share instead of softmax: softmax-sum
softmax: softmax instead of share: softmax-for-sum
softmax: exponentials not normalised: softmax-not-normalised
softmax: scores as weights: share-not-normalised softmax-forgotten scores-as-weights
softmax: sum without its last term: left-out-of-sum
softmax: sum without its first term: left-out-of-sum
softmax: hidden afterwards: mask-after-softmax
softmax: scaled though not asked: scale-unasked
softmax: scaled after the softmax: scale-after-softmax
project: bias doubled: bias-doubled
project: bias of queries taken: biases-exchanged
project: bias of keys taken: biases-exchanged
project: bias of values taken: biases-exchanged
project: weights from the left: factors-exchanged
project: entry by entry instead of a product: product-entrywise
project: matrix of the other head: head-weights-swapped
scores: scores entry by entry: product-entrywise
scale: divided by the root of the number of keys: scale-by-root-tokens
scale: divided by the root of the number of queries: scale-by-root-tokens
softmax: softmax twice: softmax-twice
softmax: softmax over the whole matrix: softmax-whole-matrix
softmax: all by the sum of the first row: softmax-by-first-sum
softmax: each by the sum of the row before: softmax-by-other-sum
mix: mean of the values: mean-of-values
mix: sum of the values: sum-of-values
mix: value of the strongest: strongest-value
mix: values themselves: values-not-weighted
mix: values times weights: factors-exchanged
mix: scores times values: scores-as-weights
mix: weights entry by entry with values: product-entrywise
mix: weights transposed for the context: weights-transposed-in-context
mix: keys for values: values-are-keys context-from-projected
mix: queries for values: values-are-queries
mix: inputs for values: values-are-inputs
mix: last value left out: product-left-out
mix: values in reverse order: weights-on-wrong-states
concat: heads in reverse order: heads-swapped
split: every other column: heads-interleaved
turned: matrix not transposed: weight-transposed score-weight-transposed
turned: not turned at all: weight-left-out score-weight-left-out
turned: matrix of the other side: weights-swapped
turned: last product of each sum left out: product-left-out
pair: pairs the other way round: joined-swapped
join: state before context: joined-swapped
tanh: tanh forgotten: tanh-forgotten
relu: relu forgotten: relu-forgotten
relu: absolute values for relu: relu-absolute
relu: the negative kept: relu-wrong-side
residual: residual forgotten: residual-forgotten
norm: variance by n-1: layernorm-variance-corrected
norm: divided by the variance: layernorm-root-forgotten
norm: eps outside the root: layernorm-epsilon-outside
norm: eps forgotten: layernorm-epsilon-forgotten
norm: norm down the columns: layernorm-wrong-axis
norm: gain and shift exchanged: layernorm-exchanged
norm: gain forgotten: layernorm-gamma-forgotten
norm: shift forgotten: layernorm-beta-forgotten
norm: gain and shift forgotten: layernorm-gamma-forgotten
loss: logarithm to base ten: loss-log-10
loss: logarithm to base two: loss-log-2
loss: sum instead of mean: loss-summed
loss: sign of the loss: loss-sign
loss: class counted from zero: targets-shifted
loss: class before: targets-shifted
loss: logarithm forgotten: loss-without-log
rotary: turned the other way: rotation-backwards
rotary: positions counted from elsewhere: position-start
rotary: base of ten thousand all the same: position-base
rotary: halves for neighbours: rotation-pairs
rotary: degrees for radians: angle-degrees
rotary: not turned: rotation-forgotten
rotary: frequencies by half the index: position-exponent
sinusoidal: sine and cosine exchanged: position-sine-cosine
sinusoidal: positions counted from elsewhere: position-start
sinusoidal: base of ten thousand all the same: position-base
sinusoidal: sines first, then cosines: position-order
sinusoidal: exponent half as large: position-exponent
sinusoidal: degrees for radians: angle-degrees
sinusoidal: multiplied by the frequency's inverse: position-times
loss-gradient: probabilities themselves: loss-gradient-target-forgotten
loss-gradient: one-hot less probabilities: gradient-sign
loss-gradient: not divided by the number of tokens: gradient-mean-not-divided
loss-gradient: class counted from zero in the gradient: targets-shifted
bias-gradient: mean instead of sum over tokens: gradient-mean-for-sum
bias-gradient: first token alone: gradient-not-summed
bias-gradient: last token alone: gradient-not-summed
weight-gradient: gradient of the matrix transposed: gradient-transposed
weight-gradient: inputs not transposed: gradient-transposed
d-weights: values not transposed: gradient-transposed
d-weights: gradient of the weights transposed: gradient-transposed
d-weights: context times its gradient: gradient-of-wrong-factor
d-softmax: jacobian forgotten: softmax-jacobian-forgotten
d-softmax: only the diagonal of the jacobian: softmax-jacobian-diagonal
d-softmax: sum not subtracted: softmax-sum-forgotten
d-softmax: sum down the columns: softmax-sum-wrong-axis
d-softmax: unweighted sum subtracted: softmax-sum-unweighted
d-scale: scale forgotten in the gradient: gradient-scale-forgotten
d-scale: gradient multiplied by the root: gradient-scale-multiplied
d-scale: gradient scaled twice: gradient-scale-twice
d-values: weights not transposed in the gradient: gradient-transposed
d-keys: scores' gradient not transposed: gradient-transposed
d-keys: keys for queries: gradient-of-wrong-factor
d-keys: unscaled on the way to the keys: gradient-scale-forgotten
d-queries: scores' gradient transposed: gradient-transposed
d-queries: queries for keys: gradient-of-wrong-factor
d-queries: unscaled on the way to the queries: gradient-scale-forgotten
"""
NAMES: dict[str, frozenset[str]] = {
    id: frozenset(names.split()) for id, _, names in (line.rpartition(": ") for line in TABLE.strip().splitlines())
}
"""The package's ids for a mistake, by ours."""


def names_of(ids: Iterable[str]) -> frozenset[str]:
    """What any of some mistakes may be called: those that lead to the same numbers can't be told apart."""
    return frozenset().union(*(NAMES.get(id, frozenset()) for id in ids))
