"""Characters of mathematics: Greek letters, superscripts and subscripts, as tables."""

from functools import lru_cache

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "pi": "π",
}  # fmt: skip
GREEK_NAMES = {letter: name for name, letter in GREEK.items()}
HATTED = {"m̂": "mhat", "v̂": "vhat"}
"""Letters with a hat, and how they are typed."""
NUMBER_SETS = {"ℝ": "R"}
"""Letters with a double stroke, and their plain forms."""

SUPERSCRIPTS = dict(zip("0123456789+-=()nit", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵗ", strict=True)) | {
    "a": "ᵃ", "b": "ᵇ", "c": "ᶜ", "d": "ᵈ", "e": "ᵉ", "k": "ᵏ", "m": "ᵐ", "o": "ᵒ", "p": "ᵖ", "T": "ᵀ", "β": "ᵝ",
    "K": "ᴷ", "V": "ⱽ", "O": "ᴼ", "γ": "ᵞ",
}  # fmt: skip
SUBSCRIPTS = dict(zip("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", strict=True)) | {
    "a": "ₐ", "e": "ₑ", "h": "ₕ", "i": "ᵢ", "j": "ⱼ", "k": "ₖ", "l": "ₗ", "m": "ₘ", "n": "ₙ", "o": "ₒ", "p": "ₚ",
    "r": "ᵣ", "s": "ₛ", "t": "ₜ", "u": "ᵤ", "v": "ᵥ", "x": "ₓ", ",": ",",
}  # fmt: skip


@lru_cache(maxsize=4096)
def superscript(text: str) -> str | None:
    """Text in small characters above the line, or None where there are none; a comma stays as it is."""
    return _small(text, {**SUPERSCRIPTS, ",": ","})


@lru_cache(maxsize=4096)
def subscript(text: str) -> str | None:
    """Text in small characters below the line, or None where there are none."""
    return _small(text, SUBSCRIPTS)


WITHOUT_SMALL_LETTERS = ("W", "b")
"""Weights and biases: there is no small q or Q, so none of them has a small letter."""


@lru_cache(maxsize=4096)
def index_below(name: str, text: str) -> str | None:
    """An index in small characters, unless those beside it have none: W_k stands beside W_q, and v_a beside v_b."""
    if text.isalpha() and (name in WITHOUT_SMALL_LETTERS or text == "a"):
        return None
    return subscript(text)


def _small(text: str, table: dict[str, str]) -> str | None:
    return "".join(table[c] for c in text) if text and all(c in table for c in text) else None
