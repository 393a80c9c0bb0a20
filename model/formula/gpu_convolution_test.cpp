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
// cache_fit, cache_gain, pointwise, strided, image, winograd, winograd_staged, fft, depthwise.
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

// F(2 x 2, 3 x 3) needs 16 products where 36 multiplications stood: 2.25 times fewer.
TEST(GpuConvolution, WinogradDoesFewerProducts) {
  const auto p = ideal_convolution();
  const GpuConvolution::Input in = square3();
  const auto time = [&](ConvolutionAlgorithm a) {
    return GpuConvolution::algorithm_time(in, a, p.data()).compute;
  };
  EXPECT_NEAR(time(ConvolutionAlgorithm::kImplicitGemm) / time(ConvolutionAlgorithm::kWinograd),
              2.25, 0.05);
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
  EXPECT_EQ(conversion_bytes(in), 2 * 2 * 2 * 8.0 * 64 * 32 * 32);
  in.channels_last = true;
  EXPECT_FALSE(is_converted(in));
}

}  // namespace
}  // namespace paceline::formula
