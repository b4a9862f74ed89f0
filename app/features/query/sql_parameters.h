#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// By the name of a parameter (":step") what the user wrote for it; nothing but blanks: nothing.
using GivenParameters = std::map<std::string, std::string>;

/// A value as a user writes it: an integer, a real number, NULL, a text within single quotes, or the text as it stands.
Cell typed_value(std::string_view typed);

/// What the parameters of a query stand for: what the user gave them, the others what the window shows.
std::vector<QueryParameter> with_given(std::span<const QueryParameter> shown, const GivenParameters& given);

}  // namespace snapviewer
