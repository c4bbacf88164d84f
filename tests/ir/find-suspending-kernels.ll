; A kernel that waits is left to become a coroutine: it gets no loop over threads.
; steps: hoist-parameter-checks,find-suspending-kernels,block-loops
; check: define void @f.k(
; check: call void @ptx.yield
; check-not: @k.block
declare void @ptx.yield(ptr)
define void @f.k(ptr %thread) "ptx-kernel" {
  call void @ptx.yield(ptr %thread)
  ret void
}
