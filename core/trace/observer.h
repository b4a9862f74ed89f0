#pragma once

#include <cstddef>
#include <functional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Somebody who wants to see what of a file was read so far, see Progress::let_look(). Called on the thread that reads.
class Observer {
public:
    virtual ~Observer() = default;
    /// Asked at every piece of a file: cheap.
    virtual bool wants_to_look() const = 0;
    /// `copy` makes a copy of the device that has most so far: so many events, and its allocations where the file gives
    /// those. What they refer to is in `unfinished` after it, which has no devices yet and changes when this returns.
    virtual void look(const Snapshot& unfinished, std::size_t events, const std::function<DeviceTrace()>& copy) = 0;
};

}  // namespace snapviewer
