; In a loop over the grid, gangs take turns.
; check: define void @f.k.uniform
; check: call void @ptx.gang.pause(ptr %thread)
define void @f.k(ptr %thread, i32 %n, i64 %p) {
  ret void
}
declare i32 @ptx.sreg.tid.x(ptr)
declare i32 @ptx.sreg.ntid.x(ptr)
declare i32 @ptx.sreg.ctaid.x(ptr)
declare i32 @ptx.sreg.nctaid.x(ptr)
define void @f.k.uniform(ptr %thread, i32 %n, i64 %p) {
entry:
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %ctaid = call i32 @ptx.sreg.ctaid.x(ptr %thread)
  %first = mul i32 %ctaid, %ntid
  %i = add i32 %first, %tid
  %nctaid = call i32 @ptx.sreg.nctaid.x(ptr %thread)
  %step = mul i32 %nctaid, %ntid
  br label %loop
loop:
  %j = phi i32 [ %i, %entry ], [ %j1, %again ]
  %k = phi i32 [ 0, %entry ], [ %k1, %again ]
  %wide = sext i32 %j to i64
  %bytes = shl nsw i64 %wide, 2
  %sum = add i64 %p, %bytes
  %place = inttoptr i64 %sum to ptr
  store float 1.0, ptr %place
  %j1 = add i32 %j, %step
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %again, label %end
again:
  br label %loop
end:
  ret void
}
