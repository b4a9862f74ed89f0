#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The purpose of an allocation.
enum class AllocationKind : std::uint8_t {
    parameter,
    gradient,
    optimizer_state,
    activation,
    temporary,
    communication,
    workspace,         ///< scratch memory of a library such as cuBLAS, cuDNN or cuSOLVER
    before_recording,  ///< made before the recording, with no evidence of its purpose
    unknown,
};

inline constexpr std::size_t k_allocation_kinds = 9;

/// Identifier for JSON and SQL, such as "parameter" or "optimizer_state"
const char* allocation_kind_name(AllocationKind kind);
std::string allocation_kind_words(AllocationKind kind);  ///< Text for users, such as "parameter" or "optimizer state"
std::optional<AllocationKind> allocation_kind_named(std::string_view name);

/// A user's own rules, which take precedence over all others. A rule gives a kind to each allocation whose stack or metadata
/// matches a regular expression. Immutable; copies share their state.
class KindRules {
public:
    KindRules() = default;  ///< A set without rules

    /// Parses a JSON list of {"kind": ..., "frame": ..., "metadata": ...}, in which "frame" or "metadata" may be missing.
    /// Regular expressions use the ECMAScript syntax without back-references. They match anywhere in the text of a stack
    /// (file:line:function, one line per frame) or in the user metadata. At most 1,000 rules. The error names the invalid
    /// rule.
    static Result<KindRules> parse(std::string_view json);

    bool empty() const { return rules_ == nullptr; }

    /// The number of the first matching rule for each stack and each metadata text, or k_no_rule. match() is linear in the
    /// number and length of the texts. It throws a Failure when stopped, or if the texts exceed a bound that grows with the
    /// file.
    struct Matches {
        std::vector<std::uint32_t> of_stack;
        std::uint32_t of_no_stack = 0;
        std::vector<std::uint32_t> of_metadata;
        std::uint32_t of_no_metadata = 0;
    };
    static constexpr std::uint32_t k_no_rule = 0xFFFFFFFF;
    Matches match(const Snapshot& snapshot) const;
    AllocationKind kind(std::uint32_t rule) const;

private:
    struct Rule;
    void check_cost(const Snapshot& snapshot) const;
    std::shared_ptr<const std::vector<Rule>> rules_;
};

}  // namespace snapviewer
