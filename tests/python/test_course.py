# SPDX-License-Identifier: MIT
"""The lessons of the course run with open exercises and with their solutions, and their checks tell both apart."""

import pathlib
import re
import sys
import types

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda.compiler import SourceModule

COURSE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "course"
LESSONS = sorted(COURSE.glob("*.ipynb"))
CODE = re.compile(r"```ipython3\n(.*?)\n```", re.DOTALL)


def _read(lesson):
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    notebook = nbformat.read(lesson, as_version=4)
    nbformat.validate(notebook)
    return notebook


def _exercises(notebook):
    return {cell.metadata["exercise"]: cell for cell in notebook.cells if "exercise" in cell.metadata}


def _solutions(notebook):
    folded = (cell for cell in notebook.cells if "solution" in cell.metadata)
    return {cell.metadata["solution"]: CODE.search(cell.source)[1] for cell in folded}


def _run(notebook):
    """What the notebook's cells print, a text for each."""
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    from jupyter_client import KernelManager

    manager = KernelManager()
    # The kernel is this Python, whatever kernels the user has installed.
    manager.kernel_spec.argv[0] = sys.executable
    resources = {"metadata": {"path": str(COURSE)}}
    nbclient.NotebookClient(notebook, km=manager, startup_timeout=600, resources=resources).execute()
    return ["".join(output.get("text", "") for output in cell.get("outputs", ())) for cell in notebook.cells]


def _verdicts(notebook, printed):
    """For each check its cell, whether it passed, and all that its cell printed."""
    checks = [(cell, text) for cell, text in zip(notebook.cells, printed) if "course.check" in cell.source]
    return [(cell, re.search(r"^(Correct!|Not yet\.)", text, re.MULTILINE)[1], text) for cell, text in checks]


@pytest.fixture
def course(monkeypatch, context):
    monkeypatch.syspath_prepend(str(COURSE))
    # Importing it sets them for the process: they are as before after the test.
    monkeypatch.setenv("PYCUDA_CPU_CHECK", "0")
    monkeypatch.setenv("PYCUDA_CPU_TIMEOUT", "0")
    import course

    monkeypatch.undo()
    return course


def test_there_are_ten_lessons_and_the_course_lists_them():
    assert len(LESSONS) == 10
    listed = (COURSE / "index.md").read_text()
    assert [lesson.stem for lesson in LESSONS if f"\n{lesson.stem}\n" not in listed] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_every_exercise_has_a_check_and_a_folded_solution(lesson):
    notebook = _read(lesson)
    exercises = _exercises(notebook)
    assert len(exercises) >= 3 and list(exercises) == list(_solutions(notebook))
    checks = [cell for cell in notebook.cells if "course.check" in cell.source]
    assert len(checks) == len(exercises)
    for cell in notebook.cells:
        assert not cell.get("outputs"), "a lesson is stored without outputs"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lesson_runs_with_open_exercises_and_no_check_passes(course, lesson):
    notebook = _read(lesson)
    is_cpu = pycuda._driver._rtc.driver_origin()["kind"] == "CPU"
    for cell, verdict, text in _verdicts(notebook, _run(notebook)):
        if is_cpu or not course.needs_cpu_driver(re.search(r'course\.check\("(\w+)"', cell.source)[1]):
            assert verdict == "Not yet.", text


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_the_solutions_of_a_lesson_pass_its_checks(driver, lesson):
    notebook = _read(lesson)
    solutions = _solutions(notebook)
    for name, cell in _exercises(notebook).items():
        cell.source = solutions[name]
    for _, verdict, text in _verdicts(notebook, _run(notebook)):
        assert verdict == "Correct!", text


def test_an_answer_is_right_however_it_is_written(course, capsys):
    right = [("DA", "deadlock"), ("a, d", "deadlock"), (["A", "D"], "deadlock"), ([2304, 324], "reads"), (6.0, "limit")]
    wrong = [("A", "deadlock"), ("ABD", "deadlock"), (3, "deadlock"), ((324, 2304), "reads"), ("6", "limit")]
    wrong += [([6, 6], "limit"), (..., "limit")]
    assert all(course.check(name, given) for given, name in right)
    assert not any(course.check(name, given) for given, name in wrong)
    assert capsys.readouterr().out.count("Not yet.") == len(wrong)


def test_a_program_apart_says_its_message_with_the_kernels_line(course):
    said = course.run_apart(
        """
        SourceModule('''
        __global__ void f(int *a)
        {
          a[0] = 1
        }
        ''')
        """
    )
    error, *quoted, headline, command = said.splitlines()
    assert error.endswith('(5): error: expected a ";"')
    assert [line.strip() for line in quoted] == ["}", "^"]
    assert headline == "compilation of kernel.cu failed: the line before has no ; at its end"
    assert command.startswith("[command: ")


def test_a_misused_barrier_is_told_before_the_race_that_follows_from_it(course):
    from course.checks import NotYet
    from course.own_context import run_checked

    def answer():
        tiled = SourceModule("""
__global__ void tiled(float *out, const float *in)
{
  __shared__ float tile[96];
  for (int t = threadIdx.x; t < 96; t += 64) {
    tile[t] = in[t];
    __syncthreads();
  }
  out[threadIdx.x] = tile[(threadIdx.x + 40) % 96];
}
""").get_function("tiled")
        out = np.empty(64, np.float32)
        tiled(cuda.Out(out), cuda.In(np.ones(96, np.float32)), block=(64, 1, 1))
        return out

    with pytest.raises(NotYet, match="exited without reaching a barrier|wait at different") as said:
        run_checked(answer)
    assert "race" not in str(said.value)
    with pycuda.checks("race") as found:
        answer()
    assert {one.check for one in found} == {"race"}
    assert all(one.remedy.startswith("move the __syncthreads() between the two accesses out of") for one in found)


def test_a_hint_comes_with_the_second_try_that_fails(course, capsys):
    from course import checks

    checks._tries.clear()
    tries = [course.check("square", lambda numbers: numbers + 1) for _ in range(2)]
    first, second = re.split(r"(?=Not yet)", capsys.readouterr().out)[1:]
    assert tries == [False, False] and "Hint" not in first and "Hint: each thread" in second


def test_every_exercise_has_a_hint_and_questions_show_theirs(course, capsys):
    from course import checks

    assert [name for name, known in checks._exercises.items() if not known.hint] == []
    checks._tries.clear()
    for _ in range(2):
        course.check("blocks", 2815)
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["Not yet. 2815 is not the answer.", "If the next try fails too, a hint follows."]
    assert said[3].startswith("Hint: count the blocks along each axis")


@pytest.mark.parametrize("folder", [COURSE, COURSE.parent], ids=["beside the notebooks", "above them"])
def test_the_course_is_imported_from_its_folder_and_from_the_one_above(context, folder):
    run_program(f"import sys; sys.path.insert(0, {str(folder)!r})\nimport course\nassert callable(course.check)")


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which notices these accesses")
@pytest.mark.parametrize(
    "pointer", ["cuda.mem_alloc(40)", "np.intp(host.ctypes.data)"], ids=["overrun", "host pointer"]
)
def test_importing_the_course_makes_small_mistakes_errors(pointer):
    output, _ = run_program(
        f"""
        import sys; sys.path.insert(0, {str(COURSE)!r})
        import course
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        square = SourceModule("__global__ void square(int *a) {{ a[threadIdx.x] = 1; }}").get_function("square")
        host = np.zeros(16, np.int32)
        try:
            square({pointer}, block=(16, 1, 1))
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_CHECK=None,
    )
    assert "an illegal memory access" in output


def test_a_kernel_with_a_name_of_python_s_own_is_one_that_is_called(course, monkeypatch):
    from course import own_context
    from course.checks import NotYet
    from pycuda._notebook_kernels import NotCompiled

    monkeypatch.setattr(own_context, "kernels_of_cell_before", lambda: ["total"])

    def answer():
        return sum(len([1]))

    called = types.FunctionType(answer.__code__, {"sum": NotCompiled("sum", "In[1]"), "__builtins__": __builtins__})
    with pytest.raises(NotYet, match="defines the kernel `total`, and this one calls `sum`: name the kernel `sum`"):
        own_context._refuse_other_name(called)
    own_context._refuse_other_name(answer)


def test_accesses_that_are_unknown_are_not_right(course, monkeypatch):
    from course import lessons_7_to_10, own_context

    monkeypatch.setattr(lessons_7_to_10, "run_checked", lambda *args, **_: own_context.Run(_contrast(*args[1:])))
    assert not course.check("contrast", lambda: None) or not course.on_cpu_driver()


def _contrast(photo):
    return photo / (photo + 0.2)


def test_an_import_that_comes_too_late_is_told(context):
    settings = dict.fromkeys(("PYCUDA_CPU_CHECK", "PYCUDA_CPU_TIMEOUT"))
    for first, is_told in (("import course", False), ("import pycuda.autoinit", True)):
        program = f"import sys; sys.path.insert(0, {str(COURSE)!r})\n{first}\nimport pycuda.autoinit, course"
        _, said = run_program(program, **settings)
        assert ("run `import course` first" in said) == is_told, said
    _, said = run_program(program, **dict.fromkeys(settings, "0"))  # a server's settings hold in any order
    assert said == ""
