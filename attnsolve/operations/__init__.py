"""What formulas are made of, one module per operation: how it computes, how it is written, how one cell of it is worked
out, and what must hold of its result."""
