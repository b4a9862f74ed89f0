# A page with 32-bit addresses, which can use up to 4 GB of memory.
set(bits 32)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
