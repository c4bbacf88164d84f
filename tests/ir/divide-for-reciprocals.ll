; The iteration for the reciprocal of a double is a division.
; check: fdiv double 1.000000e+00
define internal i64 @f.__internal_accurate_pow(ptr noundef nonnull %thread, i64 %0) #0 {
entry:
  %.not = icmp ult i64 %0, 4503599627370496
  br i1 %.not, label %131, label %127
"$L__BB1_2":
  %.017 = phi i32 [ %130, %127 ], [ %138, %131 ]
  %.016 = phi i32 [ %129, %127 ], [ %136, %131 ]
  %.0.in = phi i64 [ %0, %127 ], [ %134, %131 ]
  %1 = and i32 %.016, -2146435073
  %2 = or disjoint i32 %1, 1072693248
  %3 = icmp ult i32 %2, 1073127583
  br i1 %3, label %139, label %145
"$L__BB1_4":
  %.019 = phi i64 [ %143, %139 ], [ %150, %145 ]
  %.018 = phi i32 [ %144, %139 ], [ %151, %145 ]
  %4 = bitcast i64 %.019 to double
  %5 = fadd double %4, 1.000000e+00
  %6 = bitcast double %5 to i64
  %7 = call double @approximate.rcp.f64.ftz(double %5) #5
  %8 = fneg double %5
  %9 = or i64 %6, 2251799813685248
  %10 = bitcast i64 %9 to double
  %11 = fcmp uno double %5, 0.000000e+00
  %12 = select i1 %11, double %10, double %8
  %13 = call double @llvm.fma.f64(double %12, double %7, double 1.000000e+00)
  %14 = call double @llvm.fma.f64(double %13, double %13, double %13)
  %15 = call double @llvm.fma.f64(double %14, double %7, double %7)
  %16 = fadd double %4, -1.000000e+00
  %17 = fmul double %16, %15
  %18 = call double @llvm.fma.f64(double %16, double %15, double %17)
  %19 = bitcast double %18 to i64
  %20 = fmul double %18, %18
  %21 = bitcast double %20 to i64
  %22 = call double @llvm.fma.f64(double %20, double 0x3EB0F5FF7D2CAFE2, double 0x3ED0F5D241AD3B5A)
  %23 = call double @llvm.fma.f64(double %22, double %20, double 0x3EF3B20A75488A3F)
  %24 = call double @llvm.fma.f64(double %23, double %20, double 0x3F1745CDE4FAECD5)
  %25 = call double @llvm.fma.f64(double %24, double %20, double 0x3F3C71C7258A578B)
  %26 = call double @llvm.fma.f64(double %25, double %20, double 0x3F6249249242B910)
  %27 = call double @llvm.fma.f64(double %26, double %20, double 0x3F89999999999DFB)
  %28 = fsub double %16, %18
  %29 = fadd double %28, %28
  %30 = fneg double %18
  %31 = or i64 %19, 2251799813685248
  %32 = bitcast i64 %31 to double
  %33 = fcmp uno double %18, 0.000000e+00
  %34 = select i1 %33, double %32, double %30
  %35 = call double @llvm.fma.f64(double %34, double %16, double %29)
  %36 = fmul double %15, %35
  %37 = bitcast double %36 to i64
  %38 = call double @llvm.fma.f64(double %20, double %27, double 0x3FB5555555555555)
  %39 = fsub double 0x3FB5555555555555, %38
  %40 = call double @llvm.fma.f64(double %20, double %27, double %39)
  %41 = fadd double %40, 0.000000e+00
  %42 = fadd double %41, 0xBC46A4CB00B9E7B0
  %43 = fadd double %38, %42
  %44 = fsub double %38, %43
  %45 = fadd double %42, %44
  %46 = fneg double %20
  %47 = or i64 %21, 2251799813685248
  %48 = bitcast i64 %47 to double
  %49 = fcmp uno double %20, 0.000000e+00
  %50 = select i1 %49, double %48, double %46
  %51 = call double @llvm.fma.f64(double %18, double %18, double %50)
  %52 = and i64 %37, -4294967296
  %53 = and i64 %37, 4294967295
  %54 = add i64 %52, 4503599627370496
  %55 = or disjoint i64 %53, %54
  %56 = bitcast i64 %55 to double
  %57 = call double @llvm.fma.f64(double %18, double %56, double %51)
  %58 = fmul double %20, %18
  %59 = bitcast double %58 to i64
  %60 = fneg double %58
  %61 = or i64 %59, 2251799813685248
  %62 = bitcast i64 %61 to double
  %63 = fcmp uno double %58, 0.000000e+00
  %64 = select i1 %63, double %62, double %60
  %65 = call double @llvm.fma.f64(double %20, double %18, double %64)
  %66 = call double @llvm.fma.f64(double %20, double %36, double %65)
  %67 = call double @llvm.fma.f64(double %57, double %18, double %66)
  %68 = fmul double %43, %58
  %69 = bitcast double %68 to i64
  %70 = fneg double %68
  %71 = or i64 %69, 2251799813685248
  %72 = bitcast i64 %71 to double
  %73 = fcmp uno double %68, 0.000000e+00
  %74 = select i1 %73, double %72, double %70
  %75 = call double @llvm.fma.f64(double %43, double %58, double %74)
  %76 = call double @llvm.fma.f64(double %43, double %67, double %75)
  %77 = call double @llvm.fma.f64(double %45, double %58, double %76)
  %78 = fadd double %68, %77
  %79 = fsub double %68, %78
  %80 = fadd double %77, %79
  %81 = fadd double %18, %78
  %82 = fsub double %18, %81
  %83 = fadd double %78, %82
  %84 = fadd double %80, %83
  %85 = fadd double %36, %84
  %86 = fadd double %81, %85
  %87 = fsub double %81, %86
  %88 = fadd double %85, %87
  %89 = xor i32 %.018, -2147483648
  %90 = zext i32 %89 to i64
  %91 = or disjoint i64 %90, 4841369599423283200
  %92 = bitcast i64 %91 to double
  %93 = fadd double %92, 0xC330000080000000
  %94 = bitcast double %93 to i64
  %95 = call double @llvm.fma.f64(double %93, double 0x3FE62E42FEFA39EF, double %86)
  %96 = fneg double %93
  %97 = or i64 %94, 2251799813685248
  %98 = bitcast i64 %97 to double
  %99 = fcmp uno double %93, 0.000000e+00
  %100 = select i1 %99, double %98, double %96
  %101 = call double @llvm.fma.f64(double %100, double 0x3FE62E42FEFA39EF, double %95)
  %102 = fsub double %101, %86
  %103 = fsub double %88, %102
  %104 = call double @llvm.fma.f64(double %93, double 0x3C7ABC9E3B39803F, double %103)
  %105 = fadd double %95, %104
  %106 = fsub double %95, %105
  %107 = fadd double %104, %106
  %108 = fmul double %105, 1.500000e+00
  %109 = bitcast double %108 to i64
  %110 = fneg double %108
  %111 = or i64 %109, 2251799813685248
  %112 = bitcast i64 %111 to double
  %113 = fcmp uno double %108, 0.000000e+00
  %114 = select i1 %113, double %112, double %110
  %115 = call double @llvm.fma.f64(double %105, double 1.500000e+00, double %114)
  %116 = call double @llvm.fma.f64(double %107, double 1.500000e+00, double %115)
  %117 = fadd double %108, %116
  %118 = fsub double %108, %117
  %119 = fadd double %116, %118
  br label %152
"$L__BB1_7":
  %120 = call double @approximate.exp.f64(double %117)
  %121 = bitcast double %120 to i64
  %122 = bitcast i64 %121 to double
  %123 = call double @llvm.fabs.f64(double %122)
  %124 = fcmp oeq double %123, 0x7FF0000000000000
  %125 = call double @llvm.fma.f64(double %122, double %119, double %122)
  %126 = bitcast double %125 to i64
  %.1 = select i1 %124, i64 %121, i64 %126
  ret i64 %.1
127:
  %128 = lshr i64 %0, 32
  %129 = trunc nuw i64 %128 to i32
  %130 = lshr i32 %129, 20
  br label %"$L__BB1_2"
131:
  %132 = bitcast i64 %0 to double
  %133 = fmul double %132, 0x4350000000000000
  %134 = bitcast double %133 to i64
  %135 = lshr i64 %134, 32
  %136 = trunc nuw i64 %135 to i32
  %137 = lshr i32 %136, 20
  %138 = add nsw i32 %137, -54
  br label %"$L__BB1_2"
139:
  %140 = zext nneg i32 %2 to i64
  %141 = and i64 %.0.in, 4294967295
  %142 = shl nuw nsw i64 %140, 32
  %143 = or disjoint i64 %141, %142
  %144 = add nsw i32 %.017, -1023
  br label %"$L__BB1_4"
145:
  %146 = or disjoint i32 %1, 1071644672
  %147 = and i64 %.0.in, 4294967295
  %148 = zext i32 %146 to i64
  %149 = shl nuw i64 %148, 32
  %150 = or disjoint i64 %147, %149
  %151 = add nsw i32 %.017, -1022
  br label %"$L__BB1_4"
152:
  br label %"$L__BB1_7"
}
declare double @approximate.rcp.f64.ftz(double) #1
declare double @llvm.fma.f64(double, double, double) #2
declare double @llvm.fabs.f64(double) #2
define internal void @f.k(ptr noundef nonnull %thread) #3 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = load i64, ptr %0, align 8, !invariant.load !0
  %2 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5
  %3 = zext nneg i32 %2 to i64
  %4 = shl nuw nsw i64 %3, 3
  %5 = add i64 %1, %4
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds i8, ptr %thread, i64 88
  store volatile i32 1, ptr %7, align 4
  %8 = getelementptr inbounds i8, ptr %thread, i64 92
  store volatile i32 1, ptr %8, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %5, i64 %5, i64 7) #5
  %9 = load i64, ptr %6, align 8, !alias.scope !1, !noalias !4
  %10 = bitcast i64 %9 to double
  %11 = call double @llvm.fabs.f64(double %10)
  %12 = or i64 %9, 2251799813685248
  %13 = bitcast i64 %12 to double
  %14 = fcmp uno double %10, 0.000000e+00
  %15 = select i1 %14, double %13, double %11
  %16 = bitcast double %15 to i64
  %17 = call i64 @f.__internal_accurate_pow(ptr %thread, i64 %16) #5
  %18 = fcmp oeq double %10, 0.000000e+00
  br i1 %18, label %"$L__BB0_5", label %"$L__BB0_1"
"$L__BB0_5":
  %.0 = phi i64 [ -2251799813685248, %25 ], [ 0, %entry ], [ %17, %"$L__BB0_1" ]
  %19 = fadd double %10, 1.500000e+00
  %20 = bitcast double %19 to i64
  %21 = and i64 %20, 9218868437227405312
  %.not = icmp eq i64 %21, 9218868437227405312
  br i1 %.not, label %26, label %"$L__BB0_10"
"$L__BB0_10":
  %.1 = phi i64 [ 9218868437227405312, %29 ], [ %.0, %"$L__BB0_5" ], [ %20, %26 ], [ %.0, %"$L__BB0_7" ]
  %22 = fcmp oeq double %10, 1.000000e+00
  %23 = select i1 %22, i64 4607182418800017408, i64 %.1
  store volatile i32 1, ptr %7, align 4
  store volatile i32 1, ptr %8, align 4
  call void @check.alignment(ptr nonnull %thread, i64 %5, i64 %5, i64 7) #5
  store i64 %23, ptr %6, align 8, !alias.scope !1, !noalias !4
  ret void
"$L__BB0_1":
  %24 = icmp sgt i64 %9, -1
  br i1 %24, label %"$L__BB0_5", label %25
25:
  br label %"$L__BB0_5"
26:
  %27 = fcmp uno double %15, 0.000000e+00
  br i1 %27, label %"$L__BB0_10", label %"$L__BB0_7"
"$L__BB0_7":
  %28 = fcmp une double %15, 0x7FF0000000000000
  br i1 %28, label %"$L__BB0_10", label %29
29:
  br label %"$L__BB0_10"
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
declare void @check.alignment(ptr, i64, i64, i64) #4
declare double @approximate.exp.f64(double) #1
attributes #0 = { nounwind null_pointer_is_valid }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="8" }
attributes #4 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #5 = { nounwind }
!0 = !{}
!1 = !{!2}
!2 = !{!"global", !3}
!3 = !{!"ptx spaces"}
!4 = !{!5}
!5 = !{!"shared", !3}
