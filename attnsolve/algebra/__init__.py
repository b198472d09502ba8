"""Claims about attention, and what decides them: terms, their grammar, exact arithmetic with exponentials."""
