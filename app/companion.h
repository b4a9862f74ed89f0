#pragma once

#include <string_view>

namespace snapviewer {

/// The kind of file that can be opened together with a kind of file (Snapshot::kind; see load_together()), and what the menu
/// calls it; empty and null where there is none.
std::string_view companion_kind(std::string_view kind);
const char* companion_name(std::string_view kind);

}  // namespace snapviewer
