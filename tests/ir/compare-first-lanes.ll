; Of a multiple of 32, only the first lane's number can be it.
; check: icmp eq i32 %first, 0
; check-not: bitcast
define i1 @f.k(ptr %thread, i32 noundef %x) {
  %first = and i32 %x, 1048544
  %head = insertelement <32 x i32> poison, i32 %first, i64 0
  %all = shufflevector <32 x i32> %head, <32 x i32> poison, <32 x i32> zeroinitializer
  %is = icmp eq <32 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %mask = bitcast <32 x i1> %is to i32
  %any = icmp ne i32 %mask, 0
  ret i1 %any
}
