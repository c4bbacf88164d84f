; ModuleID = 'ptx'
source_filename = "ptx"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind null_pointer_is_valid
define internal void @f._Z5scalePfi(ptr noundef nonnull %thread) #0 {
entry:
  %__local_depot0 = alloca [28 x i8], align 4
  %0 = alloca i32, align 4
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %cc = alloca i1, align 1
  br label %setup

setup:                                            ; preds = %entry
  store i1 false, ptr %cc, align 1
  %6 = getelementptr inbounds i8, ptr %thread, i64 104
  store i32 0, ptr %5, align 4
  store i32 0, ptr %4, align 4
  store i32 0, ptr %3, align 4
  store i32 0, ptr %2, align 4
  store i32 0, ptr %1, align 4
  store i32 0, ptr %0, align 4
  %7 = call ptr @ptx.params(ptr %thread) #4
  %8 = getelementptr inbounds i8, ptr %7, i64 0
  %9 = getelementptr inbounds i8, ptr %7, i64 8
  br label %body

body:                                             ; preds = %setup
  %10 = ptrtoint ptr %__local_depot0 to i64, !dbg !2
  %11 = load i64, ptr %8, align 8, !dbg !2, !invariant.load !7
  %12 = load i32, ptr %9, align 4, !dbg !2, !invariant.load !7
  %13 = call i32 @ptx.sreg.ntid.x(ptr %thread) #4, !dbg !8
  %14 = call i32 @ptx.sreg.ctaid.x(ptr %thread) #4, !dbg !8
  %15 = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr %thread) #4, !dbg !8
  %16 = mul i32 %14, %13, !dbg !8
  %17 = add i32 %16, %15, !dbg !8
  %18 = icmp sge i32 %17, %12, !dbg !9
  br i1 %18, label %233, label %234, !dbg !9

"$L__BB0_12":                                     ; preds = %"$L__BB0_11", %233
  br label %return, !dbg !10

"$L__BB0_7":                                      ; preds = %"$L__BB0_5", %"$L__BB0_6", %283
  %19 = load i32, ptr %0, align 4, !dbg !11
  %20 = and i32 %19, 1, !dbg !11
  %21 = icmp eq i32 %20, 0, !dbg !11
  %22 = load i32, ptr %5, align 4, !dbg !11
  %23 = bitcast i32 %22 to float, !dbg !11
  %24 = select i1 %21, float %23, float 1.000000e+00, !dbg !11
  %25 = bitcast float %24 to i32, !dbg !11
  %26 = load i32, ptr %5, align 4, !dbg !11
  %27 = bitcast i32 %26 to float, !dbg !11
  %28 = load i32, ptr %5, align 4, !dbg !11
  %29 = bitcast i32 %28 to float, !dbg !11
  %30 = fmul float %27, %29, !dbg !11
  %31 = fcmp uno float %30, %30, !dbg !11
  %32 = select i1 %31, float 0x7FFFFFFFE0000000, float %30, !dbg !11
  %33 = bitcast float %32 to i32, !dbg !11
  store i32 -1186119341, ptr %4, align 4, !dbg !11
  br i1 %21, label %321, label %322, !dbg !11

"$L__BB0_6":                                      ; preds = %291, %288
  %34 = bitcast i32 %242 to float, !dbg !11
  %35 = bitcast i32 0 to float, !dbg !11
  %36 = fmul float %34, %35, !dbg !11
  %37 = fcmp uno float %36, %36, !dbg !11
  %38 = select i1 %37, float 0x7FFFFFFFE0000000, float %36, !dbg !11
  %39 = bitcast float %38 to i32, !dbg !11
  store i32 %39, ptr %5, align 4, !dbg !11
  store i32 0, ptr %0, align 4, !dbg !11
  br label %"$L__BB0_7", !dbg !11

"$L__BB0_3":                                      ; preds = %292, %289
  %40 = add i64 %10, 0, !dbg !8
  %41 = lshr i32 %242, 23, !dbg !11
  %42 = select i1 false, i32 0, i32 %41, !dbg !11
  %43 = and i32 %42, 255, !dbg !11
  %44 = add i32 %43, -128, !dbg !11
  %45 = shl i32 %242, 8, !dbg !11
  %46 = select i1 false, i32 0, i32 %45, !dbg !11
  %47 = or i32 %46, -2147483648, !dbg !11
  %48 = lshr i32 %44, 5, !dbg !11
  %49 = select i1 false, i32 0, i32 %48, !dbg !11
  %50 = zext i32 %47 to i64, !dbg !11
  %51 = zext i32 1011060801 to i64, !dbg !11
  %52 = mul i64 %51, %50, !dbg !11
  %53 = add i64 %52, 0, !dbg !11
  %54 = lshr i64 %53, 32, !dbg !11
  %55 = select i1 false, i64 0, i64 %54, !dbg !11
  %56 = trunc i64 %53 to i32, !dbg !11
  %57 = inttoptr i64 %40 to ptr, !dbg !11
  store i32 %56, ptr %57, align 4, !dbg !11
  %58 = zext i32 %47 to i64, !dbg !11
  %59 = zext i32 -614296167 to i64, !dbg !11
  %60 = mul i64 %59, %58, !dbg !11
  %61 = add i64 %60, %55, !dbg !11
  %62 = lshr i64 %61, 32, !dbg !11
  %63 = select i1 false, i64 0, i64 %62, !dbg !11
  %64 = trunc i64 %61 to i32, !dbg !11
  %65 = inttoptr i64 %40 to ptr, !dbg !11
  %66 = getelementptr i8, ptr %65, i64 4, !dbg !11
  store i32 %64, ptr %66, align 4, !dbg !11
  %67 = zext i32 %47 to i64, !dbg !11
  %68 = zext i32 -181084736 to i64, !dbg !11
  %69 = mul i64 %68, %67, !dbg !11
  %70 = add i64 %69, %63, !dbg !11
  %71 = lshr i64 %70, 32, !dbg !11
  %72 = select i1 false, i64 0, i64 %71, !dbg !11
  %73 = add i64 %40, 8, !dbg !11
  %74 = trunc i64 %70 to i32, !dbg !11
  %75 = inttoptr i64 %40 to ptr, !dbg !11
  %76 = getelementptr i8, ptr %75, i64 8, !dbg !11
  store i32 %74, ptr %76, align 4, !dbg !11
  %77 = zext i32 %47 to i64, !dbg !11
  %78 = zext i32 -64530479 to i64, !dbg !11
  %79 = mul i64 %78, %77, !dbg !11
  %80 = add i64 %79, %72, !dbg !11
  %81 = lshr i64 %80, 32, !dbg !11
  %82 = select i1 false, i64 0, i64 %81, !dbg !11
  %83 = trunc i64 %80 to i32, !dbg !11
  %84 = inttoptr i64 %40 to ptr, !dbg !11
  %85 = getelementptr i8, ptr %84, i64 12, !dbg !11
  store i32 %83, ptr %85, align 4, !dbg !11
  %86 = zext i32 %47 to i64, !dbg !11
  %87 = zext i32 1313084713 to i64, !dbg !11
  %88 = mul i64 %87, %86, !dbg !11
  %89 = add i64 %88, %82, !dbg !11
  %90 = lshr i64 %89, 32, !dbg !11
  %91 = select i1 false, i64 0, i64 %90, !dbg !11
  %92 = trunc i64 %89 to i32, !dbg !11
  %93 = inttoptr i64 %40 to ptr, !dbg !11
  %94 = getelementptr i8, ptr %93, i64 16, !dbg !11
  store i32 %92, ptr %94, align 4, !dbg !11
  %95 = zext i32 %47 to i64, !dbg !11
  %96 = zext i32 -1560706194 to i64, !dbg !11
  %97 = mul i64 %96, %95, !dbg !11
  %98 = add i64 %97, %91, !dbg !11
  %99 = lshr i64 %98, 32, !dbg !11
  %100 = select i1 false, i64 0, i64 %99, !dbg !11
  %101 = trunc i64 %98 to i32, !dbg !11
  %102 = inttoptr i64 %40 to ptr, !dbg !11
  %103 = getelementptr i8, ptr %102, i64 20, !dbg !11
  store i32 %101, ptr %103, align 4, !dbg !11
  %104 = sub i32 4, %49, !dbg !11
  %105 = trunc i64 %100 to i32, !dbg !11
  %106 = inttoptr i64 %40 to ptr, !dbg !11
  %107 = getelementptr i8, ptr %106, i64 24, !dbg !11
  store i32 %105, ptr %107, align 4, !dbg !11
  %108 = and i32 %44, 31, !dbg !11
  %109 = sext i32 %104 to i64, !dbg !11
  %110 = mul i64 %109, 4, !dbg !11
  %111 = add i64 %73, %110, !dbg !11
  %112 = inttoptr i64 %111 to ptr, !dbg !11
  %113 = load i32, ptr %112, align 4, !dbg !11
  store i32 %113, ptr %2, align 4, !dbg !11
  %114 = inttoptr i64 %111 to ptr, !dbg !11
  %115 = getelementptr i8, ptr %114, i64 -4, !dbg !11
  %116 = load i32, ptr %115, align 4, !dbg !11
  store i32 %116, ptr %1, align 4, !dbg !11
  %117 = icmp eq i32 %108, 0, !dbg !11
  br i1 %117, label %293, label %294, !dbg !11

"$L__BB0_5":                                      ; preds = %294, %293
  %118 = and i32 %242, -2147483648, !dbg !11
  %119 = load i32, ptr %1, align 4, !dbg !11
  %120 = lshr i32 %119, 30, !dbg !11
  %121 = select i1 false, i32 0, i32 %120, !dbg !11
  %122 = load i32, ptr %2, align 4, !dbg !11
  %123 = shl i32 %122, 2, !dbg !11
  %124 = select i1 false, i32 0, i32 %123, !dbg !11
  %125 = or i32 %121, %124, !dbg !11
  %126 = lshr i32 %125, 31, !dbg !11
  %127 = select i1 false, i32 0, i32 %126, !dbg !11
  %128 = load i32, ptr %2, align 4, !dbg !11
  %129 = lshr i32 %128, 30, !dbg !11
  %130 = select i1 false, i32 0, i32 %129, !dbg !11
  %131 = add i32 %127, %130, !dbg !11
  %132 = sub i32 0, %131, !dbg !11
  %133 = icmp eq i32 %118, 0, !dbg !11
  %134 = select i1 %133, i32 %131, i32 %132, !dbg !11
  store i32 %134, ptr %0, align 4, !dbg !11
  %135 = icmp ne i32 %127, 0, !dbg !11
  %136 = xor i32 %118, -2147483648, !dbg !11
  %137 = select i1 %135, i32 %136, i32 %118, !dbg !11
  %138 = select i1 %135, i32 -1, i32 0, !dbg !11
  %139 = xor i32 %125, %138, !dbg !11
  %140 = load i32, ptr %1, align 4, !dbg !11
  %141 = shl i32 %140, 2, !dbg !11
  %142 = select i1 false, i32 0, i32 %141, !dbg !11
  %143 = xor i32 %142, %138, !dbg !11
  %144 = zext i32 %139 to i64, !dbg !11
  %145 = zext i32 %143 to i64, !dbg !11
  %146 = call i32 @llvm.umin.i32(i32 32, i32 255), !dbg !11
  %147 = zext i32 %146 to i64, !dbg !11
  %148 = call i32 @llvm.umin.i32(i32 32, i32 255), !dbg !11
  %149 = zext i32 %148 to i64, !dbg !11
  %150 = icmp uge i64 %147, 64, !dbg !11
  %151 = icmp uge i64 %149, 64, !dbg !11
  %152 = and i64 %149, 63, !dbg !11
  %153 = shl i64 1, %152, !dbg !11
  %154 = sub i64 %153, 1, !dbg !11
  %155 = select i1 %151, i64 -1, i64 %154, !dbg !11
  %156 = and i64 %147, 63, !dbg !11
  %157 = shl i64 %155, %156, !dbg !11
  %158 = select i1 %150, i64 0, i64 %157, !dbg !11
  %159 = and i64 %147, 63, !dbg !11
  %160 = shl i64 %144, %159, !dbg !11
  %161 = and i64 %160, %158, !dbg !11
  %162 = xor i64 %158, -1, !dbg !11
  %163 = and i64 %145, %162, !dbg !11
  %164 = or i64 %163, %161, !dbg !11
  %165 = sitofp i64 %164 to double, !dbg !11
  %166 = bitcast double %165 to i64, !dbg !11
  %167 = bitcast i64 %166 to double, !dbg !11
  %168 = fmul double %167, 0x3BF921FB54442D19, !dbg !11
  %169 = bitcast double %168 to i64, !dbg !11
  %170 = bitcast i64 %169 to double, !dbg !11
  %171 = fcmp uno double %170, %170, !dbg !11
  %172 = fptrunc double %170 to float, !dbg !11
  %173 = bitcast float %172 to i32, !dbg !11
  %174 = icmp eq i32 %137, 0, !dbg !11
  %175 = bitcast i32 %173 to float, !dbg !11
  %176 = fneg float %175, !dbg !11
  %177 = fcmp uno float %176, %176, !dbg !11
  %178 = select i1 %177, float 0x7FFFFFFFE0000000, float %176, !dbg !11
  %179 = bitcast float %178 to i32, !dbg !11
  %180 = bitcast i32 %179 to float, !dbg !11
  %181 = bitcast i32 %173 to float, !dbg !11
  %182 = select i1 %174, float %181, float %180, !dbg !11
  %183 = bitcast float %182 to i32, !dbg !11
  store i32 %183, ptr %5, align 4, !dbg !11
  br label %"$L__BB0_7", !dbg !11

"$L__BB0_9":                                      ; preds = %322, %321
  %184 = select i1 %21, float 0x3F8110BC80000000, float 0x3FA5555760000000, !dbg !11
  %185 = bitcast float %184 to i32, !dbg !11
  %186 = load i32, ptr %4, align 4, !dbg !11
  %187 = bitcast i32 %186 to float, !dbg !11
  %188 = bitcast i32 %33 to float, !dbg !11
  %189 = bitcast i32 %185 to float, !dbg !11
  %190 = call float @llvm.fma.f32(float %187, float %188, float %189), !dbg !11
  %191 = fcmp uno float %190, %190, !dbg !11
  %192 = select i1 %191, float 0x7FFFFFFFE0000000, float %190, !dbg !11
  %193 = bitcast float %192 to i32, !dbg !11
  %194 = select i1 %21, float 0xBFC5555500000000, float 0xBFDFFFFFE0000000, !dbg !11
  %195 = bitcast float %194 to i32, !dbg !11
  %196 = bitcast i32 %193 to float, !dbg !11
  %197 = bitcast i32 %33 to float, !dbg !11
  %198 = bitcast i32 %195 to float, !dbg !11
  %199 = call float @llvm.fma.f32(float %196, float %197, float %198), !dbg !11
  %200 = fcmp uno float %199, %199, !dbg !11
  %201 = select i1 %200, float 0x7FFFFFFFE0000000, float %199, !dbg !11
  %202 = bitcast float %201 to i32, !dbg !11
  %203 = bitcast i32 %33 to float, !dbg !11
  %204 = bitcast i32 %25 to float, !dbg !11
  %205 = bitcast i32 0 to float, !dbg !11
  %206 = call float @llvm.fma.f32(float %203, float %204, float %205), !dbg !11
  %207 = fcmp uno float %206, %206, !dbg !11
  %208 = select i1 %207, float 0x7FFFFFFFE0000000, float %206, !dbg !11
  %209 = bitcast float %208 to i32, !dbg !11
  %210 = bitcast i32 %202 to float, !dbg !11
  %211 = bitcast i32 %209 to float, !dbg !11
  %212 = bitcast i32 %25 to float, !dbg !11
  %213 = call float @llvm.fma.f32(float %210, float %211, float %212), !dbg !11
  %214 = fcmp uno float %213, %213, !dbg !11
  %215 = select i1 %214, float 0x7FFFFFFFE0000000, float %213, !dbg !11
  %216 = bitcast float %215 to i32, !dbg !11
  store i32 %216, ptr %3, align 4, !dbg !11
  %217 = load i32, ptr %0, align 4, !dbg !11
  %218 = and i32 %217, 2, !dbg !11
  %219 = icmp eq i32 %218, 0, !dbg !11
  br i1 %219, label %331, label %332, !dbg !11

"$L__BB0_11":                                     ; preds = %332, %331
  %220 = bitcast i32 %242 to float, !dbg !11
  %221 = load i32, ptr %3, align 4, !dbg !11
  %222 = bitcast i32 %221 to float, !dbg !11
  %223 = call float @llvm.fma.f32(float %220, float 2.000000e+00, float %222), !dbg !11
  %224 = fcmp uno float %223, %223, !dbg !11
  %225 = select i1 %224, float 0x7FFFFFFFE0000000, float %223, !dbg !11
  %226 = bitcast float %225 to i32, !dbg !11
  %227 = bitcast i32 %226 to float, !dbg !11
  %228 = bitcast float %227 to i32, !dbg !11
  %229 = inttoptr i64 %237 to ptr, !dbg !11
  %230 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !11
  store volatile i32 10, ptr %230, align 4, !dbg !11
  %231 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !11
  store volatile i32 1, ptr %231, align 4, !dbg !11
  %232 = ptrtoint ptr %229 to i64, !dbg !11
  call void @check.alignment(ptr %thread, i64 %232, i64 %232, i64 3) #4, !dbg !11
  store i32 %228, ptr %229, align 4, !dbg !11, !alias.scope !12, !noalias !15
  br label %"$L__BB0_12", !dbg !11

return:                                           ; preds = %342, %"$L__BB0_12"
  ret void, !dbg !10

233:                                              ; preds = %body
  br label %"$L__BB0_12", !dbg !9

234:                                              ; preds = %282, %body
  %235 = sext i32 %17 to i64, !dbg !11
  %236 = mul i64 %235, 4, !dbg !11
  %237 = add i64 %11, %236, !dbg !11
  %238 = inttoptr i64 %237 to ptr, !dbg !11
  %239 = getelementptr inbounds i8, ptr %thread, i64 88, !dbg !11
  store volatile i32 10, ptr %239, align 4, !dbg !11
  %240 = getelementptr inbounds i8, ptr %thread, i64 92, !dbg !11
  store volatile i32 1, ptr %240, align 4, !dbg !11
  %241 = ptrtoint ptr %238 to i64, !dbg !11
  call void @check.alignment(ptr %thread, i64 %241, i64 %241, i64 3) #4, !dbg !11
  %242 = load i32, ptr %238, align 4, !dbg !11, !alias.scope !12, !noalias !15
  %243 = bitcast i32 %242 to float, !dbg !11
  %244 = fmul float %243, 0x3FE45F3060000000, !dbg !11
  %245 = fcmp uno float %244, %244, !dbg !11
  %246 = select i1 %245, float 0x7FFFFFFFE0000000, float %244, !dbg !11
  %247 = bitcast float %246 to i32, !dbg !11
  %248 = bitcast i32 %247 to float, !dbg !11
  %249 = call float @llvm.roundeven.f32(float %248), !dbg !11
  %250 = call i32 @llvm.fptosi.sat.i32.f32(float %249), !dbg !11
  store i32 %250, ptr %0, align 4, !dbg !11
  %251 = load i32, ptr %0, align 4, !dbg !11
  %252 = sitofp i32 %251 to float, !dbg !11
  %253 = bitcast float %252 to i32, !dbg !11
  %254 = bitcast i32 %253 to float, !dbg !11
  %255 = bitcast i32 -1077342246 to float, !dbg !11
  %256 = bitcast i32 %242 to float, !dbg !11
  %257 = call float @llvm.fma.f32(float %254, float %255, float %256), !dbg !11
  %258 = fcmp uno float %257, %257, !dbg !11
  %259 = select i1 %258, float 0x7FFFFFFFE0000000, float %257, !dbg !11
  %260 = bitcast float %259 to i32, !dbg !11
  %261 = bitcast i32 %253 to float, !dbg !11
  %262 = bitcast i32 -1281220248 to float, !dbg !11
  %263 = bitcast i32 %260 to float, !dbg !11
  %264 = call float @llvm.fma.f32(float %261, float %262, float %263), !dbg !11
  %265 = fcmp uno float %264, %264, !dbg !11
  %266 = select i1 %265, float 0x7FFFFFFFE0000000, float %264, !dbg !11
  %267 = bitcast float %266 to i32, !dbg !11
  %268 = bitcast i32 %253 to float, !dbg !11
  %269 = bitcast i32 -1480444731 to float, !dbg !11
  %270 = bitcast i32 %267 to float, !dbg !11
  %271 = call float @llvm.fma.f32(float %268, float %269, float %270), !dbg !11
  %272 = fcmp uno float %271, %271, !dbg !11
  %273 = select i1 %272, float 0x7FFFFFFFE0000000, float %271, !dbg !11
  %274 = bitcast float %273 to i32, !dbg !11
  store i32 %274, ptr %5, align 4, !dbg !11
  %275 = bitcast i32 %242 to float, !dbg !11
  %276 = call float @llvm.fabs.f32(float %275), !dbg !11
  %277 = fcmp uno float %276, %276, !dbg !11
  %278 = select i1 %277, float 0x7FFFFFFFE0000000, float %276, !dbg !11
  %279 = bitcast float %278 to i32, !dbg !11
  %280 = bitcast i32 %279 to float, !dbg !11
  %281 = fcmp ult float %280, 1.056150e+05, !dbg !11
  br i1 %281, label %283, label %284, !dbg !11

282:                                              ; No predecessors!
  br label %234, !dbg !9

283:                                              ; preds = %234
  br label %"$L__BB0_7", !dbg !11

284:                                              ; preds = %287, %234
  %285 = bitcast i32 %279 to float, !dbg !11
  %286 = fcmp oeq float %285, 0x7FF0000000000000, !dbg !11
  br i1 %286, label %288, label %289, !dbg !11

287:                                              ; No predecessors!
  br label %284, !dbg !11

288:                                              ; preds = %284
  br label %"$L__BB0_6", !dbg !11

289:                                              ; preds = %290, %284
  br label %"$L__BB0_3", !dbg !11

290:                                              ; No predecessors!
  br label %289, !dbg !11

291:                                              ; No predecessors!
  br label %"$L__BB0_6", !dbg !11

292:                                              ; No predecessors!
  br label %"$L__BB0_3", !dbg !11

293:                                              ; preds = %"$L__BB0_3"
  br label %"$L__BB0_5", !dbg !11

294:                                              ; preds = %320, %"$L__BB0_3"
  %295 = sub i32 32, %108, !dbg !11
  %296 = load i32, ptr %1, align 4, !dbg !11
  %297 = icmp uge i32 %295, 32, !dbg !11
  %298 = select i1 %297, i32 31, i32 %295, !dbg !11
  %299 = lshr i32 %296, %298, !dbg !11
  %300 = select i1 %297, i32 0, i32 %299, !dbg !11
  %301 = load i32, ptr %2, align 4, !dbg !11
  %302 = icmp uge i32 %108, 32, !dbg !11
  %303 = select i1 %302, i32 31, i32 %108, !dbg !11
  %304 = shl i32 %301, %303, !dbg !11
  %305 = select i1 %302, i32 0, i32 %304, !dbg !11
  %306 = add i32 %300, %305, !dbg !11
  store i32 %306, ptr %2, align 4, !dbg !11
  %307 = inttoptr i64 %111 to ptr, !dbg !11
  %308 = getelementptr i8, ptr %307, i64 -8, !dbg !11
  %309 = load i32, ptr %308, align 4, !dbg !11
  %310 = icmp uge i32 %295, 32, !dbg !11
  %311 = select i1 %310, i32 31, i32 %295, !dbg !11
  %312 = lshr i32 %309, %311, !dbg !11
  %313 = select i1 %310, i32 0, i32 %312, !dbg !11
  %314 = load i32, ptr %1, align 4, !dbg !11
  %315 = icmp uge i32 %108, 32, !dbg !11
  %316 = select i1 %315, i32 31, i32 %108, !dbg !11
  %317 = shl i32 %314, %316, !dbg !11
  %318 = select i1 %315, i32 0, i32 %317, !dbg !11
  %319 = add i32 %313, %318, !dbg !11
  store i32 %319, ptr %1, align 4, !dbg !11
  br label %"$L__BB0_5", !dbg !11

320:                                              ; No predecessors!
  br label %294, !dbg !11

321:                                              ; preds = %"$L__BB0_7"
  br label %"$L__BB0_9", !dbg !11

322:                                              ; preds = %330, %"$L__BB0_7"
  %323 = bitcast i32 936094720 to float, !dbg !11
  %324 = bitcast i32 %33 to float, !dbg !11
  %325 = bitcast i32 -1162475539 to float, !dbg !11
  %326 = call float @llvm.fma.f32(float %323, float %324, float %325), !dbg !11
  %327 = fcmp uno float %326, %326, !dbg !11
  %328 = select i1 %327, float 0x7FFFFFFFE0000000, float %326, !dbg !11
  %329 = bitcast float %328 to i32, !dbg !11
  store i32 %329, ptr %4, align 4, !dbg !11
  br label %"$L__BB0_9", !dbg !11

330:                                              ; No predecessors!
  br label %322, !dbg !11

331:                                              ; preds = %"$L__BB0_9"
  br label %"$L__BB0_11", !dbg !11

332:                                              ; preds = %341, %"$L__BB0_9"
  %333 = load i32, ptr %3, align 4, !dbg !11
  %334 = bitcast i32 %333 to float, !dbg !11
  %335 = bitcast i32 -1082130432 to float, !dbg !11
  %336 = bitcast i32 0 to float, !dbg !11
  %337 = call float @llvm.fma.f32(float %334, float %335, float %336), !dbg !11
  %338 = fcmp uno float %337, %337, !dbg !11
  %339 = select i1 %338, float 0x7FFFFFFFE0000000, float %337, !dbg !11
  %340 = bitcast float %339 to i32, !dbg !11
  store i32 %340, ptr %3, align 4, !dbg !11
  br label %"$L__BB0_11", !dbg !11

341:                                              ; No predecessors!
  br label %332, !dbg !11

342:                                              ; No predecessors!
  br label %return, !dbg !10
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

attributes #0 = { nounwind null_pointer_is_valid "ptx-kernel" "ptx-parameter-bytes"="12" }
attributes #1 = { nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }

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
!10 = !DILocation(line: 11, scope: !3)
!11 = !DILocation(line: 10, scope: !3)
!12 = !{!13}
!13 = !{!"global", !14}
!14 = !{!"ptx spaces"}
!15 = !{!16}
!16 = !{!"shared", !14}
