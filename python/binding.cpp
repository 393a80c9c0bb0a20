// The Python module's C++ side: one function, which runs a command of the program in this process.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sstream>
#include <tuple>

#include "cli/program.h"

namespace {

// (exit code, output, error line); other Python threads run meanwhile.
std::tuple<int, std::string, std::string> run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "paceline");
  std::ostringstream out;
  std::ostringstream errors;
  const pybind11::gil_scoped_release release;
  const paceline::ExitCode code = paceline::run_program(arguments, out, errors);
  return {static_cast<int>(code), out.str(), errors.str()};
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "Runs commands of paceline.";
  module.def("run", &run, pybind11::arg("arguments"));
}
