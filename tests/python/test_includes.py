# SPDX-License-Identifier: MIT
"""tools/check_includes.py finds files that compile only because of a precompiled header or of another source."""

import json
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_includes  # noqa: E402
import compile_commands  # noqa: E402


@pytest.fixture(params=["together", "together/folder"])
def build(request, tmp_path, monkeypatch):
    """The build folder of two sources in a group, and a header; <vector> is in the precompiled header alone."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    source, build = tmp_path / "src", tmp_path / "build"
    for module, names in ((compile_commands, ("SOURCES",)), (check_includes, ())):
        for name in names:
            monkeypatch.setattr(module, name, source)
        monkeypatch.setattr(module, "ROOT", tmp_path)
        monkeypatch.setattr(module, "FOLDERS", (source,))
    monkeypatch.setattr(check_includes, "STAMPS", tmp_path / "stamps")
    (build / request.param).mkdir(parents=True)
    source.mkdir()
    (source / "needs.cpp").write_text("inline std::vector<int> numbers;\n")
    (source / "has.cpp").write_text('#include <vector>\n\n#include "needs.h"\ninline std::vector<int> others;\n')
    (source / "needs.h").write_text("#pragma once\nvoid sort(std::vector<int> &numbers);\n")
    (build / "cmake_pch.hxx").write_text("#include <vector>\n")
    group = build / request.param / "has.cpp"
    group.write_text('#include "has.cpp"\n#include "needs.cpp"\n')
    command = f"{compiler} -std=c++20 -I{source} -Winvalid-pch -include {build}/cmake_pch.hxx -o has.o -c {group}"
    entry = {"directory": str(build), "file": str(group), "command": command}
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    return build


def test_a_source_that_lacks_an_include_is_named(build, capsys):
    assert check_includes.main(build, ["src/has.cpp", "src/needs.cpp"]) == 1
    said = capsys.readouterr().out
    assert "src/needs.cpp does not compile alone" in said and "src/has.cpp" not in said
    assert "1 of 2 files" in said


def test_a_header_that_lacks_an_include_is_named(build, capsys):
    assert check_includes.main(build, ["src/needs.h"]) == 1
    assert "src/needs.h does not compile alone" in capsys.readouterr().out


def test_a_header_is_checked_with_the_source_that_begins_with_it(build, capsys):
    (build.parent / "src/has.cpp").write_text('#include "needs.h"\n\n#include <vector>\n')
    assert check_includes.main(build, ["src/has.cpp", "src/needs.h"]) == 1
    assert "0 of 1 files" in capsys.readouterr().out


def test_a_file_that_passed_is_checked_again_when_its_header_has_changed(build, capsys):
    for changes, checked in ((False, 1), (False, 0), (True, 1)):
        if changes:
            (build.parent / "src/needs.h").write_text("#pragma once\n")
            compile_commands.included_by.cache_clear()
        assert check_includes.main(build, ["src/has.cpp"]) == 0
        assert f"{checked} of {checked} files" in capsys.readouterr().out


def test_headers_for_other_processors_are_left_out(build, capsys):
    folder = build.parent / "src" / min(check_includes.OTHERS)
    folder.mkdir()
    (folder / "other.h").write_text("#pragma once\nnonsense\n")
    (build.parent / "src/needs.h").write_text(f'#pragma once\n#include "{folder.name}/other.h"\n')
    compile_commands.included_by.cache_clear()
    assert check_includes.main(build, [f"src/{folder.name}/other.h"]) == 0
    assert "0 of 0 files" in capsys.readouterr().out
