# What `cmake --install` puts beside the program, and the Debian packages that `cpack` makes: ccpbench (the component program),
# ccpbench-peers, ccpbench-ranks and python3-ccpbench. `cmake --install build/release --component program` leaves out headers and libraries.
set(CCPBENCH_MAINTAINER "The ccpbench developers <ccpbench@example.org>" CACHE STRING "Who is named as the maintainer of packages")

set(_data ${CMAKE_INSTALL_DATADIR}/ccpbench)
set(_scripts report publish ccpbench_results output_file result_folder series_styles plotting figure_page curve_axes plot plot_convergence plot_sweep plot_maps
  plot_sequence plot_profiles plot_history ensemble_figure cell_values plot_means plot_tables result_tables result_maps draw_scene schools virtual_best)
foreach(_script IN LISTS _scripts)
  set(_file ${PROJECT_SOURCE_DIR}/scripts/${_script}.py)
  file(STRINGS ${_file} _first LIMIT_COUNT 1)
  if(_first MATCHES "^#!")
    install(PROGRAMS ${_file} DESTINATION ${_data}/scripts COMPONENT program)
  else()
    install(FILES ${_file} DESTINATION ${_data}/scripts COMPONENT program)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scripts/report ${PROJECT_SOURCE_DIR}/scripts/publish ${PROJECT_SOURCE_DIR}/scripts/scene DESTINATION ${_data}/scripts COMPONENT program
  FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "*.js" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${_data} COMPONENT program FILES_MATCHING PATTERN "*.json")

# The module that reads results, where Python finds it: a link to the file that the scripts use. Debian's Python looks into
# lib/python3/dist-packages below /usr; elsewhere PYTHONPATH names the folder.
set(_modules ${CMAKE_INSTALL_LIBDIR}/python3/dist-packages)
if(CMAKE_INSTALL_LIBDIR MATCHES "^lib")
  set(_modules lib/python3/dist-packages)
endif()
file(RELATIVE_PATH _up "${CMAKE_INSTALL_PREFIX}/${_modules}" "${CMAKE_INSTALL_FULL_DATADIR}/ccpbench/scripts")
set(_link ${CMAKE_CURRENT_BINARY_DIR}/package/ccpbench_results.py)
file(REMOVE ${_link})
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package)
file(CREATE_LINK ${_up}/ccpbench_results.py ${_link} SYMBOLIC)
install(FILES ${_link} DESTINATION ${_modules} COMPONENT program)

# The Python package, whose results.py is a link to the same file.
set(_debian_packages ccpbench ccpbench-peers)
if(CCP_RANKS)
  list(APPEND _debian_packages ccpbench-ranks)
endif()
if(TARGET ccpbench_python)
  list(APPEND _debian_packages python3-ccpbench)
  get_property(_sources GLOBAL PROPERTY CCP_PYTHON_SOURCES)
  foreach(_source IN LISTS _sources)
    install(FILES ${PROJECT_SOURCE_DIR}/apps/python/ccpbench/${_source} DESTINATION ${_modules}/ccpbench COMPONENT python)
  endforeach()
  set(_link ${CMAKE_CURRENT_BINARY_DIR}/package/results.py)
  file(REMOVE ${_link})
  file(CREATE_LINK ../${_up}/ccpbench_results.py ${_link} SYMBOLIC)
  install(FILES ${_link} DESTINATION ${_modules}/ccpbench COMPONENT python)
  install(TARGETS ccpbench_python LIBRARY DESTINATION ${_modules}/ccpbench COMPONENT python)
endif()

# Documentation, as Debian wants it.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cD OUTPUT_VARIABLE CCP_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT CCP_DATE)
  string(TIMESTAMP CCP_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(STRINGS ${PROJECT_SOURCE_DIR}/LICENSE _licence)
list(FILTER _licence INCLUDE REGEX "^Copyright")
string(REGEX REPLACE "^Copyright \\(c\\) " "" CCP_COPYRIGHT "${_licence}")
file(READ ${PROJECT_SOURCE_DIR}/LICENSE _licence)
string(REGEX REPLACE "^.*Copyright[^\n]*\n\n" "" _licence "${_licence}")
string(REGEX REPLACE "\n+$" "" _licence "${_licence}")
string(REPLACE "\n\n" "\n.\n" _licence "${_licence}")
string(REPLACE "\n" "\n " CCP_LICENCE " ${_licence}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${CMAKE_CURRENT_BINARY_DIR}/package/copyright @ONLY)
foreach(_package IN LISTS _debian_packages)
  set(CCP_PACKAGE ${_package})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${CMAKE_CURRENT_BINARY_DIR}/package/${_package}/changelog @ONLY)
  find_program(CCP_GZIP gzip)
  mark_as_advanced(CCP_GZIP)
  if(CCP_GZIP)
    execute_process(COMMAND ${CCP_GZIP} -9nf ${CMAKE_CURRENT_BINARY_DIR}/package/${_package}/changelog)
  endif()
  string(REPLACE "ccpbench-" "" _component ${_package})
  string(REPLACE "python3-ccpbench" "python" _component ${_component})
  string(REPLACE "ccpbench" "program" _component ${_component})
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/package/${_package}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${_package}
    COMPONENT ${_component})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${_package} COMPONENT ${_component})
endforeach()
if(CCP_RANKS AND CCP_GZIP)
  execute_process(COMMAND ${CCP_GZIP} -9nc ${CMAKE_CURRENT_LIST_DIR}/ccpbench-ranks.1 OUTPUT_FILE ${CMAKE_CURRENT_BINARY_DIR}/package/ccpbench-ranks.1.gz)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/ccpbench-ranks.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ranks)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ccpbench
  COMPONENT program)
# Where the links of the README find them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps/ccpbench/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ccpbench/apps/ccpbench COMPONENT program
  FILES_MATCHING PATTERN "*.md")
foreach(_room lib problems)
  install(FILES ${PROJECT_SOURCE_DIR}/${_room}/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ccpbench/${_room} COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${_room}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ccpbench/${_room} COMPONENT program)
endforeach()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # cpack would build the tests, too
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_NAME ccpbench)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "${CCPBENCH_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
get_property(_adapters GLOBAL PROPERTY CCP_ADAPTERS)
if(_adapters)
  list(APPEND CPACK_COMPONENTS_ALL peers)
endif()
if(CCP_RANKS)
  list(APPEND CPACK_COMPONENTS_ALL ranks)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ccpbench)
# OpenBLAS by name: iterates depend on the kernels of the BLAS.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "python3:any, libopenblas0-pthread")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-matplotlib, libjs-chart.js")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ccpbench-peers, ccpbench-ranks, python3-ccpbench, python3-pandas, python3-h5py, python3-siconos, python3-cvxopt")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "benchmark suite for complementarity problems with friction
Runs solvers of contact problems with Coulomb friction on the same problems
and judges them by one measure: real dumps in the FCLib format, and scenes
generated from parameters and a seed. Each experiment is one JSON file, and
those that repeat the experiments of papers are included.

The convex (cone complementarity) and the Signorini-Coulomb model are there,
with first-order, splitting, interior-point and Newton methods.")
set(CPACK_DEBIAN_PEERS_PACKAGE_NAME ccpbench-peers)
set(CPACK_DEBIAN_PEERS_PACKAGE_DEPENDS "ccpbench (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PEERS_DESCRIPTION "solvers of other programs for ccpbench
Adapters that run the contact solvers of DART, Bullet and Simbody, and the
optimiser Ipopt, beside those of ccpbench: on the same problems, under the
same limits, judged by the same measures. Each run of one is a process of
its own.")
set(CPACK_DEBIAN_RANKS_PACKAGE_NAME ccpbench-ranks)
set(CPACK_DEBIAN_RANKS_PACKAGE_DEPENDS "ccpbench (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_COMPONENT_RANKS_DESCRIPTION "one contact problem on many processes, for ccpbench
The program of one process of a run by MPI: it holds a part of the bodies and
contacts of a problem and exchanges impulses with the others. Iterates have
the same bits on every number of processes.")
if(TARGET ccpbench_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  get_property(_minor GLOBAL PROPERTY CCP_PYTHON_MINOR)
  math(EXPR _next "${_minor} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-ccpbench)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "ccpbench (= ${PROJECT_VERSION}), python3 (>= 3.${_minor}), python3 (<< 3.${_next}), python3-numpy, libopenblas0-pthread")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-scipy, python3-pandas")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "contact problems with friction in Python
Problems of numpy and scipy arrays, of dumps and of scenes, the solvers of
ccpbench for them, its judge for any point, scenes in time, and experiments.
Arrays of MuJoCo, Drake, Pinocchio and Chrono become problems, too.")
endif()
include(CPack)
