"""What Python programs see of solutions: `attnsolve.solve` and `attnsolve.attention` return these classes."""
