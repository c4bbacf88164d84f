; The width is a property of the variant: the IR stays as it is.
; check-count 1: store float 1.0
declare i32 @ptx.sreg.tid.x(ptr)
declare i32 @ptx.sreg.ntid.x(ptr)
declare i32 @ptx.sreg.ctaid.x(ptr)
define void @f.k(ptr %thread, i32 %n, i64 %p) {
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %ctaid = call i32 @ptx.sreg.ctaid.x(ptr %thread)
  %first = mul i32 %ctaid, %ntid
  %i = add i32 %first, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
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
