# SPDX-License-Identifier: MIT
"""The disk cache of pycuda.compiler."""

import os
import pathlib
import subprocess
import sys
import textwrap
import warnings

import pytest
from compiling import MULTIPLY, ptx_of
from pycuda._compilers import the_compiler
from pycuda.compiler import compile

pytestmark = pytest.mark.usefixtures("no_compiler_settings")


def cache_entries(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir())


@pytest.fixture
def fresh_memory():
    """What earlier tests compiled is forgotten, so that the disk answers."""
    the_compiler().clear_memory_cache()
    return the_compiler().clear_memory_cache


class TestCache:
    def test_a_hit_gives_the_same_image_and_writes_nothing(self, tmp_path, fresh_memory):
        first = ptx_of(MULTIPLY, cache_dir=str(tmp_path))
        entries = cache_entries(tmp_path)
        assert len(entries) == 1 and entries[0].endswith(".ptx")
        fresh_memory()
        assert ptx_of(MULTIPLY, cache_dir=str(tmp_path)) == first
        assert cache_entries(tmp_path) == entries

    def test_a_hit_does_not_open_the_compiler(self, tmp_path):
        program = textwrap.dedent(
            f"""
            from pycuda.compiler import compile
            compile({MULTIPLY!r}, arch="sm_80", target="ptx", cache_dir={str(tmp_path)!r})
            print("libnvrtc" in open("/proc/self/maps").read())
            """
        )
        answers = [
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
            for _ in range(2)
        ]
        assert answers == ["True", "False"]

    def test_source_options_and_target_make_other_entries(self, tmp_path):
        ptx_of(MULTIPLY, cache_dir=str(tmp_path))
        ptx_of(MULTIPLY + "\n", cache_dir=str(tmp_path))
        ptx_of(MULTIPLY, cache_dir=str(tmp_path), options=["-lineinfo"])
        ptx_of(MULTIPLY, cache_dir=str(tmp_path), no_extern_c=True)
        compile(MULTIPLY, arch="sm_90", target="ptx", cache_dir=str(tmp_path))
        compile(MULTIPLY, arch="sm_80", cache_dir=str(tmp_path))
        assert len(cache_entries(tmp_path)) == 6

    def test_a_changed_header_is_seen(self, tmp_path, fresh_memory):
        header = tmp_path / "number.h"
        keywords = {"cache_dir": str(tmp_path / "cache"), "include_dirs": [str(tmp_path)]}
        source = "#include <number.h>\n__global__ void k(int *a) { a[0] = NUMBER; }\n"
        header.write_text("#define NUMBER 1111\n")
        stamp = os.stat(header)
        assert "1111" in ptx_of(source, **keywords)
        header.write_text("#define NUMBER 2222\n")
        os.utime(header, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        assert "2222" in ptx_of(source, **keywords)
        header.write_text("#define NUMBER 1111\n")
        assert "1111" in ptx_of(source, **keywords)
        assert len(cache_entries(tmp_path / "cache")) == 2

    def test_an_include_named_by_a_macro_is_never_cached(self, tmp_path):
        (tmp_path / "number.h").write_text("#define NUMBER 1\n")
        ptx_of(
            '#define FILE "number.h"\n#include FILE\n',
            include_dirs=[str(tmp_path)],
            cache_dir=str(tmp_path / "c"),
        )
        assert not (tmp_path / "c").exists()

    def test_a_missing_folder_is_made(self, tmp_path):
        ptx_of(MULTIPLY, cache_dir=str(tmp_path / "a" / "b"))
        assert len(cache_entries(tmp_path / "a" / "b")) == 1

    def test_a_folder_that_cannot_be_written_to_is_silent(self, tmp_path):
        blocked = tmp_path / "file"
        blocked.write_text("")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ".entry" in ptx_of(MULTIPLY, cache_dir=str(blocked))
            tmp_path.chmod(0o555)
            try:
                assert ".entry" in ptx_of(MULTIPLY, cache_dir=str(tmp_path))
            finally:
                tmp_path.chmod(0o755)

    def test_a_damaged_entry_is_compiled_again(self, tmp_path, fresh_memory):
        first = ptx_of(MULTIPLY, cache_dir=str(tmp_path))
        (entry,) = tmp_path.iterdir()
        entry.write_bytes(entry.read_bytes()[:-10])
        fresh_memory()
        assert ptx_of(MULTIPLY, cache_dir=str(tmp_path)) == first

    def test_environment_variables_choose_and_switch_off(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "chosen"))
        ptx_of(MULTIPLY, cache_dir=None)
        assert len(cache_entries(tmp_path / "chosen")) == 1
        monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "")
        ptx_of(MULTIPLY + "// other", cache_dir=None)
        ptx_of(MULTIPLY + "// other", cache_dir=str(tmp_path / "given"))
        assert len(cache_entries(tmp_path / "chosen")) == 1
        assert not (tmp_path / "given").exists()

    def test_the_warning_is_not_repeated_on_a_hit(self, tmp_path):
        keywords = {"options": ["--ptxas-options=-v"], "cache_dir": str(tmp_path)}
        with pytest.warns(UserWarning):
            ptx_of(MULTIPLY, **keywords)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ptx_of(MULTIPLY, **keywords)

    def test_processes_that_compile_the_same_source_agree(self, tmp_path):
        program = textwrap.dedent(
            f"""
            import hashlib
            from pycuda.compiler import compile
            image = compile({MULTIPLY!r}, arch="sm_80", cache_dir={str(tmp_path)!r})
            print(hashlib.sha256(image).hexdigest())
            """
        )
        running = [
            subprocess.Popen(
                [sys.executable, "-c", program],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(4)
        ]
        results = [process.communicate() for process in running]
        assert all(process.returncode == 0 for process in running), results
        assert len({output for output, _ in results}) == 1
        assert all(errors == "" for _, errors in results)
        assert len(cache_entries(tmp_path)) == 1
