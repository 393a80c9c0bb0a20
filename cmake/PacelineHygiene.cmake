# Tests of the source tree itself: layering, stand-alone headers, unique types,
# formatting. Label: hygiene.
add_test(NAME layering COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P
                               ${PROJECT_SOURCE_DIR}/cmake/CheckLayering.cmake)

add_test(NAME standalone_headers COMMAND ${PROJECT_SOURCE_DIR}/cmake/check-headers
                                         ${CMAKE_CXX_COMPILER} ${PROJECT_BINARY_DIR}/generated)

find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
add_test(NAME formatting COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
                                 -DCLANG_FORMAT=${CLANG_FORMAT} -P
                                 ${PROJECT_SOURCE_DIR}/cmake/CheckFormatting.cmake)
add_test(NAME readme_accuracy COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P
                                      ${PROJECT_SOURCE_DIR}/cmake/CheckReadme.cmake)
add_test(NAME schemas_documented COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P
                                         ${PROJECT_SOURCE_DIR}/cmake/CheckSchemas.cmake)
set_tests_properties(layering standalone_headers formatting readme_accuracy schemas_documented
                     PROPERTIES LABELS hygiene)
set_tests_properties(standalone_headers PROPERTIES PROCESSORS 2)
set_tests_properties(formatting PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: clang-format")

if(PACELINE_PYTHON3)
  add_test(NAME unique_types COMMAND ${PACELINE_PYTHON3} ${PROJECT_SOURCE_DIR}/cmake/check-unique-types
                                     ${PROJECT_SOURCE_DIR})
  set_tests_properties(unique_types PROPERTIES LABELS hygiene)
endif()

# The installed tree, as its users see it: without sanitizers.
if(NOT PACELINE_SANITIZE)
  add_test(NAME installed_tree COMMAND ${PROJECT_SOURCE_DIR}/cmake/test-install ${PROJECT_BINARY_DIR}
                                       ${CMAKE_CXX_COMPILER})
  set_tests_properties(installed_tree PROPERTIES LABELS install)
endif()

# The commands of the guide run and give the answers it shows, apart from their numbers.
if(TARGET paceline AND PACELINE_PYTHON3)
  add_test(NAME guide COMMAND ${PACELINE_PYTHON3} ${PROJECT_SOURCE_DIR}/docs/guide/refresh
                              $<TARGET_FILE:paceline> --check)
  set_tests_properties(guide PROPERTIES LABELS guide)
endif()
