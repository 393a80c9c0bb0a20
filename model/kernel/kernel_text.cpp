#include "model/kernel/kernel_text.h"

namespace paceline {

std::string readable_text(const KernelShape& shape) {
  const auto* stream = std::get_if<StreamShape>(&shape);
  if (stream == nullptr || stream->row <= 0) return to_string(shape);
  const bool whole = stream->elements % stream->row == 0;
  return "stream " + std::to_string(whole ? stream->elements / stream->row : stream->elements) +
         (whole ? "" : " in") + " rows of " + std::to_string(stream->row);
}

}  // namespace paceline
