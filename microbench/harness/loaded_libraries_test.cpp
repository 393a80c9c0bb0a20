#include "microbench/harness/loaded_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kOpenMpConfig[] = "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY USE_OPENMP Haswell";
constexpr char kPthreadConfig[] = "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Haswell";

TEST(LoadedLibraries, FindsWhatThisProgramRuns) {
  EXPECT_THAT(loaded_libraries_with("libstdc++"), Not(IsEmpty()));
  EXPECT_THAT(loaded_libraries_with("no-such-library"), IsEmpty());
}

TEST(LoadedLibraries, OneRuntimeAndOpenMpBlasAreFine) {
  EXPECT_THAT(library_warnings({"/lib/libgomp.so.1", "/lib/openblas-openmp/libopenblas.so.0"},
                               kOpenMpConfig),
              IsEmpty());
  EXPECT_THAT(library_warnings({}, ""), IsEmpty());
}

TEST(LoadedLibraries, TwoOpenMpRuntimesAreNamed) {
  EXPECT_THAT(library_warnings({"/lib/libgomp.so.1", "/opt/libiomp5.so"}, ""),
              ElementsAre(HasSubstr("libgomp, libiomp")));
}

TEST(LoadedLibraries, ThreadsOfOpenBlasItselfAreADefect) {
  EXPECT_THAT(library_warnings({"/lib/libgomp.so.1"}, kPthreadConfig),
              ElementsAre(HasSubstr("libopenblas0-openmp")));
}

}  // namespace
}  // namespace paceline
