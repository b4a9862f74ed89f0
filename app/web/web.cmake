# The program twice: for node, where commands read the files of this machine, and as a page. A page has as much memory as 32 bits count.
set(common -O1 -pthread -fwasm-exceptions -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB -sDEFAULT_PTHREAD_STACK_SIZE=1MB)
target_link_options(snapviewer PRIVATE ${common} -sENVIRONMENT=node,worker -sNODERAWFS -sPROXY_TO_PTHREAD -sEXIT_RUNTIME -sUSE_GLFW=3
    -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)

add_executable(snapviewer_page main.cpp)
target_link_libraries(snapviewer_page PRIVATE snapviewer_app)
# Threads cannot begin while the page's own is busy, so they are there before.
target_link_options(snapviewer_page PRIVATE ${common} -sENVIRONMENT=web,worker -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2
    -sPTHREAD_POOL_SIZE=16 -sPTHREAD_POOL_SIZE_STRICT=0 -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall -sEXPORTED_FUNCTIONS=_main)
set(page ${CMAKE_BINARY_DIR}/page)
set_target_properties(snapviewer_page PROPERTIES OUTPUT_NAME snapviewer RUNTIME_OUTPUT_DIRECTORY ${page})
set(files ${CMAKE_CURRENT_SOURCE_DIR}/web/index.html ${CMAKE_CURRENT_SOURCE_DIR}/web/page.js ${CMAKE_CURRENT_SOURCE_DIR}/web/service_worker.js
    ${CMAKE_SOURCE_DIR}/packaging/snapviewer.svg ${CMAKE_SOURCE_DIR}/assets/sample.pickle)
add_custom_command(OUTPUT ${page}/index.html COMMAND ${CMAKE_COMMAND} -E make_directory ${page}
    COMMAND ${CMAKE_COMMAND} -E copy ${files} ${page} DEPENDS ${files} VERBATIM)
add_custom_target(snapviewer_page_files ALL DEPENDS ${page}/index.html)
