; Gangs whose lanes agree on a quotient go on with one number.
; check: call i32 @ptx.gang.first.i32
; check: call i32 @ptx.gang.last.i32
; check: pycuda.apart
declare i32 @ptx.sreg.tid.x(ptr)
declare i32 @ptx.sreg.ntid.x(ptr)
declare i32 @ptx.sreg.ctaid.x(ptr)
define void @f.k(ptr %thread, i32 %width, i64 %p) {
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %ctaid = call i32 @ptx.sreg.ctaid.x(ptr %thread)
  %first = mul i32 %ctaid, %ntid
  %i = add i32 %first, %tid
  %row = udiv i32 %i, %width
  %wide = zext i32 %row to i64
  %bytes = shl nsw i64 %wide, 2
  %sum = add i64 %p, %bytes
  %at = inttoptr i64 %sum to ptr
  store float 1.0, ptr %at
  ret void
}
