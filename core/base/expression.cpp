#include "core/base/expression.h"

#include <re2/re2.h>

#include <utility>

namespace snapviewer {
namespace {

std::string why_not(const re2::RE2& compiled) {
    switch (compiled.error_code()) {
        case re2::RE2::ErrorRepeatSize:
        case re2::RE2::ErrorPatternTooLarge: return "repeats too many times";
        default: return "is not a regular expression: " + compiled.error();
    }
}

}  // namespace

Result<Expression> Expression::compile(std::string_view text, Letters letters) {
    if (text.size() > k_longest)
        return Error{ErrorCode::bad_query, "is longer than " + std::to_string(k_longest) + " characters"};
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(letters == Letters::exact);
    auto compiled = std::make_shared<const re2::RE2>(std::string(text), options);
    if (!compiled->ok()) return Error{ErrorCode::bad_query, why_not(*compiled)};
    if (compiled->ProgramSize() > k_most_instructions) return Error{ErrorCode::bad_query, "repeats too many times"};
    return Expression(std::move(compiled));
}

bool Expression::is_too_much_for(std::string_view text) const {
    return text.size() > k_most_work / static_cast<std::size_t>(compiled_->ProgramSize());
}

bool Expression::is_in(std::string_view text) const {
    return !is_too_much_for(text) && re2::RE2::PartialMatch({text.data(), text.size()}, *compiled_);
}

}  // namespace snapviewer
