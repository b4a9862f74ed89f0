#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>

#include "core/base/progress.h"
#include "core/document/document.h"

namespace snapviewer {

/// Makes one more picture of a device at a time, on a worker thread. All members are for the main thread.
class ViewBuilder {
public:
    struct Outcome {
        std::shared_ptr<const Document> document;
        std::size_t device_index = 0;
        ViewKind kind = ViewKind::allocations;
        Result<DeviceView> view;
    };

    ViewBuilder() = default;
    ~ViewBuilder();
    ViewBuilder(const ViewBuilder&) = delete;
    ViewBuilder& operator=(const ViewBuilder&) = delete;

    /// Begins with a picture; gives up one that is still being made.
    void start(std::shared_ptr<const Document> document, std::size_t device_index, ViewKind kind);
    /// Asks the worker to stop; the outcome then is ErrorCode::cancelled.
    void cancel();
    bool busy() const { return job_ != nullptr; }
    /// Of the picture being made; only while busy().
    ViewKind kind() const { return job_->kind; }
    const Progress& progress() const { return job_->progress; }
    /// What became of it, once.
    std::optional<Outcome> take();

private:
    struct Job {
        std::shared_ptr<const Document> document;
        std::size_t device_index = 0;
        ViewKind kind = ViewKind::allocations;
        Progress progress;
        std::optional<Result<DeviceView>> view;  ///< the worker's until `done`
        std::atomic<bool> done{false};
    };

    std::unique_ptr<Job> job_;  ///< outlives the thread, which is joined first
    std::jthread thread_;
};

}  // namespace snapviewer
