#include "model/graph/rewrite/layout.h"

#include "model/graph/memory_placement.h"
#include "model/graph/rewrite/graph_rewriter.h"

namespace paceline {
namespace {

bool makes_images(const Op& op) {
  const auto* norm = std::get_if<Norm>(&op.attributes);
  return std::holds_alternative<Conv2d>(op.attributes) ||
         std::holds_alternative<ConvTranspose2d>(op.attributes) ||
         std::holds_alternative<Pool2d>(op.attributes) ||
         std::holds_alternative<Upsample2d>(op.attributes) ||
         std::holds_alternative<Concat>(op.attributes) ||
         std::holds_alternative<LocalResponseNorm>(op.attributes) ||
         (norm != nullptr &&
          (norm->kind == Normalization::kBatch || norm->kind == Normalization::kGroup));
}

Strides image_strides(const TensorShape& shape, ImageLayout layout) {
  if (shape.dims.size() != 4 || layout == ImageLayout::kChannelsFirst) {
    return row_major_strides(shape);
  }
  const std::int64_t c = shape.dims[1], h = shape.dims[2], w = shape.dims[3];
  return {c * h * w, 1, w * c, c};
}

void place(Tensor& tensor, Strides strides) {
  tensor.strides = std::move(strides);
  tensor.contiguous = is_row_major(tensor.shape, tensor.strides);
}

}  // namespace

WorkloadGraph with_layout(WorkloadGraph graph, ImageLayout layout) {
  GraphRewriter rewriter(std::move(graph));
  rewriter.set_layout(layout);
  for (const TensorId id : rewriter.graph().inputs()) {
    Tensor& tensor = rewriter.tensor(id);
    place(tensor, image_strides(tensor.shape, layout));
  }
  for (const Op& op : rewriter.ops()) {
    Tensor& output = rewriter.tensor(op.output);
    if (op.inputs.empty() || makes_images(op)) {
      place(output, image_strides(output.shape, layout));
      continue;
    }
    MemoryPlacement placement =
        memory_placement(op.attributes, rewriter.graph().tensor(op.inputs[0]), output.shape);
    output.alias_of = placement.aliases_input ? std::optional(op.inputs[0]) : std::nullopt;
    place(output, std::move(placement.strides));
  }
  return std::move(rewriter).finish();
}

}  // namespace paceline
