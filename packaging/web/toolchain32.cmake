# For a page whose memory is counted by 32 bits, which is up to 4 GB.
set(bits 32)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake)
