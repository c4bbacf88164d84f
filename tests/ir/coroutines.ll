; A kernel that waits becomes a coroutine of one thread.
; steps: hoist-parameter-checks,find-suspending-kernels,block-loops,coroutines
; check: define {{.*}}@k.thread
; check-not: ptx.yield
; check: presplitcoroutine
declare void @ptx.yield(ptr)
define void @f.k(ptr %thread) "ptx-kernel" {
  call void @ptx.yield(ptr %thread)
  ret void
}
