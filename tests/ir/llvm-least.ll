; Without optimisations that compare pairs of things, a switch becomes a chain of tests.
; check-not: switch
; check: icmp eq i32 %x
define i32 @f.k(i32 %x) {
  switch i32 %x, label %other [ i32 3, label %three ]
three:
  ret i32 1
other:
  ret i32 2
}
