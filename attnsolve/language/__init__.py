"""The one language of numbers, formulas, claims and cell names: how they are spelled, read and written again, and which
shapes they have. Nothing here computes: those above lower what was read to numbers, terms and cells."""
