#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/report/limits.h"

namespace snapviewer {

/// Returns the results as text for a terminal: one line per limit, such as "within: ...", followed by the stacks that broke
/// it. Control characters are escaped.
std::string check_text(const std::vector<CheckedLimit>& checked);

/// Returns the results as a comment for a pull request: a table, and a list of stacks for each broken limit.
std::string check_markdown(std::string_view file, const std::vector<CheckedLimit>& checked);

/// Returns the results as JUnit XML, which CI servers read: a broken limit is a failure, an unknown one is an error.
std::string check_junit(std::string_view file, const std::vector<CheckedLimit>& checked);

}  // namespace snapviewer
