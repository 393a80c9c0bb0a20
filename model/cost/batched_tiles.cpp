#include "model/cost/batched_tiles.h"

#include <array>

namespace paceline {
namespace {

using formula::TileChoice;

// maxwell_sgemm, volta_sgemm and ampere_sgemm in PyTorch 2.1 with CUDA 12.1: sitar-lab/NeuSight
// 6945927, collect/bmm, calls of at least 200 us.
constexpr std::array<TileChoice, 1> kPascalBatched = {{{128, 64}}};
constexpr std::array<TileChoice, 3> kVoltaBatched = {{{64, 64}, {32, 128}, {128, 32}}};
constexpr std::array<TileChoice, 1> kAmpereBatched = {{{128, 128}}};

struct Kernels {
  std::string_view architecture;
  std::span<const TileChoice> tiles;
};
constexpr std::array<Kernels, 3> kKernels = {
    {{"pascal", kPascalBatched}, {"volta", kVoltaBatched}, {"ampere-server", kAmpereBatched}}};

}  // namespace

std::span<const TileChoice> batched_tiles(std::string_view architecture, const GemmShape& shape) {
  if (shape.batch <= 1 || shape.trans_a || shape.trans_b) return {};
  for (const Kernels& kernels : kKernels) {
    if (kernels.architecture == architecture) return kernels.tiles;
  }
  return {};
}

}  // namespace paceline
