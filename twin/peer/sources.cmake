# SPDX-License-Identifier: MIT
# The wire, and the two kinds of host on its far end.
target_sources(coradio_twin PRIVATE peer/lwip_port.c peer/outside.c peer/peer.c peer/send.c peer/services.c
                                    peer/services_dhcp.c peer/services_dns.c peer/slirp.c
                                    peer/wire.c)

# ---- lwIP, as a library of its own whose state can be put back to what it was at start
if(NOT EXISTS ${COR_LWIP_DIR}/src/core/tcp.c)
  message(FATAL_ERROR "no lwIP source in ${COR_LWIP_DIR}: run scripts/fetch-lwip.sh")
endif()
set(lwip_core def inet_chksum init ip mem memp netif pbuf stats sys tcp tcp_in tcp_out timeouts udp
    ipv4/etharp ipv4/icmp ipv4/ip4 ipv4/ip4_addr ipv4/ip4_frag)
list(TRANSFORM lwip_core PREPEND ${COR_LWIP_DIR}/src/core/)
list(TRANSFORM lwip_core APPEND .c)
add_library(lwip_peer STATIC ${lwip_core} ${COR_LWIP_DIR}/src/netif/ethernet.c)
target_include_directories(lwip_peer SYSTEM PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/peer/lwip
                                                   ${COR_LWIP_DIR}/src/include)
# Its variables must stay in .data and .bss, so nothing may add to them or spread them.
target_compile_options(lwip_peer PRIVATE -w -O2 -fno-sanitize=all -fno-profile-arcs
                                         -fno-test-coverage -fno-data-sections -fno-common -fno-lto)
# lwIP checks its options with the preprocessor, which cannot read a variable.
set_source_files_properties(${COR_LWIP_DIR}/src/core/init.c PROPERTIES
                            COMPILE_DEFINITIONS TWIN_LWIP_CHECKS_OPTIONS)
# Sections with names of their own: the linker then says where they begin and end.
add_custom_command(
  TARGET lwip_peer POST_BUILD
  COMMAND ${CMAKE_OBJCOPY} --rename-section .bss=twin_lwip_bss
          --rename-section .data=twin_lwip_data --rename-section .data.rel=twin_lwip_data
          --rename-section .data.rel.local=twin_lwip_data $<TARGET_FILE:lwip_peer>
  VERBATIM)

# ---- libslirp. Its pkg-config file asks for glib's headers, which ours does not need.
find_path(SLIRP_INCLUDE_DIR slirp/libslirp.h)
find_library(SLIRP_LIBRARY slirp)
if(NOT SLIRP_INCLUDE_DIR OR NOT SLIRP_LIBRARY)
  message(FATAL_ERROR "no libslirp: install libslirp-dev (scripts/setup.sh build does it)")
endif()
target_include_directories(coradio_twin SYSTEM PRIVATE ${SLIRP_INCLUDE_DIR})
target_link_libraries(coradio_twin PRIVATE lwip_peer ${SLIRP_LIBRARY})
