; A variant without a uniform copy gets one.
; check-count 2: define void @f.k
define void @f.k() {
  ret void
}
