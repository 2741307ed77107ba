"""The figure `attention`: its Python beside its JavaScript."""
