; A kernel that never waits becomes a loop over the threads of a block.
; steps: hoist-parameter-checks,find-suspending-kernels,block-loops
; check: define {{.*}}@k.block
; check-not: @f.k
; check: br i1
define void @f.k(ptr %thread) "ptx-kernel" {
  store volatile i32 7, ptr %thread
  ret void
}
