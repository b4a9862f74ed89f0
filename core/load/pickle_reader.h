#pragma once

#include <memory>
#include <span>

#include "core/base/mapped_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether the bytes begin like a pickle of protocol 2 or later.
bool looks_like_pickle(std::span<const std::byte> bytes);

/// Reads a pickled memory snapshot (protocols 2 to 5; Python's writer or PyTorch's C++ one) into columns.
/// A pickle is a program for a small machine; this machine can build lists, dicts, tuples, numbers and strings and nothing
/// else. Instructions that import, call or construct are refused by name. Bytes after the end mark are ignored.
/// Gives pages of `file` back to the system as it goes. The allocations are not collected yet.
Result<std::unique_ptr<Snapshot>> read_pickle(MappedFile& file, Progress& progress);

}  // namespace snapviewer
