"""Documents to one format each. Renderers know no attention."""
