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

; Lanes that exchange values in step stay together from trip to trip: a loop with two back edges stays one loop, though
; %sum changes along one of them alone.
; check: define i32 @f.trips
; check: again.trip:
; check: br label %again
; check: again: ; preds = %again.trip, %entry
; check-not: br label %again{{$}}
; check: ret i32 %added
declare ptr @ptx.shared.base(ptr)
define i32 @f.trips(ptr %thread, i32 %x, i32 %most) {
entry:
  %base = call ptr @ptx.shared.base(ptr %thread)
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ], [ %next, %exchange ]
  %sum = phi i32 [ 0, %entry ], [ %sum, %again ], [ %added, %exchange ]
  %next = add i32 %n, 1
  %bit = lshr i32 %x, %n
  %skip = trunc i32 %bit to i1
  br i1 %skip, label %again, label %exchange
exchange:
  store volatile i32 %sum, ptr %base
  %read = load volatile i32, ptr %base
  %added = add i32 %sum, %read
  %more = icmp slt i32 %next, %most
  br i1 %more, label %again, label %end
end:
  ret i32 %added
}
