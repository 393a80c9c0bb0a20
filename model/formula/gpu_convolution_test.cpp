// Laws of the formula of convolutions on a GPU: which algorithms it offers, and what they cost.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/formula/gpu_convolution.h"

namespace paceline::formula {
namespace {

// A round device: 100 multiprocessors, 10 TFLOP/s, 1 TB/s, 10 MB of cache.
constexpr GpuDevice kDevice{100, 10e12, 10e12, 1e12, 10e6, 1e9};

GpuConvolution::Input square3() {
  GpuConvolution::Input in{.n = 32, .c = 128, .h = 28, .w = 28, .k = 128, .r = 3, .s = 3};
  in.p = in.q = 28;
  in.device = kDevice;
  return in;
}

// launch, compute_share, feed, prologue, wave, split_cost, overlap, saturation, memory_share,
// cache_fit, cache_rate, pointwise, strided, image, winograd, winograd_staged, fft, depthwise.
std::array<double, GpuConvolution::kCount> ideal_convolution() {
  return {0, 1, 0, 0, 0, 1e9, 1e6, 1e-9, 1, 1e-9, 1, 0, 0, 0, 0, 0, 0, 1};
}

// Matrix units multiply three channels of an image and five of zeros; vector units the three.
TEST(GpuConvolution, MatrixUnitsAreFedEightChannelsAtATime) {
  const auto p = ideal_convolution();
  GpuConvolution::Input in = square3();
  const auto compute = [&](double channels) {
    in.c = channels;
    return GpuConvolution::algorithm_time(in, ConvolutionAlgorithm::kImplicitGemm, p.data())
        .compute;
  };
  EXPECT_NEAR(compute(3) / compute(8), 3.0 / 8, 1e-6);
  in.on_matrix_units = true;
  in.channels_last = true;
  EXPECT_NEAR(compute(3) / compute(8), 1, 1e-6);
  EXPECT_NEAR(compute(9) / compute(16), 1, 1e-6);
}

// F(2 x 2, 3 x 3) needs 16 products where 36 multiplications stood: 2.25 times fewer, where planes
// fill blocks of 8 x 16 outputs. One of 33 x 33 needs 40 x 48.
TEST(GpuConvolution, WinogradDoesFewerProducts) {
  const auto p = ideal_convolution();
  GpuConvolution::Input in = square3();
  in.h = in.w = in.p = in.q = 32;
  const auto time = [&](ConvolutionAlgorithm a) {
    return GpuConvolution::algorithm_time(in, a, p.data()).compute;
  };
  EXPECT_NEAR(time(ConvolutionAlgorithm::kImplicitGemm) / time(ConvolutionAlgorithm::kWinograd),
              2.25, 0.05);
  const double whole = time(ConvolutionAlgorithm::kWinograd);
  in.h = in.w = in.p = in.q = 33;
  EXPECT_NEAR(time(ConvolutionAlgorithm::kWinograd) / whole, 40.0 * 48 / (32 * 32), 1e-6);
}

// Staged kernels transform 16 images at a time: 8 take as long as 16, but of the filters' gradient.
// What is executed at least knows no padding.
TEST(GpuConvolution, StagedWinogradPadsImages) {
  GpuConvolution::Input in = square3();
  const auto staged = ConvolutionAlgorithm::kWinogradStaged;
  const auto rows = [&](double images) {
    in.n = images;
    return product(in, staged).m;
  };
  EXPECT_EQ(rows(8), rows(16));
  EXPECT_EQ(rows(17), rows(32));
  in.n = 16;
  const double flops = algorithm_flops(in, staged);
  in.n = 8;
  EXPECT_DOUBLE_EQ(2 * algorithm_flops(in, staged), flops);
  in.pass = ConvolutionPass::kWgrad;
  const double depth = product(in, staged).k;
  in.n = 16;
  EXPECT_EQ(product(in, staged).k, 2 * depth);
}

// With strides each position of the input sees the taps of its own rest only: a quarter of a 2 x 2
// filter, all of a 1 x 1 one or none. The arithmetic is that of the forward pass either way, and
// what sees nothing is filled with zeros.
TEST(GpuConvolution, StridedGradientsOfTheInputFallIntoProductsByRest) {
  GpuConvolution::Input in = square3();
  in.pass = ConvolutionPass::kDgrad;
  in.stride_h = in.stride_w = 2;
  in.p = in.q = 14;
  for (const double side : {1.0, 2.0}) {
    in.r = in.s = side;
    const TiledProduct work = product(in, ConvolutionAlgorithm::kImplicitGemm);
    EXPECT_EQ(work.batch, side * side);
    EXPECT_EQ(work.m, 32 * 14 * 14);
    EXPECT_EQ(work.k, 128);
  }
  EXPECT_EQ(other_bytes(in, ConvolutionAlgorithm::kImplicitGemm), 4.0 * 32 * 128 * 28 * 28);
  in.pass = ConvolutionPass::kForward;
  EXPECT_EQ(other_bytes(in, ConvolutionAlgorithm::kImplicitGemm), 0);
}

// Kernels of implicit GEMM in fp32 do not cut K, so few outputs leave multiprocessors idle.
TEST(GpuConvolution, ImplicitGemmKeepsItsSumsWhole) {
  auto p = ideal_convolution();
  p[GpuConvolution::kSplitCost] = 0;
  GpuConvolution::Input in = square3();
  in.n = 1, in.h = in.w = in.p = in.q = 8, in.c = 2048, in.r = in.s = 1;
  const auto split = [&] {
    const auto algorithm = ConvolutionAlgorithm::kImplicitGemm;
    return fastest_tile(product(in, algorithm), in.device,
                        GpuConvolution::rates(in, algorithm, p.data()))
        .tile.split;
  };
  EXPECT_EQ(split(), 1);
  in.on_matrix_units = true;
  EXPECT_GT(split(), 1);
}

// With a limit below its workspace an algorithm is not chosen, and a tighter limit never helps.
TEST(GpuConvolution, KeepsToTheWorkspaceLimit) {
  auto p = ideal_convolution();
  p[GpuConvolution::kWinograd] = 10;
  p[GpuConvolution::kFft] = 10;
  GpuConvolution::Input in = square3();
  ASSERT_EQ(GpuConvolution::fastest(in, p.data()), ConvolutionAlgorithm::kWinogradStaged);
  const double needed = workspace_bytes(in, ConvolutionAlgorithm::kWinogradStaged);
  const double unlimited = GpuConvolution::time(in, p.data()).total;
  in.workspace_limit = needed;
  EXPECT_DOUBLE_EQ(GpuConvolution::time(in, p.data()).total, unlimited);
  in.workspace_limit = needed - 1;
  EXPECT_EQ(GpuConvolution::fastest(in, p.data()), ConvolutionAlgorithm::kImplicitGemm);
  EXPECT_GT(GpuConvolution::time(in, p.data()).total, unlimited);
}

// All passes of one convolution do the same arithmetic when nothing is strided.
TEST(GpuConvolution, PassesMultiplyTheSameNumbers) {
  GpuConvolution::Input in = square3();
  const auto flops = [&](ConvolutionPass pass) {
    in.pass = pass;
    const TiledProduct w = product(in, ConvolutionAlgorithm::kImplicitGemm);
    return w.batch * w.m * w.n * w.k;
  };
  EXPECT_DOUBLE_EQ(flops(ConvolutionPass::kForward), flops(ConvolutionPass::kDgrad));
  EXPECT_DOUBLE_EQ(flops(ConvolutionPass::kForward), flops(ConvolutionPass::kWgrad));
}

TEST(GpuConvolution, DoesNotOfferFastFormsOnMatrixUnitsOrWithStride) {
  GpuConvolution::Input in = square3();
  EXPECT_TRUE(is_supported(in, ConvolutionAlgorithm::kWinograd));
  in.stride_h = 2;
  EXPECT_FALSE(is_supported(in, ConvolutionAlgorithm::kWinograd));
  in.stride_h = 1;
  in.on_matrix_units = true;
  EXPECT_FALSE(is_supported(in, ConvolutionAlgorithm::kWinogradStaged));
  EXPECT_FALSE(is_supported(in, ConvolutionAlgorithm::kFft));
  EXPECT_FALSE(is_supported(in, ConvolutionAlgorithm::kDepthwise));
}

// Matrix units read images with the channels together: others are read and written twice more.
TEST(GpuConvolution, ImagesInTheOtherLayoutAreConverted) {
  ConvolutionInput in{.n = 8, .c = 64, .h = 32, .w = 32, .k = 64, .r = 3, .s = 3, .p = 32, .q = 32};
  in.on_matrix_units = true;
  in.element_bytes = 2;
  EXPECT_TRUE(is_converted(in));
  EXPECT_EQ(input_conversion_bytes(in), 2 * 2 * 8.0 * 64 * 32 * 32);
  EXPECT_EQ(output_conversion_bytes(in), input_conversion_bytes(in));
  in.channels_last = true;
  EXPECT_FALSE(is_converted(in));
}

// By two kernels: tensors that each fit in the cache come from it, though both together would not.
TEST(GpuConvolution, InputAndOutputAreConvertedOneAfterTheOther) {
  auto p = ideal_convolution();
  p[GpuConvolution::kCacheFit] = 0.5;
  p[GpuConvolution::kCacheRate] = 24;
  ConvolutionInput in{.n = 8, .c = 64, .h = 32, .w = 32, .k = 64, .r = 3, .s = 3, .p = 32, .q = 32};
  in.on_matrix_units = true;
  in.element_bytes = 2;
  in.device = kDevice;
  in.device.cache = 1.5 * 2 * input_conversion_bytes(in);
  const double converted = GpuConvolution::time(in, p.data()).total;
  in.channels_last = true;
  const double added = converted - GpuConvolution::time(in, p.data()).total;
  const GpuMemory<double> memory{p[GpuConvolution::kMemoryShare], 0.5, 24};
  const double both = 2 * input_conversion_bytes(in);
  EXPECT_LT(added, 0.8 * gpu_memory_time(both, 0, in.device, memory));
}

}  // namespace
}  // namespace paceline::formula
