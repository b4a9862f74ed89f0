#include "app/features/save_picture/render_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/features/timeline/colour_names.h"
#include "app/ui/shell_word.h"
#include "core/query/database.h"

namespace snapviewer {

std::string why_no_render_command(const AppState& state) {
    if (!state.document) return "No file is open";
    if (state.shows_flame_graph()) return "snapviewer tree gives flame graphs";
    if (state.shown_icicle() != nullptr) return "";
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return "There is no picture";
    const auto& devices = state.document->snapshot->devices;
    const auto first = std::ranges::find(devices, devices[state.device_index].device, &DeviceTrace::device);
    const bool is_first = first - devices.begin() == static_cast<std::ptrdiff_t>(state.device_index);
    return is_first ? "" : "Another part of the file has the same device number, by which a command tells them apart";
}

namespace {

/// What stands out, and what is selected.
void add_emphasis(const AppState& state, std::vector<std::string>& words) {
    if (const auto* text = state.search.as<TextSought>(); text != nullptr && !state.search.terms.empty())
        words.push_back("--search=" + text->text);
    if (const auto stack = state.search.stack()) words.push_back(fmt::format("--stack={}", static_cast<int>(stack->value)));
    if (const auto* group = state.search.as<GroupSought>()) words.push_back("--group=" + group->name);
    if (!state.selected().is_some()) return;
    const bool is_row = state.current_kind() == ViewKind::allocations;
    const auto first = is_row ? first_allocation_row(*state.document->snapshot, state.device_index) : std::int64_t{0};
    words.push_back(fmt::format("--select={}", first + state.selected().value));
}

}  // namespace

std::string left_out_of_render(const AppState& state) {
    if (state.shown_icicle() != nullptr || state.current_timeline() == nullptr) return "";
    std::string left_out;
    if (state.search.as<AllocationsSought>() != nullptr) left_out = "what stands out";
    const bool has_tracks = std::ranges::any_of(
        state.query_tracks, [&](const QueryTrack& query) { return query.timeline.get() == state.current_timeline(); });
    if (has_tracks) left_out += left_out.empty() ? "tracks of queries" : " and tracks of queries";
    return left_out;
}

std::vector<std::string> render_command(const AppState& state, const std::string& out, Ground ground) {
    const Document& document = *state.document;
    std::vector<std::string> words = {"snapviewer", "render", document.path, "--out", out};
    if (!document.with.empty()) words.insert(words.end(), {"--with", document.with});
    if (ground == Ground::light) words.insert(words.end(), {"--theme", "light"});
    if (const Icicle* icicle = state.shown_icicle()) {
        words.insert(words.end(), {"--picture", icicle->name});
        return words;
    }
    const DeviceState& device = state.current_device();
    const View& view = device.view;
    if (document.devices.size() > 1)
        words.push_back(fmt::format("--device={}", document.snapshot->devices[state.device_index].device));
    if (state.current_kind() != ViewKind::allocations)
        words.insert(words.end(), {"--shows", view_kind_names()[static_cast<std::size_t>(state.current_kind())]});
    // Kinds are told of allocations alone; the others have the colours of their stacks then.
    const bool has_colours = state.colour_by != ColourBy::kind || state.current_kind() == ViewKind::allocations;
    words.insert(words.end(), {"--axis", device.axis == Axis::time ? "time" : "steps", "--colour-by",
                               colour_name(has_colours ? state.colour_by : ColourBy::stack)});
    words.push_back("--remembered");
    add_emphasis(state, words);
    // The shortest numbers that are these very ones.
    words.push_back(fmt::format("--view={}:{},{}:{}", view.x_begin, view.x_end, view.y_begin, view.y_end));
    return words;
}

std::string render_command_line(const AppState& state, Ground ground) {
    std::string line;
    for (const std::string& word : render_command(state, "picture.png", ground)) {
        const std::string name = word.starts_with("--") ? word.substr(2) : "";
        const bool is_plain_option = !name.empty() && shell_word(name) == name;
        line += (line.empty() ? "" : " ") + (is_plain_option ? word : shell_word(word));
    }
    return line;
}

}  // namespace snapviewer
