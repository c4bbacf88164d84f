; Volatile accesses that do not name their space may exchange values within a warp where their kernel, or a function that
; it calls, uses shared memory; those of other kernels of the module cannot.
; check: define void @f.with
; check: store volatile i32 1, ptr %p, align 4, !ptx.generic
; check: define void @f.without
; check: store volatile i32 1, ptr %p, align 4{{$}}
; check: define void @of.with
; check: store volatile i32 2, ptr %p, align 4, !ptx.generic
; check: define void @of.without
; check: store volatile i32 2, ptr %p, align 4{{$}}
; check: define void @by.pointer
; check: store volatile i32 3, ptr %p, align 4, !ptx.generic
declare ptr @ptx.shared.base(ptr)
define void @f.with(ptr %thread, ptr %p) #0 {
  store volatile i32 1, ptr %p, !ptx.generic !0
  call void @of.with(ptr %thread, ptr %p)
  ret void
}
define void @f.without(ptr %thread, ptr %p) #0 {
  store volatile i32 1, ptr %p, !ptx.generic !0
  call void @of.without(ptr %thread, ptr %p)
  ret void
}
define void @of.with(ptr %thread, ptr %p) {
  %base = call ptr @ptx.shared.base(ptr %thread)
  store i32 0, ptr %base
  store volatile i32 2, ptr %p, !ptx.generic !0
  ret void
}
define void @of.without(ptr %thread, ptr %p) {
  store volatile i32 2, ptr %p, !ptx.generic !0
  ret void
}
define void @by.pointer(ptr %thread, ptr %p) #1 {
  store volatile i32 3, ptr %p, !ptx.generic !0
  ret void
}
attributes #0 = { "ptx-kernel" }
attributes #1 = { "ptx-address-taken" }
!0 = !{}
