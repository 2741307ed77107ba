"""The figure `field`: its Python beside its JavaScript."""
