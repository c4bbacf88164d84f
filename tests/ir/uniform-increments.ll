; A pointer that grows by the same step in every lane is a start and a distance.
; check: %distance = phi i64
; check: add i64 %sum, %distance
; check: %further = add i64 %distance, 128
; check-not: %next
; check: br i1
declare i32 @ptx.sreg.tid.x(ptr)
declare i32 @ptx.sreg.ntid.x(ptr)
declare i32 @ptx.sreg.ctaid.x(ptr)
define void @f.k(ptr %thread, i32 %n, i64 %p) {
entry:
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %ctaid = call i32 @ptx.sreg.ctaid.x(ptr %thread)
  %first = mul i32 %ctaid, %ntid
  %i = add i32 %first, %tid
  %j = add i32 %i, %n
  %wide = sext i32 %j to i64
  %bytes = shl nsw i64 %wide, 2
  %sum = add i64 %p, %bytes
  br label %loop
loop:
  %at = phi i64 [ %sum, %entry ], [ %next, %again ]
  %k = phi i32 [ 0, %entry ], [ %k1, %again ]
  %place = inttoptr i64 %at to ptr
  store float 1.0, ptr %place
  %next = add i64 %at, 128
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %again, label %end
again:
  br label %loop
end:
  ret void
}
