"""What can be seen inside the step that turns scores into weights, and inside a product: the words for it, and what
each stage goes into where a problem states it."""

STEP = "weights"
"""The step whose stages need no name before them."""
STAGES = ("exponentials", "sums", "maxima", "shifted")
"""What the step is made of, and needs no name before it where there is one softmax."""
STARTS = (f"{STEP}.exponentials", f"{STEP}.shifted")
"""Given stages from which the weights follow without any scores."""
BY_TOKEN = (f"{STEP}.sums", f"{STEP}.maxima")
"""Given stages with one number for each token."""
GIVABLE = (*STARTS, *BY_TOKEN)
FEEDS = {
    f"{STEP}.maxima": (f"{STEP}.shifted",),
    f"{STEP}.shifted": (f"{STEP}.exponentials",),
    f"{STEP}.exponentials": (STEP,),
    f"{STEP}.sums": (STEP,),
}
"""What each stage goes into."""
FIRST = f"{STEP}.shifted"
"""What the scores go into."""
TITLES = {
    "exponentials": "Exponentials",
    "sums": "Sums",
    "maxima": "Largest scores",
    "shifted": "Shifted scores",
    "products": "Products",
    "weighted": "Weighted values",
    "means": "Means",
    "centred": "Centred entries",
    "variances": "Variances",
    "deviations": "Standard deviations",
    "mean_squares": "Mean squares",
    "rms": "Roots of the mean squares",
    "normalised": "Normalised entries",
}
CALLED = {
    "exponentials": (
        "exponential", "exps", "exp", "exp scores", "exponentiated scores", "exponents", "numerators", "powers",
        "softmax numerators",
    ),
    "sums": (
        "sum", "row sums", "row sum", "column sums", "denominators", "denominator", "softmax denominators",
        "softmax denominator", "sums of exponentials", "sum of exponentials", "totals", "normalizers", "normalisers",
    ),
    "maxima": ("maximum", "max", "row maxima", "row maximum", "row max", "maximums"),
    "shifted": ("shifted scores", "shift", "stabilised scores", "stabilized scores"),
    "products": ("product", "elementwise products"),
    "weighted": ("weighted value", "weighted vectors"),
    "means": ("mean", "row means", "mu", "μ", "averages"),
    "centred": ("centered", "centred entries", "centered entries", "centred rows", "deviations from the mean"),
    "variances": ("variance", "var", "row variances", "sigma squared", "σ²"),
    "deviations": ("deviation", "standard deviations", "standard deviation", "std", "sigma", "σ", "roots"),
    "mean_squares": ("mean square", "mean squares", "ms"),
    "rms": ("root mean square", "root mean squares"),
    "normalised": ("normalized", "normalised entries", "normalized entries", "xhat", "x̂"),
}  # fmt: skip
"""Other words for what can be seen inside a step."""
