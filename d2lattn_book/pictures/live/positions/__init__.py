"""The figure `positions`: its Python beside its JavaScript."""
