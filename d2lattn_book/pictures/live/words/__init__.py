"""The figure `words`: its Python beside its JavaScript."""
