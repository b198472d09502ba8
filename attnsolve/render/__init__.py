"""Documents to one format each; renderers know nothing of attention."""
