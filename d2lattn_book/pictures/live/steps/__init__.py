"""The figure `steps`: its Python beside its JavaScript."""
