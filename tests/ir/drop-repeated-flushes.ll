; What has been flushed is not flushed again.
; check: select i1 %a.t
; check: ret float %a
; check-count 1: select
define float @f.k(float %x) {
  %a.b = bitcast float %x to i32
  %a.e = and i32 %a.b, 2139095040
  %a.t = icmp eq i32 %a.e, 0
  %a.s = and i32 %a.b, -2147483648
  %a.f = select i1 %a.t, i32 %a.s, i32 %a.b
  %a = bitcast i32 %a.f to float
  %b.b = bitcast float %a to i32
  %b.e = and i32 %b.b, 2139095040
  %b.t = icmp eq i32 %b.e, 0
  %b.s = and i32 %b.b, -2147483648
  %b.f = select i1 %b.t, i32 %b.s, i32 %b.b
  %b = bitcast i32 %b.f to float
  ret float %b
}
