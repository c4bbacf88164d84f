; Of more arithmetic in a row than processors look ahead, the order of instructions is chosen for parallelism: the
; function is marked for the code generator.
; check: attributes {{.*}}"pycuda-long-arithmetic"
define <64 x float> @f(<64 x float> %v0) {
; repeat 63:   %v{i+1} = fmul <64 x float> %v{i}, %v{i}
  ret <64 x float> %v63
}
