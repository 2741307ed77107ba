"""The figure `cache`: its Python beside its JavaScript."""
