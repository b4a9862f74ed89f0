# This machine's compiler, or Debian's cross compiler, for the older root that packaging/portable/libraries.sh made in
# SNAPVIEWER_PORTABLE. Nothing of this machine is linked except the compiler's C++ runtime, statically.
set(root $ENV{SNAPVIEWER_PORTABLE}/root)
include($ENV{SNAPVIEWER_PORTABLE}/compiler.cmake)
set(CMAKE_SYSROOT ${root})
# GCC searches folders beside its own first, which contain this machine's libraries, unless -B names others.
set(CMAKE_C_FLAGS_INIT "-B ${root}/usr/lib/${architecture} -B ${root}/lib/${architecture} ${c_headers}")
set(CMAKE_CXX_FLAGS_INIT "-B ${root}/usr/lib/${architecture} -B ${root}/lib/${architecture} ${cxx_headers}")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static-libstdc++)
# Functions that the older glibc lacks. The C++ runtime, which is linked last, refers to arc4random only after the linker has passed this
# library, so -u requests it.
set(CMAKE_C_STANDARD_LIBRARIES "${root}/usr/lib/${architecture}/libolder_glibc.a -ldl -lpthread -lm" CACHE STRING "")
set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,-u,arc4random ${CMAKE_C_STANDARD_LIBRARIES}" CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/${architecture}/pkgconfig)
