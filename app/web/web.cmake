# The program for node, whose commands read the files of this machine, and the page.
target_link_options(snapviewer PRIVATE ${snapviewer_web_window_options} ${snapviewer_node_options})
set_target_properties(snapviewer PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/web/node_output.js)

# Adds a target that makes the page in a folder. `main` is the source of its programs' main(); `library` contains everything else.
function(snapviewer_add_page name folder main library)
    set(web ${CMAKE_SOURCE_DIR}/app/web)
    add_executable(${name}_threaded ${main})
    target_link_libraries(${name}_threaded PRIVATE ${library})
    # A pool of threads, because a page cannot start a thread while its main thread is busy.
    target_link_options(${name}_threaded PRIVATE ${snapviewer_web_window_options} -sENVIRONMENT=web,worker -sPTHREAD_POOL_SIZE=16 -sPTHREAD_POOL_SIZE_STRICT=0
        -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall,stringToNewUTF8 -sEXPORTED_FUNCTIONS=_main,_snapviewer_warm_up,_snapviewer_end_warm_up)
    # Links again after packaging/web/emscripten.sh has patched the compiler's libraries.
    set(compiler_made ${CMAKE_SOURCE_DIR}/build/web-compiler/whole)
    set_target_properties(${name}_threaded PROPERTIES OUTPUT_NAME snapviewer RUNTIME_OUTPUT_DIRECTORY ${folder} LINK_DEPENDS ${compiler_made})
    add_custom_target(${name})
    add_dependencies(${name} ${name}_threaded)

    # The build with 64-bit addresses, for files that do not fit into 32 bits. It is configured separately.
    if(CMAKE_SIZEOF_VOID_P EQUAL 8)
        set(prelude ${web}/memory64.js)
        target_link_options(${name}_threaded PRIVATE --pre-js ${prelude})
        set_target_properties(${name}_threaded PROPERTIES OUTPUT_NAME snapviewer64 LINK_DEPENDS "${prelude};${compiler_made}")
        return()
    endif()

    # The program without threads, for pages that may not use threads; see core/system/web/threads.cpp. Only the linking differs.
    add_executable(${name}_alone ${main})
    target_link_libraries(${name}_alone PRIVATE ${library})
    target_link_options(${name}_alone PRIVATE ${snapviewer_web_window_options} -no-pthread -sENVIRONMENT=web
        -sJSPI -sJSPI_IMPORTS=env.snapviewer_wait_for_page -sJSPI_EXPORTS=snapviewer_do_turns -Wno-experimental
        -sEXPORTED_RUNTIME_METHODS=FS,callMain,ccall,stringToNewUTF8 -sEXPORTED_FUNCTIONS=_main)
    set_target_properties(${name}_alone PROPERTIES OUTPUT_NAME alone RUNTIME_OUTPUT_DIRECTORY ${folder})
    set(files ${web}/index.html ${web}/page.js ${web}/service_worker.js ${CMAKE_SOURCE_DIR}/packaging/snapviewer.svg
        ${CMAKE_SOURCE_DIR}/assets/sample.pickle)
    add_custom_command(OUTPUT ${folder}/index.html COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND ${CMAKE_COMMAND} -E copy ${files} ${folder} DEPENDS ${files} VERBATIM)
    add_custom_target(${name}_files ALL DEPENDS ${folder}/index.html)
    add_dependencies(${name} ${name}_alone ${name}_files)
endfunction()
snapviewer_add_page(page ${CMAKE_BINARY_DIR}/page main.cpp snapviewer_app)
