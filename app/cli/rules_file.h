#pragma once

#include <string>

#include "core/analysis/kinds/kind_rules.h"
#include "core/base/result.h"

namespace snapviewer {

/// Reads the user's own kind rules from a file of at most 1 MiB. Returns no rules for an empty path. The error does not
/// contain the file name. Must be called before a Session is created, whose sandbox forbids opening other files.
Result<KindRules> read_rules_file(const std::string& path);

}  // namespace snapviewer
