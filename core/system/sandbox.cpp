#include "core/system/sandbox.h"

namespace snapviewer {

std::string Sandbox::text() const {
    if (is_whole()) return "on";
    return (filters_calls || guards_files ? "partly on: " : "off: ") + why_not;
}

std::string Sandbox::note() const {
    if (is_whole()) return text();
    const char* possible = "could do anything that you are allowed to do";
    if (guards_files) possible = "could start programs and open connections";
    if (filters_calls) possible = "could change your files when a command writes one; crash reports cannot be written";
    return text() + "; a file made to attack this program " + possible +
           " (with SNAPVIEWER_SANDBOX=required no file is opened in that case)";
}

}  // namespace snapviewer
