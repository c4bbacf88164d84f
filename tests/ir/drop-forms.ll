; Of the forms, those stay that most launches need: gangs. Threads one by one are made when a launch needs them.
; steps: widen,drop-forms
; forms: likely
; check-not: define {{.*}}@f.k(
; check: define {{.*}}@f.k.gang
; check-not: define {{.*}}@f.k(
declare ptr @ptx.params(ptr) #0
declare i32 @ptx.sreg.tid.x(ptr) #0
define internal void @f.k(ptr %thread) {
  ret void
}
define internal void @f.k.copy(ptr %thread) {
entry:
  %params = call ptr @ptx.params(ptr %thread) #0
  %array = load i64, ptr %params, align 8, !invariant.load !0
  %x = call range(i32 0, 1024) i32 @ptx.sreg.tid.x(ptr %thread) #0
  %wide = zext i32 %x to i64
  %bytes = shl i64 %wide, 2
  %place = add i64 %array, %bytes
  %here = inttoptr i64 %place to ptr
  store float 1.0, ptr %here, align 4
  ret void
}
attributes #0 = { nounwind speculatable willreturn memory(none) }
!0 = !{}
