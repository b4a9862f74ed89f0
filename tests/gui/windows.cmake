# The window of Windows, on a screen of this system: a file by the menu, one by a drop, and SQL by the keyboard. What drops is a program of
# this system, so that it needs its own compiler.
find_program(SNAPVIEWER_NATIVE_COMPILER NAMES c++ g++ clang++)
if(NOT Python3_FOUND OR NOT SNAPVIEWER_NATIVE_COMPILER)
    message(STATUS "tests/gui is left out: it needs Python 3 and this system's compiler")
    return()
endif()
set(source ${CMAKE_CURRENT_SOURCE_DIR}/xdnd_source.cpp)
set(helper ${CMAKE_CURRENT_BINARY_DIR}/xdnd_source)
add_custom_command(OUTPUT ${helper} COMMAND ${SNAPVIEWER_NATIVE_COMPILER} -std=c++20 -O1 -o ${helper} ${source} -lX11 DEPENDS ${source} VERBATIM)
add_custom_target(native_xdnd_source ALL DEPENDS ${helper})
add_test(NAME gui_windows COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run.py
         test_open.Open.test_menu_and_typed_path test_open.Open.test_dropped_zip test_query.Query.test_rows_agree_with_the_file)
set_tests_properties(gui_windows PROPERTIES LABELS gui COST 1000 TIMEOUT 120 SKIP_RETURN_CODE 77
    ENVIRONMENT "SNAPVIEWER_BINARY=${snapviewer_program};SNAPVIEWER_XDND_SOURCE=${helper};SNAPVIEWER_SAMPLE=${CMAKE_SOURCE_DIR}/assets/sample.pickle;SNAPVIEWER_SHARED=${SNAPVIEWER_SHARED};SNAPVIEWER_GUI_FAILURES=${CMAKE_BINARY_DIR}/gui-failures;PYTHONDONTWRITEBYTECODE=1")
