# SPDX-License-Identifier: MIT
"""What the profiler reads of CUPTI's records lies where NVIDIA's headers say."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest


def header_folders():
    """Where CUPTI's headers are, and cuda.h."""
    packages = [pathlib.Path(path) / "nvidia" for path in sys.path]
    places = [folder / wheel / "include" for folder in packages for wheel in ("cu13", "cuda_cupti", "cuda_runtime")]
    places += [pathlib.Path("/usr/local/cuda/extras/CUPTI/include"), pathlib.Path("/usr/local/cuda/include")]
    return [
        next((place for place in places if (place / name).exists()), None) for name in ("cupti_activity.h", "cuda.h")
    ]


def test_records_are_laid_out_as_in_nvidias_headers(tmp_path):
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    cupti, cuda_headers = header_folders()
    source = pathlib.Path(__file__).resolve().parents[2] / "src"
    if compiler is None or cupti is None or cuda_headers is None or not source.exists():
        pytest.skip("needs a C++ compiler and CUPTI's headers: pip install nvidia-cuda-cupti")
    text = (cupti / "cupti_activity.h").read_text()
    lines = []
    for kind, record in (
        ("MEMCPY", "Memcpy"),
        ("MEMSET", "Memset"),
        ("KERNEL", "Kernel"),
        ("CONCURRENT_KERNEL", "Kernel"),
        ("MEMCPY2", "MemcpyPtoP"),
    ):
        *_, newest = sorted(re.findall(rf"^}} CUpti_Activity{record}(\d*);", text, re.M), key=lambda n: int(n or 1))
        record = f"CUpti_Activity{record}{newest}"
        lines.append(
            f"static_assert(known(CUPTI_ACTIVITY_KIND_{kind}, offsetof({record}, start), "
            f"offsetof({record}, end), offsetof({record}, correlationId)));"
        )
    # NVIDIA's is spread over several wheels, and nothing of it is needed.
    (tmp_path / "builtin_types.h").touch()
    (tmp_path / "layouts.cpp").write_text(
        """
        #include "cuda/cupti.h"
        #include <cupti_activity.h>
        #include <cupti_callbacks.h>
        #include <cupti_result.h>
        #include <cupti_version.h>
        #include <type_traits>
        namespace our = pycuda::cuda::cupti;
        constexpr bool known(int kind, std::size_t start, std::size_t end, std::size_t correlation) {
          for (const our::Layout& layout : our::layouts)
            if (layout.kind == kind)
              return layout.start == start && start + 8 == end && layout.correlation == correlation;
          return false;
        }
        using External = CUpti_ActivityExternalCorrelation;
        static_assert(offsetof(External, externalKind) == offsetof(our::External, external_kind));
        static_assert(offsetof(External, externalId) == offsetof(our::External, id));
        static_assert(offsetof(External, correlationId) == offsetof(our::External, correlation));
        static_assert(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION == our::external_kind);
        static_assert(CUPTI_ACTIVITY_KIND_DRIVER == our::driver_call_kind);
        static_assert(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 == our::our_numbers);
        static_assert(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED == our::flush_forced);
        // Its functions can be called as the table calls them.
        template <class Real, class Ours>
        constexpr bool alike = false;
        template <class... Real, class... Ours>
        constexpr bool alike<CUptiResult (*)(Real...), our::Status (*)(Ours...)> =
            ((sizeof(Real) == sizeof(Ours) && std::is_pointer_v<Real> == std::is_pointer_v<Ours>) && ...);
        #define ALIKE(name, parameters) static_assert(alike<decltype(&cupti##name), decltype(our::Table::name)>);
        PYCUDA_CUPTI_FUNCTIONS(ALIKE)
        """
        + "\n".join(lines)
    )
    command = [
        compiler,
        "-std=c++20",
        "-fsyntax-only",
        "-Wno-invalid-offsetof",
        f"-I{tmp_path}",
        f"-I{source}",
        f"-I{cupti}",
    ]
    done = subprocess.run([*command, f"-I{cuda_headers}", tmp_path / "layouts.cpp"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
