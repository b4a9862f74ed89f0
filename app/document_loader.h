#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/file_watch.h"
#include "core/base/progress.h"
#include "core/document/document.h"

namespace snapviewer {

/// Opens one file at a time on a worker thread. All members are for the main thread.
class DocumentLoader {
public:
    struct Outcome {
        std::string path;
        std::string with;                ///< what was opened together with the file, if anything
        std::vector<std::string> paths;  ///< of all that was read
        FileStamps stamps;               ///< of `paths`, from before they were
        Result<std::shared_ptr<const Document>> document;
    };

    DocumentLoader() = default;
    ~DocumentLoader();
    DocumentLoader(const DocumentLoader&) = delete;
    DocumentLoader& operator=(const DocumentLoader&) = delete;

    /// Begins to open a file; gives up one that is still on its way, which takes at most 100 ms. Together with another one
    /// if these are a memory report and a run-time report, otherwise alone.
    void start(const std::string& path, const std::string& with = "");
    /// Asks the worker to stop; the outcome then is ErrorCode::cancelled.
    void cancel();
    bool busy() const { return job_ != nullptr; }
    /// Of the file on its way; only while busy().
    const std::string& path() const { return job_->path; }
    const Progress& progress() const { return job_->progress; }
    /// What became of it, once.
    std::optional<Outcome> take();

private:
    struct Job {
        std::string path;
        std::string with;
        Progress progress;
        std::vector<std::string> paths;  ///< this and what follows is the worker's until `done`
        FileStamps stamps;
        std::optional<Result<std::shared_ptr<const Document>>> document;
        std::atomic<bool> done{false};
    };

    std::unique_ptr<Job> job_;  ///< outlives the thread, which is joined first
    std::jthread thread_;
};

}  // namespace snapviewer
