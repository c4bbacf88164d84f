; A kernel that may become vectors gets a copy into which its calls are inlined.
; check: define {{.*}}@f.k(
; check: call void @device
; check: define {{.*}}@f.k.copy(
; check-not: call void @device
; check: store float 1.0
define void @device(ptr %p) {
  store float 1.0, ptr %p
  ret void
}
define void @f.k(ptr %thread, ptr %p) {
  call void @device(ptr %p)
  ret void
}
