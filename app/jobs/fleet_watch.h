#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/jobs/file_watch.h"

namespace snapviewer {

/// What was seen of the files of a fleet, by path.
using FleetStamps = std::map<std::string, FileStamps>;

/// Compares what is on the disk now with what was read.
class FleetChangeDetector {
public:
    explicit FleetChangeDetector(FleetStamps read) : read_(std::move(read)), last_(read_) {}

    /// A file that is still being written is no news yet: only what two looks saw alike is.
    void look(FleetStamps now);
    bool has_news() const { return has_news_; }

private:
    FleetStamps read_;
    FleetStamps last_;
    bool has_news_ = false;
};

/// Looks about once a second whether files of a fleet came, went or were written anew, on a thread of its own; of many files
/// less often, so that looking takes a small part of the time. All members are for the main thread.
class FleetWatch {
public:
    FleetWatch() = default;
    ~FleetWatch() { stop(); }
    FleetWatch(const FleetWatch&) = delete;
    FleetWatch& operator=(const FleetWatch&) = delete;

    /// `paths` are those of the fleet, `read` what their files were like before they were read.
    void start(std::vector<std::string> paths, FleetStamps read);
    /// Waits for nothing: a thread that hangs in a network is left to itself.
    void stop();
    bool has_news() const;

private:
    /// Shared with the thread, which may outlive this.
    struct Watched {
        explicit Watched(FleetStamps read) : detector(std::move(read)) {}
        std::mutex mutex;
        std::condition_variable wake;
        FleetChangeDetector detector;
        bool is_over = false;
    };
    static void watch(const std::shared_ptr<Watched>& watched, const std::vector<std::string>& paths);

    std::shared_ptr<Watched> watched_;  ///< null while nothing is watched; what is in it is guarded by its mutex
};

}  // namespace snapviewer
