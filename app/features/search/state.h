#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/search.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A search typed by the user, see parse_search().
struct TextSought {
    std::string text;
};

/// All allocations of one stack, chosen from a list.
struct StackSought {
    StackId stack;
    std::string name;
};

/// Allocations chosen in another view, such as an icicle.
struct AllocationsSought {
    std::vector<AllocationId> ids;
    std::string name;
};

/// One stream, pool or category, chosen in the legend.
struct GroupSought {
    std::size_t group = 0;
    std::string name;
};

using Sought = std::variant<std::monostate, TextSought, StackSought, AllocationsSought, GroupSought>;

/// State of the search: its terms, and the results on the current device.
struct SearchState {
    bool is_open = false;
    bool focus_input = false;  ///< the search field takes the keyboard focus in the next frame
    std::string text;          ///< the text in the search field
    Sought sought;
    std::vector<SearchTerm> terms;  ///< parsed from `text`; empty while `error` is set
    std::string error;
    bool is_waiting = false;  ///< a slow search is running; the previous results stay until it ends
    /// highlighted allocations; a new object for each search, null without a search
    std::shared_ptr<const Emphasis> emphasis;
    std::shared_ptr<const Hits> hits;    ///< the hits in `emphasis`
    const Timeline* found_in = nullptr;  ///< the timeline that `emphasis` belongs to
    LiveShare at_peak;
    std::uint64_t bytes = 0;  ///< total size of all highlighted allocations, live at the peak or not

    /// Returns the current search if it is of type `Kind`, otherwise null.
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
    /// Name shown in the search bar; empty for a typed search or without a search.
    std::string name() const;
};

}  // namespace snapviewer
