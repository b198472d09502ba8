"""A commented file to start from, for each kind of problem."""

STARTERS = {
    "attention": """\
# An attention problem. Only inputs and weights are needed; the rest shows what else is possible.
title: My problem
source: Worksheet 1, question 1
text: Two tokens attend to each other.
tokens: [hot, tea]               # names, used to label rows
inputs:                          # one row per token; numbers are 2, 1/2, 0.5, sqrt(2), pi ...
  - [1, 0]
  - [1/2, -1]
weights:                         # or leave inputs and weights out, and give queries:, keys: and values:
  W_Q: [[1, 2], [0, 1]]          # Q = X W_Q; write identity for Q = X
  W_K: [[1, 0], [1, 1]]
  W_V: [[2, 0], [0, sqrt(2)]]
scaling: sqrt_dk                 # none, sqrt_dk or a number to divide by
# mask: causal                   # or a 0/1 matrix of what may be attended to
# softmax: {base: 2}             # or sum; the default is base e
# heads: 2                       # split wide matrices by columns; or give weights as a list, one mapping per head
# W_O: identity                  # the output projection
# notation: {scores: z}          # what this sheet calls things
# rounding: {places: 2, when: each-step}
parts:                           # what the sheet asks; without parts, every step is shown
  a: {find: [queries, keys, values], by: matrix, marks: 3}
  b: {find: weights, marks: 2}
  c: {find: context, for: tea, marks: 1}
""",
    "seq2seq": """\
# Encoder-decoder attention. Only states and state are needed; the rest shows what else is possible.
kind: seq2seq
title: My problem
source: Worksheet 1, question 1
text: The decoder attends to the three states of the encoder.
tokens: [I, like, tea]           # names of the encoder's states
states:                          # one row each
  - [1, 0]
  - [1/2, 1]
  - [-1, 2]
state: [1, 1/2]                  # the decoder's; or several rows, one per decoder step
score: general                   # dot, scaled-dot, general, additive, concat, cosine or location
weights:
  W: [[1, 2], [0, 1]]            # general: s_tᵀ W h_i
  W_c: [[1, 0, 0, 1], [0, 1/2, -1, 0]]  # tanh(W_c [c_t; s_t]) at the end
# given: {scores: [1, 3, 4]}     # start in the middle: scores, scaled, weights, context or projected
# softmax: {base: 2}             # or sum; the default is base e
# vectors: rows                  # e = s_t Hᵀ instead of e = H s_t
# notation: {scores: z}          # what this sheet calls things
# rounding: {places: {weights: 2}, when: each-step}
parts:
  a: {find: [projected, scores], marks: 2}
  b: {find: weights, marks: 2}
  c: {find: [context, attentional], marks: 2}
""",
    "derivation": """\
# A derivation: every line of it is verified before it is printed.
kind: derivation
topic: averaging                 # or scaled-dot-product, copying, permutation-equivariance, claim ...
title: My problem
source: Worksheet 1, question 1
text: A query asks for two keys at once.
within: 0.01                  # how far the two weights may be from 1/2
beta: 5                          # the strength of the query; a letter unless it is given
keys: identity                   # orthonormal keys to use as an example, one row each
values:
  - [1, 0]
  - [0, 1]
  - [4, 4]
pair: [1, 3]                     # the two keys that are averaged
# A claim of your own is proved, refuted or tested:
#   topic: claim
#   given: {S: 'matrix(n, n)', P: permutation(n)}
#   claim: softmax(P*S*P^T) = P*softmax(S)*P^T
parts:
  a: {find: [scores, weights], marks: 3}
  b: {find: limit, marks: 1}
  c: {find: [needed, example], marks: 2}
""",
    "random-keys": """\
# Attention on keys that are drawn at random around orthonormal means: one query, or several heads.
kind: random-keys
title: My problem
source: Worksheet 1, question 1
text: Which queries make the output the mean of two values?
means: identity                  # one row each, orthonormal
values:
  - [2, 0]
  - [0, 2]
  - [-1, -1]
pair: [1, 2]                     # keys a and b
queries:                         # one list of queries, one per head; or several such lists by name
  single: [beta*(mu_a + mu_b)]
  heads: [beta*mu_a, beta*mu_b]
beta: 20                         # for the simulation; the argument holds for any beta
alpha: 0.0001                    # the variance of every key, in every direction
stretch: 1/2                     # the extra variance of key a along its mean
simulate: {samples: 20000, seed: 0}
parts:
  a: {find: steady, for: single, marks: 2}
  b: {find: stretched, for: single, marks: 2}
  c: {find: [steady, stretched], for: heads, marks: 2}
""",
    "formulas": """\
# Your sheet's own formulas, written as you would type them; the order does not matter.
kind: formulas
title: My problem
source: Worksheet 1, question 1
text: A feed-forward layer with a residual connection.
tokens: [hot, tea]               # names, used to label rows
given:                           # numbers, lists, matrices, or lists of matrices
  X: [[1, 0], [1/2, -1]]
  W_1: [[1, -1], [0, 2]]
  b_1: [0, 1]
  W_2: identity
formulas:                        # * is the matrix product, ^T the transpose, .* goes entry by entry
  H: relu(X*W_1 + b_1)
  Y: X + H*W_2
  A: softmax(Y*X^T/sqrt(2))
parts:
  a: {find: H, marks: 2}
  b: {find: Y, for: tea, marks: 1}
  c: {find: A, marks: 2}
""",
}
