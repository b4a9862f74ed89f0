#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/load/pytorch/object_builder.h"

/// Makes snapshots from the rows of an ObjectBuilder and the outermost values of a file.
namespace snapviewer {

/// Makes the snapshot from the outermost object, and empties the builder. `cut` is the failure that ended reading before the
/// end of `root`, if any, and `behind` is damage of the source that was found after that place. If a trace or a list of
/// segments contains an impossible value, keeps the rows before it. Reports all of this in the import log. Throws `cut` or
/// the first damage if no event and no segment is left.
std::unique_ptr<Snapshot> finish_objects(ObjectBuilder& builder, Value root, std::optional<Failure> cut = {},
                                         const std::optional<Failure>& behind = {});

/// Throws if an outermost object is not a list of events.
void check_events(ObjectBuilder& builder, Value root);
/// Makes the snapshot of one device from outermost objects that are lists of events, in this order. Empties the builder.
std::unique_ptr<Snapshot> finish_events(ObjectBuilder& builder, std::span<const Value> roots);

}  // namespace snapviewer
