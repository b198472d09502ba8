"""A commented file to start from, for each kind of problem."""

STARTERS = {
    "attention": """\
# An attention problem. Only inputs and weights are needed; the rest shows what else can be said.
title: My problem
source: Worksheet 1, question 1
text: Two tokens attend to each other.
tokens: [hot, tea]               # names, used wherever a row is named
inputs:                          # one row a token
  - [1, 0]
  - [1/2, -1]
weights:
  W_Q: [[1, 2], [0, 1]]
  W_K: [[1, 0], [1, 1]]
  W_V: [[2, 0], [0, sqrt(2)]]
scaling: sqrt_dk                 # none, sqrt_dk or a number to divide by
# mask: causal                   # or a 0/1 matrix of what may be attended to
# softmax: {base: 2}             # or sum; the default is base e
# heads: 2                       # split wide matrices by columns; or give weights as a list, one mapping a head
# W_O: identity                  # the output projection
# notation: {scores: z}          # what this sheet calls things
# rounding: {places: 2, when: each-step}
parts:
  a: {find: [queries, keys, values], by: matrix, marks: 3}
  b: {find: weights, marks: 2}
  c: {find: context, for: tea, marks: 1}
""",
}
