; The installer for Windows, made by scripts/windows.sh with /DVERSION, /DFOLDER (the files to install) and /DOUT. Installs for the
; current user only, so it needs no administrator.
Unicode true
Target amd64-unicode
Name "snapviewer ${VERSION}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\snapviewer"
InstallDirRegKey HKCU "Software\snapviewer" "folder"
RequestExecutionLevel user
SetCompressor /SOLID lzma
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\snapviewer"
!define CLASSES "Software\Classes"

Page directory
Page components
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; Adds "Open with" to files of these kinds, without changing the default program.
!macro OpenWith ENDING
    WriteRegStr HKCU "${CLASSES}\${ENDING}\OpenWithProgids" "snapviewer.snapshot" ""
!macroend
!macro NotOpenWith ENDING
    DeleteRegValue HKCU "${CLASSES}\${ENDING}\OpenWithProgids" "snapviewer.snapshot"
!macroend

Section "snapviewer"
    SectionIn RO
    SetOutPath "$INSTDIR"
    File /r "${FOLDER}\*"
    CreateShortcut "$SMPROGRAMS\snapviewer.lnk" "$INSTDIR\snapviewer.exe"
    WriteUninstaller "$INSTDIR\uninstall.exe"
    WriteRegStr HKCU "Software\snapviewer" "folder" "$INSTDIR"
    WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "snapviewer"
    WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
    WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\snapviewer.exe"
    WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
    WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
    WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
SectionEnd

Section "Open snapshots with it"
    WriteRegStr HKCU "${CLASSES}\snapviewer.snapshot" "" "GPU-memory snapshot"
    WriteRegStr HKCU "${CLASSES}\snapviewer.snapshot\DefaultIcon" "" "$INSTDIR\snapviewer.exe,0"
    WriteRegStr HKCU "${CLASSES}\snapviewer.snapshot\shell\open\command" "" '"$INSTDIR\snapviewer.exe" "%1"'
    !insertmacro OpenWith ".pickle"
    !insertmacro OpenWith ".pkl"
    !insertmacro OpenWith ".zst"
    !insertmacro OpenWith ".zip"
    !insertmacro OpenWith ".db"
SectionEnd

Section "Uninstall"
    !insertmacro NotOpenWith ".pickle"
    !insertmacro NotOpenWith ".pkl"
    !insertmacro NotOpenWith ".zst"
    !insertmacro NotOpenWith ".zip"
    !insertmacro NotOpenWith ".db"
    DeleteRegKey HKCU "${CLASSES}\snapviewer.snapshot"
    DeleteRegKey HKCU "${UNINSTALL}"
    DeleteRegKey HKCU "Software\snapviewer"
    Delete "$SMPROGRAMS\snapviewer.lnk"
    ; Removes the installed files, but no files that others put there.
    Delete "$INSTDIR\snapviewer.exe"
    Delete "$INSTDIR\snapviewer.com"
    Delete "$INSTDIR\snapviewer.dll"
    Delete "$INSTDIR\snapviewer.h"
    Delete "$INSTDIR\sample.pickle"
    Delete "$INSTDIR\LICENSE.txt"
    RMDir /r "$INSTDIR\licenses"
    Delete "$INSTDIR\uninstall.exe"
    RMDir "$INSTDIR"
SectionEnd
