"""The figure `heads`: its Python beside its JavaScript."""
