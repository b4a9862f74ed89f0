#include "core/timeline/complete_snapshot.h"

#include "core/timeline/collect.h"
#include "core/timeline/notes.h"
#include "core/timeline/recording_gaps.h"
#include "core/timeline/skipped_frees.h"
#include "core/timeline/stacked_paths.h"
#include "core/trace/pools.h"

namespace snapviewer {

Status complete_snapshot(Snapshot& snapshot, Progress& progress, const std::function<void(const DeviceTrace&)>& collected) {
    take_requests_as_frees(snapshot);
    separate_allocators_own(snapshot);
    for (DeviceTrace& trace : snapshot.devices) {
        if (trace.allocations_are_given) {
            if (are_stacked(trace, progress)) trace.recorded_paths = {};
            attach_notes(snapshot, trace);
            if (progress.stop_requested()) return stopped();
            if (collected) collected(trace);
            continue;
        }
        collect_allocations(snapshot, trace, &progress);
        attach_notes(snapshot, trace);
        if (progress.stop_requested()) return stopped();
        if (collected) collected(trace);
        find_pools(snapshot, trace);
        if (progress.stop_requested()) return stopped();
        report_recording(snapshot, trace);
        if (progress.stop_requested()) return stopped();
    }
    return {};
}

}  // namespace snapviewer
