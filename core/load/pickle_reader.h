#pragma once

#include <cstdint>
#include <memory>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Reads a pickled memory snapshot (protocols 0 to 5; Python's writer or PyTorch's C++ one) into columns.
/// A pickle is a program for a small machine; this machine can build lists, dicts, tuples, numbers and strings and nothing
/// else. Instructions that import, call or construct are refused by name. The snapshot may be in a file of torch.save's old
/// format. What breaks off or is damaged after an event or segment was complete is read up to there. Of several pickles one
/// after another, `part` (from 1) says which to read; a note says how many there are. Other bytes after the end mark are
/// ignored. `expected_bytes` is a guess at the pickle's size. The allocations are not collected yet. Throws Failure.
std::unique_ptr<Snapshot> read_pickle(ByteSource& source, std::uint64_t expected_bytes, std::uint32_t part = 1);

}  // namespace snapviewer
