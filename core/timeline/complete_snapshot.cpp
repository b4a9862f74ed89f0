#include "core/timeline/complete_snapshot.h"

#include "core/timeline/collect.h"
#include "core/timeline/recording_gaps.h"
#include "core/trace/reserved.h"

namespace snapviewer {

Status complete_snapshot(Snapshot& snapshot, Progress& progress) {
    for (DeviceTrace& trace : snapshot.devices) {
        if (trace.allocations_are_given) continue;
        collect_allocations(snapshot, trace, &progress);
        if (progress.stop_requested()) return stopped();
        report_recording(snapshot, trace);
        if (progress.stop_requested()) return stopped();
        check_reserved(snapshot, trace);
        if (progress.stop_requested()) return stopped();
    }
    return {};
}

}  // namespace snapviewer
