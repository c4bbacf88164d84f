; A check that another one before it makes sure of goes.
; check-count 1: call void @check.alignment
declare void @check.alignment(ptr, i64, i64, i64)
define void @f.k(ptr %thread, i64 %address) {
  call void @check.alignment(ptr %thread, i64 %address, i64 %address, i64 7)
  call void @check.alignment(ptr %thread, i64 %address, i64 %address, i64 3)
  ret void
}
