#pragma once

#include <memory>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether a page begins like one of PyTorch's viewer of 2022, which had no snapshot in it: sizes, stacks and the order in
/// which elements come and go.
bool looks_like_plot_page(std::string_view front);

/// Reads such a page: its allocations with an event for each start and end, without addresses, streams and times. A page
/// that breaks off cannot be read, because the order of elements comes in no fixed place. Throws ReadFailure.
std::unique_ptr<Snapshot> read_plot_page(ByteSource& page, Progress& progress);

}  // namespace snapviewer
