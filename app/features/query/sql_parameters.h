#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// Values that the user typed, by the name of the parameter (":step"). A blank value counts as not given.
using GivenParameters = std::map<std::string, std::string>;

/// Parses a typed value: an integer, a real number, NULL, a text in single quotes, or otherwise the text itself.
Cell typed_value(std::string_view typed);

/// Returns the parameters of a query: values that the user gave override those of the window.
std::vector<QueryParameter> with_given(std::span<const QueryParameter> shown, const GivenParameters& given);

}  // namespace snapviewer
