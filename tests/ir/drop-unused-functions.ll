; Functions that nothing can reach go.
; check-not: @unused
; check: define i32 @f.k
define internal void @unused() {
  ret void
}
define i32 @f.k(i32 %x) {
  ret i32 %x
}
