# Finds the sequential double-precision MUMPS (Debian: libmumps-seq-dev), which ships neither a CMake nor a pkg-config file.
# Defines the target MUMPS::dmumps_seq and MUMPS_VERSION. The library must be the sequential one: Debian's libdmumps, which may
# be installed beside it, needs MPI and shares the header. Where a sequential build has another name, set MUMPS_LIBRARY.
find_path(MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES mumps_seq mumps)
find_library(MUMPS_LIBRARY NAMES dmumps_seq)
if(MUMPS_INCLUDE_DIR AND EXISTS ${MUMPS_INCLUDE_DIR}/dmumps_c.h)
  file(STRINGS ${MUMPS_INCLUDE_DIR}/dmumps_c.h _mumps_version REGEX "define MUMPS_VERSION ")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" MUMPS_VERSION "${_mumps_version}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS MUMPS_LIBRARY MUMPS_INCLUDE_DIR VERSION_VAR MUMPS_VERSION)
if(MUMPS_FOUND AND NOT TARGET MUMPS::dmumps_seq)
  add_library(MUMPS::dmumps_seq UNKNOWN IMPORTED)
  set_target_properties(MUMPS::dmumps_seq PROPERTIES
    IMPORTED_LOCATION ${MUMPS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${MUMPS_INCLUDE_DIR})
endif()
mark_as_advanced(MUMPS_INCLUDE_DIR MUMPS_LIBRARY)
