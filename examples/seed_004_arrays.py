# SPDX-License-Identifier: MIT
"""Arrays, a matrix product timed by events with NumPy's beside it, and an error."""

# Differs from the text in checking its results and in catching the error at the end; on a device that would take long
# for 100 products it repeats them less often.
from pycuda import autoinit
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pycuda.compiler as compiler
import numpy as np

# GPUArray

a = np.random.rand(5)
a_gpu = gpuarray.to_gpu(a)
print(a)
a_gpu *= 2 # executes on GPU!
print(a_gpu)
assert (a_gpu.get() == 2 * a).all()

# Example: matrix multiplication

kernel_text = """
__global__ void mm(double *A, double *B, double *C)
{

  // Block index
  const uint bx = blockIdx.x;
  const uint by = blockIdx.y;

  // Thread index
  const uint tx = threadIdx.x;
  const uint ty = threadIdx.y;

  // Index of the first sub-matrix of A processed by the block
  const uint aBegin = %(N)s * %(BLOCK_SIZE)s * by;
  // Index of the last sub-matrix of A processed by the block
  const uint aEnd = aBegin + %(N)s - 1;
  // Step size used to iterate through the sub-matrices of A
  const uint aStep = %(BLOCK_SIZE)s;

  // Index of the first sub-matrix of B processed by the block
  const uint bBegin = %(BLOCK_SIZE)s * bx;
  // Step size used to iterate through the sub-matrices of B
  const uint bStep = %(BLOCK_SIZE)s * %(N)s;

  // The element of the block sub-matrix that is computed
  // by the thread
  double Csub = 0;
  // Loop over all the sub-matrices of A and B required to
  // compute the block sub-matrix
  for (int a = aBegin, b = bBegin;
       a <= aEnd;
       a += aStep, b += bStep)
    {
      // Shared memory for the sub-matrix of A
      __shared__ double As[%(BLOCK_SIZE)s][%(BLOCK_SIZE)s];
      // Shared memory for the sub-matrix of B
      __shared__ double Bs[%(BLOCK_SIZE)s][%(BLOCK_SIZE)s];

      // Load the matrices from global memory to shared memory
      // each thread loads one element of each matrix
      As[ty][tx] = A[a + %(N)s * ty + tx];
      Bs[ty][tx] = B[b + %(N)s * ty + tx];
      // Synchronize to make sure the matrices are loaded
      __syncthreads();

      // Multiply the two matrices together;
      // each thread computes one element
      // of the block sub-matrix
      for (int k = 0; k < %(BLOCK_SIZE)s; ++k)
        Csub += As[ty][k] * Bs[k][tx];

      // Synchronize to make sure that the preceding
      // computation is done before loading two new
      // sub-matrices of A and B in the next iteration
      __syncthreads();
    }

  // Write the block sub-matrix to global memory;
  // each thread writes one element
  const uint c = %(N)s * %(BLOCK_SIZE)s * by + %(BLOCK_SIZE)s * bx;
  C[c + %(N)s * ty + tx] = Csub;
}
"""

kernel_text = kernel_text % {
    'N': 1024,
    'BLOCK_SIZE': 32
}

print(kernel_text)

mod = compiler.SourceModule(kernel_text)
func = mod.get_function('mm')
mm_gpu = func.prepare([np.intp, np.intp, np.intp])
# mm_gpu = func.prepare('PPP') # also works!

a = np.random.rand(1024, 1024)
b = np.random.rand(1024, 1024)
c = np.zeros([1024, 1024], dtype=np.float64)

a_d = gpuarray.to_gpu(a)
b_d = gpuarray.to_gpu(b)
c_d = gpuarray.to_gpu(c)

mm_gpu.prepared_call((32, 32, 1), (32, 32, 1), a_d.gpudata, b_d.gpudata, c_d.gpudata)

print(c_d)
print(a.dot(b))
np.testing.assert_allclose(c_d.get(), a.dot(b), rtol=1e-12)

start = cuda.Event()
end = cuda.Event()

start.record()
mm_gpu.prepared_call((32, 32, 1), (32, 32, 1), a_d.gpudata, b_d.gpudata, c_d.gpudata)
end.record()
end.synchronize()
repetitions = max(1, min(100, int(2000 / start.time_till(end))))

start.record()
for i in range(repetitions):
    mm_gpu.prepared_call((32, 32, 1), (32, 32, 1), a_d.gpudata, b_d.gpudata, c_d.gpudata)
end.record()
end.synchronize()

print("Average time for matrix multiply on GPU: {} seconds".format(start.time_till(end)*1e-3 / repetitions))

start.record()
for i in range(repetitions):
    a.dot(b)
end.record()
end.synchronize()

print("Average time for matrix multiply on CPU: {} seconds".format(start.time_till(end)*1e-3 / repetitions))

# Errors

try:
    mm_gpu.prepared_call((32, 32, 1), (33, 33, 1), a_d.gpudata, b_d.gpudata, c_d.gpudata) # wrong block size
except cuda.LogicError as error:
    print("LogicError:", error)
    assert "invalid argument" in str(error)
else:
    raise AssertionError("a block of 33 * 33 threads must be refused")
