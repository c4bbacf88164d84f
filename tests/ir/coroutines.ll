; A kernel that waits becomes a coroutine of one thread. So does a function that waits; what it returns is read from
; memory, each element of a structure for itself, from the same place for all calls.
; steps: hoist-parameter-checks,find-suspending-kernels,block-loops,coroutines
; check: define {{.*}}@k.thread
; check-not: ptx.yield
; check: presplitcoroutine
; check-not: extractvalue
; check-count 0: load { i64, i32 }
; check-count 1: alloca { i64, i32 }
; check-count 1: load { i32, i32 }
declare void @ptx.yield(ptr)
define void @f.k(ptr %thread) "ptx-kernel" {
  call void @ptx.yield(ptr %thread)
  ret void
}
define internal { i64, i32 } @parts(ptr %thread) {
  call void @ptx.yield(ptr %thread)
  ret { i64, i32 } { i64 1, i32 2 }
}
define void @f.reads(ptr %thread, ptr %to) "ptx-kernel" {
  %result = call { i64, i32 } @parts(ptr %thread)
  %next = call { i64, i32 } @parts(ptr %thread)
  %second = extractvalue { i64, i32 } %result, 1
  %of.next = extractvalue { i64, i32 } %next, 1
  %sum = add i32 %second, %of.next
  store i32 %sum, ptr %to
  ret void
}
define internal { i32, i32 } @whole(ptr %thread) {
  call void @ptx.yield(ptr %thread)
  ret { i32, i32 } { i32 1, i32 2 }
}
define void @f.copies(ptr %thread, ptr %to) "ptx-kernel" {
  %result = call { i32, i32 } @whole(ptr %thread)
  store { i32, i32 } %result, ptr %to
  ret void
}
