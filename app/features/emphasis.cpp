#include "app/features/emphasis.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/text.h"

namespace snapviewer {
namespace {

struct Find {
    const Timeline& timeline;
    const mesh::ColourGroups& groups;
    const std::vector<SearchTerm>& terms;

    std::optional<Emphasis> operator()(std::monostate) const { return std::nullopt; }
    std::optional<Emphasis> operator()(const TextSought&) const {
        if (terms.empty()) return std::nullopt;
        return find_terms(timeline, terms);
    }
    std::optional<Emphasis> operator()(const StackSought& sought) const { return emphasise_stack(timeline, sought.stack); }
    std::optional<Emphasis> operator()(const AllocationsSought& sought) const {
        return Emphasis::of(timeline.allocation_count(), sought.ids);
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

void read_terms(SearchState& search) {
    search.terms.clear();
    search.error.clear();
    const auto* typed = search.as<TextSought>();
    if (typed == nullptr) return;
    Result<std::vector<SearchTerm>> terms = parse_search(typed->text);
    if (terms)
        search.terms = *std::move(terms);
    else
        search.error = terms.error().message;
}

}  // namespace

std::string SearchState::name() const { return std::visit(NameOf{}, sought); }

void show_found(SearchState& search, const Timeline& timeline, Emphasis found) {
    search.is_waiting = false;
    search.hits = std::make_shared<const Hits>(timeline, found);
    search.emphasis = std::make_shared<const Emphasis>(std::move(found));
    search.found_in = &timeline;
    search.at_peak = search.emphasis->live_at(timeline, timeline.peak_tick());
    search.bytes = search.emphasis->bytes(timeline);
}

void update_emphasis(SearchState& search, const Timeline* timeline, const mesh::ColourGroups& groups) {
    read_terms(search);
    search.is_waiting = timeline != nullptr && is_slow(search.terms);
    if (search.is_waiting && search.found_in == timeline) return;
    search.emphasis.reset();
    search.hits.reset();
    search.found_in = nullptr;
    if (timeline == nullptr || search.is_waiting) return;
    std::optional<Emphasis> found = std::visit(Find{*timeline, groups, search.terms}, search.sought);
    if (found) show_found(search, *timeline, std::move(*found));
}

std::string hits_words(const SearchState& search, AllocationId selected) {
    if (!search.error.empty()) return search.error;
    if (search.is_waiting) return "searching…";
    if (!search.hits) return "";
    const std::size_t count = search.hits->size();
    if (count == 0) return "nothing found";
    const std::optional<std::size_t> place = search.hits->place_of(selected);
    return place ? fmt::format("{} of {}", format_count(*place + 1), format_count(count))
                 : format_count(count) + (count == 1 ? " hit" : " hits");
}

}  // namespace snapviewer
