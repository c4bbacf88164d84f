; ModuleID = 'ptx'
source_filename = "ptx"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind null_pointer_is_valid
define internal void @f._Z5scalePfi(ptr noundef nonnull %thread) #0 {
entry:
  %__local_depot0 = alloca [28 x i8], align 4
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !dbg !2, !invariant.load !7
  %3 = load i32, ptr %1, align 4, !dbg !2, !invariant.load !7
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #5, !dbg !8
  %5 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #5, !dbg !8
  %6 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5, !dbg !8
  %7 = mul i32 %5, %4, !dbg !8
  %8 = add i32 %7, %6, !dbg !8
  %.not = icmp slt i32 %8, %3, !dbg !9
  br i1 %.not, label %41, label %return, !dbg !9

"$L__BB0_7":                                      ; preds = %41
  %9 = bitcast i32 %48 to float, !dbg !10
  %10 = call float @llvm.fabs.f32(float %9), !dbg !10
  %11 = call float @llvm.fma.f32(float %10, float 0x3FD45F3060000000, float 0x4168000000000000), !dbg !10
  %12 = fsub float %11, 0x4168000000000000, !dbg !10
  %13 = bitcast float %9 to i32, !dbg !10
  %14 = and i32 %13, -2147483648, !dbg !10
  %15 = call float @llvm.fma.f32(float %12, float 0xC00921FB40000000, float %10), !dbg !10
  %16 = call float @llvm.fma.f32(float %12, float 0xBE84442D00000000, float %15), !dbg !10
  %17 = call float @llvm.fma.f32(float %12, float 0xBD084698A0000000, float %16), !dbg !10
  %18 = fmul float %17, %17, !dbg !10
  %19 = fmul float %18, -1.250000e-01, !dbg !10
  %20 = call float @llvm.fma.f32(float 0x3EC5DBC240000000, float %18, float 0xBF29F70460000000), !dbg !10
  %21 = call float @llvm.fma.f32(float %20, float %18, float 0x3F8110ED80000000), !dbg !10
  %22 = call float @llvm.fma.f32(float %21, float %18, float 0xBFA5555300000000), !dbg !10
  %23 = call float @llvm.fma.f32(float %18, float %22, float %19), !dbg !10
  %24 = call float @llvm.fma.f32(float %17, float %23, float %17), !dbg !10
  %25 = bitcast float %11 to i32, !dbg !10
  %26 = shl i32 %25, 31, !dbg !10
  %27 = xor i32 %26, %14, !dbg !10
  %28 = bitcast float %24 to i32, !dbg !10
  %29 = xor i32 %28, %27, !dbg !10
  %30 = bitcast i32 %29 to float, !dbg !10
  %31 = call float @llvm.fabs.f32(float %9), !dbg !10
  %32 = fcmp uge float %31, 1.056150e+05, !dbg !10
  br i1 %32, label %33, label %36, !dbg !10, !prof !11

33:                                               ; preds = %"$L__BB0_7"
  %34 = call float @pycuda_cpu_sin_f32(float %9), !dbg !10
  %35 = fcmp uno float %34, 0.000000e+00, !dbg !10
  br label %36, !dbg !10

36:                                               ; preds = %"$L__BB0_7", %33
  %37 = phi float [ %30, %"$L__BB0_7" ], [ %34, %33 ], !dbg !10
  %38 = call float @llvm.fma.f32(float %49, float 2.000000e+00, float %37), !dbg !10
  %39 = fcmp uno float %38, 0.000000e+00, !dbg !10
  %40 = select i1 %39, float 0x7FFFFFFFE0000000, float %38, !dbg !10
  store volatile i32 10, ptr %46, align 4, !dbg !10
  store volatile i32 1, ptr %47, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %44, i64 3) #5, !dbg !10
  store float %40, ptr %45, align 4, !dbg !10, !alias.scope !12, !noalias !15
  br label %return, !dbg !10

return:                                           ; preds = %entry, %36
  ret void, !dbg !17

41:                                               ; preds = %entry
  %42 = sext i32 %8 to i64, !dbg !10
  %43 = shl nsw i64 %42, 2, !dbg !10
  %44 = add i64 %2, %43, !dbg !10
  %45 = inttoptr i64 %44 to ptr, !dbg !10
  %46 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !10
  store volatile i32 10, ptr %46, align 4, !dbg !10
  %47 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !10
  store volatile i32 1, ptr %47, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %44, i64 3) #5, !dbg !10
  %48 = load i32, ptr %45, align 4, !dbg !10, !alias.scope !12, !noalias !15
  %49 = bitcast i32 %48 to float, !dbg !10
  %50 = call float @llvm.fabs.f32(float %49), !dbg !10
  %51 = fcmp ult float %50, 1.056150e+05, !dbg !10
  br label %"$L__BB0_7"
}

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr @ptx.params(ptr) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.tid.x(ptr) #1

; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
declare void @check.alignment(ptr, i64, i64, i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.roundeven.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fptosi.sat.i32.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #3

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @approximate.sinf(float) #1

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @pycuda_cpu_sin_f32(float) #1

; Function Attrs: nounwind null_pointer_is_valid
define internal void @f._Z5scalePfi.copy(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !dbg !2, !invariant.load !7
  %3 = load i32, ptr %1, align 4, !dbg !2, !invariant.load !7
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #5, !dbg !8
  %5 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #5, !dbg !8
  %6 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5, !dbg !8
  %7 = mul i32 %5, %4, !dbg !8
  %8 = add i32 %7, %6, !dbg !8
  %.not = icmp slt i32 %8, %3, !dbg !9
  br i1 %.not, label %"$L__BB0_7", label %entry.return_crit_edge, !dbg !9

entry.return_crit_edge:                           ; preds = %entry
  br label %return, !dbg !9

9:                                                ; preds = %"$L__BB0_7"
  %10 = call float @pycuda_cpu_sin_f32(float %23), !dbg !10
  br label %11, !dbg !10

11:                                               ; preds = %"$L__BB0_7._crit_edge", %9
  %12 = phi float [ %43, %"$L__BB0_7._crit_edge" ], [ %10, %9 ], !dbg !10
  %13 = call float @llvm.fma.f32(float %23, float 2.000000e+00, float %12), !dbg !10
  %14 = fcmp uno float %13, 0.000000e+00, !dbg !10
  %15 = select i1 %14, float 0x7FFFFFFFE0000000, float %13, !dbg !10
  store volatile i32 10, ptr %20, align 4, !dbg !10
  store volatile i32 1, ptr %21, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %18, i64 3) #5, !dbg !10
  store float %15, ptr %19, align 4, !dbg !10, !alias.scope !12, !noalias !15
  br label %return, !dbg !10

return:                                           ; preds = %entry.return_crit_edge, %11
  ret void, !dbg !17

"$L__BB0_7":                                      ; preds = %entry
  %16 = sext i32 %8 to i64, !dbg !10
  %17 = shl nsw i64 %16, 2, !dbg !10
  %18 = add i64 %2, %17, !dbg !10
  %19 = inttoptr i64 %18 to ptr, !dbg !10
  %20 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !10
  store volatile i32 10, ptr %20, align 4, !dbg !10
  %21 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !10
  store volatile i32 1, ptr %21, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %18, i64 3) #5, !dbg !10
  %22 = load i32, ptr %19, align 4, !dbg !10, !alias.scope !12, !noalias !15
  %23 = bitcast i32 %22 to float, !dbg !10
  %24 = call float @llvm.fabs.f32(float %23), !dbg !10
  %25 = call float @llvm.fma.f32(float %24, float 0x3FD45F3060000000, float 0x4168000000000000), !dbg !10
  %26 = fadd float %25, 0xC168000000000000, !dbg !10
  %27 = and i32 %22, -2147483648, !dbg !10
  %28 = call float @llvm.fma.f32(float %26, float 0xC00921FB40000000, float %24), !dbg !10
  %29 = call float @llvm.fma.f32(float %26, float 0xBE84442D00000000, float %28), !dbg !10
  %30 = call float @llvm.fma.f32(float %26, float 0xBD084698A0000000, float %29), !dbg !10
  %31 = fmul float %30, %30, !dbg !10
  %32 = fmul float %31, -1.250000e-01, !dbg !10
  %33 = call float @llvm.fma.f32(float %31, float 0x3EC5DBC240000000, float 0xBF29F70460000000), !dbg !10
  %34 = call float @llvm.fma.f32(float %33, float %31, float 0x3F8110ED80000000), !dbg !10
  %35 = call float @llvm.fma.f32(float %34, float %31, float 0xBFA5555300000000), !dbg !10
  %36 = call float @llvm.fma.f32(float %31, float %35, float %32), !dbg !10
  %37 = call float @llvm.fma.f32(float %30, float %36, float %30), !dbg !10
  %38 = bitcast float %25 to i32, !dbg !10
  %39 = shl i32 %38, 31, !dbg !10
  %40 = xor i32 %39, %27, !dbg !10
  %41 = bitcast float %37 to i32, !dbg !10
  %42 = xor i32 %40, %41, !dbg !10
  %43 = bitcast i32 %42 to float, !dbg !10
  %44 = fcmp uge float %24, 1.056150e+05, !dbg !10
  br i1 %44, label %9, label %"$L__BB0_7._crit_edge", !dbg !10, !prof !11

"$L__BB0_7._crit_edge":                           ; preds = %"$L__BB0_7"
  br label %11, !dbg !10
}

; Function Attrs: nounwind null_pointer_is_valid
define internal void @f._Z5scalePfi.copy.uniform(ptr noundef nonnull %thread) #0 {
entry:
  %0 = call ptr @ptx.params(ptr nonnull %thread) #5
  %1 = getelementptr inbounds i8, ptr %0, i64 8
  %2 = load i64, ptr %0, align 8, !dbg !2, !invariant.load !7
  %3 = load i32, ptr %1, align 4, !dbg !2, !invariant.load !7
  %4 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #5, !dbg !8
  %5 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #5, !dbg !8
  %6 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #5, !dbg !8
  %7 = mul i32 %5, %4, !dbg !8
  %8 = add i32 %7, %6, !dbg !8
  %9 = icmp slt i32 %8, %3, !dbg !9
  %10 = call i1 @ptx.gang.all(i1 %9), !dbg !9
  %11 = call ptr @ptx.params(ptr nonnull %thread), !dbg !9
  %12 = load i8, ptr %11, align 1, !dbg !9, !invariant.load !7
  %13 = and i8 %12, 3, !dbg !9
  %14 = icmp eq i8 %13, 0, !dbg !9
  %15 = and i1 %10, %14, !dbg !9
  br i1 %15, label %"$L__BB0_7", label %some, !dbg !9

entry.return_crit_edge:                           ; preds = %some
  br label %return, !dbg !9

16:                                               ; preds = %"$L__BB0_7"
  %17 = call float @pycuda_cpu_sin_f32(float %29), !dbg !10
  br label %18, !dbg !10

18:                                               ; preds = %"$L__BB0_7._crit_edge", %16
  %.reg2mem28.0 = phi float [ %17, %16 ], [ %50, %"$L__BB0_7._crit_edge" ]
  %19 = call float @llvm.fma.f32(float %29, float 2.000000e+00, float %.reg2mem28.0), !dbg !10
  %20 = fcmp uno float %19, 0.000000e+00, !dbg !10
  %21 = select i1 %20, float 0x7FFFFFFFE0000000, float %19, !dbg !10
  store volatile i32 10, ptr %26, align 4, !dbg !10
  store volatile i32 1, ptr %27, align 4, !dbg !10
  store float %21, ptr %25, align 4, !dbg !10, !alias.scope !12, !noalias !15
  br label %return, !dbg !10

return:                                           ; preds = %53, %entry.return_crit_edge.masked, %18, %entry.return_crit_edge
  ret void, !dbg !17

"$L__BB0_7":                                      ; preds = %entry
  %22 = sext i32 %8 to i64, !dbg !10
  %23 = shl nsw i64 %22, 2, !dbg !10
  %24 = add i64 %2, %23, !dbg !10
  %25 = inttoptr i64 %24 to ptr, !dbg !10
  %26 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !10
  store volatile i32 10, ptr %26, align 4, !dbg !10
  %27 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !10
  store volatile i32 1, ptr %27, align 4, !dbg !10
  %28 = load i32, ptr %25, align 4, !dbg !10, !alias.scope !12, !noalias !15
  %29 = bitcast i32 %28 to float, !dbg !10
  %30 = call float @llvm.fabs.f32(float %29), !dbg !10
  %31 = fcmp uge float %30, 1.056150e+05, !dbg !10
  br i1 %31, label %16, label %"$L__BB0_7._crit_edge", !dbg !10, !prof !11

"$L__BB0_7._crit_edge":                           ; preds = %"$L__BB0_7"
  %32 = call float @llvm.fma.f32(float %30, float 0x3FD45F3060000000, float 0x4168000000000000), !dbg !10
  %33 = bitcast float %32 to i32, !dbg !10
  %34 = shl i32 %33, 31, !dbg !10
  %35 = and i32 %28, -2147483648, !dbg !10
  %36 = xor i32 %34, %35, !dbg !10
  %37 = fadd float %32, 0xC168000000000000, !dbg !10
  %38 = call float @llvm.fma.f32(float %37, float 0xC00921FB40000000, float %30), !dbg !10
  %39 = call float @llvm.fma.f32(float %37, float 0xBE84442D00000000, float %38), !dbg !10
  %40 = call float @llvm.fma.f32(float %37, float 0xBD084698A0000000, float %39), !dbg !10
  %41 = fmul float %40, %40, !dbg !10
  %42 = call float @llvm.fma.f32(float %41, float 0x3EC5DBC240000000, float 0xBF29F70460000000), !dbg !10
  %43 = call float @llvm.fma.f32(float %42, float %41, float 0x3F8110ED80000000), !dbg !10
  %44 = call float @llvm.fma.f32(float %43, float %41, float 0xBFA5555300000000), !dbg !10
  %45 = fmul float %41, -1.250000e-01, !dbg !10
  %46 = call float @llvm.fma.f32(float %41, float %44, float %45), !dbg !10
  %47 = call float @llvm.fma.f32(float %40, float %46, float %40), !dbg !10
  %48 = bitcast float %47 to i32, !dbg !10
  %49 = xor i32 %36, %48, !dbg !10
  %50 = bitcast i32 %49 to float, !dbg !10
  br label %18, !dbg !10

entry.return_crit_edge.masked:                    ; preds = %divided
  br label %return, !dbg !9

51:                                               ; preds = %"$L__BB0_7.masked"
  %52 = call float @pycuda_cpu_sin_f32(float %64), !dbg !10
  br label %53, !dbg !10

53:                                               ; preds = %"$L__BB0_7._crit_edge.masked", %51
  %.reg2mem28.1 = phi float [ %52, %51 ], [ %85, %"$L__BB0_7._crit_edge.masked" ]
  %54 = call float @llvm.fma.f32(float %64, float 2.000000e+00, float %.reg2mem28.1), !dbg !10
  %55 = fcmp uno float %54, 0.000000e+00, !dbg !10
  %56 = select i1 %55, float 0x7FFFFFFFE0000000, float %54, !dbg !10
  store volatile i32 10, ptr %61, align 4, !dbg !10
  store volatile i32 1, ptr %62, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %59, i64 3) #5, !dbg !10
  store float %56, ptr %60, align 4, !dbg !10, !alias.scope !12, !noalias !15
  br label %return, !dbg !10

"$L__BB0_7.masked":                               ; preds = %divided
  %57 = sext i32 %8 to i64, !dbg !10
  %58 = shl nsw i64 %57, 2, !dbg !10
  %59 = add i64 %2, %58, !dbg !10
  %60 = inttoptr i64 %59 to ptr, !dbg !10
  %61 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !10
  store volatile i32 10, ptr %61, align 4, !dbg !10
  %62 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !10
  store volatile i32 1, ptr %62, align 4, !dbg !10
  call void @check.alignment(ptr nonnull %thread, i64 %2, i64 %59, i64 3) #5, !dbg !10
  %63 = load i32, ptr %60, align 4, !dbg !10, !alias.scope !12, !noalias !15
  %64 = bitcast i32 %63 to float, !dbg !10
  %65 = call float @llvm.fabs.f32(float %64), !dbg !10
  %66 = fcmp uge float %65, 1.056150e+05, !dbg !10
  br i1 %66, label %51, label %"$L__BB0_7._crit_edge.masked", !dbg !10, !prof !11

"$L__BB0_7._crit_edge.masked":                    ; preds = %"$L__BB0_7.masked"
  %67 = call float @llvm.fma.f32(float %65, float 0x3FD45F3060000000, float 0x4168000000000000), !dbg !10
  %68 = bitcast float %67 to i32, !dbg !10
  %69 = shl i32 %68, 31, !dbg !10
  %70 = and i32 %63, -2147483648, !dbg !10
  %71 = xor i32 %69, %70, !dbg !10
  %72 = fadd float %67, 0xC168000000000000, !dbg !10
  %73 = call float @llvm.fma.f32(float %72, float 0xC00921FB40000000, float %65), !dbg !10
  %74 = call float @llvm.fma.f32(float %72, float 0xBE84442D00000000, float %73), !dbg !10
  %75 = call float @llvm.fma.f32(float %72, float 0xBD084698A0000000, float %74), !dbg !10
  %76 = fmul float %75, %75, !dbg !10
  %77 = call float @llvm.fma.f32(float %76, float 0x3EC5DBC240000000, float 0xBF29F70460000000), !dbg !10
  %78 = call float @llvm.fma.f32(float %77, float %76, float 0x3F8110ED80000000), !dbg !10
  %79 = call float @llvm.fma.f32(float %78, float %76, float 0xBFA5555300000000), !dbg !10
  %80 = fmul float %76, -1.250000e-01, !dbg !10
  %81 = call float @llvm.fma.f32(float %76, float %79, float %80), !dbg !10
  %82 = call float @llvm.fma.f32(float %75, float %81, float %75), !dbg !10
  %83 = bitcast float %82 to i32, !dbg !10
  %84 = xor i32 %71, %83, !dbg !10
  %85 = bitcast i32 %84 to float, !dbg !10
  br label %53, !dbg !10

some:                                             ; preds = %entry
  %86 = call i1 @ptx.gang.none(i1 %9), !dbg !9
  br i1 %86, label %entry.return_crit_edge, label %divided, !dbg !9

divided:                                          ; preds = %some
  %87 = icmp slt i32 %8, %3, !dbg !9
  br i1 %87, label %"$L__BB0_7.masked", label %entry.return_crit_edge.masked, !dbg !9, !pycuda.divergent !7
}

; Function Attrs: nounwind willreturn memory(none)
declare i1 @ptx.gang.all(i1) #4

; Function Attrs: nounwind willreturn memory(none)
declare i1 @ptx.gang.none(i1) #4

attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="12" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind willreturn memory(none) }
attributes #5 = { nounwind }

!llvm.dbg.cu = !{!0}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "ptx", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "ptx", directory: "")
!2 = !DILocation(line: 6, scope: !3)
!3 = !DILexicalBlockFile(scope: !5, file: !4, discriminator: 0)
!4 = !DIFile(filename: "kernel.cu", directory: "")
!5 = distinct !DISubprogram(name: "_Z5scalePfi", linkageName: "_Z5scalePfi", scope: !1, file: !1, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 8, scope: !3)
!9 = !DILocation(line: 9, scope: !3)
!10 = !DILocation(line: 10, scope: !3)
!11 = !{!"branch_weights", i32 1, i32 1048575}
!12 = !{!13}
!13 = !{!"global", !14}
!14 = !{!"ptx spaces"}
!15 = !{!16}
!16 = !{!"shared", !14}
!17 = !DILocation(line: 11, scope: !3)
