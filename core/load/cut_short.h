#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/load/failure.h"
#include "core/load/object_builder.h"

/// What to make of a file that breaks off.
namespace snapviewer {

/// Puts what a pickle had begun when it broke off into the values it was for, outermost last, and returns the outermost.
/// `stack` and `marks` are those of the pickle's machine. A dict that was not complete is dropped.
Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks);

/// The snapshot of what was read before `failure`, which its log tells. Throws `failure` if no event and no segment was
/// complete.
std::unique_ptr<Snapshot> finish_cut(ObjectBuilder& builder, Value root, const ReadFailure& failure);

}  // namespace snapviewer
