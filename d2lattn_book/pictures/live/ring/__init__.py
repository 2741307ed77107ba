"""The figure `ring`: its Python beside its JavaScript."""
