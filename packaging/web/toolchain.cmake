# Debian's compiler for WebAssembly and the libraries for it, in the folders in which packaging/web/emscripten.sh and libraries.sh make them.
# Included by toolchain32.cmake and toolchain64.cmake, which set how many bits an address has.
set(compiler ${CMAKE_CURRENT_LIST_DIR}/../../build/web-compiler)
set(root ${CMAKE_CURRENT_LIST_DIR}/../../build/web${bits}-libraries/root)
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm${bits})
# Instructions that browsers have had since 2021, Safari since 2023.
set(CMAKE_C_FLAGS_INIT "-pthread -fwasm-exceptions -msimd128 -mnontrapping-fptoint -isystem ${root}/usr/include")
if(bits EQUAL 64)
    string(APPEND CMAKE_C_FLAGS_INIT " -sMEMORY64 -Wno-experimental")
    set(CMAKE_C_FLAGS ${CMAKE_C_FLAGS_INIT})  # by which Emscripten's own file knows how large addresses are
endif()
include(${compiler}/debian/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# Its threads that are told to stop are an experiment of libc++ 19. ImGui counts vertices in 32 bits where a draw call cannot begin at any.
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -D_LIBCPP_ENABLE_EXPERIMENTAL -DImDrawIdx=unsigned")
set(CMAKE_LIBRARY_ARCHITECTURE wasm${bits}-emscripten)
set(CMAKE_FIND_ROOT_PATH ${root}/usr ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
# Emscripten itself says where packages are; this is looked at before.
set(ENV{PKG_CONFIG_PATH} ${root}/usr/lib/wasm${bits}-emscripten/pkgconfig)
