#include "core/analysis/kinds/kind_rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "core/base/context.h"
#include "core/base/json_text.h"
#include "core/timeline/search_patterns.h"

namespace snapviewer {
namespace {

constexpr std::array<const char*, k_allocation_kinds> k_kind_names = {"parameter",  "gradient",         "optimizer_state",
                                                                      "activation", "temporary",        "communication",
                                                                      "workspace",  "before_recording", "unknown"};

constexpr std::size_t k_max_rules = 1000;

/// Bounds of the cost of rules, in steps of about 1 ns. A rule takes some tens of steps for each character of a text. A file
/// of 20 MB has 24 MB of text in its stacks, so twenty rules stay within the bound.
constexpr std::uint64_t k_match_steps_per_character = 32;
constexpr std::uint64_t k_free_steps = std::uint64_t{1} << 33;
constexpr std::uint64_t k_match_steps_per_input_byte = 512;

Error bad_rule(std::size_t number, const std::string& what) {
    return {ErrorCode::bad_query, fmt::format("rule {} for kinds: {}", number, what)};
}

/// The regular expression of a rule under a key, or nullopt if the rule lacks the key.
Result<std::optional<Expression>> expression(const nlohmann::json& rule, const char* key) {
    const auto found = rule.find(key);
    if (found == rule.end() || found->is_null()) return std::optional<Expression>();
    if (!found->is_string()) return Error{ErrorCode::bad_query, fmt::format("'{}' is not a string", key)};
    const std::string& text = found->get_ref<const std::string&>();
    Result<Expression> compiled = Expression::compile(text, Expression::Letters::exact);
    if (compiled) return std::optional(*std::move(compiled));
    const std::string& what = text.size() > Expression::k_max_pattern_bytes ? key : text;
    return Error{ErrorCode::bad_query, fmt::format("'{}' {}", what, compiled.error().message)};
}

bool is_found(const std::optional<Expression>& expression, std::string_view text) {
    return expression && expression->is_in(text);
}

}  // namespace

const char* allocation_kind_name(AllocationKind kind) { return k_kind_names[static_cast<std::size_t>(kind)]; }

std::string allocation_kind_words(AllocationKind kind) {
    std::string words = allocation_kind_name(kind);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::optional<AllocationKind> allocation_kind_named(std::string_view name) {
    const auto found = std::ranges::find(k_kind_names, name);
    if (found == k_kind_names.end()) return std::nullopt;
    return static_cast<AllocationKind>(found - k_kind_names.begin());
}

struct KindRules::Rule {
    AllocationKind kind = AllocationKind::unknown;
    std::optional<Expression> frame;
    std::optional<Expression> metadata;
};

Result<KindRules> KindRules::parse(std::string_view text) {
    const auto json = parse_json(text);
    if (!json.is_array()) return Error{ErrorCode::bad_query, "the rules for kinds are not a JSON list"};
    if (json.size() > k_max_rules)
        return Error{ErrorCode::bad_query, fmt::format("there are more than {} rules for kinds", k_max_rules)};
    std::vector<Rule> rules;
    for (const nlohmann::json& each : json) {
        const std::size_t number = rules.size() + 1;
        if (!each.is_object()) return bad_rule(number, "it is not an object");
        const auto kind = allocation_kind_named(
            each.contains("kind") && each["kind"].is_string() ? each["kind"].get_ref<const std::string&>() : std::string());
        if (!kind) return bad_rule(number, fmt::format("'kind' is not one of {}", fmt::join(k_kind_names, ", ")));
        auto frame = expression(each, "frame");
        if (!frame) return bad_rule(number, frame.error().message);
        auto metadata = expression(each, "metadata");
        if (!metadata) return bad_rule(number, metadata.error().message);
        if (!*frame && !*metadata) return bad_rule(number, "it has neither 'frame' nor 'metadata'");
        rules.push_back({*kind, std::move(*frame), std::move(*metadata)});
    }
    KindRules made;
    if (!rules.empty()) made.rules_ = std::make_shared<const std::vector<Rule>>(std::move(rules));
    return made;
}

/// Throws a Failure if the rules would take too long. match() calls this first, so that the error appears without a long
/// wait.
void KindRules::check_cost(const Snapshot& snapshot) const {
    const std::uint64_t most = k_free_steps + snapshot.read_bytes * k_match_steps_per_input_byte;
    const std::uint64_t max_characters = most / (k_match_steps_per_character * rules_->size());
    std::uint64_t characters = 0;
    for (const EventMetadata& metadata : snapshot.metadata)
        characters += snapshot.strings.view(metadata.user_metadata).size();
    for (std::uint32_t i = 0; i < snapshot.stacks.stack_count() && characters <= max_characters; ++i) {
        check_stop();
        characters += stack_text(snapshot.strings, snapshot.stacks, StackId{i}).size();
    }
    if (characters <= max_characters) return;
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("has so much text in its stacks that applying {} rules for kinds would take too long",
                               rules_->size())}};
}

KindRules::Matches KindRules::match(const Snapshot& snapshot) const {
    check_cost(snapshot);
    Matches matches;
    const std::size_t stack_count = snapshot.stacks.stack_count();
    const auto first_fitting = [this](std::string_view text, std::optional<Expression> Rule::*expression) {
        const auto found = std::ranges::find_if(*rules_, [&](const Rule& rule) { return is_found(rule.*expression, text); });
        return found == rules_->end() ? k_no_rule : static_cast<std::uint32_t>(found - rules_->begin());
    };
    for (std::uint32_t i = 0; i < stack_count; ++i) {
        check_stop();
        matches.of_stack.push_back(first_fitting(stack_text(snapshot.strings, snapshot.stacks, StackId{i}), &Rule::frame));
    }
    matches.of_no_stack = first_fitting("(no stack)", &Rule::frame);
    matches.of_no_metadata = first_fitting("", &Rule::metadata);
    for (const EventMetadata& metadata : snapshot.metadata) {
        check_stop();
        matches.of_metadata.push_back(first_fitting(snapshot.strings.view(metadata.user_metadata), &Rule::metadata));
    }
    return matches;
}

AllocationKind KindRules::kind(std::uint32_t rule) const { return (*rules_)[rule].kind; }

}  // namespace snapviewer
