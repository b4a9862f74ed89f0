#include "app/features/flame/flame_task.h"

#include <utility>

#include "app/ui/within_memory.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/context.h"
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
    return [document = std::move(document), device_index, moment = std::move(moment)](Progress&) {
        return within_memory<FlameOutcome>(document->snapshot->read_bytes, [&]() -> FlameOutcome {
            DeviceAnalyses& device = document->analyses->device(device_index);
            const auto lines = device.stack_lines();
            return MadeFlame{moment, std::make_shared<const Icicle>(make_flame_graph(device.timeline(), *lines, moment))};
        });
    };
}

Job<WrittenFolded>::Work make_folded_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                         FlameMoment moment, std::string path) {
    return [document = std::move(document), device_index, moment = std::move(moment), path = std::move(path)](Progress&) {
        WrittenFolded written{path, {}, {}};
        DeviceAnalyses& device = document->analyses->device(device_index);
        const auto folded = caught([&] { return flame_as_folded(device.timeline(), *device.stack_lines(), moment); });
        if (!folded) return WrittenFolded{path, folded.error(), {}};
        if (path.empty())
            written.text = valid_utf8(*folded);
        else
            written.status = write_text(path, valid_utf8(*folded));
        return written;
    };
}

}  // namespace snapviewer
