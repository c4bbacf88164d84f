# SPDX-License-Identifier: MIT
"""What objects that generate their kernels have in place of the tools of a single `Function`."""

#: What serves for kernels that a program has no `Function` of.
OTHER_TOOLS = (
    "with pycuda.counters() as c counts what its kernels do, and python -m pycuda run --report=FILE.html PROGRAM shows "
    "them"
)


class GeneratesKernels:
    """A base class: for `report` and `plan`, which are a `Function`'s, the error names other tools."""

    def __getattr__(self, name):
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in ("report", "plan"):
            text += f": it generates its kernels when it is called. {OTHER_TOOLS}"
        raise AttributeError(text, name=name, obj=self)
