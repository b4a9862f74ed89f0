#include <nlohmann/json.hpp>

#include "app/features/files/file_opener.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

const char* disk_change_name(DiskChange change) {
    switch (change) {
        case DiskChange::none: return "unchanged";
        case DiskChange::changed: return "changed";
        case DiskChange::gone: return "gone";
    }
    return "";
}

JsonValue growing_picture_report(const GrowingPictureState& growing) {
    if (growing.shown == nullptr) return nullptr;
    const Timeline& timeline = *growing.shown->timeline;
    return {{"fraction", growing.fraction},
            {"events", timeline.trace().events.size()},
            {"peak_bytes", timeline.peak_bytes()},
            {"view", {growing.view.x_begin, growing.view.x_end, growing.view.y_begin, growing.view.y_end}}};
}

}  // namespace

void FileOpener::describe(nlohmann::json& report) const {
    report["loading"] = nullptr;
    if (job_.is_busy()) {
        const Progress& progress = job_.progress();
        report["loading"] = {{"file", path_},
                             {"stage", stage_text(progress.stage())},
                             {"fraction", progress.fraction()},
                             {"preview_samples", progress.totals().samples().size()},
                             {"picture", growing_picture_report(state_.growing)}};
    }
    report["on_disk"] = disk_change_name(state_.on_disk);
    report["error"] = nullptr;
    if (state_.failed) report["error"] = {{"file", state_.failed->path}, {"text", state_.failed->error.text()}};
}

}  // namespace snapviewer
