"""The figure `train`: its Python beside its JavaScript."""
