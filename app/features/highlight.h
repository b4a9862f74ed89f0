#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/mesh/colours.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/search.h"
#include "core/timeline/timeline.h"

/// The highlighted allocations of the picture: the results of a search, a stack, a group of the legend. Independent of the
/// GUI.
namespace snapviewer {

/// A search typed by the user.
struct TextSought {
    std::string text;
    std::vector<SearchTerm> terms = {};  ///< parsed from `text`; empty if that failed
    std::string error = {};              ///< the reason why `text` could not be parsed; empty if it could
};
/// Parses a typed search, see parse_search().
TextSought text_sought(std::string text);

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

/// The highlight, and the allocations of the device on the screen that belong to it.
struct Highlight {
    Sought sought;
    bool is_waiting = false;  ///< a slow search is running; the previous results stay until it ends
    /// the highlighted allocations; a new object for each search, null without a search
    std::shared_ptr<const Emphasis> allocations;
    std::shared_ptr<const Hits> hits;    ///< the hits in `allocations`
    const Timeline* found_in = nullptr;  ///< the timeline that `allocations` belongs to
    LiveShare at_peak;
    std::uint64_t bytes = 0;  ///< total size of all highlighted allocations, live at the peak or not

    /// Returns the subject of the search if it is a `Kind`, otherwise null.
    template <typename Kind>
    const Kind* as() const {
        return std::get_if<Kind>(&sought);
    }
    bool is_none() const { return as<std::monostate>() != nullptr; }
    std::optional<StackId> stack() const {
        const auto* of_stack = as<StackSought>();
        return of_stack ? std::optional(of_stack->stack) : std::nullopt;
    }
    std::optional<std::size_t> group() const {
        const auto* of_group = as<GroupSought>();
        return of_group ? std::optional(of_group->group) : std::nullopt;
    }
    bool has_hits() const { return allocations != nullptr && allocations->count() > 0; }
    /// Name of the stack, set or group that is sought; empty for a typed search or without a search.
    std::string name() const;
    /// The reason why a typed search is invalid; empty if it is valid.
    std::string error() const { return as<TextSought>() ? as<TextSought>()->error : ""; }
};

/// Finds the allocations to highlight after the timeline or the search has changed. O(allocations). Sets
/// `highlight.is_waiting` instead if the terms are expensive; SearchBar then searches in the background.
void update_highlight(Highlight& highlight, const Timeline* timeline, const mesh::ColourGroups& groups);
/// Stores the allocations that were found, with their number and bytes, in `highlight`.
void show_found(Highlight& highlight, const Timeline& timeline, Emphasis found);
/// Summary of the result: "3 of 176" if the selected allocation is a hit, else "176 hits", "nothing found" or "searching…".
/// The error message if the search text is invalid.
std::string hits_words(const Highlight& highlight, AllocationId selected);

}  // namespace snapviewer
