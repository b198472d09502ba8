"""Answers held against a solution: read, judged at the precision they are written in, followed, diagnosed, marked."""
