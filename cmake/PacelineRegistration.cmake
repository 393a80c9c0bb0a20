# paceline_generate_registration(target folder registry_type header [function])
#
# Every *.cpp in `folder` (tests excepted) defines  void register_<stem>(registry_type&);
# this writes the one function register_all(registry_type&) that calls them all in sorted order, so
# that adding a file is adding an extension: no list to edit and no static constructors to lose.
# Several folders with one registry type give the function different names.
function(paceline_generate_registration target folder registry_type header)
  set(function register_all)
  if(ARGC GREATER 4)
    set(function ${ARGV4})
  endif()
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
       ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  list(SORT files)
  set(declarations "")
  set(calls "")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "void register_${stem}(${registry_type}&);\n")
    string(APPEND calls "  register_${stem}(registry);\n")
  endforeach()
  string(REPLACE "/" "_" name ${folder})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}_registration.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"// Generated from the files in ${folder}/. Do not edit.
#include \"${header}\"

namespace paceline {
${declarations}
void ${function}(${registry_type}& registry) {
${calls}}
}  // namespace paceline
")
  # Extensions of one kind have parts of the same names: each is compiled on its own also where others are not.
  set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${files} ${generated})
endfunction()
