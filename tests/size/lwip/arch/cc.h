// SPDX-License-Identifier: MIT
// What lwIP wants to know of compiler and machine.
#ifndef SIZE_LWIP_ARCH_CC_H
#define SIZE_LWIP_ARCH_CC_H

#define LWIP_NO_CTYPE_H             1
#define LWIP_PLATFORM_DIAG(text)    // none
#define LWIP_PLATFORM_ASSERT(text)  // none, as in the examples
#define LWIP_TIMEVAL_PRIVATE        0
#define BYTE_ORDER                  LITTLE_ENDIAN

#endif
