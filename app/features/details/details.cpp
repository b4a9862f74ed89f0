#include "app/features/details/details.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/features/live/live.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "app/ui/texts.h"
#include "core/base/budget.h"
#include "core/base/text.h"

namespace snapviewer::details {
namespace {

/// Names of the bands that enclose `step`, outermost first. Ends with an ellipsis if they would be too long.
std::string bands_around(const BandTrack& track, double step) {
    std::string names;
    for (const Band& band : track.bands) {
        if (band.from.step > step) break;
        if (band.to.step <= step) continue;
        if (names.size() > limits::k_max_fact_bytes) return names + " > \u2026";
        names += (names.empty() ? "" : " > ") + band.name;
    }
    return names;
}

}  // namespace

std::string details_text(const DetailsState& state) {
    std::string text = allocation_text(state.facts, state.stack.lines, state.stack.role);
    if (!state.forward.empty()) text += "forward stack:\n";
    for (const std::string& line : state.forward) text += line + "\n";
    for (const DetailSection& section : state.sections) {
        text += section.title + ":\n";
        for (const auto& [name, value] : section.rows) {
            if (!name.empty()) text.append(name).append(": ");
            text.append(value).append("\n");
        }
    }
    return text;
}

/// Computes the texts of an allocation.
void SelectedDetails::show(const Timeline& timeline, AllocationId id) {
    const bool shows_all_facts = state_.shows_all_facts;
    state_ = DetailsState{};
    state_.shows_all_facts = shows_all_facts;
    state_.timeline = &timeline;
    state_.id = id;
    state_.size = format_bytes(timeline.trace().allocations.size_bytes[id.value]);
    state_.facts = allocation_facts(timeline, id);
    if (timeline.trace().allocations.alloc_event[id.value].is_some()) {
        for (const BandTrack& track : session_.current_overlays().band_tracks) {
            std::string names = bands_around(track, static_cast<double>(timeline.start_step(id)));
            if (!names.empty()) state_.facts.push_back({track.name, std::move(names)});
        }
    }
    const std::vector<StackId>& stacks = timeline.trace().allocations.stack;
    state_.stack_id = stacks[id.value];
    state_.stack.lines = stack_lines(timeline, state_.stack_id);
    state_.frame_count = timeline.snapshot().stacks.stack(state_.stack_id).size();
    state_.stack.role = stack_role(timeline.trace(), id);
    if (!state_.stack.lines.empty()) state_.of_stack = static_cast<std::size_t>(std::ranges::count(stacks, state_.stack_id));
    state_.forward = forward_stack_lines(timeline, id);
}

void SelectedDetails::update() {
    const Timeline* timeline = session_.current_timeline();
    const AllocationId selected = session_.selected();
    if (timeline != nullptr && selected.is_some() && (state_.timeline != timeline || state_.id != selected)) {
        show(*timeline, selected);
        looking_up_.discard();
        const bool is_file_table = session_.current_kind() == ViewKind::allocations;
        if (const auto source = is_file_table ? session_.document->details : nullptr)
            looking_up_.start(0, [source, device = session_.device_index, selected](Progress&) {
                Result<std::vector<DetailSection>> sections = source->details(device, selected);
                if (sections) sections = within_budget(*std::move(sections));
                return sections;
            });
    }
    if (auto sections = looking_up_.take()) {
        if (!*sections) state_.lookup_error = sections->error().text();
        if (*sections) state_.sections = **std::move(sections);
        for (const DetailSection& section : state_.sections) {
            for (const auto& [name, value] : section.rows) {
                need_characters(name);
                need_characters(value);
            }
        }
    }
    state_.is_looking_up = looking_up_.is_busy();
    arrange_stack();
}

/// Folds the stack by the user's rules and looks for its source lines.
void SelectedDetails::arrange_stack() {
    StackViewState& stack = state_.stack;
    if (!stack.is_arranged && !stack.lines.empty()) {
        stack.folded = fold_stack(stack.lines, rules_);
        stack.places.clear();
        for (const StackLine& line : stack.lines) stack.places.push_back({folders_.here(line.file), line.line});
        stack.sources.assign(stack.lines.size(), "");
        stack.opened_runs.clear();
        stack.opened_repeats.clear();
        stack.is_arranged = true;
        reading_.start(0, [places = stack.places, roots = roots()](Progress& progress) {
            return read_source_lines(places, roots, progress);
        });
    }
    auto read = reading_.take();
    if (!read || !*read || !stack.is_arranged) return;
    stack.sources = **std::move(read);
    for (const std::string& source : stack.sources) need_characters(source);
}

void SelectedDetails::leave() {
    looking_up_.discard();
    state_ = DetailsState{};
}

/// Brings the page of a newly selected allocation to the front.
void SelectedDetails::follow_selection() {
    SidePagesState& pages = session_.pages;
    const AllocationId selected = session_.selected();
    if (pages.followed == selected) return;
    pages.followed = selected;
    if (selected.is_some())
        pages.next = k_allocation_page;
    else if (pages.shown == k_allocation_page)
        pages.next = live::k_live_page;
}

void SelectedDetails::read_settings() {
    const StackSettings& settings = session_.preferences.stacks;
    in_use_ = settings;
    if (auto rules = FrameRules::parse(settings.frame_rules))
        rules_ = *std::move(rules);
    else
        session_.notice = "The rules for folding stacks are not used: " + rules.error().text();
    if (auto folders = PathMap::parse(settings.source_folders))
        folders_ = *std::move(folders);
    else
        session_.notice = "The source folders are not used: " + folders.error().text();
    state_.stack.is_arranged = false;
}

void SelectedDetails::take_place_of(Feature& /*other*/) {
    if (in_use_ != session_.preferences.stacks) read_settings();
}

/// Folders that may contain sources: the ones that the user configured, and the folder of the recording. Excludes the root
/// folder, because every file is below it.
std::vector<std::string> SelectedDetails::roots() const {
    std::vector<std::string> roots = folders_.roots();
    if (!session_.document) return roots;
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::absolute(session_.document->path, failed);
    if (failed) return roots;
    const bool is_folder = std::filesystem::is_directory(path, failed);
    const std::string folder = normal_path((is_folder ? path : path.parent_path()).string());
    if (!folder.ends_with('/')) roots.push_back(folder);
    return roots;
}

void SelectedDetails::apply_edited() {
    auto rules = FrameRules::parse(edited_.frame_rules);
    auto folders = PathMap::parse(edited_.source_folders);
    const auto words = editor_words(edited_.editor_command, "/", 1);
    error_ = !rules ? rules.error().text() : !folders ? folders.error().text() : !words ? words.error().text() : "";
    if (!error_.empty()) return;
    rules_ = *std::move(rules);
    folders_ = *std::move(folders);
    in_use_ = edited_;
    session_.preferences.stacks = edited_;
    session_.preferences.needs_saving = true;
    state_.stack.is_arranged = false;
    is_open_ = false;
}

void SelectedDetails::open(const SourcePlace& place) {
    const auto words = editor_words(session_.preferences.stacks.editor_command, place.path, place.line);
    const bool has_command = words && !words->empty();
    const Status started = has_command ? programs_.start(*words) : Status{};
    if (has_command && started) {
        session_.toasts.say("Opened in the editor: " + place.path);
        return;
    }
    session_.notice = !started ? started.error().text()
                      : !words ? words.error().text()
                               : "No editor is set; enter its command in this window";
    is_open_ = true;
}

}  // namespace snapviewer::details
