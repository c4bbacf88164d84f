; ModuleID = 'ptx'
source_filename = "ptx"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr @ptx.params(ptr) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.tid.x(ptr) #0

; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
declare void @check.alignment(ptr, i64, i64, i64) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.roundeven.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fptosi.sat.i32.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #2

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @approximate.sinf(float) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @pycuda_cpu_sin_f32(float) #0

; Function Attrs: nounwind willreturn memory(none)
declare i1 @ptx.gang.all(i1) #3

; Function Attrs: nounwind willreturn memory(none)
declare i1 @ptx.gang.none(i1) #3

declare i32 @ptx.gang.lanes(ptr)

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <64 x i32> @llvm.masked.load.v64i32.p0(ptr nocapture, i32 immarg, <64 x i1>, <64 x i32>) #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <64 x float> @llvm.fabs.v64f32(<64 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <64 x float> @llvm.fma.v64f32(<64 x float>, <64 x float>, <64 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v64f32.p0(<64 x float>, ptr nocapture, i32 immarg, <64 x i1>) #5

; Function Attrs: nounwind null_pointer_is_valid
define internal void @f._Z5scalePfi.gang(ptr noundef nonnull %thread) #6 {
gang:
  %.reg2mem28.1 = alloca <64 x float>, align 256
  %0 = alloca <64 x float>, align 256
  %1 = alloca <64 x float>, align 256
  %2 = alloca <64 x float>, align 256
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %.reg2mem28.0 = alloca <64 x float>, align 256
  %7 = alloca <64 x float>, align 256
  %lanes16 = alloca [64 x i64], align 64
  %lanes15 = alloca [64 x i64], align 64
  %8 = alloca <64 x float>, align 256
  %9 = alloca <64 x float>, align 256
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca <64 x i1>, align 8
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca i64, align 8
  %sent12 = alloca <64 x i1>, align 8
  %mask11 = alloca <64 x i1>, align 8
  %sent10 = alloca <64 x i1>, align 8
  %mask9 = alloca <64 x i1>, align 8
  %sent8 = alloca <64 x i1>, align 8
  %mask7 = alloca <64 x i1>, align 8
  %sent6 = alloca <64 x i1>, align 8
  %mask5 = alloca <64 x i1>, align 8
  %sent4 = alloca <64 x i1>, align 8
  %mask3 = alloca <64 x i1>, align 8
  %sent2 = alloca <64 x i1>, align 8
  %mask1 = alloca <64 x i1>, align 8
  %sent = alloca <64 x i1>, align 8
  %mask = alloca <64 x i1>, align 8
  store <64 x i1> zeroinitializer, ptr %sent, align 8
  store <64 x i1> zeroinitializer, ptr %sent2, align 8
  store <64 x i1> zeroinitializer, ptr %sent4, align 8
  store <64 x i1> zeroinitializer, ptr %sent6, align 8
  store <64 x i1> zeroinitializer, ptr %sent8, align 8
  store <64 x i1> zeroinitializer, ptr %sent10, align 8
  store <64 x i1> zeroinitializer, ptr %sent12, align 8
  %17 = call ptr @ptx.params(ptr nonnull %thread) #7
  %18 = call i32 @ptx.sreg.ntid.x(ptr nonnull %thread) #7
  %19 = call i32 @ptx.sreg.ctaid.x(ptr nonnull %thread) #7
  %20 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #7
  br label %lanes

lanes:                                            ; preds = %gang
  store <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, ptr %sent, align 8
  br label %entry

entry:                                            ; preds = %lanes
  %21 = load <64 x i1>, ptr %sent, align 8
  store <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, ptr %mask, align 8
  store <64 x i1> zeroinitializer, ptr %sent, align 8
  %22 = getelementptr inbounds i8, ptr %17, i64 8
  %23 = load i64, ptr %17, align 8, !dbg !2, !invariant.load !7
  store i64 %23, ptr %16, align 8, !dbg !2
  %24 = load i32, ptr %22, align 4, !dbg !2, !invariant.load !7
  store i32 %24, ptr %15, align 4, !dbg !2
  %25 = mul i32 %19, %18, !dbg !8
  %26 = add i32 %25, %20, !dbg !8
  store i32 %26, ptr %14, align 4, !dbg !8
  %.splatinsert = insertelement <64 x i32> poison, i32 %24, i64 0, !dbg !9
  %.splat = shufflevector <64 x i32> %.splatinsert, <64 x i32> poison, <64 x i32> zeroinitializer, !dbg !9
  %.splatinsert13 = insertelement <64 x i32> poison, i32 %26, i64 0, !dbg !9
  %.splat14 = shufflevector <64 x i32> %.splatinsert13, <64 x i32> poison, <64 x i32> zeroinitializer, !dbg !9
  %27 = add <64 x i32> %.splat14, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, !dbg !9
  %28 = icmp slt <64 x i32> %27, %.splat, !dbg !9
  store <64 x i1> %28, ptr %13, align 8, !dbg !9
  %29 = add i32 %26, 63, !dbg !9
  %30 = icmp slt i32 %29, %24, !dbg !9
  %31 = and i1 true, %30, !dbg !9
  %32 = load i8, ptr %17, align 1, !dbg !9, !invariant.load !7
  %33 = and i8 %32, 3, !dbg !9
  %34 = icmp eq i8 %33, 0, !dbg !9
  %35 = and i1 %31, %34, !dbg !9
  %36 = select i1 %35, <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <64 x i1> zeroinitializer, !dbg !9
  %37 = select i1 %35, <64 x i1> zeroinitializer, <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, !dbg !9
  br i1 %35, label %"$L__BB0_7", label %some, !dbg !9, !prof !10

"$L__BB0_7":                                      ; preds = %entry
  %38 = load <64 x i1>, ptr %mask, align 8
  %39 = load i32, ptr %14, align 4, !dbg !11
  %40 = sext i32 %39 to i64, !dbg !11
  %41 = shl i64 %40, 2, !dbg !11
  %42 = load i64, ptr %16, align 8, !dbg !11
  %43 = add i64 %42, %41, !dbg !11
  %44 = inttoptr i64 %43 to ptr, !dbg !11
  store ptr %44, ptr %12, align 8, !dbg !11
  %45 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !11
  store ptr %45, ptr %11, align 8, !dbg !11
  store volatile i32 10, ptr %45, align 4, !dbg !11
  %46 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !11
  store ptr %46, ptr %10, align 8, !dbg !11
  store volatile i32 1, ptr %46, align 4, !dbg !11
  %47 = load <64 x i32>, ptr %44, align 4, !dbg !11
  %48 = bitcast <64 x i32> %47 to <64 x float>, !dbg !11
  store <64 x float> %48, ptr %9, align 256, !dbg !11
  %49 = call <64 x float> @llvm.fabs.v64f32(<64 x float> %48), !dbg !11
  %50 = fcmp uge <64 x float> %49, <float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05>, !dbg !11
  %51 = call <64 x float> @llvm.fma.v64f32(<64 x float> %49, <64 x float> <float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000>, <64 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>), !dbg !11
  %52 = bitcast <64 x float> %51 to <64 x i32>, !dbg !11
  %53 = shl <64 x i32> %52, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>, !dbg !11
  %54 = and <64 x i32> %47, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>, !dbg !11
  %55 = xor <64 x i32> %53, %54, !dbg !11
  %56 = fadd <64 x float> %51, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>, !dbg !11
  %57 = call <64 x float> @llvm.fma.v64f32(<64 x float> %56, <64 x float> <float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000>, <64 x float> %49), !dbg !11
  %58 = call <64 x float> @llvm.fma.v64f32(<64 x float> %56, <64 x float> <float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000>, <64 x float> %57), !dbg !11
  %59 = call <64 x float> @llvm.fma.v64f32(<64 x float> %56, <64 x float> <float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000>, <64 x float> %58), !dbg !11
  %60 = fmul <64 x float> %59, %59, !dbg !11
  %61 = call <64 x float> @llvm.fma.v64f32(<64 x float> %60, <64 x float> <float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000>, <64 x float> <float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000>), !dbg !11
  %62 = call <64 x float> @llvm.fma.v64f32(<64 x float> %61, <64 x float> %60, <64 x float> <float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000>), !dbg !11
  %63 = call <64 x float> @llvm.fma.v64f32(<64 x float> %62, <64 x float> %60, <64 x float> <float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000>), !dbg !11
  %64 = fmul <64 x float> %60, <float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01>, !dbg !11
  %65 = call <64 x float> @llvm.fma.v64f32(<64 x float> %60, <64 x float> %63, <64 x float> %64), !dbg !11
  %66 = call <64 x float> @llvm.fma.v64f32(<64 x float> %59, <64 x float> %65, <64 x float> %59), !dbg !11
  %67 = bitcast <64 x float> %66 to <64 x i32>, !dbg !11
  %68 = xor <64 x i32> %55, %67, !dbg !11
  %69 = bitcast <64 x i32> %68 to <64 x float>, !dbg !11
  store <64 x float> %69, ptr %8, align 256, !dbg !11
  %70 = select <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <64 x i1> %50, <64 x i1> zeroinitializer, !dbg !11
  %71 = load <64 x i1>, ptr %sent2, align 8, !dbg !11
  %72 = or <64 x i1> %71, %70, !dbg !11
  store <64 x i1> %72, ptr %sent2, align 8, !dbg !11
  %73 = xor <64 x i1> %50, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, !dbg !11
  %74 = select <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <64 x i1> %73, <64 x i1> zeroinitializer, !dbg !11
  %75 = load <64 x i1>, ptr %sent4, align 8, !dbg !11
  %76 = or <64 x i1> %75, %74, !dbg !11
  store <64 x i1> %76, ptr %sent4, align 8, !dbg !11
  br label %77, !dbg !11

77:                                               ; preds = %"$L__BB0_7"
  %78 = load <64 x i1>, ptr %sent2, align 8
  store <64 x i1> zeroinitializer, ptr %sent2, align 8
  %79 = bitcast <64 x i1> %78 to i64
  %80 = icmp ne i64 %79, 0
  br i1 %80, label %.run, label %"$L__BB0_7._crit_edge", !prof !12

"$L__BB0_7._crit_edge":                           ; preds = %lanes.done, %77
  %81 = load <64 x i1>, ptr %sent4, align 8
  store <64 x i1> %81, ptr %mask3, align 8
  store <64 x i1> zeroinitializer, ptr %sent4, align 8
  %82 = load <64 x float>, ptr %8, align 256, !dbg !11
  %83 = load <64 x float>, ptr %.reg2mem28.0, align 256, !dbg !11
  %84 = select <64 x i1> %81, <64 x float> %82, <64 x float> %83, !dbg !11
  store <64 x float> %84, ptr %.reg2mem28.0, align 256, !dbg !11
  br label %85, !dbg !11

85:                                               ; preds = %"$L__BB0_7._crit_edge"
  %86 = load <64 x i1>, ptr %mask, align 8
  %87 = load <64 x float>, ptr %.reg2mem28.0, align 256
  %88 = load <64 x float>, ptr %9, align 256, !dbg !11
  %89 = call <64 x float> @llvm.fma.v64f32(<64 x float> %88, <64 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>, <64 x float> %87), !dbg !11
  %90 = fcmp uno <64 x float> %89, zeroinitializer, !dbg !11
  %91 = select <64 x i1> %90, <64 x float> <float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000>, <64 x float> %89, !dbg !11
  %92 = load ptr, ptr %11, align 8, !dbg !11
  store volatile i32 10, ptr %92, align 4, !dbg !11
  %93 = load ptr, ptr %10, align 8, !dbg !11
  store volatile i32 1, ptr %93, align 4, !dbg !11
  %94 = load ptr, ptr %12, align 8, !dbg !11
  store <64 x float> %91, ptr %94, align 4, !dbg !11
  br label %return, !dbg !11

some:                                             ; preds = %entry
  %95 = load <64 x i1>, ptr %mask, align 8
  %96 = load <64 x i1>, ptr %13, align 8, !dbg !9
  %97 = freeze <64 x i1> %96, !dbg !9
  %98 = bitcast <64 x i1> %97 to i64, !dbg !9
  %99 = icmp ne i64 %98, 0, !dbg !9
  %100 = xor i1 %99, true, !dbg !9
  %101 = select i1 %100, <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <64 x i1> zeroinitializer, !dbg !9
  %102 = select i1 %100, <64 x i1> zeroinitializer, <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, !dbg !9
  br i1 %100, label %entry.return_crit_edge, label %divided, !dbg !9

entry.return_crit_edge:                           ; preds = %some
  %103 = load <64 x i1>, ptr %mask, align 8
  br label %return, !dbg !9

divided:                                          ; preds = %some
  %104 = load <64 x i1>, ptr %mask, align 8
  %105 = load i32, ptr %15, align 4, !dbg !9
  %.splatinsert17 = insertelement <64 x i32> poison, i32 %105, i64 0, !dbg !9
  %.splat18 = shufflevector <64 x i32> %.splatinsert17, <64 x i32> poison, <64 x i32> zeroinitializer, !dbg !9
  %106 = load i32, ptr %14, align 4, !dbg !9
  %.splatinsert19 = insertelement <64 x i32> poison, i32 %106, i64 0, !dbg !9
  %.splat20 = shufflevector <64 x i32> %.splatinsert19, <64 x i32> poison, <64 x i32> zeroinitializer, !dbg !9
  %107 = add <64 x i32> %.splat20, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, !dbg !9
  %108 = icmp slt <64 x i32> %107, %.splat18, !dbg !9
  %109 = select <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <64 x i1> %108, <64 x i1> zeroinitializer, !dbg !9
  %110 = load <64 x i1>, ptr %sent6, align 8, !dbg !9
  %111 = or <64 x i1> %110, %109, !dbg !9
  store <64 x i1> %111, ptr %sent6, align 8, !dbg !9
  %112 = xor <64 x i1> %108, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, !dbg !9
  %113 = select <64 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <64 x i1> %112, <64 x i1> zeroinitializer, !dbg !9
  %114 = load <64 x i1>, ptr %sent12, align 8, !dbg !9
  %115 = or <64 x i1> %114, %113, !dbg !9
  store <64 x i1> %115, ptr %sent12, align 8, !dbg !9
  br label %"$L__BB0_7.masked", !dbg !9

"$L__BB0_7.masked":                               ; preds = %divided
  %116 = load <64 x i1>, ptr %sent6, align 8
  store <64 x i1> zeroinitializer, ptr %sent6, align 8
  %117 = bitcast <64 x i1> %116 to i64
  %118 = icmp ne i64 %117, 0
  br i1 %118, label %"$L__BB0_7.masked.run", label %entry.return_crit_edge.masked

119:                                              ; preds = %"$L__BB0_7.masked.run"
  %120 = load <64 x i1>, ptr %sent8, align 8
  store <64 x i1> zeroinitializer, ptr %sent8, align 8
  %121 = bitcast <64 x i1> %120 to i64
  %122 = icmp ne i64 %121, 0
  br i1 %122, label %.run21, label %"$L__BB0_7._crit_edge.masked", !prof !12

"$L__BB0_7._crit_edge.masked":                    ; preds = %lanes.done23, %119
  %123 = load <64 x i1>, ptr %sent10, align 8
  store <64 x i1> %123, ptr %mask9, align 8
  store <64 x i1> zeroinitializer, ptr %sent10, align 8
  %124 = load <64 x float>, ptr %1, align 256, !dbg !11
  %125 = load <64 x float>, ptr %.reg2mem28.1, align 256, !dbg !11
  %126 = select <64 x i1> %123, <64 x float> %124, <64 x float> %125, !dbg !11
  store <64 x float> %126, ptr %.reg2mem28.1, align 256, !dbg !11
  br label %127, !dbg !11

127:                                              ; preds = %"$L__BB0_7._crit_edge.masked"
  %128 = load <64 x i1>, ptr %mask5, align 8
  %129 = load <64 x float>, ptr %.reg2mem28.1, align 256
  %130 = load <64 x float>, ptr %2, align 256, !dbg !11
  %131 = call <64 x float> @llvm.fma.v64f32(<64 x float> %130, <64 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>, <64 x float> %129), !dbg !11
  %132 = fcmp uno <64 x float> %131, zeroinitializer, !dbg !11
  %133 = select <64 x i1> %132, <64 x float> <float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000>, <64 x float> %131, !dbg !11
  %134 = load ptr, ptr %4, align 8, !dbg !11
  store volatile i32 10, ptr %134, align 4, !dbg !11
  %135 = load ptr, ptr %3, align 8, !dbg !11
  store volatile i32 1, ptr %135, align 4, !dbg !11
  %136 = load i64, ptr %16, align 8, !dbg !11
  %137 = load i64, ptr %6, align 8, !dbg !11
  call void @check.alignment(ptr %thread, i64 %136, i64 %137, i64 3) #7, !dbg !11
  %138 = load ptr, ptr %5, align 8, !dbg !11
  call void @llvm.masked.store.v64f32.p0(<64 x float> %133, ptr %138, i32 4, <64 x i1> %128), !dbg !11
  br label %entry.return_crit_edge.masked, !dbg !11

entry.return_crit_edge.masked:                    ; preds = %127, %"$L__BB0_7.masked"
  %139 = load <64 x i1>, ptr %sent12, align 8
  store <64 x i1> zeroinitializer, ptr %sent12, align 8
  %140 = bitcast <64 x i1> %139 to i64
  %141 = icmp ne i64 %140, 0
  br i1 %141, label %entry.return_crit_edge.masked.run, label %return

return:                                           ; preds = %entry.return_crit_edge.masked.run, %entry.return_crit_edge.masked, %entry.return_crit_edge, %85
  %142 = load <64 x i1>, ptr %mask, align 8
  ret void, !dbg !13

.run:                                             ; preds = %77
  store <64 x i1> %78, ptr %mask1, align 8
  store <64 x i1> zeroinitializer, ptr %sent2, align 8
  %143 = load <64 x float>, ptr %9, align 256, !dbg !11
  store <64 x float> %143, ptr %lanes15, align 64, !dbg !11
  %144 = bitcast <64 x i1> %78 to i64, !dbg !11
  br label %lane, !dbg !11

lane:                                             ; preds = %lane, %.run
  %145 = phi i64 [ %144, %.run ], [ %152, %lane ], !dbg !11
  %146 = call i64 @llvm.cttz.i64(i64 %145, i1 true), !dbg !11
  %147 = getelementptr float, ptr %lanes15, i64 %146, !dbg !11
  %148 = load float, ptr %147, align 4, !dbg !11
  %149 = call float @pycuda_cpu_sin_f32(float %148), !dbg !11
  %150 = getelementptr float, ptr %lanes16, i64 %146, !dbg !11
  store float %149, ptr %150, align 4, !dbg !11
  %151 = sub i64 %145, 1, !dbg !11
  %152 = and i64 %145, %151, !dbg !11
  %153 = icmp ne i64 %152, 0, !dbg !11
  br i1 %153, label %lane, label %lanes.done, !dbg !11

lanes.done:                                       ; preds = %lane
  %154 = load <64 x float>, ptr %lanes16, align 64, !dbg !11
  store <64 x float> %154, ptr %7, align 256, !dbg !11
  store <64 x float> %154, ptr %.reg2mem28.0, align 256, !dbg !11
  br label %"$L__BB0_7._crit_edge", !dbg !11

"$L__BB0_7.masked.run":                           ; preds = %"$L__BB0_7.masked"
  store <64 x i1> %116, ptr %mask5, align 8
  store <64 x i1> zeroinitializer, ptr %sent6, align 8
  %155 = load i32, ptr %14, align 4, !dbg !11
  %156 = sext i32 %155 to i64, !dbg !11
  %157 = shl i64 %156, 2, !dbg !11
  %158 = load i64, ptr %16, align 8, !dbg !11
  %159 = add i64 %158, %157, !dbg !11
  store i64 %159, ptr %6, align 8, !dbg !11
  %160 = inttoptr i64 %159 to ptr, !dbg !11
  store ptr %160, ptr %5, align 8, !dbg !11
  %161 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !11
  store ptr %161, ptr %4, align 8, !dbg !11
  store volatile i32 10, ptr %161, align 4, !dbg !11
  %162 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !11
  store ptr %162, ptr %3, align 8, !dbg !11
  store volatile i32 1, ptr %162, align 4, !dbg !11
  %163 = load i64, ptr %16, align 8, !dbg !11
  call void @check.alignment(ptr %thread, i64 %163, i64 %159, i64 3) #7, !dbg !11
  %164 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr %160, i32 4, <64 x i1> %116, <64 x i32> poison), !dbg !11
  %165 = bitcast <64 x i32> %164 to <64 x float>, !dbg !11
  store <64 x float> %165, ptr %2, align 256, !dbg !11
  %166 = call <64 x float> @llvm.fabs.v64f32(<64 x float> %165), !dbg !11
  %167 = fcmp uge <64 x float> %166, <float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05>, !dbg !11
  %168 = call <64 x float> @llvm.fma.v64f32(<64 x float> %166, <64 x float> <float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000>, <64 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>), !dbg !11
  %169 = bitcast <64 x float> %168 to <64 x i32>, !dbg !11
  %170 = shl <64 x i32> %169, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>, !dbg !11
  %171 = and <64 x i32> %164, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>, !dbg !11
  %172 = xor <64 x i32> %170, %171, !dbg !11
  %173 = fadd <64 x float> %168, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>, !dbg !11
  %174 = call <64 x float> @llvm.fma.v64f32(<64 x float> %173, <64 x float> <float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000>, <64 x float> %166), !dbg !11
  %175 = call <64 x float> @llvm.fma.v64f32(<64 x float> %173, <64 x float> <float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000>, <64 x float> %174), !dbg !11
  %176 = call <64 x float> @llvm.fma.v64f32(<64 x float> %173, <64 x float> <float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000>, <64 x float> %175), !dbg !11
  %177 = fmul <64 x float> %176, %176, !dbg !11
  %178 = call <64 x float> @llvm.fma.v64f32(<64 x float> %177, <64 x float> <float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000>, <64 x float> <float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000>), !dbg !11
  %179 = call <64 x float> @llvm.fma.v64f32(<64 x float> %178, <64 x float> %177, <64 x float> <float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000>), !dbg !11
  %180 = call <64 x float> @llvm.fma.v64f32(<64 x float> %179, <64 x float> %177, <64 x float> <float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000>), !dbg !11
  %181 = fmul <64 x float> %177, <float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01>, !dbg !11
  %182 = call <64 x float> @llvm.fma.v64f32(<64 x float> %177, <64 x float> %180, <64 x float> %181), !dbg !11
  %183 = call <64 x float> @llvm.fma.v64f32(<64 x float> %176, <64 x float> %182, <64 x float> %176), !dbg !11
  %184 = bitcast <64 x float> %183 to <64 x i32>, !dbg !11
  %185 = xor <64 x i32> %172, %184, !dbg !11
  %186 = bitcast <64 x i32> %185 to <64 x float>, !dbg !11
  store <64 x float> %186, ptr %1, align 256, !dbg !11
  %187 = select <64 x i1> %116, <64 x i1> %167, <64 x i1> zeroinitializer, !dbg !11
  %188 = load <64 x i1>, ptr %sent8, align 8, !dbg !11
  %189 = or <64 x i1> %188, %187, !dbg !11
  store <64 x i1> %189, ptr %sent8, align 8, !dbg !11
  %190 = xor <64 x i1> %167, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, !dbg !11
  %191 = select <64 x i1> %116, <64 x i1> %190, <64 x i1> zeroinitializer, !dbg !11
  %192 = load <64 x i1>, ptr %sent10, align 8, !dbg !11
  %193 = or <64 x i1> %192, %191, !dbg !11
  store <64 x i1> %193, ptr %sent10, align 8, !dbg !11
  br label %119, !dbg !11

.run21:                                           ; preds = %119
  store <64 x i1> %120, ptr %mask7, align 8
  store <64 x i1> zeroinitializer, ptr %sent8, align 8
  %194 = load <64 x float>, ptr %2, align 256, !dbg !11
  store <64 x float> %194, ptr %lanes15, align 64, !dbg !11
  %195 = bitcast <64 x i1> %120 to i64, !dbg !11
  br label %lane22, !dbg !11

lane22:                                           ; preds = %lane22, %.run21
  %196 = phi i64 [ %195, %.run21 ], [ %203, %lane22 ], !dbg !11
  %197 = call i64 @llvm.cttz.i64(i64 %196, i1 true), !dbg !11
  %198 = getelementptr float, ptr %lanes15, i64 %197, !dbg !11
  %199 = load float, ptr %198, align 4, !dbg !11
  %200 = call float @pycuda_cpu_sin_f32(float %199), !dbg !11
  %201 = getelementptr float, ptr %lanes16, i64 %197, !dbg !11
  store float %200, ptr %201, align 4, !dbg !11
  %202 = sub i64 %196, 1, !dbg !11
  %203 = and i64 %196, %202, !dbg !11
  %204 = icmp ne i64 %203, 0, !dbg !11
  br i1 %204, label %lane22, label %lanes.done23, !dbg !11

lanes.done23:                                     ; preds = %lane22
  %205 = load <64 x float>, ptr %lanes16, align 64, !dbg !11
  store <64 x float> %205, ptr %0, align 256, !dbg !11
  store <64 x float> %205, ptr %.reg2mem28.1, align 256, !dbg !11
  br label %"$L__BB0_7._crit_edge.masked", !dbg !11

entry.return_crit_edge.masked.run:                ; preds = %entry.return_crit_edge.masked
  store <64 x i1> %139, ptr %mask11, align 8
  store <64 x i1> zeroinitializer, ptr %sent12, align 8
  br label %return, !dbg !9
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }
attributes #6 = { nounwind null_pointer_is_valid "min-legal-vector-width"="512" "prefer-vector-width"="512" "probe-stack"="inline-asm" "ptx-kernel" "ptx-parameter-bytes"="12" "target-cpu"="znver5" "target-features"="+64bit,+adx,+aes,-amx-bf16,-amx-complex,-amx-fp16,-amx-int8,-amx-tile,+avx,-avx10.1-256,-avx10.1-512,+avx2,+avx512bf16,+avx512bitalg,+avx512bw,+avx512cd,+avx512dq,+avx512f,-avx512fp16,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vl,+avx512vnni,+avx512vp2intersect,+avx512vpopcntdq,-avxifma,-avxneconvert,+avxvnni,-avxvnniint16,-avxvnniint8,+bmi,+bmi2,-ccmp,-cf,-cldemote,+clflushopt,+clwb,+clzero,+cmov,-cmpccxadd,+crc32,+cx16,+cx8,-egpr,-enqcmd,+evex512,+f16c,+fma,-fma4,+fsgsbase,+fxsr,+gfni,-hreset,+invpcid,-kl,-lwp,+lzcnt,+mmx,+movbe,-movdir64b,-movdiri,-mwaitx,-ndd,+pclmul,-pconfig,-pku,+popcnt,-ppx,-prefetchi,+prfchw,-ptwrite,-push2pop2,-raoint,+rdpid,-rdpru,+rdrnd,+rdseed,-rtm,+sahf,-serialize,-sgx,+sha,-sha512,+shstk,-sm3,-sm4,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+sse4a,+ssse3,-tbm,-tsxldtrk,-uintr,-usermsr,+vaes,+vpclmulqdq,-waitpkg,-wbnoinvd,-widekl,-xop,+xsave,+xsavec,+xsaveopt,+xsaves" }
attributes #7 = { nounwind }

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
!10 = !{!"branch_weights", i32 7, i32 1}
!11 = !DILocation(line: 10, scope: !3)
!12 = !{!"branch_weights", i32 1, i32 1048575}
!13 = !DILocation(line: 11, scope: !3)
