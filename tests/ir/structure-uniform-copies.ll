; Uniform copies keep their values in registers again.
; steps: uniform-branches,structure-uniform-copies
; check: define void @f.k.uniform
; check-not: alloca
; check: call i1 @ptx.gang.all(i1
; check: store float 1.0
declare ptr @ptx.params(ptr) memory(none)
declare i32 @ptx.sreg.tid.x(ptr) memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) memory(none)
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
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %outside
outside:
  br label %end
body:
  %wide = sext i32 %i to i64
  %bytes = shl nsw i64 %wide, 2
  %sum = add i64 %p, %bytes
  %at = inttoptr i64 %sum to ptr
  store float 1.0, ptr %at
  br label %end
end:
  ret void
}
!0 = !{}
