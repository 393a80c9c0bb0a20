# paceline_add_library(NAME traces SOURCES ... DEPENDS paceline::core ... TESTS ...)
# makes the library paceline::traces and, from TESTS, one test executable paceline_traces_test whose
# cases are registered with CTest under the label "unit". TEST_DEPENDS are linked into the tests only.
function(paceline_add_library)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;DEPENDS;PRIVATE_DEPENDS;TESTS;TEST_DEPENDS" ${ARGN})
  set(target paceline_${arg_NAME})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(paceline::${arg_NAME} ALIAS ${target})
  # Most of the time of a compilation is that of the headers. It asks that the anonymous namespaces
  # of a library do not give a name twice.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PACELINE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  target_link_libraries(${target} PUBLIC paceline_options ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  if(arg_TESTS AND NOT PACELINE_FUZZER)
    add_executable(${target}_test ${arg_TESTS})
    target_link_libraries(${target}_test PRIVATE ${target} ${arg_TEST_DEPENDS} GTest::gmock
                                                 GTest::gtest_main)
    target_compile_definitions(${target}_test PRIVATE PACELINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # Half of all objects are tests, and their speed matters to no one.
    target_compile_options(${target}_test PRIVATE -O1)
    gtest_discover_tests(${target}_test PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
