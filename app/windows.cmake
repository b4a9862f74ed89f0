# What a program of Windows has besides: an icon, a manifest, and a twin.
enable_language(RC)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(icon ${CMAKE_CURRENT_BINARY_DIR}/snapviewer.ico)
set(picture ${CMAKE_SOURCE_DIR}/packaging/snapviewer.svg)
set(draw ${CMAKE_SOURCE_DIR}/packaging/windows/icon.py)
add_custom_command(OUTPUT ${icon} COMMAND Python3::Interpreter ${draw} ${picture} ${icon} DEPENDS ${draw} ${picture} VERBATIM)
add_custom_target(snapviewer_icon DEPENDS ${icon})
set(resources ${CMAKE_CURRENT_SOURCE_DIR}/system/windows/snapviewer.rc)
set_source_files_properties(${resources} PROPERTIES INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR} OBJECT_DEPENDS ${icon})

# The same program for a console, where "snapviewer info FILE" finds it first: a shell waits for it, and Ctrl-C reaches it. The other one
# opens no console when it is started by a double click.
add_executable(snapviewer_for_console main.cpp)
target_link_libraries(snapviewer_for_console PRIVATE snapviewer_app)
set_target_properties(snapviewer_for_console PROPERTIES OUTPUT_NAME snapviewer SUFFIX .com)
set_target_properties(snapviewer PROPERTIES WIN32_EXECUTABLE ON)
foreach(target snapviewer snapviewer_for_console)
    target_sources(${target} PRIVATE ${resources})
    add_dependencies(${target} snapviewer_icon)
endforeach()
install(TARGETS snapviewer snapviewer_for_console RUNTIME DESTINATION . COMPONENT folder)
install(TARGETS snapviewer snapviewer_for_console RUNTIME DESTINATION bin COMPONENT wheel EXCLUDE_FROM_ALL)
