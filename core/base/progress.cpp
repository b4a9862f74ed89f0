#include "core/base/progress.h"

#include "core/base/context.h"

namespace snapviewer {

const char* stage_text(Stage stage) {
    switch (stage) {
        case Stage::waiting: return "waiting";
        case Stage::reading: return "reading the file";
        case Stage::timeline: return "laying out the timeline";
        case Stage::mesh: return "building the mesh";
        case Stage::database: return "preparing the database";
        case Stage::done: return "done";
    }
    return "";
}

void Progress::yield_to_page() {
    const ContextScope outside({});
    give_way();
}

}  // namespace snapviewer
