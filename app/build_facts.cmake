# Writes build_facts.cpp if its contents have changed. Runs in every build, because the commit changes without running CMake:
#   cmake -DSOURCE=... -DOUTPUT=... -DMADE_FOR=... -DLIBRARIES=... -DABILITIES=... -P build_facts.cmake
set(commit "$Format:%h$")  # git archive replaces this by the commit
if(commit MATCHES "^.Format")
    execute_process(COMMAND git describe --always --dirty=+ --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(NOT status EQUAL 0 OR NOT EXISTS ${SOURCE}/.git)  # not the commit of another project that contains this folder
        set(commit unknown)
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "app/build_facts.h"

const snapviewer::BuildFacts snapviewer::k_build_facts{
    "@commit@", "@MADE_FOR@",
    "@LIBRARIES@",
    "@ABILITIES@"};
]])
