# SPDX-License-Identifier: MIT
# Everything that runs on Linux: the core, the twin, the tools and the tests.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(COR_TOOLS "Build the twin, the ports to Linux and the coradio command"
       ${PROJECT_IS_TOP_LEVEL})
option(COR_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(COR_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
set(COR_LWIP_DIR "${PROJECT_SOURCE_DIR}/deps/lwip" CACHE PATH
    "lwIP's source (scripts/fetch-lwip.sh puts it there)")

include(cmake/warnings.cmake)
include(cmake/sources.cmake)

if(COR_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# The core is C11 without extensions.
add_library(coradio_core STATIC ${COR_CORE_SOURCES})
add_library(coradio::core ALIAS coradio_core)
set_target_properties(coradio_core PROPERTIES C_EXTENSIONS OFF)
target_include_directories(coradio_core PUBLIC ${PROJECT_SOURCE_DIR}/include
                                        PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(coradio_core PRIVATE cor_warnings)

if(COR_TOOLS)
  add_subdirectory(twin)
  add_subdirectory(ports/linux)
  add_subdirectory(ports/twin)
  add_subdirectory(ports/lwip)
  add_subdirectory(tools)
  add_subdirectory(examples)
endif()
if(COR_TESTS)
  enable_testing()
  add_subdirectory(tests)
  add_subdirectory(bench)
endif()
