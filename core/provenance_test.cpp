#include "core/provenance.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace paceline {
namespace {

TEST(Provenance, HashesWithSha256) {
  // The published test vector for "abc" (FIPS 180-4).
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Provenance, WhatIsWrittenReadsBackEqual) {
  Provenance written = make_provenance("paceline test", {"paceline", "test"});
  written.libraries["dnnl"] = "2.6.3";
  const nlohmann::json value = to_json(written);
  const Provenance read = read_provenance(JsonObject(value, "x.json:/provenance"));
  EXPECT_EQ(nlohmann::json(to_json(read)), value);
  EXPECT_GE(read.host.cores, 1);
  EXPECT_GT(read.host.memory, Bytes(1e6));
}

}  // namespace
}  // namespace paceline
