// What holds for the configuration of any model type: fields that contradict each other or name a
// network that is not built are refused, those without a meaning here are named.
#pragma once

#include <string>

#include "model/import/config_fields.h"

namespace paceline {

// Groups of fields that some model types have; in the configuration of another they are a
// contradiction.
struct ForeignFields {
  bool rotary = false;           // rope_scaling
  bool experts = false;          // num_local_experts
  bool encoder_decoder = false;  // is_encoder_decoder
};

// Throws InputError if two names of one size differ (n_embd and hidden_size), for groups of fields
// that `type` does not have, and for changes of the network that nothing here builds.
void check_contradictions(ConfigFields& fields, const std::string& type,
                          const ForeignFields& allowed);

// Adds an assumption that names the fields which nobody has read and which are not known to be
// without effect on cost. Call it last.
void name_ignored_fields(ConfigFields& fields);

}  // namespace paceline
