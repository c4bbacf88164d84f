; Gangs that wait at a barrier are cut there: one function runs all of a block's from barrier to barrier.
; steps: widen,region-loops
; check: define {{.*}}@k.region
; check: define {{.*}}@k.gangs
; check-not: call void @ptx.barrier.sync
declare ptr @ptx.params(ptr) memory(none)
declare i32 @ptx.sreg.tid.x(ptr) memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) memory(none)
declare void @ptx.barrier.sync(ptr, i32, i32) convergent noduplicate
define void @f.k(ptr %thread) {
  %params = call ptr @ptx.params(ptr %thread)
  %p = load i64, ptr %params, !invariant.load !0
  %n.at = getelementptr i8, ptr %params, i64 8
  %n = load i32, ptr %n.at, !invariant.load !0
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %ctaid = call i32 @ptx.sreg.ctaid.x(ptr %thread)
  %first = mul i32 %ctaid, %ntid
  %i = add i32 %first, %tid
  %wide = sext i32 %i to i64
  %bytes = shl nsw i64 %wide, 2
  %sum = add i64 %p, %bytes
  %at = inttoptr i64 %sum to ptr
  store float 1.0, ptr %at
  call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)
  store float 2.0, ptr %at
  ret void
}
!0 = !{}
