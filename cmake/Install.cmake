# `cmake --install` puts the library, its headers, the program and a package that find_package() finds.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS narrowgauge EXPORT narrowgaugeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS narrowgauge_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/narrowgauge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/narrowgauge)
install(EXPORT narrowgaugeTargets NAMESPACE narrowgauge:: DESTINATION ${_package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/narrowgaugeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/narrowgaugeConfig.cmake
  INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/narrowgaugeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/narrowgaugeConfig.cmake
  ${PROJECT_BINARY_DIR}/narrowgaugeConfigVersion.cmake DESTINATION ${_package_dir})
