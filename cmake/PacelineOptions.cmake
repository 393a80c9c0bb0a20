# Build options shared by every target, on one interface target: paceline_options.
option(PACELINE_WERROR "Treat warnings as errors" OFF)
option(PACELINE_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(PACELINE_UNITY "Compile the sources of a library eight at a time: for a build from nothing" OFF)
option(PACELINE_FUZZER "Build only the parsers, with libFuzzer and sanitizers" OFF)
set(PACELINE_FUZZ_MUTATIONS 2000 CACHE STRING "Inputs that each fuzz test makes from its corpus")
set(PACELINE_FUZZ_SECONDS 2 CACHE STRING "How long libFuzzer runs on each parser")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Kernel benchmarks are a plug-in that holds its own copy of the static libraries.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Optimized code with just enough debug information for stack traces; full -g doubles link time.
set(PACELINE_OPTIMIZATION "-O2 -g1" CACHE STRING "Flags of an optimized build")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${PACELINE_OPTIMIZATION}")

add_library(paceline_options INTERFACE)
# Our warnings are not those of programs that use the installed libraries.
target_include_directories(
  paceline_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                             $<INSTALL_INTERFACE:include/paceline>)
target_compile_features(paceline_options INTERFACE cxx_std_20)
target_compile_options(
  paceline_options INTERFACE $<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
                             $<BUILD_INTERFACE:-Wold-style-cast;-Wnon-virtual-dtor>)
if(PACELINE_WERROR)
  target_compile_options(paceline_options INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
# Checks at every access through a pointer are left out: what they find either faults, which the
# address sanitizer reports, or is a type with two definitions, for which there is a test. They
# are a third of the compile time.
set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,vptr,object-size
               -fno-sanitize-recover=undefined)
if(PACELINE_SANITIZE)
  target_compile_options(paceline_options INTERFACE ${sanitizers})
  target_link_options(paceline_options INTERFACE -fsanitize=address,undefined)
endif()
if(PACELINE_FUZZER)
  # Coverage as g++ records it; cli/fuzz/coverage.cpp passes it on to libFuzzer.
  target_compile_options(paceline_options INTERFACE -fsanitize-coverage=trace-pc,trace-cmp ${sanitizers})
  target_link_options(paceline_options INTERFACE -fsanitize=address,undefined)
endif()
