"""From YAML text to a validated, frozen Problem, with the line and column of everything."""
