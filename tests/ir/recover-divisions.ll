; Products that are quotients by constants become divisions; a factor that is off by one, and an upper half that is
; used for itself, stay.
; check: define internal void @f.k(
; check: sdiv i32 %x, 100
; check: sdiv i32 %x, 7
; check: sdiv i32 %x, -7
; check: sdiv i32 %x, 3
; check: sdiv i32 %x, -5
; check: sdiv i32 %x, 32
; check: shl nsw i32 %{{\d+}}, 5
; check: udiv i32 %x, 100
; check: udiv i32 %x, 7
; check: lshr i32 %x, 2
; check: udiv i32 %{{\w+}}, 7
; check: mul nsw i64 %s, 1374389537
; check: mul nuw i64 %z, 100
; check: ret void
; check-count 6: sdiv i32
; check-count 3: udiv i32
define internal void @f.k(ptr noundef nonnull %thread) {
entry:
  %p = call ptr @ptx.params(ptr nonnull %thread)
  %x = load i32, ptr %p, align 4, !invariant.load !0
  %s = sext i32 %x to i64
  %z = zext i32 %x to i64
  ; x / 100
  %a1 = mul nsw i64 %s, 1374389535
  %a2 = lshr i64 %a1, 32
  %a3 = trunc nuw i64 %a2 to i32
  %a4 = lshr i32 %a3, 31
  %a5 = ashr i32 %a3, 5
  %a = add nsw i32 %a5, %a4
  store i32 %a, ptr %p
  ; x / 7: the factor is larger than 2^31
  %b1 = mul nsw i64 %s, -1840700269
  %b2 = lshr i64 %b1, 32
  %b3 = trunc nuw i64 %b2 to i32
  %b4 = add i32 %x, %b3
  %b5 = lshr i32 %b4, 31
  %b6 = ashr i32 %b4, 2
  %b = add nsw i32 %b6, %b5
  store i32 %b, ptr %p
  ; x / -7
  %c1 = mul nsw i64 %s, 1840700269
  %c2 = lshr i64 %c1, 32
  %c3 = trunc nuw i64 %c2 to i32
  %c4 = sub i32 %c3, %x
  %c5 = lshr i32 %c4, 31
  %c6 = ashr i32 %c4, 2
  %c = add nsw i32 %c6, %c5
  store i32 %c, ptr %p
  ; x / 3, whose product just reaches the next quotient at -2^31
  %d1 = mul nsw i64 %s, 1431655766
  %d2 = lshr i64 %d1, 32
  %d3 = trunc nuw i64 %d2 to i32
  %d4 = lshr i32 %d3, 31
  %d = add i32 %d4, %d3
  store i32 %d, ptr %p
  ; x / -5
  %e1 = mul nsw i64 %s, -1717986919
  %e2 = lshr i64 %e1, 32
  %e3 = trunc nuw i64 %e2 to i32
  %e4 = lshr i32 %e3, 31
  %e5 = ashr i32 %e3, 1
  %e = add nsw i32 %e5, %e4
  store i32 %e, ptr %p
  ; x / 32 and what x % 32 is subtracted from x
  %f1 = ashr i32 %x, 31
  %f2 = lshr i32 %f1, 27
  %f3 = add i32 %x, %f2
  %f = ashr i32 %f3, 5
  %f4 = and i32 %f3, -32
  store i32 %f, ptr %p
  store i32 %f4, ptr %p
  ; unsigned: x / 100
  %g1 = mul nuw i64 %z, 1374389535
  %g2 = lshr i64 %g1, 37
  %g = trunc nuw nsw i64 %g2 to i32
  store i32 %g, ptr %p
  ; x / 7: the factor has 33 bits
  %h1 = mul nuw nsw i64 %z, 613566757
  %h2 = lshr i64 %h1, 32
  %h3 = trunc nuw nsw i64 %h2 to i32
  %h4 = sub i32 %x, %h3
  %h5 = lshr i32 %h4, 1
  %h6 = add i32 %h5, %h3
  %h = lshr i32 %h6, 2
  store i32 %h, ptr %p
  ; x / 28 as (x / 4) / 7: the dividend has 30 bits
  %i1 = lshr i32 %x, 2
  %i2 = zext i32 %i1 to i64
  %i3 = mul nuw nsw i64 %i2, 613566757
  %i4 = lshr i64 %i3, 32
  %i = trunc nuw i64 %i4 to i32
  store i32 %i, ptr %p
  ; no quotients: this is not x / 100 near 2^31, and x * 100 / 2^32 is a place in a table
  %j1 = mul nsw i64 %s, 1374389537
  %j2 = lshr i64 %j1, 32
  %j3 = trunc nuw i64 %j2 to i32
  %j4 = lshr i32 %j3, 31
  %j5 = ashr i32 %j3, 5
  %j = add nsw i32 %j5, %j4
  store i32 %j, ptr %p
  %l1 = mul nuw i64 %z, 100
  %l2 = lshr i64 %l1, 32
  %l = trunc nuw i64 %l2 to i32
  store i32 %l, ptr %p
  ret void
}
declare ptr @ptx.params(ptr)
!0 = !{}
