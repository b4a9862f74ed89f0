#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/sqlite/sqlite_file.h"

namespace snapviewer::ascend {

/// A list of pairs of numbers with look-up by the first number.
class PairIndex {
public:
    /// Reads the two columns of a query. Skips pairs with NULL.
    void read(SqliteFile& file, const std::string& sql);
    /// The second numbers of all pairs with this first number, in ascending order.
    std::vector<std::int64_t> find(std::int64_t first) const;

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

/// The time ranges of PyTorch's operations, for finding the operations that ran at a given time. Takes about 60 bytes per
/// operation.
class Operations {
public:
    /// Takes seconds for millions of operations. If a stop is requested, keeps what was read until then.
    void read(SqliteFile& file);

    /// The rows of PYTORCH_API that ran at `time_ns`, outermost first. Takes up to milliseconds.
    std::vector<std::int64_t> running_at(std::int64_t time_ns) const;
    /// The row of the forward operation that belongs to a backward operation with this sequence number; 0 if there is none.
    std::int64_t forward_of(std::int64_t sequence_number) const;

    const PairIndex& connections() const { return connections_; }  ///< index from CONNECTION_IDS.id to connectionId
    const PairIndex& tasks() const { return tasks_; }              ///< index from TASK.connectionId to the row of TASK
    /// True if the rows of PYTORCH_CALLCHAINS are sorted by id, so that a binary search finds them.
    bool has_sorted_callchains() const { return has_sorted_callchains_; }

private:
    struct Span {
        std::int64_t start_ns = 0;
        std::int64_t end_ns = 0;
        std::int64_t row = 0;
    };
    struct Forward {
        std::int64_t sequence_number = 0;
        std::int64_t start_ns = 0;
        std::int64_t row = 0;
    };

    std::vector<Span> spans_;               ///< time ranges of all operations, sorted by start
    std::vector<std::int64_t> latest_end_;  ///< element i: maximum of the ends of spans 0 to i
    std::vector<Forward> forwards_;         ///< forward operations, sorted by sequence number, then start
    PairIndex connections_;
    PairIndex tasks_;
    bool has_sorted_callchains_ = false;
};

}  // namespace snapviewer::ascend
