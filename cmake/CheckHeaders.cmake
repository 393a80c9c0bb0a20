# Each public header compiles alone, without what its users happened to include before. Run as
#   cmake -DROOT=<source> -DCXX=<compiler> -DGENERATED=<folder> -P CheckHeaders.cmake
cmake_minimum_required(VERSION 3.25)
set(headers "")
foreach(library core traces model simulator microbench calibration validation answers cli)
  file(GLOB_RECURSE found RELATIVE ${ROOT} ${ROOT}/${library}/*.h)
  list(APPEND headers ${found})
endforeach()
set(failed "")
foreach(header IN LISTS headers)
  # `-x c++` on the header itself would warn about #pragma once in a main file.
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "#include \"${header}\""
                  COMMAND ${CXX} -std=c++20 -fsyntax-only -I${ROOT} -I${GENERATED}
                          -isystem /usr/include/eigen3 -x c++ -
                  RESULT_VARIABLE result ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    list(APPEND failed "${header}:\n${text}")
  endif()
endforeach()
if(failed)
  list(JOIN failed "\n" text)
  message(FATAL_ERROR "headers that do not compile alone:\n${text}")
endif()
