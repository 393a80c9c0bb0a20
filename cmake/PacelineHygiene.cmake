# Tests of the source tree itself: layering, stand-alone headers, formatting. Label: hygiene.
add_test(NAME layering COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P
                               ${PROJECT_SOURCE_DIR}/cmake/CheckLayering.cmake)

# Each header compiles alone: one generated translation unit per header, checked for syntax only.
add_test(NAME standalone_headers
         COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DCXX=${CMAKE_CXX_COMPILER}
                 -DGENERATED=${PROJECT_BINARY_DIR}/generated -DEIGEN=${EIGEN3_INCLUDE_DIR} -P
                 ${PROJECT_SOURCE_DIR}/cmake/CheckHeaders.cmake)

find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
add_test(NAME formatting COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
                                 -DCLANG_FORMAT=${CLANG_FORMAT} -P
                                 ${PROJECT_SOURCE_DIR}/cmake/CheckFormatting.cmake)
add_test(NAME readme_accuracy COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P
                                      ${PROJECT_SOURCE_DIR}/cmake/CheckReadme.cmake)
set_tests_properties(layering standalone_headers formatting readme_accuracy PROPERTIES LABELS
                                                                                       hygiene)
set_tests_properties(formatting PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: clang-format")
