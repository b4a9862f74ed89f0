#pragma once

#include <memory>
#include <string_view>

#include "core/base/context.h"
#include "core/load/bytes/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// True if a page begins like one of PyTorch's viewer of 2022. Such a page contains no snapshot, only the sizes and stacks
/// of elements and the order in which they are allocated and freed.
bool looks_like_plot_page(std::string_view front);

/// Reads a page of PyTorch's viewer of 2022 into allocations, each with an event for its start and one for its end, but
/// without addresses, streams and times. Throws Failure, also if the page breaks off, because its lists come in no fixed
/// order.
std::unique_ptr<Snapshot> read_plot_page(ByteSource& page);

}  // namespace snapviewer
