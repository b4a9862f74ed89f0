#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/load/bytes/byte_source.h"
#include "core/load/pytorch/object_builder.h"

/// Handles files that break off or are damaged.
namespace snapviewer {

/// Moves the unfinished values of a pickle that broke off into their containers, outermost last, and returns the outermost
/// value. `stack` and `marks` are the two stacks of the pickle reader when the pickle broke off. Drops an incomplete dict.
Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks);

/// Reads the rest of a source, because unpackers verify their data at the end. Returns the damage that was found, or
/// nullopt. Stops without an error if the budget of the load is used up. Throws Failure if the source fails for another
/// reason.
std::optional<Failure> read_to_end(ByteSource& source);

/// Builds the snapshot from the values that were read. `damage` is the failure that ended reading before the end of `root`,
/// if any. `behind` is damage of the source that was found after that place. Reports both, and impossible values in
/// `builder`, in the import log. Throws `damage` if no event and no segment is complete.
std::unique_ptr<Snapshot> finish_read(ObjectBuilder& builder, Value root, std::optional<Failure> damage,
                                      const std::optional<Failure>& behind);

}  // namespace snapviewer
