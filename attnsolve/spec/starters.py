"""A commented file to start from, for each kind of problem."""

STARTERS = {
    "attention": """\
# An attention problem. Only inputs and weights are needed; the rest shows what
# else is possible. Take the # away from a line to have it count.
title: My problem
source: Worksheet 1, question 1
text: Two tokens attend to each other.
tokens: [hot, tea]             # names, which label the rows

# What is given, one row per token. Numbers stay exact: 2, 1/2, 0.5, sqrt(2).
inputs:
  - [1, 0]
  - [1/2, -1]
weights:                       # Q = X W_Q, and so on; identity for Q = X
  W_Q: [[1, 2], [0, 1]]
  W_K: [[1, 0], [1, 1]]
  W_V: [[2, 0], [0, sqrt(2)]]
# Or give queries:, keys: and values:, as matrices, instead of both.

# How it is worked out.
scaling: sqrt_dk               # or none, or a number to divide by
# mask: causal                 # or a 0/1 matrix of what may be attended to
# softmax: {base: 2}           # or sum; the default is base e
# heads: 2                     # split wide matrices by columns
# W_O: identity                # the output projection
# rounding: {places: 2, when: each-step}
# notation: {scores: z}        # what this sheet calls things

# What is asked. Without parts, every step is shown.
parts:
  a: {find: [queries, keys, values], by: matrix, marks: 3}
  b: {find: weights, marks: 2}
  c: {find: context, for: tea, marks: 1}

# Somebody's answers, or a published key; attnsolve check marks them.
# answers: {A: [[0.9, 0.1], [0.2, 0.8]]}
""",
    "seq2seq": """\
# Encoder-decoder attention. Only states and state are needed; the rest shows
# what else is possible.
kind: seq2seq
title: My problem
source: Worksheet 1, question 1
text: The decoder attends to the three states of the encoder.
tokens: [I, like, tea]           # names of the encoder's states
states:                          # one row each
  - [1, 0]
  - [1/2, 1]
  - [-1, 2]
state: [1, 1/2]                  # the decoder's; or one row per decoder step
# The score is dot, scaled-dot, general, additive, concat, cosine or location.
score: general
weights:
  W: [[1, 2], [0, 1]]            # general: s_tᵀ W h_i
  W_c: [[1, 0, 0, 1], [0, 1/2, -1, 0]]  # tanh(W_c [c_t; s_t]) at the end
# Start in the middle: scores, scaled, weights, context or projected.
# given: {scores: [1, 3, 4]}
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
topic: averaging                 # or scaled-dot-product, copying, claim ...
title: My problem
source: Worksheet 1, question 1
text: A query asks for two keys at once.
within: 0.01                  # how far the two weights may be from 1/2
beta: 5                          # the query's strength; a letter if left out
keys: identity                   # orthonormal keys as an example, one row each
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
# Attention on keys that are drawn at random around orthonormal means: one
# query, or several heads.
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
queries:                         # a query per head; or several lists by name
  single: [beta*(mu_a + mu_b)]
  heads: [beta*mu_a, beta*mu_b]
beta: 20                         # for the simulation; the argument takes any
alpha: 0.0001                    # the variance of every key, in every direction
stretch: 1/2                     # the extra variance of key a along its mean
simulate: {samples: 20000, seed: 0}
parts:
  a: {find: steady, for: single, marks: 2}
  b: {find: stretched, for: single, marks: 2}
  c: {find: [steady, stretched], for: heads, marks: 2}
""",
    "formulas": """\
# Your sheet's own formulas, written as you would type them, in any order.
kind: formulas
title: My problem
source: Worksheet 1, question 1
text: A feed-forward layer with a residual connection.
tokens: [hot, tea]               # names, used to label rows
given:                           # numbers, lists, matrices, lists of matrices
  X: [[1, 0], [1/2, -1]]
  W_1: [[1, -1], [0, 2]]
  b_1: [0, 1]
  W_2: identity
# * is the matrix product, ^T the transpose, .* goes entry by entry.
formulas:
  H: relu(X*W_1 + b_1)
  Y: X + H*W_2
  A: softmax(Y*X^T/sqrt(2))
parts:
  a: {find: H, marks: 2}
  b: {find: Y, for: tea, marks: 1}
  c: {find: A, marks: 2}
""",
}
