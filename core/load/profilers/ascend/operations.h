#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/sqlite/sqlite_file.h"

namespace snapviewer::ascend {

/// Pairs of numbers, looked up by the first.
class PairIndex {
public:
    /// Both columns of a query; pairs with NULL are left out.
    void read(SqliteFile& file, const std::string& sql);
    /// The second numbers, in ascending order.
    std::vector<std::int64_t> find(std::int64_t first) const;

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

/// When the operations of PyTorch ran, for looking up who was at work at a moment. Some 60 bytes an operation.
class Operations {
public:
    /// Seconds for millions of operations. If the work is to stop, ends with what was read.
    void read(SqliteFile& file);

    /// Rows of PYTORCH_API that ran at a moment (ns), outermost first. Up to milliseconds.
    std::vector<std::int64_t> running_at(std::int64_t time_ns) const;
    /// The row of the forward operation whose backward one has this sequence number; 0 if there is none.
    std::int64_t forward_of(std::int64_t sequence_number) const;

    const PairIndex& connections() const { return connections_; }  ///< CONNECTION_IDS.id -> connectionId
    const PairIndex& tasks() const { return tasks_; }              ///< TASK.connectionId -> row
    /// Whether the rows of PYTORCH_CALLCHAINS are in order of their ids, so that they can be found by halving.
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

    std::vector<Span> spans_;               ///< by start
    std::vector<std::int64_t> latest_end_;  ///< the largest end of spans 0 .. i
    std::vector<Forward> forwards_;         ///< by sequence number and start
    PairIndex connections_;
    PairIndex tasks_;
    bool has_sorted_callchains_ = false;
};

}  // namespace snapviewer::ascend
