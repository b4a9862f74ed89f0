#include "core/document/recorder_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/analysis/recorder_facts.h"
#include "core/base/plain_file.h"
#include "core/base/remote_address.h"
#include "core/base/standard_input.h"

namespace snapviewer {

std::string recorder_facts_path(const std::string& snapshot_path) {
    constexpr std::string_view k_ending = ".pickle";
    const std::size_t folder_end = snapshot_path.find_last_of("/\\") + 1;
    const std::size_t ending = snapshot_path.rfind(k_ending);
    const bool has_ending = ending != std::string::npos && ending > folder_end;
    return (has_ending ? snapshot_path.substr(0, ending) : snapshot_path) + ".about.json";
}

std::vector<CardFigures> figures_beside(const std::string& snapshot_path, ImportLog& log) {
    if (is_standard_input(snapshot_path) || is_remote(snapshot_path)) return {};
    const std::string path = recorder_facts_path(snapshot_path);
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return {};
    const Result<std::string> text = read_plain_file(path, k_most_recorder_facts_bytes);
    Result<CardFigures> figures = text ? read_recorder_facts(*text) : Result<CardFigures>(text.error());
    if (!figures) {
        log.add(ImportCode::recorder_facts_unreadable,
                fmt::format("{} beside the file {}", shown_name(path), figures.error().text()));
        return {};
    }
    figures->where = shown_name(path);
    return {*std::move(figures)};
}

}  // namespace snapviewer
