; A coroutine becomes one function that starts and one that resumes.
; steps: hoist-parameter-checks,find-suspending-kernels,block-loops,coroutines,target-attributes,split-coroutines
; check: define {{.*}}@k.thread
; check: define internal {{.*}}@k.thread.resume
; check-not: llvm.coro
; check-not: .destroy(
; check-count 0: presplitcoroutine
declare void @ptx.yield(ptr)
define void @f.k(ptr %thread) "ptx-kernel" {
  call void @ptx.yield(ptr %thread)
  store volatile i32 7, ptr %thread
  ret void
}
