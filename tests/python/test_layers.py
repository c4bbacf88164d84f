# SPDX-License-Identifier: MIT
"""Modules of the package import from their own layer and lower ones, in no cycle, and in functions for a reason."""

import pathlib
import subprocess
import sys

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.append(str(TOOLS))
import check_layers  # noqa: E402
import python_layers  # noqa: E402

sys.path.remove(str(TOOLS))
FLOORS = [["pycuda.low"], ["pycuda.high"]]


def _broken(tmp_path, **texts):
    """The rules that a package of these modules breaks."""
    folder = tmp_path / "python" / "pycuda"
    folder.mkdir(parents=True)
    for name, text in {"__init__": "", **texts}.items():
        (folder / f"{name}.py").write_text(text)
    return python_layers.violations(tmp_path / "python", FLOORS)


def test_the_package_follows_its_rules():
    found = subprocess.run([sys.executable, TOOLS / "check_layers.py"], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_layers_that_may_include_each_other_are_found(tmp_path):
    (tmp_path / "tools").mkdir()
    rules = '[layers]\na = ["b"]\nb = ["c"]\nc = ["a"]\n[only_in]\n[python]\nlayers = []\n'
    (tmp_path / "tools" / "layers.toml").write_text(rules)
    assert check_layers.violations(tmp_path) == ["tools/layers.toml: a circle of layers: a -> b -> c -> a"]


def test_imports_downward_are_allowed(tmp_path):
    assert _broken(tmp_path, low="import os\n", high="from pycuda import low\nfrom pycuda.low import os\n") == []


@pytest.mark.parametrize("text", ["from pycuda import high", "from pycuda.high import a", "import pycuda.high"])
def test_an_import_from_a_higher_layer_is_found(tmp_path, text):
    (line,) = _broken(tmp_path, low=f'"""Text."""\n{text}\n', high="a = 1\n")
    assert line == "python/pycuda/low.py:2: pycuda.low may not import pycuda.high, which is on a higher layer"


def test_an_import_from_a_higher_layer_is_found_in_a_function_with_a_reason(tmp_path):
    (line,) = _broken(tmp_path, low="def f():\n    import pycuda.high  # start-up time: large\n", high="")
    assert "higher layer" in line


def test_a_cycle_is_found(tmp_path):
    (line,) = _broken(tmp_path, a="from pycuda import b", b="import pycuda.c", c="from pycuda.a import x", d="")
    assert line == "import cycle: pycuda.a -> pycuda.b -> pycuda.c -> pycuda.a"


def test_a_cycle_through_a_function_is_found(tmp_path):
    late = "def f():\n    from pycuda import a  # start-up time: rarely needed\n"
    (line,) = _broken(tmp_path, a="from pycuda import b", b=late)
    assert line == "import cycle: pycuda.a -> pycuda.b -> pycuda.a"


@pytest.mark.parametrize("comment", ["", "  # it is needed here", "  # noqa: F401"])
def test_an_import_in_a_function_needs_a_reason(tmp_path, comment):
    (line,) = _broken(tmp_path, a=f"async def f():\n    import json{comment}\n")
    assert line.startswith("python/pycuda/a.py:2: an import in a function needs a comment")


@pytest.mark.parametrize(
    "body",
    [
        "import json  # start-up time: large",
        "import json  # optional package",
        "# may fail: the report says so\n    import json\n\n    import re",
        "try:\n        import json\n    except ImportError:\n        json = None",
    ],
)
def test_an_import_in_a_function_may_have_a_reason(tmp_path, body):
    assert _broken(tmp_path, a=f"def f():\n    {body}\n") == []
