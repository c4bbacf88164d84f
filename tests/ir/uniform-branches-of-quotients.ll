; Where a quotient has become uniform, what loops behind it ask is a question that whole gangs answer.
; steps: uniform-branches,structure-uniform-copies,uniform-quotients,uniform-branches-of-quotients
; check: define internal void @f.k.uniform
; check: call i32 @ptx.gang.first.32(
; check-count 4: call i1 @ptx.gang.all(
declare ptr @ptx.params(ptr) #0
declare i32 @ptx.sreg.ntid.x(ptr) #0
declare i32 @ptx.sreg.nctaid.x(ptr) #0
declare i32 @ptx.sreg.ctaid.x(ptr) #0
declare i32 @ptx.sreg.tid.x(ptr) #0
declare i32 @llvm.umax.i32(i32, i32)
; A loop over the grid as compilers write it: what does not make four trips is counted by a division and goes first.
define internal void @f.k(ptr %thread) {
entry:
  %params = call ptr @ptx.params(ptr %thread)
  %n.at = getelementptr i8, ptr %params, i64 8
  %array = load i64, ptr %params, align 8, !invariant.load !0
  %n = load i32, ptr %n.at, align 4, !invariant.load !0
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %ctaid = call i32 @ptx.sreg.ctaid.x(ptr %thread)
  %tid = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr %thread)
  %first = mul i32 %ctaid, %ntid
  %i = add i32 %first, %tid
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %count, label %outside
outside:
  br label %return
count:
  %blocks = call i32 @ptx.sreg.nctaid.x(ptr %thread)
  %step = mul i32 %blocks, %ntid
  %end = add i32 %step, %n
  %next = add i32 %i, %step
  %below = xor i32 %next, -1
  %left = add i32 %end, %below
  %divisor = call i32 @llvm.umax.i32(i32 %step, i32 1)
  %quotient = udiv i32 %left, %divisor
  %trips = add i32 %quotient, 1
  %odd = and i32 %trips, 3
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %none.odd, label %some.odd
none.odd:
  br label %rest
some.odd:
  br label %one
one:
  %j = phi i32 [ %i, %some.odd ], [ %j.next, %one.again ]
  %odd.left = phi i32 [ %odd, %some.odd ], [ %odd.next, %one.again ]
  %j.wide = sext i32 %j to i64
  %j.bytes = shl nsw i64 %j.wide, 2
  %j.place = add i64 %array, %j.bytes
  %j.at = inttoptr i64 %j.place to ptr
  store float 1.0, ptr %j.at
  %j.next = add i32 %j, %step
  %odd.next = add i32 %odd.left, -1
  %odd.done = icmp eq i32 %odd.next, 0
  br i1 %odd.done, label %one.end, label %one.again
one.again:
  br label %one
one.end:
  %j.last = phi i32 [ %j.next, %one ]
  br label %rest
rest:
  %from = phi i32 [ %i, %none.odd ], [ %j.last, %one.end ]
  %few = icmp ult i32 %quotient, 3
  br i1 %few, label %done, label %more
done:
  br label %return
more:
  br label %four
four:
  %k = phi i32 [ %from, %more ], [ %k.next, %four.again ]
  %k.wide = sext i32 %k to i64
  %k.bytes = shl nsw i64 %k.wide, 2
  %k.place = add i64 %array, %k.bytes
  %k.at = inttoptr i64 %k.place to ptr
  store float 2.0, ptr %k.at
  %four.steps = shl i32 %step, 2
  %k.next = add i32 %k, %four.steps
  %again = icmp slt i32 %k.next, %n
  br i1 %again, label %four.again, label %four.end
four.again:
  br label %four
four.end:
  br label %return
return:
  ret void
}
attributes #0 = { nounwind speculatable willreturn memory(none) }
!0 = !{}
