#include "app/state/search.h"

#include <utility>

#include "core/timeline/search.h"

namespace snapviewer {
namespace {

struct Find {
    const Timeline& timeline;
    const ColourGroups& groups;

    std::optional<Emphasis> operator()(std::monostate) const { return std::nullopt; }
    std::optional<Emphasis> operator()(const TextSought& sought) const {
        if (sought.text.find_first_not_of(' ') == std::string::npos) return std::nullopt;
        return find_text(timeline, sought.text);
    }
    std::optional<Emphasis> operator()(const StackSought& sought) const { return emphasise_stack(timeline, sought.stack); }
    std::optional<Emphasis> operator()(const AllocationsSought& sought) const {
        return Emphasis::where(timeline.allocation_count(), [&](AllocationId id) { return sought.ids.contains(id.value); });
    }
    std::optional<Emphasis> operator()(const GroupSought& sought) const {
        if (sought.group >= groups.groups.size()) return std::nullopt;
        return Emphasis::where(timeline.allocation_count(),
                               [&](AllocationId id) { return groups.group_of[id.value] == sought.group; });
    }
};

struct NameOf {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const TextSought&) const { return {}; }
    std::string operator()(const auto& sought) const { return sought.name; }
};

}  // namespace

std::string SearchState::name() const { return std::visit(NameOf{}, sought); }

void update_emphasis(SearchState& search, const Timeline* timeline, const ColourGroups& groups) {
    search.emphasis.reset();
    if (timeline == nullptr) return;
    std::optional<Emphasis> found = std::visit(Find{*timeline, groups}, search.sought);
    if (!found) return;
    search.emphasis = std::make_shared<const Emphasis>(std::move(*found));
    search.at_peak = search.emphasis->live_at(*timeline, timeline->peak_tick());
}

}  // namespace snapviewer
