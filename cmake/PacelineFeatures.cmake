# paceline_feature(NAME found description...)
#
# Declares the option PACELINE_<NAME> = AUTO | ON | OFF and sets PACELINE_HAS_<NAME>: AUTO uses what
# was found, ON fails without it. Features are whole files chosen here, never #ifdef in shared code.
function(paceline_feature name found description)
  set(PACELINE_${name} AUTO CACHE STRING "${description}: AUTO, ON or OFF")
  set_property(CACHE PACELINE_${name} PROPERTY STRINGS AUTO ON OFF)
  set(has OFF)
  if(PACELINE_${name} STREQUAL "OFF")
  elseif(found)
    set(has ON)
  elseif(PACELINE_${name} STREQUAL "ON")
    message(FATAL_ERROR "PACELINE_${name}=ON, but ${description} was not found")
  endif()
  message(STATUS "PACELINE_${name}: requested ${PACELINE_${name}}, enabled ${has} (${description})")
  set(PACELINE_HAS_${name} ${has} PARENT_SCOPE)
endfunction()
