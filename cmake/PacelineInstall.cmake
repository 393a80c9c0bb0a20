# `cmake --install`: the program, its data, manual and completions, and the libraries with
# find_package(paceline).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(paceline_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/paceline)
install(TARGETS paceline_options EXPORT paceline_targets)
set_target_properties(paceline_options PROPERTIES EXPORT_NAME options)
foreach(library core traces model simulator validation answers microbench_harness microbench
                calibration_plugin cli)
  set_target_properties(paceline_${library} PROPERTIES EXPORT_NAME ${library})
  install(TARGETS paceline_${library} EXPORT paceline_targets ARCHIVE DESTINATION
                                                              ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(EXPORT paceline_targets NAMESPACE paceline:: DESTINATION ${paceline_config_folder})
set(ONNX_FOUND ${PACELINE_HAS_ONNX})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/paceline-config.cmake.in
  ${PROJECT_BINARY_DIR}/paceline-config.cmake INSTALL_DESTINATION ${paceline_config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/paceline-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/paceline-config.cmake
              ${PROJECT_BINARY_DIR}/paceline-config-version.cmake
        DESTINATION ${paceline_config_folder})

# Headers keep their folders: #include "model/plan/report.h".
foreach(folder core traces model simulator validation answers microbench calibration cli)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/paceline
          FILES_MATCHING PATTERN "*.h" PATTERN "*test*" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/ DESTINATION include/paceline
        FILES_MATCHING PATTERN "*.h")

foreach(folder model/catalog calibration/fitted calibration/public calibration/recipes
               validation/sets traces/recorded answers/html)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION share/paceline/${parent}
          PATTERN "*.cpp" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN "*_test.py" EXCLUDE
          PATTERN "__pycache__" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/validation/recorders DESTINATION share/paceline/validation
        FILES_MATCHING PATTERN "*.py" PATTERN "*_test.py" EXCLUDE PATTERN "lab" EXCLUDE)
if(PACELINE_CHART_JS)
  install(FILES ${PACELINE_CHART_JS} DESTINATION share/paceline/answers/html)
endif()

# The program documents itself; a program for another processor cannot run here.
if(NOT CMAKE_CROSSCOMPILING AND NOT PACELINE_ONLY_LIBRARIES)
  set(documents ${PROJECT_BINARY_DIR}/documents)
  add_custom_command(
    OUTPUT ${documents}/paceline.1 ${documents}/paceline.bash ${documents}/_paceline
           ${documents}/paceline.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
    COMMAND paceline man -o ${documents}/paceline.1
    COMMAND paceline completion bash -o ${documents}/paceline.bash
    COMMAND paceline completion zsh -o ${documents}/_paceline
    COMMAND paceline completion fish -o ${documents}/paceline.fish
    DEPENDS paceline VERBATIM)
  add_custom_target(paceline_documents ALL DEPENDS ${documents}/paceline.1)
  install(FILES ${documents}/paceline.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${documents}/paceline.bash DESTINATION share/bash-completion/completions
          RENAME paceline)
  install(FILES ${documents}/_paceline DESTINATION share/zsh/site-functions)
  install(FILES ${documents}/paceline.fish DESTINATION share/fish/vendor_completions.d)
endif()
