#!/bin/sh
# Runs a Windows program: emulator.sh PROGRAM [ARGUMENT...]. The program creates a window even if it draws pictures offscreen, so it
# needs the display SNAPVIEWER_SCREEN, also if a test unsets DISPLAY. Does not use the wrapper "wine", which requires its 32-bit part.
export DISPLAY="${DISPLAY:-${SNAPVIEWER_SCREEN:-}}"
exec /usr/lib/wine/wine64 "$@"
