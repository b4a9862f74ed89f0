#include "app/features/flame/flame_task.h"

#include <utility>

#include "app/ui/within_memory.h"
#include "core/analysis/analyses.h"
#include "core/base/output_file.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

Status write_text(const std::string& path, const std::string& text) {
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    file->write(text);
    return file->put_in_place();
}

}  // namespace

Job<FlameOutcome>::Work make_flame_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                       FlameMoment moment) {
    return [document = std::move(document), device_index, moment = std::move(moment)](Progress& progress) {
        return within_memory<FlameOutcome>([&]() -> FlameOutcome {
            DeviceAnalyses& device = document->analyses->device(device_index);
            const auto lines = device.stack_lines(&progress);
            if (!lines) return lines.error();
            auto graph = make_flame_graph(device.timeline(), **lines, moment, &progress);
            if (!graph) return graph.error();
            return MadeFlame{moment, std::make_shared<const Icicle>(std::move(*graph))};
        });
    };
}

Job<WrittenFolded>::Work make_folded_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                         FlameMoment moment, std::string path) {
    return [document = std::move(document), device_index, moment = std::move(moment),
            path = std::move(path)](Progress& progress) {
        WrittenFolded written{path, {}, {}};
        DeviceAnalyses& device = document->analyses->device(device_index);
        const auto lines = device.stack_lines(&progress);
        if (!lines) return WrittenFolded{path, lines.error(), {}};
        const auto folded = flame_as_folded(device.timeline(), **lines, moment, &progress);
        if (!folded) return WrittenFolded{path, folded.error(), {}};
        if (path.empty())
            written.text = valid_utf8(*folded);
        else
            written.status = write_text(path, valid_utf8(*folded));
        return written;
    };
}

}  // namespace snapviewer
