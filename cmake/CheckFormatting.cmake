# Layout is decided by clang-format 14 and .clang-format. Run as
#   cmake -DROOT=<source> -DCLANG_FORMAT=<program> -P CheckFormatting.cmake
cmake_minimum_required(VERSION 3.25)
if(NOT CLANG_FORMAT OR CLANG_FORMAT MATCHES "NOTFOUND")
  message("skipped: clang-format 14 is not installed")
  return()
endif()
set(files "")
foreach(library core traces model simulator microbench calibration validation answers cli examples)
  file(GLOB_RECURSE found ${ROOT}/${library}/*.h ${ROOT}/${library}/*.cpp)
  list(APPEND files ${found})
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${files} RESULT_VARIABLE result
                ERROR_VARIABLE text)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "run cmake/format:\n${text}")
endif()
