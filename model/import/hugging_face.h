// Reads a Hugging Face `config.json` of GPT-2, OPT, Llama, Mistral, Mixtral, BERT or T5. The
// network is what transformers builds from it with its language-model head.
#pragma once

#include <string_view>

#include "model/import/imported_model.h"

namespace paceline {

// `file` stands for the file in messages. Sizes that define the network must be present; dropout,
// activation, biases and the like may be absent and are then reported as assumptions. Throws
// InputError naming file and field if one is missing, impossible or contradicts another.
ImportedModel import_hugging_face(std::string_view text, const std::string& file);

}  // namespace paceline
