# Debian's compiler for WebAssembly and the libraries for it, in the folders that packaging/web/emscripten.sh and libraries.sh create.
# Included by toolchain32.cmake and toolchain64.cmake, which set the number of bits of an address.
set(compiler ${CMAKE_CURRENT_LIST_DIR}/../../build/web-compiler)
set(root ${CMAKE_CURRENT_LIST_DIR}/../../build/web${bits}-libraries/root)
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm${bits})
# Instructions that Safari supports since 2023, and other browsers since 2021.
set(CMAKE_C_FLAGS_INIT "-pthread -fwasm-exceptions -msimd128 -mnontrapping-fptoint -isystem ${root}/usr/include")
if(bits EQUAL 64)
    string(APPEND CMAKE_C_FLAGS_INIT " -sMEMORY64 -Wno-experimental")
    set(CMAKE_C_FLAGS ${CMAKE_C_FLAGS_INIT})  # tells Emscripten's own toolchain file the size of addresses
endif()
include(${compiler}/debian/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Stoppable threads are experimental in libc++ 19. ImGui needs 32-bit indices, because a draw call cannot begin at an
# arbitrary vertex.
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -D_LIBCPP_ENABLE_EXPERIMENTAL -DImDrawIdx=unsigned")
set(CMAKE_LIBRARY_ARCHITECTURE wasm${bits}-emscripten)
set(CMAKE_FIND_ROOT_PATH ${root}/usr ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
# Emscripten itself configures where packages are found; this path is searched first.
set(ENV{PKG_CONFIG_PATH} ${root}/usr/lib/wasm${bits}-emscripten/pkgconfig)
