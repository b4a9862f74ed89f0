#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/hits.h"
#include "core/timeline/search_terms.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A typed search, see parse_search().
struct TextSought {
    std::string text;
};

/// All that one stack made, chosen from a list.
struct StackSought {
    StackId stack;
    std::string name;
};

/// Allocations chosen in another picture.
struct AllocationsSought {
    std::vector<AllocationId> ids;
    std::string name;
};

/// One stream, pool or category from the legend.
struct GroupSought {
    std::size_t group = 0;
    std::string name;
};

using Sought = std::variant<std::monostate, TextSought, StackSought, AllocationsSought, GroupSought>;

/// The search between two frames: the search terms and their results on the device on the screen.
struct SearchState {
    bool is_open = false;
    bool focus_input = false;  ///< takes the keyboard in the next frame
    std::string text;          ///< in the field
    Sought sought;
    std::vector<SearchTerm> terms;  ///< parsed from the text; empty while `error` is set
    std::string error;
    bool is_waiting = false;                   ///< for what takes long to find; meanwhile the old is shown
    std::shared_ptr<const Emphasis> emphasis;  ///< another one with each search; null while nothing is looked for
    std::shared_ptr<const Hits> hits;          ///< of `emphasis`
    const Timeline* found_in = nullptr;        ///< that `emphasis` is of
    LiveShare at_peak;
    std::uint64_t bytes = 0;  ///< of all that `emphasis` has, alive at the peak or not

    /// The current search if it is of this kind, otherwise null.
    template <typename Kind>
    const Kind* as() const {
        return std::get_if<Kind>(&sought);
    }
    std::optional<StackId> stack() const {
        const auto* of_stack = as<StackSought>();
        return of_stack ? std::optional(of_stack->stack) : std::nullopt;
    }
    std::optional<std::size_t> group() const {
        const auto* of_group = as<GroupSought>();
        return of_group ? std::optional(of_group->group) : std::nullopt;
    }
    /// The name in the search bar; empty for a typed text or without a search.
    std::string name() const;
};

}  // namespace snapviewer
