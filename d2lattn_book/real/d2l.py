"""The package of Dive into Deep Learning, which the book runs beside its own parts."""

import importlib.util
import sys
from types import ModuleType

# What d2l.torch imports at its top for chapters that have nothing to do with attention.
D2L_IMPORTS = (
    "torchvision",
    "torchvision.transforms",
    "scipy",
    "scipy.spatial",
    "pandas",
    "PIL",
    "PIL.Image",
    "requests",
    "regex",  # D2L's rewrite, smolix/d2l-neu
)


def load_d2l() -> ModuleType:
    """Import `d2l.torch`, also where packages it imports are missing or do not match torch.

    d2l 1.0.3 imports torchvision, scipy and others at its top. Attention needs none of them, so
    one that cannot be imported is replaced while d2l loads, and using it raises an ImportError
    that names it, as does this function without d2l. `sys.modules` is left as it was.

    Example:
        >>> load_d2l().DotProductAttention.__name__
        'DotProductAttention'
    """
    if "d2l.torch" in sys.modules:
        return sys.modules["d2l.torch"]
    if importlib.util.find_spec("d2l") is None:
        raise ImportError(
            "d2l is not installed. Install it without its outdated pins: "
            "pip install --no-deps d2l==1.0.3"
        )
    stand_ins = {}
    for name in D2L_IMPORTS:
        before = set(sys.modules)
        try:
            importlib.import_module(name)
        except Exception:  # a torchvision for another torch fails with a RuntimeError, for one
            for half_loaded in set(sys.modules) - before:
                if half_loaded.partition(".")[0] == name.partition(".")[0]:
                    del sys.modules[half_loaded]
            stand_ins[name] = _StandIn(name)
            sys.modules[name] = stand_ins[name]
    try:
        return importlib.import_module("d2l.torch")
    finally:
        for name in stand_ins:
            del sys.modules[name]


class _StandIn(ModuleType):
    """A module that is not there: its attributes exist, using one raises an ImportError."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(f"{self.__name__}.{name}")

    def __call__(self, *args, **kwargs):
        package = self.__name__.partition(".")[0]
        raise ImportError(
            f"{self.__name__} is needed here, but {package} cannot be imported: "
            f"install a {package} that matches torch"
        )
