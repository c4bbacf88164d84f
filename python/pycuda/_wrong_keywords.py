# SPDX-License-Identifier: MIT
"""Keywords that a class or a function does not take: the error names the one that was probably meant."""

_TAKES_ANY_KEYWORD = 8  # inspect.CO_VARKEYWORDS


def _meant(keyword, names):
    from pycuda._misspelt import closest  # start-up time: only for mistakes

    parts = [name for name in names if keyword in name.split("_") or name in keyword.split("_")]
    return closest(keyword, names) or (parts[0] if len(parts) == 1 else None)


def refuse_keywords(name, keywords, names):
    """Raise TypeError for those of `keywords` that are none of `names`, which `name` takes.

    Parameters
    ----------
    name : str
        Of the class or the function.
    keywords : iterable of str
    names : sequence of str
    """
    for keyword in keywords:
        if keyword not in names:
            meant = _meant(keyword, names)
            hint = f"did you mean {meant!r}?" if meant else f"it takes {', '.join(names)}"
            called = name if "(" in name else f"{name}()"
            raise TypeError(f"{called} has no parameter {keyword!r}; {hint}")


def refuse_unknown(name, function, keywords):
    """The same for what a function takes behind its first parameter."""
    code = getattr(function, "__code__", None)
    if code is not None and not code.co_flags & _TAKES_ANY_KEYWORD:
        refuse_keywords(name, keywords, code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


class _SignatureOfInit:
    """The attribute `__signature__` of a class whose `__new__` takes everything: that of its `__init__`."""

    def __get__(self, instance, cls):
        if instance is not None:
            raise AttributeError("__signature__")
        import inspect  # start-up time: for people

        signature = inspect.signature(cls.__init__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class TellsKeywords:
    """A base class: unknown keywords for the package's `__init__` are refused before that is called."""

    __signature__ = _SignatureOfInit()

    def __new__(cls, *arguments, **keywords):
        start = cls.__init__
        # Derived classes of programs have keywords of their own.
        if keywords and str(getattr(start, "__module__", "")).startswith("pycuda."):
            refuse_unknown(cls.__name__, start, keywords)
        return super().__new__(cls)
