# SPDX-License-Identifier: MIT
"""What the pytest plug-in says of fixtures: their memory, their faults, and those that come before the context."""

import functools

import pytest
from plugin_projects import run_project
from programs import has_cpu_driver


@pytest.fixture
def project(tmp_path, driver):
    """Writes a test file, runs pytest on it with the plug-in, and returns the exit status and what it printed."""
    return functools.partial(run_project, tmp_path)


@pytest.fixture
def cpu_driver(driver):
    """Skips the test where the CPU driver was not built."""
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")


def test_what_pytest_keeps_until_a_test_is_gone_is_no_leak(project):
    code = """
        from pycuda import gpuarray
        import unittest
        @pytest.fixture
        def returned(cuda_context): return gpuarray.zeros(1000, np.float32)
        @pytest.fixture
        def yielded(cuda_context): yield {"array": gpuarray.zeros(1000, np.float32)}
        def test_returned(returned): returned + 1
        def test_both(cuda_context, returned, yielded): yielded["array"] + returned
        class TestClass:
            @pytest.fixture(autouse=True)
            def setup(self, cuda_context): self.array = gpuarray.zeros(1000, np.float32)
            def test_method(self): self.more = [self.array + 1]
            def teardown_method(self): del self.array
        @pytest.mark.usefixtures("cuda_context")
        class TestCase(unittest.TestCase):
            def test_method(self): self.array = gpuarray.zeros(1000, np.float32)
        """
    status, output = project(code, "--cuda-leaks=error")
    assert status == 0 and "4 passed" in output, output
    kept = "def test_kept(cuda_context, returned): cuda.hidden = returned\n"
    status, output = project(code + kept, "--cuda-leaks=error")
    assert status == 1 and "ERROR test_it.py::test_kept - " in output and "5 passed, 1 error" in output, output


@pytest.mark.usefixtures("programs_on_cpu")
def test_only_what_the_test_left_is_named_as_what_holds_memory(project):
    code = """
        from pycuda import gpuarray
        kept = []
        def test_keeps_kernel(cuda_context): kept.append(SourceModule("__global__ void k() {}"))
        def test_fails(cuda_context):
            kept.append(gpuarray.zeros(7, np.float32))
            assert not kept
        def test_managed(cuda_context):
            kept.append(cuda.managed_empty(5, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL))
        def test_attribute(cuda_context): test_attribute.array = gpuarray.zeros(3, np.float32)
        def test_image(cuda_context):
            kept.append(cuda.matrix_to_array(np.zeros((64, 64), np.float32), "C"))
        """
    status, output = project(code)
    assert status == 1 and "1 failed, 4 passed, 3 warnings" in output, output
    assert "after the test: held by test_it.kept[2], an ndarray of shape (5,) and dtype float32\n" in output, output
    assert "held by test_it.test_attribute.array, a GPUArray of shape (3,) and dtype float32\n" in output, output
    assert "held by test_it.kept[3], an Array\n" in output, output


TEARDOWN = """
@pytest.fixture
def careless(cuda_context):
    yield
    fill(cuda.mem_alloc(40), 11)
@pytest.fixture
def hasty(cuda_context): fill(cuda.mem_alloc(40), 11)
def test_passes(careless): pass
def test_fails(careless): raise ValueError
def test_never_begins(hasty): pass
def test_leaves_early(cuda_context):
    fill(cuda.mem_alloc(40), 11)
    pytest.skip("for now")
"""


def test_faults_in_fixtures_are_reported_once_and_say_when(project, cpu_driver):
    status, output = project(TEARDOWN, "--cuda-device=cpu")
    assert status == 1 and "2 failed, 1 passed, 3 errors" in output, output
    assert "ERROR test_it.py::test_passes - " in output and "ERROR test_it.py::test_fails - " in output
    assert "During handling of the above exception" not in output, output
    assert "a kernel failed after the setup: cuCtxSynchronize failed: an illegal memory access" in output
    assert output.count("bytes past the end of the 40-byte block") == 4, output


def test_a_context_that_was_lost_before_is_named_for_its_own_faults_alone(project, cpu_driver):
    code = """
        def test_shared():
            import pycuda.autoinit
            fill(0, 64)
        def test_own(cuda_context): fill(cuda.mem_alloc(40), 11)
        def test_shared_again(): cuda.mem_alloc(4)
        """
    status, output = project(code, "--cuda-device=cpu")
    assert status == 1 and "3 failed" in output, output
    assert output.count("the context was lost earlier, by test_it.py::test_shared: ") == 1, output


def test_advice_on_fixtures_that_come_before_the_context_says_which_ones(project):
    code = """
        @pytest.fixture(scope="class")
        def memory(): return cuda.mem_alloc(4)
        def test_fixture(memory, cuda_context): pass
        @pytest.mark.usefixtures("cuda_context")
        class TestMethod:
            def setup_method(self): cuda.mem_alloc(4)
            def test_method(self): pass
        """
    status, output = project(code)
    assert status == 1 and "2 errors" in output, output
    assert output.count("a fixture ran before cuda_context: let it take cuda_context as an argument") == 1, output
    assert output.count("setup_method and setup_function run before the fixtures of usefixtures") == 1, output


def test_advice_on_what_has_outlived_its_context(project):
    code = """
        from pycuda import curandom, gpuarray
        kept = []
        def test_first(cuda_context):
            kept.extend([gpuarray.zeros(3, "f4"), curandom.XORWOWRandomNumberGenerator(), cuda.Stream()])
        def test_array(cuda_context): gpuarray.zeros(3, "f4") + kept[0]
        def test_generator(cuda_context): kept[1].gen_uniform(3, "f4")
        def test_stream(cuda_context): gpuarray.zeros(3, "f4").fill(1, stream=kept[2])
        """
    status, output = project(code, "--cuda-leaks=ignore")
    assert status == 1 and "3 failed, 1 passed" in output, output
    assert output.count("each test has a context of its own: keep kernels, arrays and streams between tests") == 3, (
        output
    )


def test_advice_names_the_fixture_as_each_kind_of_test_can_take_it(project):
    pytest.importorskip("hypothesis", reason="needs hypothesis")
    code = """
        import unittest
        from hypothesis import given, strategies
        class TestMethod(unittest.TestCase):
            def test_method(self): cuda.mem_alloc(4)
        class TestSetUp(unittest.TestCase):
            def setUp(self): cuda.mem_alloc(4)
            def test_method(self): pass
        @pytest.mark.usefixtures("cuda_context")
        class TestSetUpClass(unittest.TestCase):
            @classmethod
            def setUpClass(cls): cuda.mem_alloc(4)
            def test_method(self): pass
        @given(strategies.integers())
        def test_given(number): cuda.mem_alloc(4)
        @given(strategies.integers())
        def test_given_argument(cuda_context, number): pass
        def example():
            '''
            >>> memory = cuda.mem_alloc(4)
            '''
        def right_example():
            '''
            >>> context = getfixture("cuda_context")
            >>> memory = cuda.mem_alloc(4)
            '''
        """
    status, output = project(code, "--doctest-modules")
    assert status == 1 and "5 failed, 1 passed, 1 error" in output, output
    assert output.count('the test has no context: mark it with `@pytest.mark.usefixtures("cuda_context")`') == 3, output
    assert output.count("setUpClass runs before the fixtures of a test: make what needs a context in setUp") == 1
    assert output.count("where that is fine, name the fixture by `@pytest.mark.usefixtures") == 1, output
    assert output.count('the example has no context: begin with `>>> context = getfixture("cuda_context")`') == 1
    assert "as an argument" not in output.replace("not as an argument", "")


def test_what_an_example_shows_last_is_not_a_leak(project):
    code = """
        from pycuda import gpuarray
        def example():
            '''
            >>> context = getfixture("cuda_context")
            >>> gpuarray.zeros(3, np.int32)
            array([0, 0, 0], dtype=int32)
            '''
        """
    status, output = project(code, "--doctest-modules", "--cuda-leaks=error")
    assert status == 0 and "1 passed" in output, output


HYPOTHESIS = """
from hypothesis import HealthCheck, given, settings, strategies
from pycuda import tools
cuda.init()

many = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))

@many
@given(strategies.integers(1, 60))
def test_in_one_context(cuda_context, count):
    fill(cuda.mem_alloc(80), count)
    cuda_context.synchronize()

@many
@given(strategies.integers(1, 60))
def test_in_a_context_each(count):
    context = tools.make_default_context()
    try:
        fill(cuda.mem_alloc(80), count)
        context.synchronize()
    finally:
        context.detach()
"""


def test_hypothesis_finds_the_least_example_where_each_has_a_context(project, cpu_driver):
    pytest.importorskip("hypothesis", reason="needs hypothesis")
    status, output = project(HYPOTHESIS, "--cuda-device=cpu")
    assert status == 1 and "2 failed" in output, output
    one, each = output.split("_ test_in_a_context_each _")
    assert "count=21," not in one and "count=21," in each, output
    assert "all examples that Hypothesis tries have one context" in one and "all examples that" not in each, output
