#pragma once

#include <string>

#include "core/analysis/kind_rules.h"
#include "core/base/result.h"

namespace snapviewer {

/// The user's own rules for kinds from a file of at most 1 MiB; none for an empty path. The error has no file name in it.
/// To be called before a Session is there, which may not open other files.
Result<KindRules> read_rules_file(const std::string& path);

}  // namespace snapviewer
