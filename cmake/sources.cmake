# SPDX-License-Identifier: MIT
# The sources of the core, ring by ring; each ring lists its own next to them.
set(COR_CORE_SOURCES)
foreach(ring base wire bus chip/cyw43 net app)
  include(${CMAKE_CURRENT_LIST_DIR}/../src/${ring}/sources.cmake)
  foreach(source ${RING_SOURCES})
    list(APPEND COR_CORE_SOURCES ${CMAKE_CURRENT_LIST_DIR}/../src/${ring}/${source})
  endforeach()
endforeach()
