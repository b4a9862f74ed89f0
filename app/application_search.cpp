// What stands out in the picture: a search, or all that one stack made.
#include "app/application.h"
#include "app/fonts.h"
#include "core/mesh/greyed.h"
#include "core/timeline/search.h"

namespace snapviewer {

std::vector<std::uint32_t> Application::colours() const {
    std::vector<std::uint32_t> colours = allocation_colours(*state_.current_timeline(), state_.colour_by);
    if (state_.search.emphasis) grey_others(colours, *state_.search.emphasis);
    return colours;
}

void Application::recolour() {
    if (state_.current_timeline() == nullptr) return;
    canvas_->renderer().set_colours(colours());
    canvas_->invalidate();
}

void Application::find_emphasis() {
    SearchState& search = state_.search;
    const Timeline* timeline = state_.current_timeline();
    search.emphasis.reset();
    if (timeline == nullptr) return;
    if (search.group && *search.group < state_.groups.groups.size()) {
        search.stack_name = state_.groups.groups[*search.group].name;
        search.emphasis = Emphasis::where(timeline->allocation_count(), [&](AllocationId id) {
            return state_.groups.group_of[id.value] == *search.group;
        });
    } else if (search.stack) {
        search.emphasis = emphasise_stack(*timeline, *search.stack);
    } else if (search.chosen) {
        search.emphasis = Emphasis::where(timeline->allocation_count(),
                                          [&](AllocationId id) { return search.chosen->contains(id.value); });
    } else if (search.text.find_first_not_of(' ') != std::string::npos) {
        search.emphasis = find_text(*timeline, search.text);
    }
    if (search.emphasis) search.at_peak = search.emphasis->live_at(*timeline, timeline->peak_tick());
}

void Application::search(const std::string& text) {
    need_characters(text);
    state_.search.text = text;
    state_.search.stack.reset();
    state_.search.chosen.reset();
    state_.search.group.reset();
    find_emphasis();
    recolour();
}

void Application::emphasise(StackId stack) {
    const Timeline* timeline = state_.current_timeline();
    if (timeline == nullptr) return;
    state_.search.is_open = true;
    state_.search.text.clear();
    state_.search.chosen.reset();
    state_.search.group.reset();
    state_.search.stack = stack;
    state_.search.stack_name = stack_name(*timeline, stack);
    find_emphasis();
    recolour();
}

void Application::emphasise_group(std::size_t group) {
    if (state_.search.group == group) {
        close_search();
        return;
    }
    state_.search = SearchState{};
    state_.search.is_open = true;
    state_.search.group = group;
    find_emphasis();
    recolour();
}

void Application::close_search() {
    state_.search = SearchState{};
    recolour();
}

void Application::go_to_hit(bool forward) {
    const std::optional<Emphasis>& emphasis = state_.search.emphasis;
    if (state_.current_timeline() == nullptr || !emphasis) return;
    const auto hit = forward ? emphasis->next(state_.selected()) : emphasis->previous(state_.selected());
    if (hit) select_and_reveal(state_.device_index, *hit);
}

}  // namespace snapviewer
