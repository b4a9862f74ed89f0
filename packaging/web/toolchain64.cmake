# For a page whose memory is counted by 64 bits.
set(bits 64)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
