#include "app/features/highlight.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/text.h"

namespace snapviewer {
namespace {

struct Find {
    const Timeline& timeline;
    const mesh::ColourGroups& groups;

    std::optional<Emphasis> operator()(std::monostate) const { return std::nullopt; }
    std::optional<Emphasis> operator()(const TextSought& sought) const {
        if (sought.terms.empty()) return std::nullopt;
        return find_terms(timeline, sought.terms);
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

}  // namespace

TextSought text_sought(std::string text) {
    Result<std::vector<SearchTerm>> terms = parse_search(text);
    if (!terms) return {std::move(text), {}, terms.error().message};
    return {std::move(text), *std::move(terms)};
}

std::string Highlight::name() const { return std::visit(NameOf{}, sought); }

void show_found(Highlight& highlight, const Timeline& timeline, Emphasis found) {
    highlight.is_waiting = false;
    highlight.hits = std::make_shared<const Hits>(timeline, found);
    highlight.allocations = std::make_shared<const Emphasis>(std::move(found));
    highlight.found_in = &timeline;
    highlight.at_peak = highlight.allocations->live_at(timeline, timeline.peak_tick());
    highlight.bytes = highlight.allocations->bytes(timeline);
}

void update_highlight(Highlight& highlight, const Timeline* timeline, const mesh::ColourGroups& groups) {
    const auto* typed = highlight.as<TextSought>();
    highlight.is_waiting = timeline != nullptr && typed != nullptr && is_slow(typed->terms);
    if (highlight.is_waiting && highlight.found_in == timeline) return;
    highlight.allocations.reset();
    highlight.hits.reset();
    highlight.found_in = nullptr;
    if (timeline == nullptr || highlight.is_waiting) return;
    std::optional<Emphasis> found = std::visit(Find{*timeline, groups}, highlight.sought);
    if (found) show_found(highlight, *timeline, std::move(*found));
}

std::string hits_words(const Highlight& highlight, AllocationId selected) {
    if (const std::string error = highlight.error(); !error.empty()) return error;
    if (highlight.is_waiting) return "searching…";
    if (!highlight.hits) return "";
    const std::size_t count = highlight.hits->size();
    if (count == 0) return "nothing found";
    const std::optional<std::size_t> place = highlight.hits->place_of(selected);
    return place ? fmt::format("{} of {}", format_count(*place + 1), format_count(count))
                 : format_count(count) + (count == 1 ? " hit" : " hits");
}

}  // namespace snapviewer
