#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// What an allocation is for.
enum class AllocationKind : std::uint8_t {
    parameter,
    gradient,
    optimizer_state,
    activation,
    temporary,
    communication,
    workspace,         ///< scratch memory of a library: cuBLAS, cuDNN, cuSOLVER and their kin
    before_recording,  ///< made before the recording, and nothing tells for what
    unknown,
};

inline constexpr std::size_t k_allocation_kinds = 9;

const char* allocation_kind_name(AllocationKind kind);   ///< "parameter", "optimizer_state"
std::string allocation_kind_words(AllocationKind kind);  ///< for people: "parameter", "optimizer state"
std::optional<AllocationKind> allocation_kind_named(std::string_view name);

/// A user's own rules, tried before all others: of what kind an allocation is whose stack or metadata a regular expression
/// is found in. Immutable; copies share what they were made from.
class KindRules {
public:
    KindRules() = default;  ///< none

    /// From JSON: a list of {"kind": ..., "frame": ..., "metadata": ...}, of which frame or metadata may be missing. Regular
    /// expressions are ECMAScript's without back-references, looked for anywhere in the text of a stack (file:line:function,
    /// a line a frame) or in the user metadata. At most a thousand. The error says which rule is wrong.
    static Result<KindRules> parse(std::string_view json);

    bool empty() const { return rules_ == nullptr; }

    /// By stack and by metadata, the number of the first rule that fits each; k_no_rule where none does. O(texts), and
    /// linear in each text, within bounds that grow with the file. Fails when stopped, or beyond that.
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
