#pragma once

#include <cstdint>
#include <memory>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Reads a pickled memory snapshot (protocols 0 to 5, from Python's writer or PyTorch's C++ writer) into columns. A pickle
/// is a program for a small machine. This implementation can only build lists, dicts, tuples, numbers and strings; it
/// refuses instructions that import, call or construct objects, and names them. The snapshot may be in a file of
/// torch.save's old format. If the pickle breaks off or is damaged, returns the part before that place if at least one event
/// or segment is complete. `part`, counted from 1, selects one of several consecutive pickles; the import log says how many
/// there are. Ignores other bytes after the end mark. `expected_bytes` is an estimate of the pickle's size. Does not collect
/// the allocations; complete_snapshot() (core/timeline) does. Throws Failure.
std::unique_ptr<Snapshot> read_pickle(ByteSource& source, std::uint64_t expected_bytes, std::uint32_t part = 1);

}  // namespace snapviewer
