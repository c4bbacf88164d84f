# SPDX-License-Identifier: MIT
"""The tables of tests/ptx/grammar say what NVIDIA's assembler does with each case."""

import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TABLES = sorted((Path(__file__).parents[1] / "ptx" / "grammar").glob("*.txt"))
REGISTERS = (
    ".reg .pred %p<9>; .reg .b16 %h<17>; .reg .b32 %r<33>; .reg .b64 %d<17>; .reg .b128 %q<5>; "
    ".reg .f32 %f<33>; .reg .f64 %e<9>;"
)


def find_ptxas():
    """The wheel's, which has the version that the verdicts are of."""
    wheel = sorted(Path(sysconfig.get_paths()["purelib"]).glob("nvidia/cu13/bin/ptxas"))
    return str(wheel[0]) if wheel else None


def cases_of(table):
    for number, line in enumerate(table.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        head, body = line.split(" | ", 1)
        verdict, *words = head.split()
        target = next((word for word in words if word.startswith("sm_")), "sm_80")
        version = next((word for word in words if word[0].isdigit()), "9.0")
        text = f".version {version}\n.target {target}\n.address_size 64\n"
        if "module" in words:
            text += body + "\n"
        else:
            text += f".visible .entry k(.param .u64 out)\n{{\n{REGISTERS}\n{body}\nret;\n}}\n"
        yield number, verdict, target, text


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_the_assembler_agrees_with_the_table(table, tmp_path):
    ptxas = find_ptxas()
    if ptxas is None:
        pytest.skip("needs ptxas (pip install --no-deps -r requirements-alone.txt)")

    def differs(case):
        number, verdict, target, text = case
        source = tmp_path / f"{number}.ptx"
        source.write_text(text)
        command = [ptxas, f"-arch={target}", "-o", str(tmp_path / f"{number}.cubin"), str(source)]
        run = subprocess.run(command, capture_output=True, text=True)
        accepted = run.returncode == 0
        if accepted == (verdict in ("accept", "unsupported")):
            return None
        said = "accepts it" if accepted else (run.stdout + run.stderr).strip()
        return f"{table.name}:{number}: {verdict}, and ptxas {said}"

    cases = list(cases_of(table))
    with ThreadPoolExecutor() as pool:
        wrong = [message for message in pool.map(differs, cases) if message]
    assert cases
    assert wrong == []
