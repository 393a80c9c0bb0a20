// Encoder-decoder transformers by their hyper-parameters: the original one and T5.
#pragma once

#include "model/graph/blocks/transformer.h"

namespace paceline {

struct EncoderDecoderConfig {
  // Of one layer; `layers` is the encoder's. A decoder layer attends to the encoder as well.
  TransformerConfig layer;
  std::int64_t decoder_layers = 0;
  std::int64_t relative_buckets = 0;  // T5: a learned bias per distance bucket and head; 0: none
};

// Source and target of `seq` tokens each; mean cross-entropy over the target.
void build_encoder_decoder(WorkloadBuilder& b, const EncoderDecoderConfig& config,
                           std::int64_t seq);

}  // namespace paceline
