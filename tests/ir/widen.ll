; Lanes that are neighbours store one vector; a remainder gang's are masked.
; check: define {{.*}}@f.k.tail(
; check: call void @llvm.masked.store.v32f32
; check: define {{.*}}@f.k.gang(
; check: call void @llvm.masked.store.v32f32
; In blocks of whole warps, a number that all lanes get from one of them is a scalar, and so is the
; branch on it: the exchange behind it needs no mask.
; check: define {{.*}}@f.agreed.gang(
; check: extractelement <32 x i32> {{.*}}, i32 5
; check: br i1
; check-not: select <32 x i1>
; check: shufflevector <32 x i32>
; check-not: masked.store
; check: store <32 x i32>
declare ptr @ptx.params(ptr) memory(none)
declare i32 @ptx.sreg.tid.x(ptr) memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) memory(none)
declare { i64, i64 } @ptx.warp(ptr, i32, i32, i64, i64, i64) convergent
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
define void @f.agreed(ptr %thread) "whole-rows" {
  %params = call ptr @ptx.params(ptr %thread)
  %p = load ptr, ptr %params, !invariant.load !0
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %at = getelementptr i32, ptr %p, i32 %tid
  %own = load i32, ptr %at
  %wide = zext i32 %own to i64
  %one = call { i64, i64 } @ptx.warp(ptr %thread, i32 5, i32 -1, i64 %wide, i64 5, i64 31)
  %number = extractvalue { i64, i64 } %one, 0
  %large = icmp ugt i64 %number, 100
  br i1 %large, label %exchange, label %outside
outside:
  br label %end
exchange:
  %two = call { i64, i64 } @ptx.warp(ptr %thread, i32 4, i32 -1, i64 %wide, i64 3, i64 31)
  %other = extractvalue { i64, i64 } %two, 0
  %result = trunc i64 %other to i32
  store i32 %result, ptr %at
  br label %end
end:
  ret void
}
!0 = !{}
