#include "model/parameters/parameter_set.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

ParameterSet example() {
  ParameterSet set;
  set.provenance = make_provenance("paceline calibrate", {"paceline", "calibrate"});
  set.device = "cpu";
  Fit fit;
  fit.implementation = "openblas.sgemm";
  fit.formula = "cpu.gemm/1";
  fit.parameters = {{.name = "flop_rate", .value = 1.5e11, .std_error = 0.01, .unit = "FLOP/s"},
                    {.name = "share",
                     .value = 0.9,
                     .std_error = 0.2,
                     .unit = "1",
                     .scale = ParameterScale::kLogit}};
  fit.covariance = {1e-4, 1e-5, 1e-5, 4e-2};
  fit.quality.samples = 30;
  fit.quality.held_out_mape = 0.07;
  fit.quality.refit_on_all = true;
  fit.domain["flops"] = {1e3, 1e12};
  set.fits = {fit};
  set.sources = {{"measurements.json", std::string(64, 'a'), "Apache-2.0"}};
  set.fitted_shapes = {"openblas.sgemm: gemm NN 64x64x64"};
  return set;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text) {
  try {
    parse_parameters(text, "p.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// A file that makes no sense is refused where it is read, before it becomes a number.
TEST(ParameterSet, RefusesErrorsThatCannotBe) {
  const std::string good = parameters_text(example());
  const auto refused = [&](const std::string& from, const std::string& to) {
    return message_of(with(good, from, to));
  };
  EXPECT_EQ(message_of(good), "no error");
  EXPECT_NE(refused("\"own_sd\": 0.0", "\"own_sd\": 1e300").find("own_sd"), std::string::npos);
  EXPECT_NE(refused("\"shared_sd\": 0.0", "\"shared_sd\": -1").find("negative"), std::string::npos);
  EXPECT_NE(refused("[0.0001,", "[-0.0001,").find("covariance"), std::string::npos);
  EXPECT_NE(refused("1e-05, 1e-05", "1e-05, 2e-05").find("symmetric"), std::string::npos);
  EXPECT_NE(refused("\"low\": 1000.0", "\"low\": 1e13").find("above high"), std::string::npos);
  EXPECT_NE(refused("\"samples\": 30", "\"samples\": -1").find("samples"), std::string::npos);
  EXPECT_NE(refused("\"name\": \"share\"", "\"name\": \"flop_rate\"").find("second parameter"),
            std::string::npos);
  EXPECT_NE(refused("\"memory_bytes\": ", "\"memory_bytes\": -").find("memory_bytes"),
            std::string::npos);
  EXPECT_NE(refused("\"cores\": ", "\"cores\": 1844674407370955161").find("cores"),
            std::string::npos);
}

// What was measured and refused is not "not measured".
TEST(ParameterSet, SaysWhyAFitIsMissing) {
  ParameterSet set = example();
  set.refused["aten.gelu_backward"] = "typical error 36 %";
  set = parse_parameters(parameters_text(set), "p.json");
  const auto message = [&](const char* implementation) -> std::string {
    try {
      set.at(implementation);
    } catch (const MissingParameter& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message("aten.gelu_backward").find("refused (typical error 36 %)"), std::string::npos);
  EXPECT_NE(message("aten.relu").find("measure and fit it"), std::string::npos);
}

TEST(ParameterSet, WhatIsWrittenReadsBackEqual) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "parameters.json";
  const ParameterSet written = example();
  write_parameters(file, written);
  const ParameterSet read = read_parameters(file);
  EXPECT_EQ(parameters_text(read), parameters_text(written));
  EXPECT_EQ(read.at("openblas.sgemm").value("flop_rate"), 1.5e11);
  EXPECT_EQ(read.fits[0].parameters[1].scale, ParameterScale::kLogit);
  EXPECT_EQ(read.fits[0].domain.at("flops").second, 1e12);
  EXPECT_TRUE(read.fits[0].quality.refit_on_all);
}

TEST(ParameterSet, AMissingFitNamesTheCommandThatMakesIt) {
  try {
    example().at("onednn.conv");
    FAIL();
  } catch (const MissingParameter& error) {
    EXPECT_NE(std::string(error.what()).find("onednn.conv"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("paceline calibrate"), std::string::npos);
  }
  EXPECT_THROW(example().fits[0].value("flop_rat"), MissingParameter);
}

TEST(ParameterSet, ReadingIsStrict) {
  const std::string text = parameters_text(example());
  EXPECT_EQ(message_of(text), "no error");
  EXPECT_NE(message_of(with(text, "\"log\"", "\"lgo\"")).find("/fits/0/parameters/0/scale"),
            std::string::npos);
  EXPECT_NE(message_of(with(text, "\"refit_on_all\"", "\"refit\"")).find("refit"),
            std::string::npos);
  EXPECT_NE(message_of(with(text, "[0.0001, ", "[")).find("2 parameters need 4"),
            std::string::npos);
  EXPECT_NE(message_of(with(text, "150000000000", "-1")).find("must be positive"),
            std::string::npos);
  EXPECT_NE(message_of(with(text, "parameters/1", "parameters/2")).find("another version"),
            std::string::npos);
}

// A value survives the way through its coordinate on every scale.
TEST(ParameterScale, CoordinatesInvert) {
  for (const ParameterScale scale :
       {ParameterScale::kLinear, ParameterScale::kLog, ParameterScale::kLogit}) {
    for (const double value : {1e-9, 0.3, 0.999}) {
      EXPECT_NEAR(from_coordinate(scale, to_coordinate(scale, value)), value, 1e-12 * value)
          << to_string(scale);
    }
  }
}

}  // namespace
}  // namespace paceline
