#include "app/features/details/details.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/features/live/live.h"
#include "app/features/reports/icicle.h"
#include "app/features/reports/icicle_details_ui.h"
#include "app/features/session.h"
#include "app/features/timeline/allocation_text.h"
#include "app/ui/sandboxed.h"
#include "app/ui/texts.h"

namespace snapviewer {
namespace {

/// The work that reads the details of one allocation from the file. Takes milliseconds.
Job<LookedUpDetails>::Work make_details_job(std::shared_ptr<DetailSource> source, std::size_t device_index,
                                            AllocationId id) {
    return [source = std::move(source), device_index, id](Progress&) {
        enter_sandbox_here({});
        Result<std::vector<DetailSection>> sections = source->details(device_index, id);
        if (sections) sections = within_budget(*std::move(sections));
        return LookedUpDetails{source, id, std::move(sections)};
    };
}

}  // namespace

void SelectedDetails::update() {
    DetailsState& details = session_.details;
    const Timeline* timeline = session_.current_timeline();
    const bool is_file_table = timeline != nullptr && session_.current_kind() == ViewKind::allocations;
    const std::shared_ptr<DetailSource> source = is_file_table ? session_.document->details : nullptr;
    if (timeline != nullptr && session_.selected().is_some() &&
        keep_details(details, *timeline, session_.current_overlays(), session_.selected()) && source != nullptr) {
        details.is_looking_up = true;
        job_.start(make_details_job(source, session_.device_index, session_.selected()));
    }
    std::optional<LookedUpDetails> answer = job_.take();
    if (!answer || !details.is_looking_up || answer->source != source || answer->id != details.id) return;
    details.is_looking_up = false;
    if (!answer->sections) {
        details.lookup_error = answer->sections.error().text();
        return;
    }
    details.sections = *std::move(answer->sections);
    for (const DetailSection& section : details.sections) {
        for (const auto& [name, value] : section.rows) {
            need_characters(name);
            need_characters(value);
        }
    }
}

SourceCode::SourceCode(Session& session) : session_(session) { read_settings(); }

void SourceCode::read_settings() {
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
    session_.details.stack.is_arranged = false;
}

void SourceCode::take_place_of(Feature& /*other*/) {
    if (in_use_ != session_.preferences.stacks) read_settings();
}

void SourceCode::update() {
    StackViewState& stack = session_.details.stack;
    if (!stack.is_arranged && !stack.lines.empty()) {
        stack.folded = fold_stack(stack.lines, rules_);
        stack.places.clear();
        for (const StackLine& line : stack.lines) stack.places.push_back({folders_.here(line.file), line.line});
        stack.sources.assign(stack.lines.size(), "");
        stack.opened_runs.clear();
        stack.opened_repeats.clear();
        stack.is_arranged = true;
        job_.start(make_source_job(stack.places, roots()));
    }
    std::optional<SourceLines> read = job_.take();
    if (!read || !stack.is_arranged || read->places != stack.places) return;
    stack.sources = std::move(read->texts);
    for (const std::string& source : stack.sources) need_characters(source);
}

/// Folders that may contain sources: the ones that the user configured, and the folder of the recording. Excludes the root
/// folder, because every file is below it.
std::vector<std::string> SourceCode::roots() const {
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

bool SourceCode::use(const StackSettings& settings) {
    auto rules = FrameRules::parse(settings.frame_rules);
    auto folders = PathMap::parse(settings.source_folders);
    const auto words = editor_words(settings.editor_command, "/", 1);
    session_.stack_rules.error = !rules     ? rules.error().text()
                                 : !folders ? folders.error().text()
                                 : !words   ? words.error().text()
                                            : "";
    if (!session_.stack_rules.error.empty()) return false;
    rules_ = *std::move(rules);
    folders_ = *std::move(folders);
    in_use_ = settings;
    session_.preferences.stacks = settings;
    session_.details.stack.is_arranged = false;
    session_.stack_rules.is_open = false;
    return true;
}

void SourceCode::open(const SourcePlace& place) {
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
    session_.stack_rules.is_open = true;
}

namespace {

/// The details of the selection as text, for the clipboard. Empty if nothing is selected.
std::string details_text(const Session& session) {
    if (const stacks::Icicle* icicle = session.shown_icicle()) {
        const auto& selected = session.icicle.views[*session.icicle.shown].selected;
        return selected ? icicle_node_text(*icicle, *selected) : "";
    }
    return session.selected().is_some() ? details_clipboard(session.details) : "";
}

}  // namespace

/// Brings the page of a newly selected allocation to the front.
void SelectedDetails::follow_selection() {
    SidePagesState& pages = session_.pages;
    const AllocationId selected = session_.selected();
    if (pages.followed == selected) return;
    pages.followed = selected;
    if (selected.is_some())
        pages.next = k_allocation_page;
    else if (pages.shown == k_allocation_page)
        pages.next = k_live_page;
}

void SelectedDetails::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::page,
         .id = k_allocation_page,
         .command = CommandId::page_allocation,
         .tab = [](const Session& session) -> std::string {
             return session.current_timeline()->trace().kind == ViewKind::segments ? "Segment###one" : "Allocation###one";
         },
         .is_alone = [](const Session& session) { return !has_any_picture(session); },
         .choose = [this] { follow_selection(); },
         .draw =
             [this](const Area& /*area*/, Requests& requests) {
                 draw_details_view(session_.details, session_.current_timeline(), session_.selected(), requests);
             }});
    board.commands.on(
        CommandId::edit_copy,
        {.is_possible = [](const Session& session) { return session.focused != Pane::query && has_selected_part(session); },
         .run =
             [this, &board] {
                 const std::string text = details_text(session_);
                 if (!text.empty()) board.requests.ask(CopyText{text, "The text of the details"});
             }});
}

namespace {

using JsonValue = nlohmann::json;

/// The stack of the selected allocation for the report: its frames in display order, "fold 8" for a folded run of 8 frames,
/// "x 3" before a part that repeats three times.
JsonValue stack_report(const Session& session) {
    const StackViewState& stack = session.details.stack;
    if (!session.selected().is_some() || !stack.is_arranged) return nullptr;
    JsonValue rows = JsonValue::array();
    for (const StackPart& part : stack.folded.parts) {
        if (part.times > 1) rows.push_back("x " + std::to_string(part.times));
        for (std::size_t i = part.begin; i < part.end; ++i) {
            const StackItem& item = stack.folded.items[i];
            if (item.is_folded)
                rows.push_back("fold " + std::to_string(item.end - item.begin));
            else
                rows.push_back(stack.lines[item.begin].full_text);
        }
    }
    const auto& headline = stack.folded.headline;
    return {{"frames", stack.lines.size()},
            {"rows", std::move(rows)},
            {"sources", stack.sources},
            {"headline", headline ? JsonValue(stack.lines[*headline].full_text) : JsonValue(nullptr)},
            {"opened", stack.opened_runs.size() + stack.opened_repeats.size()},
            {"same", session.details.of_stack}};
}

}  // namespace

void SelectedDetails::describe(nlohmann::json& report) const { report["stack"] = stack_report(session_); }

void SourceCode::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_stack_rules,
                            .is_open = &session_.stack_rules.is_open,
                            .draw = [this](const Area& /*area*/, Requests& requests) {
                                draw_stack_rules_window(session_.stack_rules, session_.preferences.stacks, requests);
                            }});
    board.handlers.on<OpenSource>([this](const OpenSource& asked) { open(asked.place); });
    board.handlers.on<UseStackRules>([this](const UseStackRules& asked) {
        if (use(asked.settings)) session_.preferences.needs_saving = true;
    });
}

void SourceCode::describe(nlohmann::json& report) const {
    if (!session_.stack_rules.is_open) return;
    const StackSettings& edited = session_.stack_rules.edited.settings;
    report["stack_rules"] = {{"rules", edited.frame_rules},
                             {"editor", edited.editor_command},
                             {"folders", edited.source_folders},
                             {"error", session_.stack_rules.error}};
}

}  // namespace snapviewer
