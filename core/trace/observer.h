#pragma once

#include <cstddef>
#include <functional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Receives partial results while a file is being loaded, see Progress::let_look(). Called on the thread that reads the
/// file.
class Observer {
public:
    virtual ~Observer() = default;
    /// True if look() should be called. Called for every piece of the file, so it must be cheap.
    virtual bool wants_to_look() const = 0;
    /// Receives a partial result. `copy` copies the device with the most events so far: its first `events` events, and its
    /// allocations if the file lists them. Strings and stacks to which the copy refers are in `unfinished`, which has no
    /// devices yet and changes after this call.
    virtual void look(const Snapshot& unfinished, std::size_t events, const std::function<DeviceTrace()>& copy) = 0;
};

}  // namespace snapviewer
