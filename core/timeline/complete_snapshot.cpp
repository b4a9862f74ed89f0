#include "core/timeline/complete_snapshot.h"

#include "core/timeline/collect.h"
#include "core/timeline/recording_gaps.h"
#include "core/trace/reserved.h"

namespace snapviewer {

void complete_snapshot(Snapshot& snapshot) {
    for (DeviceTrace& trace : snapshot.devices) {
        if (trace.allocations_are_given) continue;
        collect_allocations(snapshot, trace);
        report_recording(snapshot, trace);
        check_reserved(snapshot, trace);
    }
}

}  // namespace snapviewer
