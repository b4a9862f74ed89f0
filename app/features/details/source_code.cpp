#include "app/features/details/source_code.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/ui/characters.h"

namespace snapviewer {

SourceCode::SourceCode(AppState& state) : state_(state) { read_settings(); }

void SourceCode::read_settings() {
    const StackSettings& settings = state_.preferences.stacks;
    if (auto rules = FrameRules::parse(settings.frame_rules))
        rules_ = *std::move(rules);
    else
        state_.notice = "The rules for folding stacks are not used: " + rules.error().text();
    if (auto folders = PathMap::parse(settings.source_folders))
        folders_ = *std::move(folders);
    else
        state_.notice = "The source folders are not used: " + folders.error().text();
    state_.details.stack.is_arranged = false;
}

void SourceCode::update() {
    StackViewState& stack = state_.details.stack;
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
    if (!state_.document) return roots;
    std::error_code failed;
    const std::filesystem::path path = std::filesystem::absolute(state_.document->path, failed);
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
    state_.stack_rules.error = !rules     ? rules.error().text()
                               : !folders ? folders.error().text()
                               : !words   ? words.error().text()
                                          : "";
    if (!state_.stack_rules.error.empty()) return false;
    rules_ = *std::move(rules);
    folders_ = *std::move(folders);
    state_.preferences.stacks = settings;
    state_.details.stack.is_arranged = false;
    state_.stack_rules.is_open = false;
    return true;
}

void SourceCode::open(const SourcePlace& place) {
    const auto words = editor_words(state_.preferences.stacks.editor_command, place.path, place.line);
    const bool has_command = words && !words->empty();
    const Status started = has_command ? programs_.start(*words) : Status{};
    if (has_command && started) {
        state_.toasts.say("Opened in the editor: " + place.path);
        return;
    }
    state_.notice = !started ? started.error().text()
                    : !words ? words.error().text()
                             : "No editor is set; enter its command in this window";
    state_.stack_rules.is_open = true;
}

}  // namespace snapviewer
