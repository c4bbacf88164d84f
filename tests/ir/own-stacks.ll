; Where its thread waits a function calls the scheduler; it stays the function that it is, and so do its calls. A kernel
; gets a function that begins a thread, and says how much of a stack it needs: for a function that calls itself the more,
; the higher the limit of stacks is.
; check-not: call void @ptx.barrier.sync(
; check: call void @pycuda_cpu_wait_on_stack(ptr %thread)
; check: call i32 @deeper(ptr %thread
; check: define void @k.thread(ptr %0, ptr %1)
; check: call void @pycuda_cpu_begin_on_stack(ptr %0, ptr %1, ptr @f.k, i64 {{[0-9]+}}, i32 {{[1-9][0-9]*}})
; check: define void @plain.thread(ptr %0, ptr %1)
; check: call void @pycuda_cpu_begin_on_stack(ptr %0, ptr %1, ptr @f.plain, i64 {{[0-9]+}}, i32 0)
; check-count 2: call void @pycuda_cpu_wait_on_stack(
declare void @ptx.barrier.sync(ptr, i32, i32)
define internal i32 @deeper(ptr %thread, i32 %n) "ptx-metered-frame"="32" {
  call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)
  %less = sub i32 %n, 1
  %r = call i32 @deeper(ptr %thread, i32 %less)
  ret i32 %r
}
define void @f.k(ptr %thread) "ptx-kernel" {
  %r = call i32 @deeper(ptr %thread, i32 3)
  ret void
}
define void @f.plain(ptr %thread) "ptx-kernel" {
  call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)
  ret void
}
