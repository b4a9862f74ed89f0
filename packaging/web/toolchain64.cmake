# A page with 64-bit addresses.
set(bits 64)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
