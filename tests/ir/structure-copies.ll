; Copies get two-way branches, and no critical edges.
; check-not: switch
; check: icmp eq i32 %x, 3
; check: ret
define i32 @f.k(i32 %x, i32 %y) {
  switch i32 %x, label %other [ i32 3, label %three
                                i32 5, label %three ]
three:
  %a = mul i32 %y, %y
  %q = udiv i32 %a, %x
  br label %other
other:
  %r = phi i32 [ %q, %three ], [ %y, %0 ]
  ret i32 %r
}
