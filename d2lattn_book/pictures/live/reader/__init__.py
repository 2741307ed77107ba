"""The figure `reader`: its Python beside its JavaScript."""
