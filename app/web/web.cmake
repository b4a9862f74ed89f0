# The program for node, where commands read the files of this machine, and as a page.
set(common ${snapviewer_web_options} -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)
target_link_options(snapviewer PRIVATE ${common} ${snapviewer_node_options})
set_target_properties(snapviewer PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/web/node_output.js)

add_executable(snapviewer_page main.cpp)
target_link_libraries(snapviewer_page PRIVATE snapviewer_app)
# Threads cannot begin while the page's own is busy, so they are there before.
target_link_options(snapviewer_page PRIVATE ${common} -sENVIRONMENT=web,worker -sPTHREAD_POOL_SIZE=16 -sPTHREAD_POOL_SIZE_STRICT=0
    -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall,stringToNewUTF8 -sEXPORTED_FUNCTIONS=_main,_snapviewer_warm_up,_snapviewer_end_warm_up)
set(page ${CMAKE_BINARY_DIR}/page)
# The compiler's own libraries, which packaging/web/emscripten.sh mends, are linked anew when that script made another one.
set(compiler_made ${CMAKE_SOURCE_DIR}/build/web-compiler/whole)
set_target_properties(snapviewer_page PROPERTIES OUTPUT_NAME snapviewer RUNTIME_OUTPUT_DIRECTORY ${page} LINK_DEPENDS ${compiler_made})
add_custom_target(page)
add_dependencies(page snapviewer_page)

# For what 32 bits cannot hold, the page has a second program, built for itself.
if(CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(prelude ${CMAKE_CURRENT_SOURCE_DIR}/web/memory64.js)
    target_link_options(snapviewer_page PRIVATE --pre-js ${prelude})
    set_target_properties(snapviewer_page PROPERTIES OUTPUT_NAME snapviewer64 LINK_DEPENDS "${prelude};${compiler_made}")
    return()
endif()

# The same without threads, for pages that a browser gives none: core/system/web/threads.cpp. Only linked anew.
add_executable(snapviewer_alone main.cpp)
target_link_libraries(snapviewer_alone PRIVATE snapviewer_app)
target_link_options(snapviewer_alone PRIVATE ${common} -no-pthread -sENVIRONMENT=web
    -sJSPI -sJSPI_IMPORTS=env.snapviewer_wait_for_page -sJSPI_EXPORTS=snapviewer_do_turns -Wno-experimental
    -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall,stringToNewUTF8 -sEXPORTED_FUNCTIONS=_main)
set_target_properties(snapviewer_alone PROPERTIES OUTPUT_NAME alone RUNTIME_OUTPUT_DIRECTORY ${page})
set(files ${CMAKE_CURRENT_SOURCE_DIR}/web/index.html ${CMAKE_CURRENT_SOURCE_DIR}/web/page.js ${CMAKE_CURRENT_SOURCE_DIR}/web/service_worker.js
    ${CMAKE_SOURCE_DIR}/packaging/snapviewer.svg ${CMAKE_SOURCE_DIR}/assets/sample.pickle)
add_custom_command(OUTPUT ${page}/index.html COMMAND ${CMAKE_COMMAND} -E make_directory ${page}
    COMMAND ${CMAKE_COMMAND} -E copy ${files} ${page} DEPENDS ${files} VERBATIM)
add_custom_target(snapviewer_page_files ALL DEPENDS ${page}/index.html)
add_dependencies(page snapviewer_alone snapviewer_page_files)
