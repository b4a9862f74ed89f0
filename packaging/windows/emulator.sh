#!/bin/sh
# Runs a program of Windows: emulator.sh PROGRAM [ARGUMENT...]. Its windows, which are made even for pictures that nobody sees, need the screen
# SNAPVIEWER_SCREEN, also where a test takes DISPLAY away. The wrapper called wine would ask for the 32 bits of it, too.
export DISPLAY="${DISPLAY:-${SNAPVIEWER_SCREEN:-}}"
exec /usr/lib/wine/wine64 "$@"
