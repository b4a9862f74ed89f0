#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/limits.h"

namespace snapviewer {

/// A line for each limit, "within: ...", with the stacks that broke it below. Harmless on a terminal.
std::string check_text(const std::vector<CheckedLimit>& checked);

/// The same as a comment on a pull request: a table, and a list of stacks for each broken limit.
std::string check_markdown(std::string_view file, const std::vector<CheckedLimit>& checked);

/// The same as JUnit's XML, which CI servers read: a broken limit is a failure, an unknown one is an error.
std::string check_junit(std::string_view file, const std::vector<CheckedLimit>& checked);

}  // namespace snapviewer
