# SPDX-License-Identifier: MIT
"""Errors of the package itself, besides those of the extension."""

from pycuda._driver import Error

#: As the errors of faults say on the CPU driver.
CONTEXT_IS_LOST = "The context is lost: every call fails until pycuda.tools.reset_context() makes a new one."


class CompileError(Error):
    """A compiler refused a source.

    Attributes
    ----------
    msg : str
        Which program failed, and what to do where that is known.
    command_line : list of str
        The compiler with all its options.
    stdout, stderr : str
        What the compiler wrote. The message begins with it, without its count of errors.
    """

    def __init__(self, msg, command_line, stdout=None, stderr=None):
        super().__init__(msg, command_line, stdout, stderr)
        self.msg = msg
        self.command_line = command_line
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self):
        from pycuda._compile_advice import without_details, without_summary  # start-up time: rarely shown

        outputs = [without_summary(text) for text in (self.stderr, self.stdout) if text]
        parts = [text for text in outputs if text not in self.msg] + [self.msg]
        if self.command_line:
            parts.append(f"[command: {' '.join(without_details(self.command_line))}]")
        return "\n".join(parts)


# What users catch and pickles name.
CompileError.__module__ = "pycuda.driver"
